"""The scope a module opens around its call, so that pictures group by module."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import ref

from gradviz.core.context import Context, Entered, Scope, call_site, current

if TYPE_CHECKING:
    from gradviz.nn.module import Module


class ModuleScope(Scope):
    """The scope of one call of a module.

    Attributes:
        class_name: the module's class.
        module: `module()` is the module, or None when it is gone.
    """

    __slots__ = ("class_name", "module")

    def __init__(self, module: Module, parent: Scope | None) -> None:
        super().__init__(module._label or type(module).__name__, "module", parent)
        self.class_name = type(module).__name__
        # Graphs outlive models now and then; they must not keep their weights.
        self.module = ref(module)


class ModuleBlock(Entered):
    """Puts a module's scope in force.

    What the package's own modules compute is attributed to the innermost user code that called
    one, which in a model written by the user is a line of its `forward`.
    """

    __slots__ = ("_module",)

    def __init__(self, module: Module) -> None:
        super().__init__()
        self._module = module

    def context(self) -> Context:
        """The module's scope and the place that called it."""
        now = current()
        code, lasti = call_site()
        if code is None:
            code, lasti = now.code, now.lasti
        scope = ModuleScope(self._module, now.scope)
        return Context(now.grad_enabled, scope, code, lasti, now.quiet)
