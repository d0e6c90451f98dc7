"""Modules that hold modules: in a chain, in a list, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self, overload

from gradviz.errors import GradvizIndexError, GradvizKeyError, GradvizTypeError, fail
from gradviz.nn.module import Module
from gradviz.nn.text import grouped


class _Numbered(Module):
    """Modules under the names "0", "1" and so on."""

    @overload
    def __getitem__(self, at: int) -> Module: ...
    @overload
    def __getitem__(self, at: slice) -> Self: ...
    def __getitem__(self, at: int | slice) -> Module | Self:
        if isinstance(at, slice):
            return self._like(dict(list(self._items().items())[at]))
        return self._items()[self._key(at)]

    def _like(self, modules: dict[str, Module]) -> Self:
        return type(self)(list(modules.values()))  # type: ignore[call-arg]

    def __setitem__(self, at: int, module: Module) -> None:
        setattr(self, self._key(at), self._module(module))

    def __delitem__(self, at: int | slice) -> None:
        kept = list(self._items().values())
        del kept[at if isinstance(at, slice) else list(self._items()).index(self._key(at))]
        self._renumber(kept)

    def __len__(self) -> int:
        return len(self._items())

    def __iter__(self) -> Iterator[Module]:
        return iter(self._items().values())

    def __contains__(self, module: object) -> bool:
        return any(held is module for held in self)

    def append(self, module: Module) -> Self:
        """Adds a module at the end; returns the container."""
        setattr(self, str(len(self)), self._module(module))
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Adds modules at the end; returns the container."""
        for module in [self._module(module) for module in modules]:
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Self:
        """Adds a module before the one at `index`; returns the container."""
        modules = list(self)
        modules.insert(index, self._module(module))
        self._renumber(modules)
        return self

    def pop(self, index: int = -1) -> Module:
        """Takes a module out and returns it."""
        module = self[index]
        del self[index]
        return module

    def _items(self) -> dict[str, Module]:
        return dict(self.held(Module))

    def _renumber(self, modules: list[Module]) -> None:
        for name in self._items():
            del vars(self)[name]
        for at, module in enumerate(modules):
            setattr(self, str(at), module)

    def _key(self, at: Any) -> str:
        names = list(self._items())
        if not hasattr(at, "__index__"):
            raise fail(
                "invalid-argument",
                operation=type(self).__name__,
                complaint=f"a {type(at).__name__} is no index",
                advice="Give a whole number or a slice.",
                error=GradvizTypeError,
            )
        number: int = at.__index__()
        if not -len(names) <= number < len(names):
            raise fail(
                "index-out-of-range",
                operation=type(self).__name__,
                complaint=f"index {number} is out of range for {len(names)} modules",
                advice="Ask `len()` how many there are.",
                error=GradvizIndexError,
            )
        return names[number]

    def _module(self, value: Any) -> Module:
        if not isinstance(value, Module):
            is_class = isinstance(value, type) and issubclass(value, Module)
            raise fail(
                "invalid-argument",
                operation=type(self).__name__,
                complaint=f"the class {value.__name__} is no module: an object of it is"
                if is_class
                else f"a {type(value).__name__} is no module",
                advice=f"Write `{value.__name__}()`."
                if is_class
                else "Give modules; a function becomes one as the `forward` of a class.",
                error=GradvizTypeError,
            )
        return value


class Sequential(_Numbered):
    """Modules one after the other: each gets what the one before it gave.

    Args:
        *modules: modules, or one dict of them by name.

    Raises:
        GradvizError: `invalid-argument` for what is no module.

    Example:
        >>> import gradviz as gv
        >>> model = gv.nn.Sequential(gv.nn.Linear(2, 3), gv.nn.ReLU(), gv.nn.Linear(3, 1))
        >>> model(gv.ones(4, 2)).shape, len(model)
        ((4, 1), 3)
    """

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], Mapping):
            for name, module in modules[0].items():
                self.add_module(name, self._module(module))
        else:
            self.extend(modules)

    def _like(self, modules: dict[str, Module]) -> Self:
        numbered = list(self._items()) == [str(at) for at in range(len(self))]
        return type(self)(*modules.values()) if numbered else type(self)(modules)

    def forward(self, input: Any) -> Any:
        """What the last module gives."""
        for module in self:
            input = module(input)
        return input


class ModuleList(_Numbered):
    """A list of modules, whose parameters belong to the module that holds it.

    Args:
        modules: modules, or None for an empty list.

    Raises:
        GradvizError: `invalid-argument` for what is no module.

    Example:
        >>> import gradviz as gv
        >>> layers = gv.nn.ModuleList([gv.nn.Linear(2, 2), gv.nn.Linear(2, 1)])
        >>> len(layers), len(list(layers.parameters()))
        (2, 4)
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def __iadd__(self, other: Iterable[Module]) -> Self:
        return self.extend(other)

    def __repr__(self) -> str:
        return grouped(type(self).__name__, list(self))


class ModuleDict(Module):
    """Modules by name, whose parameters belong to the module that holds it.

    Args:
        modules: modules by name, as a mapping or pairs, or None for an empty one.

    Raises:
        GradvizError: `invalid-argument` for what is no module, and for names that modules have an
            attribute of.

    Example:
        >>> import gradviz as gv
        >>> heads = gv.nn.ModuleDict({"mean": gv.nn.Linear(2, 1), "spread": gv.nn.Linear(2, 1)})
        >>> list(heads), heads["mean"](gv.ones(2)).shape
        (['mean', 'spread'], (1,))
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, name: str) -> Module:
        held = dict(self.held(Module))
        if name not in held:
            raise fail(
                "invalid-argument",
                operation="ModuleDict",
                complaint=f"there is no module called {name!r}",
                advice=f"It holds {', '.join(self) or 'nothing yet'}.",
                error=GradvizKeyError,
            )
        return held[name]

    def __setitem__(self, name: str, module: Module) -> None:
        self.add_module(name, module)

    def __delitem__(self, name: str) -> None:
        self.pop(name)

    def __len__(self) -> int:
        return len(self.keys())

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    def keys(self) -> list[str]:
        """The names."""
        return [name for name, _ in self.held(Module)]

    def values(self) -> list[Module]:
        """The modules."""
        return [module for _, module in self.held(Module)]

    def items(self) -> list[tuple[str, Module]]:
        """Names and modules."""
        return list(self.held(Module))

    def update(self, modules: Any) -> None:
        """Sets modules by name, from a mapping or from pairs."""
        for name, module in modules.items() if hasattr(modules, "items") else modules:
            self[name] = module

    def pop(self, name: str) -> Module:
        """Takes a module out and returns it."""
        module = self[name]
        del vars(self)[name]
        return module
