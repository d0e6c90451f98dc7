"""Modules that hold modules: in a chain, in a list, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Generic, Self, TypeVar, overload

from gradviz.errors import GradvizIndexError, GradvizKeyError, GradvizTypeError, fail
from gradviz.nn.module import Module
from gradviz.nn.text import grouped

Item = TypeVar("Item")


class Uncalled(Module):
    """A container that is never called itself, so that what it holds says its name as well."""

    def _take_name(self, name: str) -> None:
        super()._take_name(name)
        for key, module in self.held(Module):
            module._take_name(self._name_of(key, module))

    def _name_of(self, name: str, module: Module) -> str:
        if self._label:
            return f"{self._label}.{name}"
        return module._label or name  # a slice of another list, say


class Numbered(Module, Generic[Item]):
    """What a container holds under the names "0", "1" and so on."""

    _kind: ClassVar[Any] = Module

    @overload
    def __getitem__(self, at: int) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> Self: ...
    def __getitem__(self, at: int | slice) -> Item | Self:
        if isinstance(at, slice):
            return self._like(dict(list(self._items().items())[at]))
        return self._items()[self._key(at)]

    def _like(self, items: dict[str, Item]) -> Self:
        return type(self)(list(items.values()))  # type: ignore[call-arg]

    def __setitem__(self, at: int, item: Item) -> None:
        setattr(self, self._key(at), self._checked(item))

    def __delitem__(self, at: int | slice) -> None:
        kept = list(self._items().values())
        del kept[at if isinstance(at, slice) else list(self._items()).index(self._key(at))]
        self._renumber(kept)

    def __len__(self) -> int:
        return len(self._items())

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items().values())

    def __contains__(self, item: object) -> bool:
        return any(held is item for held in self)

    def append(self, item: Item) -> Self:
        """Adds one at the end; returns the container."""
        setattr(self, str(len(self)), self._checked(item))
        return self

    def extend(self, items: Iterable[Item]) -> Self:
        """Adds several at the end, all or none; returns the container."""
        for item in [self._checked(item) for item in items]:
            self.append(item)
        return self

    def insert(self, index: int, item: Item) -> Self:
        """Adds one before that at `index`; returns the container."""
        items = list(self)
        items.insert(index, self._checked(item))
        self._renumber(items)
        return self

    def pop(self, index: int = -1) -> Item:
        """Takes one out and returns it."""
        item = self[index]
        del self[index]
        return item

    def _items(self) -> dict[str, Item]:
        return dict(self.held(self._kind))

    def _renumber(self, items: list[Item]) -> None:
        for name in self._items():
            del vars(self)[name]
        for at, item in enumerate(items):
            setattr(self, str(at), item)

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
                complaint=f"index {number} is out of range for {len(names)} of them",
                advice="Ask `len()` how many there are.",
                error=GradvizIndexError,
            )
        return names[number]

    def _checked(self, value: Any) -> Item:
        """The value to hold, if it can be held."""
        found: Item = module_of(self, value)
        return found


def module_of(container: Module, value: Any) -> Any:
    """A value that is a module.

    Raises:
        GradvizError: `invalid-argument` for anything else.
    """
    if not isinstance(value, Module):
        is_class = isinstance(value, type) and issubclass(value, Module)
        raise fail(
            "invalid-argument",
            operation=type(container).__name__,
            complaint=f"the class {value.__name__} is no module: an object of it is"
            if is_class
            else f"a {type(value).__name__} is no module",
            advice=f"Write `{value.__name__}()`."
            if is_class
            else "Give modules; a function becomes one as the `forward` of a class.",
            error=GradvizTypeError,
        )
    return value


class Sequential(Numbered[Module]):
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
                self.add_module(name, self._checked(module))
        else:
            self.extend(modules)

    def _like(self, items: dict[str, Module]) -> Self:
        numbered = list(self._items()) == [str(at) for at in range(len(self))]
        return type(self)(*items.values()) if numbered else type(self)(items)

    def forward(self, input: Any) -> Any:
        """What the last module gives."""
        for module in self:
            input = module(input)
        return input


class ModuleList(Numbered[Module], Uncalled):
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


class Named(Module, Generic[Item]):
    """What a container holds by names that the user chooses."""

    _kind: ClassVar[Any] = Module

    def __getitem__(self, name: str) -> Item:
        held = dict(self.items())
        if name not in held:
            raise fail(
                "invalid-argument",
                operation=type(self).__name__,
                complaint=f"there is no {self._kind.__name__.lower()} called {name!r}",
                advice=f"It holds {', '.join(self) or 'nothing yet'}.",
                error=GradvizKeyError,
            )
        return held[name]

    def __setitem__(self, name: str, item: Item) -> None:
        self.add_module(name, module_of(self, item))

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
        return [name for name, _ in self.items()]

    def values(self) -> list[Item]:
        """What they stand for."""
        return [item for _, item in self.items()]

    def items(self) -> list[tuple[str, Item]]:
        """Names and what they stand for."""
        return list(self.held(self._kind))

    def update(self, items: Any) -> None:
        """Sets several by name, from a mapping or from pairs."""
        for name, item in items.items() if hasattr(items, "items") else items:
            self[name] = item

    def pop(self, name: str) -> Item:
        """Takes one out and returns it."""
        item = self[name]
        del vars(self)[name]
        return item


class ModuleDict(Named[Module], Uncalled):
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
