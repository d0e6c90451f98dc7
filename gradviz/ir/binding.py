"""A program with numbers in place of the sizes it leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gradviz.core.source import SourceSpan
from gradviz.errors import GradvizError, fail
from gradviz.ir.graph import GraphIr
from gradviz.ir.inference import Contradiction, results_of
from gradviz.ops.symbolic import at


def bound(graph: GraphIr, sizes: Mapping[str, int]) -> GraphIr:
    """The program for these sizes; shapes are inferred anew, so that what doesn't hold is found.

    Raises:
        GradvizError: what an operation objects to with these sizes, such as `shape-mismatch`, or
            `capture-boundary` where the recorded shapes don't hold for them.
    """
    made = graph.copy()
    for number, tensor in graph.tensors.items():
        made.tensors[number] = replace(tensor, shape=at(tensor.shape, sizes))
    made.operations = [
        replace(item, attributes=at(item.attributes, sizes)) for item in graph.operations
    ]
    said = ", ".join(f"{name} = {size}" for name, size in sizes.items())
    for operation in made.operations:
        try:
            results = results_of(made, operation)
        except GradvizError as error:
            error.blame(operation.source)
            raise
        except Contradiction as error:
            raise _unfit(said, operation.op, str(error), operation.source) from None
        for number, (shape, _) in zip(operation.outputs, results, strict=True):
            if shape != made.tensors[number].shape:
                complaint = f"it gives {shape} instead of {graph.tensors[number].shape}"
                raise _unfit(said, operation.op, complaint, operation.source)
    return made


def _unfit(said: str, operation: str, complaint: str, source: SourceSpan | None) -> GradvizError:
    return fail(
        "capture-boundary",
        boundary="size",
        name=said,
        complaint=f"`{operation}` doesn't fit: {complaint}",
        reason=f"the program was recorded for open sizes; with {said}, `{operation}` works "
        f"differently: {complaint}.",
        advice="Capture again with this size.",
        cause=source,
    )
