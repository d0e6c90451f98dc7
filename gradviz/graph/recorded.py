"""Graphs of captured programs."""

from __future__ import annotations

from collections.abc import Mapping
from types import CodeType

from gradviz.capture.captured import CapturedGraph
from gradviz.core.context import origin
from gradviz.core.source import SourceSpan, span
from gradviz.graph.gather import shown_value
from gradviz.graph.graph import Graph
from gradviz.graph.groups import Groups
from gradviz.graph.model import Role
from gradviz.graph.record import GraphEdge, GraphNode
from gradviz.graph.regroup import regrouped
from gradviz.graph.rows import Spot
from gradviz.graph.scopes import Scopes
from gradviz.graph.table import Table, table_of
from gradviz.ir.graph import Place
from gradviz.ops.spec import table as rows
from gradviz.tensor.formatting import one_line


def from_captured(captured: CapturedGraph) -> Graph:
    """The graph of a captured program."""
    ir = captured.graph
    scopes = Scopes()
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
                group=scopes.id_of(place[2].scope) if place is not None else None,
                source=None if operation is None else operation.source,
                value=shown_value(value),
                consumed=False,
                cut=None,
            )
        )
    for operation in ir.operations:
        row = rows[operation.op]
        names = list(row.input_names())
        for at, number in enumerate(operation.inputs):
            slot = names[at] if at < len(names) and not row.variadic else f"{names[-1]}[{at}]"
            if number >= 0:
                edges += [GraphEdge(number, out, slot, False) for out in operation.outputs]
    table = table_of(nodes, edges, tuple(scopes.groups))
    _regroup(table, scopes.groups, {number: op.place for number, op in made_by.items()})
    return Graph.of(table, tuple(ir.outputs), "captured program", captured=captured)


def _regroup(table: Table, scopes: Groups, places: Mapping[int, Place | None]) -> None:
    """Adds the calls and loops of the code that was recorded; a recording has unrolled them."""
    known: dict[tuple[int, int, int, int], int] = {}
    spots: list[Spot] = [Spot(None, -1, False)]
    sources: list[SourceSpan | None] = [None]
    sites: dict[int, tuple[CodeType | None, int]] = {}
    for at, number in enumerate(table.ids):
        place = places.get(number)
        if place is None:
            table.place[at] = 0
            continue
        made, instruction, context = place
        key = (id(made), instruction, id(context.code), context.lasti)
        spot = known.setdefault(key, len(spots))
        if spot == len(spots):
            code, where = origin(*place)
            spots.append(Spot(code, where, code is made))
            sources.append(span(code, where))
        table.place[at] = spot
        if spots[spot].direct and table.group[at]:
            sites.setdefault(table.group[at], (context.code, context.lasti))
    table.places = sources
    regrouped(table, scopes, spots, sites)
