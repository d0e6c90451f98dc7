"""Groups that code tells by itself: calls, loops with their iterations, cells; live and recorded."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import gradviz as gv
from gradviz.graph.fold import MOST_ITEMS, fold
from gradviz.graph.graph import Graph

Tree = list[Any]


def tree(graph: Graph) -> Tree:
    """Operations by name, groups as (label, inside), in the order of computation."""
    inside: dict[str | None, Tree] = {group.id: [] for group in graph.groups}
    inside[None] = []
    groups = {group.id: group for group in graph.groups}
    entered: set[str] = set()
    for node in graph.nodes:
        if not graph.inputs_of(node.id):
            continue
        inside[node.group].append(node.op)
        at = node.group
        while at is not None and at not in entered:
            entered.add(at)
            parent = groups[at].parent
            here = (groups[at].label, inside[at])
            # An operation that comes with its group stands behind it.
            inside[parent].append(here)
            at = parent
    return inside[None]


def helper(a: gv.Tensor, b: gv.Tensor) -> gv.Tensor:
    mixed = a * b
    return mixed.tanh()


def given(function: Callable[..., gv.Tensor], h: gv.Tensor, b: gv.Tensor) -> gv.Tensor:
    for _ in range(3):
        h = h * 2.0
        h = function(h, b)
        h = h + 1.0
    return h


def w() -> gv.Tensor:
    return gv.ones(2, requires_grad=True)


def loop_of_operations() -> gv.Tensor:
    h = x = w()
    for _ in range(3):
        h = h * x
        h = h.tanh()
    return h.sum()


def loop_of_calls() -> gv.Tensor:
    h = x = w()
    for _ in range(3):
        h = helper(h, x)
    return h.sum()


def nested_loops() -> gv.Tensor:
    h = x = w()
    for i in range(2):
        h = helper(h, x) + x
        for j in range(2):
            h = h * x
            h = h.exp() if (i + j) % 2 else h.tanh()
    return h.sum()


def scopes_in_a_loop() -> gv.Tensor:
    h = x = w()
    for _ in range(2):
        with gv.scope("step"):
            h = helper(h, x) + x
        h = h.exp()
    return h.sum()


def loop_in_a_scope() -> gv.Tensor:
    h = x = w()
    with gv.scope("all"):
        h = h + x
        for _ in range(2):
            h = h * x
            h = h.tanh()
    return h.sum()


def whiles() -> gv.Tensor:
    h = x = w()
    left = 3
    while left:
        left -= 1
        h = h * x
        h = h.tanh()
    return h.sum()


def unrolled(x: gv.Tensor) -> gv.Tensor:
    state = x.detach()
    for _ in range(3):
        update = helper(state, x)
        state = (state + update).tanh()
    return state


def call_that_is_a_loop() -> gv.Tensor:
    return unrolled(w()).sum()


def calls_one_after_the_other() -> gv.Tensor:
    x = w()
    return (helper(x, x) + helper(x, helper(x, x))).sum()


def calls_of_what_was_given() -> gv.Tensor:
    x = w()
    h = given(helper, x, x)
    return helper(h, x).sum()


ROUND = ["mul", "tanh"]
CALL = ("helper()", ROUND)

EXPECTED: dict[Callable[[], gv.Tensor], Tree] = {
    loop_of_operations: [
        ("for _ in range(3)", [(f"iteration {n}", ROUND) for n in (1, 2, 3)]),
        "sum",
    ],
    loop_of_calls: [("for _ in range(3)", [CALL, CALL, CALL]), "sum"],
    nested_loops: [
        (
            "for i in range(2)",
            [
                (
                    f"iteration {n + 1}",
                    [
                        CALL,
                        "add",
                        (
                            "for j in range(2)",
                            [
                                ("iteration 1", ["mul", ("tanh", "exp")[n]]),
                                ("iteration 2", ["mul", ("exp", "tanh")[n]]),
                            ],
                        ),
                    ],
                )
                for n in (0, 1)
            ],
        ),
        "sum",
    ],
    scopes_in_a_loop: [
        (
            "for _ in range(2)",
            [(f"iteration {n}", [("step", [CALL, "add"]), "exp"]) for n in (1, 2)],
        ),
        "sum",
    ],
    loop_in_a_scope: [
        (
            "all",
            ["add", ("for _ in range(2)", [(f"iteration {n}", ROUND) for n in (1, 2)])],
        ),
        "sum",
    ],
    whiles: [("while left", [(f"iteration {n}", ROUND) for n in (1, 2, 3)]), "sum"],
    calls_of_what_was_given: [
        (
            "given() \u00b7 for _ in range(3)",
            [(f"iteration {n}", ["mul", CALL, "add"]) for n in (1, 2, 3)],
        ),
        CALL,
        "sum",
    ],
    calls_one_after_the_other: [CALL, CALL, CALL, "add", "sum"],
}


@pytest.mark.parametrize("program", EXPECTED, ids=lambda program: str(program.__name__))
def test_what_code_tells(program: Callable[[], gv.Tensor]) -> None:
    assert tree(gv.graph(program())) == EXPECTED[program]


def test_a_recording_keeps_its_unrolled_loops() -> None:
    def recorded(x: gv.Tensor) -> gv.Tensor:
        h = x
        for _ in range(3):
            h = (h * x).tanh()
        return h.sum()

    graph = gv.graph(gv.capture(recorded, gv.spec((2,))))
    (loop,) = [group for group in graph.groups if group.kind == "loop"]
    assert loop.label.endswith("for _ in range(3)")
    inside = [group for group in graph.groups if group.parent == loop.id]
    assert len(inside) == 3
    assert all(node.source for node in graph.nodes if graph.inputs_of(node.id))


@pytest.mark.parametrize("rounds", [3, 40])
def test_rounds_of_nothing_but_operators(rounds: int) -> None:
    y = gv.tensor([1.0], requires_grad=True)
    a = gv.tensor([0.5])
    for _ in range(rounds):
        y = y * a + 0.001
    graph = gv.graph(y.sum())
    loop, *inside = graph.groups
    assert [group.label for group in inside] == [f"iteration {n + 1}" for n in range(rounds)]
    assert {group.parent for group in inside} == {loop.id}
    ops = {group.id: [n.op for n in graph.nodes if n.group == group.id] for group in inside}
    assert all(found[-2:] == ["mul", "add"] for found in ops.values())


def test_a_call_that_is_nothing_but_a_loop_is_one_group() -> None:
    graph = gv.graph(call_that_is_a_loop())
    # The detached start stands before the loop.
    labels = [group.label for group in graph.groups]
    assert labels[0] == "unrolled()" and labels[1] == "for _ in range(3)"
    rounds = [group for group in graph.groups if group.kind == "iteration"]
    assert [group.label for group in rounds] == ["iteration 1", "iteration 2", "iteration 3"]
    assert labels.count("helper()") == 3


class Block(gv.nn.Module):
    """A module with code of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = gv.nn.Linear(2, 2)
        self.outer = gv.nn.Linear(2, 2)

    def forward(self, x: gv.Tensor) -> gv.Tensor:
        return self.outer(self.inner(x).tanh()) + x


def test_the_code_of_a_module_is_the_module_and_no_call() -> None:
    block = Block()
    h = gv.ones(1, 2)
    for _ in range(3):
        h = block(h) * 2.0
    graph = gv.graph(h.sum())
    kinds = [group.kind for group in graph.groups]
    assert "function" not in kinds
    assert kinds.count("loop") == 1 and kinds.count("iteration") == 3
    groups = {group.id: group for group in graph.groups}
    for group in graph.groups:
        if group.label == "Block":
            assert groups[str(group.parent)].kind == "iteration"


def test_layers_called_in_a_loop() -> None:
    layers = [gv.nn.Linear(2, 2) for _ in range(4)]
    h = gv.ones(1, 2)
    for layer in layers:
        h = layer(h)
    graph = gv.graph(h.sum())
    loop = graph.groups[0]
    assert loop.label.endswith("for layer in layers") and loop.kind == "loop"
    assert [g.kind for g in graph.groups if g.parent == loop.id] == ["module"] * 4


def test_several_results_of_one_call_are_one_iteration() -> None:
    x = gv.tensor([3.0, 1.0], requires_grad=True)
    kept = []
    for _ in range(2):
        values, indices = x.sort()
        kept += [values * 2.0, indices]
    graph = gv.graph(kept)
    rounds = [group.id for group in graph.groups if group.kind == "iteration"]
    assert [sum(n.group == g for n in graph.nodes) for g in rounds] == [3, 3]


def run(name: str, text: str, space: dict[str, Any]) -> None:
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), space)


def test_files_are_groups_where_there_are_several() -> None:
    space: dict[str, Any] = {"gv": gv}
    run("<one.py>", "x = gv.ones(2, requires_grad=True)\nh = (x * x).exp()\n", space)
    run("<two.py>", "h = (h * x).tanh()\nloss = h.sum()\n", space)
    graph = gv.graph(space["loss"])
    assert [(group.label, group.kind) for group in graph.groups] == [
        ("<one.py>", "cell"),
        ("<two.py>", "cell"),
    ]
    space = {"gv": gv}
    run("<three.py>", "x = gv.ones(2, requires_grad=True)\nh = (x * x).exp()\n", space)
    assert gv.graph(space["h"]).groups == ()


def test_hostile_source_stays_text_and_gone_source_is_no_failure() -> None:
    space: dict[str, Any] = {"gv": gv, "x": w()}
    text = "h = x\nfor _ in ['<b>&\u202e' * 40, 2]:\n    h = h * x\n    h = h.exp()\nh = h.sum()\n"
    run("<hostile>", text, space)
    (loop, *_) = gv.graph(space["h"]).groups
    assert loop.label.startswith("for _ in ['<b>") and len(loop.label) <= 60
    del linecache.cache["<hostile>"]
    space = {"gv": gv, "x": w()}
    exec(
        compile(
            "h = x\nfor _ in 1, 2:\n    h = h * x\n    h = h.exp()\nh = h.sum()", "<g>", "exec"
        ),
        space,
    )
    (loop, *_) = gv.graph(space["h"]).groups
    assert loop.label == "for"


def test_a_long_loop_folds_to_a_few_boxes() -> None:
    h = x = w()
    for _ in range(400):
        h = h * x
        h = h.tanh() + x
    folded = fold(gv.graph(h.sum()))
    assert len(folded.items) <= MOST_ITEMS
    assert any(item.label.endswith("more iterations") for item in folded.items)


def _ping(turns: int, h: gv.Tensor) -> gv.Tensor:
    if turns:
        h = _pong(turns - 1, h)
    return h * 2


def _pong(turns: int, h: gv.Tensor) -> gv.Tensor:
    if turns:
        h = _ping(turns - 1, h)
    return h.tanh()


def test_functions_that_call_each_other_come_to_an_end() -> None:
    for h in (_ping(5, w()), _pong(4, w()), _ping(0, _pong(0, w()))):
        graph = gv.graph(h.sum())
        assert {group.label for group in graph.groups} <= {"_ping()", "_pong()"}


# --- statements of notebook cells ----------------------------------------------------------------
CELLS = """\
import gradviz as gv
def encode(x, w):
    h = x @ w
    return h.tanh()
def decode(h, w):
    h = h @ w
    return (h * h).mean()
def rounds(h, w):
    for step in range(3):
        h = encode(h, w)
        h = h + 1.0
    return h
def given(function, h, w):
    for step in range(2):
        h = h * 2.0
        h = function(h, w)
    return h
w = gv.ones(4, 4, requires_grad=True)
"""
ENCODE: Tree = [("encode()", ["matmul", "tanh"])]
DECODE: Tree = [("decode()", ["matmul", "mul", "mean"])]
GIVEN: Tree = ["mul", *ENCODE]


@pytest.fixture
def ran() -> Iterator[Callable[..., Tree]]:
    """Runs cells as IPython does, each statement as a piece of code of its own."""
    names = []

    def run(*cells: str) -> Tree:
        space: dict[str, Any] = {}
        for number, cell in enumerate((CELLS, *cells)):
            name = f"<statements {len(names)} {number}>"
            names.append(name)
            linecache.cache[name] = (len(cell), None, cell.splitlines(True), name)
            for statement in ast.parse(cell).body:
                exec(compile(ast.Module([statement], []), name, "exec"), space)
        return tree(gv.graph(space["loss"]))

    yield run
    for name in names:
        linecache.cache.pop(name, None)


def test_calls_from_statements_that_make_nothing_themselves(ran: Callable[..., Tree]) -> None:
    assert ran("h = encode(w, w)", "loss = decode(h, w)") == [*ENCODE, *DECODE]
    loop, decoded = ran("h = rounds(w, w)\nloss = decode(h, w)")
    label = "rounds() \u00b7 for step in range(3)"
    assert loop == (label, [(f"iteration {at}", [*ENCODE, "add"]) for at in (1, 2, 3)])
    assert decoded == DECODE[0]


def test_a_loop_of_a_cell_that_only_calls(ran: Callable[..., Tree]) -> None:
    loop = "h = w\nfor epoch in range(3):\n    h = encode(h, w)\n    h = (lambda x: x)(h)"
    found, decoded = ran(loop, "loss = decode(h, w)")
    assert found == ("for epoch in range(3)", ENCODE * 3)
    assert decoded[1] == DECODE[0][1]


def test_of_several_statements_none_is_said_to_have_called(ran: Callable[..., Tree]) -> None:
    cells = ("h = encode(w, w)", "h = encode(h, w)\nh = encode(h, w)", "loss = decode(h, w)")
    assert ran(*cells) == [*ENCODE * 3, *DECODE]


def test_what_was_given_is_called_where_it_is_used(ran: Callable[..., Tree]) -> None:
    cells = ("encode(w, w)", "h = given(encode, w, w)", "loss = decode(h, w)")
    loop, decoded = ran(*cells)
    assert loop[1] == [("iteration 1", GIVEN), ("iteration 2", GIVEN)]
    assert decoded == DECODE[0]


def test_cells_that_are_no_python_are_passed_over(ran: Callable[..., Tree]) -> None:
    linecache.cache["<broken>"] = (9, None, ["encode(((\n"], "<broken>")
    try:
        assert ran("h = encode(w, w)", "loss = decode(h, w)") == [*ENCODE, *DECODE]
    finally:
        del linecache.cache["<broken>"]
