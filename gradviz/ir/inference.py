"""Shapes and dtypes of an operation's results, worked out by its row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradviz.core import dtype as dtypes
from gradviz.errors import GradvizError
from gradviz.ops.size import Length, Size
from gradviz.ops.spec import Row, table

if TYPE_CHECKING:
    from gradviz.ir.graph import GraphIr, OperationIr

Fact = tuple[tuple[Length, ...], str]


class Contradiction(ValueError):  # noqa: N818 - not an error users see: it becomes one with a place
    """What a row's rule stumbles over."""


def results_of(graph: GraphIr, operation: OperationIr) -> list[Fact]:
    """Shape and dtype of every result, from the tensors an operation reads.

    Raises:
        GradvizError: what the row's rule objects to, or `capture-value-unavailable` where the
            number behind a symbol would be needed.
        Contradiction: where the rule stumbles, over attributes that are none.
    """
    facts = [
        None if number < 0 else (graph.tensors[number].shape, graph.tensors[number].dtype)
        for number in operation.inputs
    ]
    attributes = tuple(value for _, value in operation.attributes)
    try:
        return infer(table[operation.op], facts, attributes)
    except GradvizError:
        raise
    except Exception as error:  # attributes that are none make a rule stumble anywhere
        said = (str(error).splitlines() or [""])[0][:200]
        raise Contradiction(f"{type(error).__name__}: {said}") from None


def infer(row: Row, facts: list[Fact | None], attributes: tuple[Any, ...]) -> list[Fact]:
    """Shape and dtype of every result of a row."""
    inferred = row.infer(*facts, *attributes)
    results = inferred if isinstance(inferred, list) else [inferred]
    for shape, dtype in results:
        known = dtype in dtypes.NAMES and isinstance(shape, tuple)
        if not known or not all(type(size) is int or type(size) is Size for size in shape):
            raise Contradiction("its attributes don't fit")
    return results
