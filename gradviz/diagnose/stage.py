"""The stage of a dry run: tensors in sight stand as symbols; all is put back after it."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import FunctionType, ModuleType
from typing import Any

from gradviz.autodiff.node import GRAD, NONE
from gradviz.backends.ndarray import fill
from gradviz.dispatch.device import Device
from gradviz.dispatch.registry import default_kept
from gradviz.graph.names import attributes, contents
from gradviz.nn.module import Module
from gradviz.nn.registry import freeze_of_node, keep_freeze, live_modules
from gradviz.optim.registry import live_optimizers
from gradviz.optim.scheduling import Schedule
from gradviz.tensor import escapes
from gradviz.tensor.base import Tensor
from gradviz.tensor.general import moved


class Stage:
    """What the function of a dry run meets.

    Tensors that exist outside would be computed with; as symbols of the recording they have shapes
    and dtypes, and their contents can be read. The function may set attributes of modules, change
    options of optimizers and draw random numbers: none of it lasts.
    """

    def __init__(self, device: Device, tensors: Iterable[Tensor], sight: Mapping[str, Any]) -> None:
        modules = live_modules()
        optimizers = live_optimizers()
        schedules = [
            part
            for thing in sight.values()
            if isinstance(thing, Schedule)
            for part in thing.parts()
        ]
        things = (*modules, *optimizers, *schedules)
        self._held = [(vars(thing), dict(vars(thing))) for thing in things]
        self._groups = [(group, dict(group)) for opt in optimizers for group in opt.param_groups]
        self._lists = [
            (value, list(value))
            for thing in (*optimizers, *schedules)
            for value in vars(thing).values()
            if isinstance(value, list)
        ]
        found = {id(tensor): tensor for tensor in tensors}
        for module in modules:
            for value in vars(module).values():
                found |= {id(item): item for item in _tensors(value)}
        for optimizer in optimizers:
            found |= {id(tensor): tensor for tensor in optimizer.parameters()}
        self._device = device
        self._outside = [t for t in found.values() if not t.device.is_capture]
        self._own: list[tuple[Any, Any]] = []
        self._symbols: list[tuple[Any, Any]] = []

    @contextmanager
    def set(self) -> Iterator[None]:
        """Sets the stage for a block; the recording must be open."""
        before = list(escapes.recent)
        with ExitStack() as stack:
            stack.enter_context(fill.preserved())
            stack.enter_context(default_kept())
            stack.callback(escapes.recent.extend, before)
            stack.callback(escapes.recent.clear)
            stack.callback(self._put_back)
            for tensor in self._outside:
                own = tensor.prim, tensor.node
                made = moved(tensor, self._device)
                self._own.append(own)
                self._symbols.append((made.prim, made.node))
                tensor.prim, tensor.node = made.prim, made.node
            yield

    def symbols(self) -> Iterator[tuple[Tensor, Any]]:
        """Every tensor on the stage, and the node that stands for it."""
        for tensor, (_, node) in zip(self._outside, self._symbols, strict=True):
            yield tensor, node

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Puts the tensors themselves back for a block, so that rules see what the user has."""
        self._swap(self._own)
        frozen = [
            (own, symbol)
            for (_, own), (_, symbol) in zip(self._own, self._symbols, strict=True)
            if own.requirement == GRAD and symbol.requirement == NONE
        ]
        before = [(own, freeze_of_node(own)) for own, _ in frozen]
        for own, symbol in frozen:  # by the function, on the stage
            own.requirement = NONE
            keep_freeze(own, freeze_of_node(symbol))
        try:
            yield
        finally:
            for own, event in before:
                own.requirement = GRAD
                keep_freeze(own, event)
            self._swap(self._symbols)

    def _swap(self, pairs: list[tuple[Any, Any]]) -> None:
        for tensor, (prim, node) in zip(self._outside, pairs, strict=False):
            tensor.prim, tensor.node = prim, node

    def _put_back(self) -> None:
        self._swap(self._own)
        for items, known in self._lists:
            items[:] = known
        for held, saved in (*self._groups, *self._held):
            # Only where something is different: another thread may be reading.
            if held.keys() != saved.keys() or any(held[name] is not saved[name] for name in saved):
                held.clear()
                held.update(saved)


def _tensors(value: Any) -> list[Tensor]:
    """A tensor, or those in a list, tuple or dict."""
    if issubclass(type(value), Tensor):
        return [value]
    return [item for item in contents(value) if issubclass(type(item), Tensor)]


def in_sight(function: Any, spaces: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The variables of a function's caller, and those that the function holds itself."""
    found: dict[str, Any] = {}
    for space in reversed(list(spaces)):
        found.update(space)
    while isinstance(function, functools.partial):
        for at, item in enumerate((*function.args, *function.keywords.values())):
            found.setdefault(f"_argument_{at}", item)
        function = function.func
    found.setdefault("self", getattr(function, "__self__", None))
    bare = getattr(function, "__func__", function)
    if isinstance(function, Module):
        bare = type(function).forward
    elif not hasattr(bare, "__code__"):
        bare = vars(type(function)).get("__call__")
    code = getattr(bare, "__code__", None)
    if code is not None:
        world = getattr(bare, "__globals__", {})
        found |= {name: world[name] for name in code.co_names if name in world}
        for name, cell in zip(code.co_freevars, bare.__closure__ or (), strict=False):
            try:
                found[name] = cell.cell_contents
            except ValueError:  # a variable that has no value yet
                continue
    return found


def tensors_of(space: Mapping[str, Any]) -> list[Tensor]:
    """The tensors among variables, in lists, tuples and dicts there, and in objects."""
    found: list[Tensor] = []
    for value in list(space.values()):
        found += _tensors(value)
        if not isinstance(value, type | ModuleType | FunctionType | Module):
            found += [item for held in attributes(value).values() for item in _tensors(held)]
    return found
