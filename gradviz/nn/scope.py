"""The scope a module opens around its call, so that pictures group by module."""

from __future__ import annotations

import sys
from contextvars import Token
from typing import TYPE_CHECKING
from weakref import ref

from gradviz.core.context import Context, Scope, current, enter
from gradviz.core.source import user_frame

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


def opened(module: Module) -> Token[Context]:
    """Puts a module's scope in force, until `leave` takes the token.

    What the package's own modules compute is attributed to the innermost user code that called
    one, which in a model written by the user is a line of its `forward`.
    """
    now = current()
    frame = user_frame(sys._getframe(2))
    code, lasti = (now.code, now.lasti) if frame is None else (frame.f_code, frame.f_lasti)
    scope = ModuleScope(module, now.scope)
    return enter(Context(now.grad_enabled, scope, code, lasti, now.quiet))
