"""What a module holds: parameters, buffers and modules among its attributes, and their paths."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeVar, cast

from gradviz.errors import GradvizError, fail
from gradviz.nn.parameter import Buffer, Parameter

if TYPE_CHECKING:
    from gradviz.nn.module import Module

Held = TypeVar("Held")


class Tree:
    """Looks through attributes; the attributes themselves are the only record of what is held."""

    __slots__ = ("__dict__", "__weakref__")

    def named_modules(
        self, memo: set[int] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """The module and all modules in it, with dotted paths; its own path is ''."""
        seen = set() if memo is None else memo
        if id(self) in seen:
            return
        seen.add(id(self))
        yield prefix, cast("Module", self)
        for name, child in self._children():
            path = f"{prefix}.{name}" if prefix else name
            yield from child.named_modules(seen, path, remove_duplicate)
        if not remove_duplicate:
            # Within its own branch only: a module that holds itself must not go on for ever.
            seen.discard(id(self))

    def modules(self) -> Iterator[Module]:
        """The module and all modules in it, each once."""
        return (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules among its attributes, each once."""
        return _once(self._children())

    def children(self) -> Iterator[Module]:
        """The modules among its attributes, each once."""
        return (child for _, child in self.named_children())

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """All parameters with dotted paths.

        Args:
            prefix: stands before every path.
            recurse: whether those of the modules in it are included.
            remove_duplicate: whether a parameter with two paths comes once.

        Example:
            >>> import gradviz as gv
            >>> model = gv.nn.Sequential(gv.nn.Linear(2, 1))
            >>> [name for name, _ in model.named_parameters()]
            ['0.weight', '0.bias']
        """
        found = self._all(Parameter, prefix, recurse, remove_duplicate)
        for path, parameter in _once(found) if remove_duplicate else found:
            if not prefix:
                _name(parameter, path)
            yield path, parameter

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters, each once."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Buffer]]:
        """All buffers with dotted paths."""
        found = self._all(Buffer, prefix, recurse, remove_duplicate)
        return _once(found) if remove_duplicate else found

    def buffers(self, recurse: bool = True) -> Iterator[Buffer]:
        """All buffers, each once."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def get_parameter(self, target: str) -> Parameter:
        """The parameter with a dotted path.

        Raises:
            GradvizError: `invalid-argument` where there is none.
        """
        found = dict(self.named_parameters(remove_duplicate=False))
        if target not in found:
            raise _nothing_called(self, "get_parameter", "parameter", target, list(found))
        return found[target]

    def get_submodule(self, target: str) -> Module:
        """The module with a dotted path; '' is the module itself.

        Raises:
            GradvizError: `invalid-argument` where there is none.
        """
        found = dict(self.named_modules(remove_duplicate=False))
        if target not in found:
            raise _nothing_called(self, "get_submodule", "module", target, list(found))
        return found[target]

    def held(self, kind: type[Held]) -> Iterator[tuple[str, Held]]:
        """The attributes that are a `kind`, in the order in which they were first set."""
        return ((n, value) for n, value in vars(self).copy().items() if isinstance(value, kind))

    def _children(self) -> Iterator[tuple[str, Module]]:
        return cast("Iterator[tuple[str, Module]]", self.held(Tree))

    def _all(
        self, kind: type[Held], prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Held]]:
        modules = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else iter([(prefix, cast("Module", self))])
        )
        for path, module in modules:
            for name, value in module.held(kind):
                yield f"{path}.{name}" if path else name, value


def _once(pairs: Iterator[tuple[str, Held]]) -> Iterator[tuple[str, Held]]:
    seen: set[int] = set()
    for name, value in pairs:
        if id(value) not in seen:
            seen.add(id(value))
            yield name, value


def _name(parameter: Parameter, path: str) -> None:
    """Names a parameter by its path, unless it has a name of the user's or a longer path."""
    if not parameter.named:
        known = parameter.name
        if known is None or path.count(".") > known.count("."):
            parameter.node.more().name = path


def _nothing_called(
    module: Tree, operation: str, what: str, target: str, names: list[str]
) -> GradvizError:
    close = get_close_matches(str(target), names, 3)
    return fail(
        "invalid-argument",
        operation=operation,
        complaint=f"{type(module).__name__} has no {what} called {target!r}",
        advice=f"Did you mean {' or '.join(map(repr, close))}?"
        if close
        else f"Ask `named_{what}s()` for the names.",
    )
