"""Graphs of captured programs."""

from __future__ import annotations

from gradviz.capture.captured import CapturedGraph
from gradviz.graph.gather import shown_value
from gradviz.graph.graph import Graph
from gradviz.graph.model import Role
from gradviz.graph.record import GraphEdge, GraphNode
from gradviz.graph.scopes import Scopes
from gradviz.ops.spec import table
from gradviz.tensor.formatting import one_line


def from_captured(captured: CapturedGraph) -> Graph:
    """The graph of a captured program."""
    ir = captured.graph
    groups = Scopes()
    edges: list[GraphEdge] = []
    made_by = {number: op for op in ir.operations for number in op.outputs}
    nodes = []
    for number, tensor in sorted(ir.tensors.items()):
        operation = made_by.get(number)
        place = operation.place if operation is not None else None
        role: Role = (
            "output"
            if number in ir.outputs
            else "operation"
            if operation is not None
            else "input"
            if number in ir.inputs
            else "parameter"
        )
        value = ir.constants.get(number)
        nodes.append(
            GraphNode(
                id=number,
                op="input"
                if operation is None and role == "input"
                else "constant"
                if operation is None
                else operation.op,
                name=tensor.name,
                kind="Capture",
                requirement="none",
                is_leaf=True,
                role=role,
                shape=tensor.shape,
                dtype=tensor.dtype,
                device="capture",
                attributes={}
                if operation is None
                else {k: one_line(v) for k, v in operation.attributes},
                group=groups.id_of(place[2].scope) if place is not None else None,
                source=None if operation is None else operation.source,
                value=shown_value(value),
                consumed=False,
                cut=None,
            )
        )
    for operation in ir.operations:
        row = table[operation.op]
        names = list(row.input_names())
        for at, number in enumerate(operation.inputs):
            slot = names[at] if at < len(names) and not row.variadic else f"{names[-1]}[{at}]"
            if number >= 0:
                edges += [GraphEdge(number, out, slot, False) for out in operation.outputs]
    return Graph(
        tuple(nodes),
        tuple(edges),
        tuple(groups.views),
        tuple(ir.outputs),
        "captured program",
        captured=captured,
    )
