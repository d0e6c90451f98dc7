"""Names of the parameters and buffers in a recording: their paths in the modules that hold them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradviz.autodiff.node import GRAD
from gradviz.backends.capture.backend import Recording
from gradviz.nn.module import Module
from gradviz.nn.registry import root_modules


def name_constants(recording: Recording, captured: Any) -> None:
    """Gives every parameter and buffer of a recording a name that no other constant has.

    Args:
        recording: the recording.
        captured: what was recorded; of a module, paths begin at it.
    """
    if not recording.graph.constants:
        return
    first = [captured] if isinstance(captured, Module) else []
    paths: dict[int, str] = {}
    made_for = {made.prim.id: (origin, made.node) for origin, made in recording.lifted.items()}
    for module in [*first, *root_modules()]:
        for path, tensor in _held(module):
            own = tensor.name if getattr(tensor, "named", False) else None
            paths.setdefault(tensor.node.id, own or path)
            number = recording.number_of(tensor.prim) if tensor.device.is_capture else None
            if number is not None:  # made on the capture device: it stands for itself
                made_for[number] = tensor.node.id, None
                if tensor.node.requirement == GRAD:
                    recording.learned.setdefault(number)
    tensors = recording.graph.tensors
    taken = {tensor.name for number, tensor in tensors.items() if number not in made_for}
    for number, (origin, node) in made_for.items():
        known = tensors[number].name
        if (
            known is None or node is None or known == node.name
        ):  # otherwise it was named as an output
            known = paths.get(origin) or known or "constant"
        name = _free(known, taken)
        taken.add(name)
        recording.rename(number, name)
        if node is not None:
            node.more().name = name


def learned(recording: Recording) -> tuple[int, ...]:
    """The constants that are marked parameters, by number."""
    marked = {
        made.prim.id: None
        for made in recording.lifted.values()
        if made.node.parents and made.node.parents[0].requirement == GRAD
    }
    return tuple(marked | recording.learned)


def _held(module: Module) -> Iterator[tuple[str, Any]]:
    yield from module.named_parameters()
    yield from module.named_buffers()


def _free(name: str, taken: set[str | None]) -> str:
    """The name, with a number behind it where it is taken."""
    if name not in taken:
        return name
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"
