"""Libraries that only show things: a trial passes over what a program does with them.

Charts, progress bars, logs and displays have no part in whether a gradient arrives, but most
training code mentions one. In a trial an object that takes everything and does nothing stands in
the place of such a library and of all that it gives; a progress bar still gives its items.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping
from types import FunctionType, MethodType, ModuleType
from typing import Any, Final

LIBRARIES: Final = frozenset(
    """
    matplotlib seaborn plotly bokeh altair logging pprint wandb tensorboard tensorboardX IPython
    ipywidgets tqdm rich
    """.split()
)
_BARS: Final = frozenset({"tqdm", "trange", "tqdm_notebook", "tnrange", "track"})


class Bystander:
    """Takes every call, attribute and item, and does nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Bar(()) if name in _BARS else Bystander()

    def __call__(self, *_args: Any, **_options: Any) -> Any:
        """Nothing, of which everything can be asked again."""
        return Bystander()

    def __iter__(self) -> Iterator[Any]:
        return iter((Bystander(), Bystander()))  # `figure, axes = subplots()`

    def __getitem__(self, key: Any) -> Any:
        return Bystander()

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None: ...


class _Bar(Bystander):
    """A progress bar: what it is called with is gone through, whole numbers as a range."""

    def __init__(self, items: Any) -> None:
        self._items = items

    def __call__(self, *args: Any, **options: Any) -> Any:
        """A bar of these items."""
        items = args[0] if args else options.get("iterable", ())
        return _Bar(range(*args) if isinstance(items, int) else items)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


def _import(name: str, *args: Any, **options: Any) -> Any:
    return Bystander() if is_library(name) else __import__(name, *args, **options)


def take_places(space: dict[str, Any]) -> None:
    """Puts bystanders in the place of the libraries in a namespace and of what it will import."""
    for name, value in space.items():
        if _home(value) in LIBRARIES:
            space[name] = _Bar(()) if getattr(value, "__name__", "") in _BARS else Bystander()
    space["__builtins__"] = vars(builtins) | {"__import__": _import}


def _home(value: Any) -> str:
    """The library that a value is from."""
    kind = type(value)
    if issubclass(kind, ModuleType):
        place = getattr(value, "__name__", "")
    else:
        named = issubclass(kind, type | FunctionType | MethodType)
        place = (value if named else kind).__module__
    return place.partition(".")[0] if isinstance(place, str) else ""


def names_of(tree: ast.AST, space: Mapping[str, Any] | None) -> set[str]:
    """Names that hold nothing but bystanders while a program is tried.

    Args:
        tree: the program.
        space: the namespace it shares with other code, or None.
    """
    known = {name: _home(value) in LIBRARIES for name, value in (space or {}).items()}
    given: dict[str, list[ast.expr | None]] = {}
    found = {name for name, inert in known.items() if inert}
    for name, value in _bindings(tree):
        given.setdefault(name, []).append(value)
        found.discard(name)
    # What a name falls back to where the program's own binding is out of sight.
    real = {name for name, inert in known.items() if not inert} | set(vars(builtins))
    if "*" in given:
        return set()  # anything may have been given a value
    while True:
        more = {
            name
            for name, values in given.items()
            if name not in found | real
            and all(value is not None and _is_inert(value, found) for value in values)
        }
        if not more:
            return found
        found |= more


def is_library(path: str | None) -> bool:
    """Whether a module's path belongs to one of the libraries."""
    return (path or "").partition(".")[0] in LIBRARIES


def root_of(node: ast.expr) -> str | None:
    """The name at the beginning of `name.attribute(...)[...]`."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def _is_inert(value: ast.expr, found: set[str]) -> bool:
    return value is _LIBRARY or root_of(value) in found


_LIBRARY: Final = ast.Constant(None)
"""Stands for the value of a name that is imported from one of the libraries."""


def _bindings(tree: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """Every name that is given a value, with what decides the value; None where anything may."""
    told: dict[ast.expr, ast.expr] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            told |= {name: node.value for target in node.targets for name in _stored(target)}
        elif isinstance(node, ast.NamedExpr):
            told[node.target] = node.value
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            told |= dict.fromkeys(_stored(node.optional_vars), node.context_expr)
        elif isinstance(node, ast.Import):
            for item in node.names:
                name = item.asname or item.name.partition(".")[0]
                yield name, _LIBRARY if is_library(item.name) else None
        elif isinstance(node, ast.ImportFrom):
            for item in node.names:
                yield item.asname or item.name, _LIBRARY if is_library(node.module) else None
        elif isinstance(node, ast.arg):
            yield node.arg, None
        elif not isinstance(node, ast.alias) and isinstance(getattr(node, "name", None), str):
            yield getattr(node, "name"), None  # noqa: B009 - functions, classes, handlers, patterns
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield node.rest, None
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, told.get(node)


def _stored(target: ast.expr) -> list[ast.expr]:
    """The names in the target of an assignment."""
    return [
        node
        for node in ast.walk(target)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
