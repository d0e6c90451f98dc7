"""What changed from one graph to another."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

import gradviz as gv
from gradviz.graph import diff
from gradviz.graph import graph as graphs
from gradviz.graph.model import as_json
from gradviz.graph.table import Table


def net(width: int = 8, *, norm: bool = False, cut: bool = False, depth: int = 2) -> gv.Tensor:
    x = gv.tensor(np.ones((4, 8), np.float32), name="x")
    w = gv.tensor(np.ones((8, width), np.float32), requires_grad=True, name="w")
    h = x @ w
    for _ in range(depth):
        h = h.tanh() * 0.5
    if norm:
        h = gv.layer_norm(h, (width,))
    if cut:
        h = h.detach()
    return h.sum()


def between(before: gv.Tensor, after: gv.Tensor) -> gv.Difference:
    return gv.difference(gv.graph(before), gv.graph(after))


def facts_of(found: gv.Difference) -> dict[str, dict[str, tuple[str, str]]]:
    """What differs, by the node's operation or its leaf's name."""
    return {
        (c.after or c.before).name if c.label == "w" else (c.after or c.before).op: {
            name: (old, new) for name, old, new in c.facts
        }
        for c in found
    }


def test_the_same_program_run_twice_is_the_same() -> None:
    found = between(net(), net())
    assert not found and found.changes == () and len(found.pairs) == 8
    assert str(found) == "no difference: 8 nodes are the same"


def test_what_is_plainly_the_same_is_not_compared_node_by_node(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(graphs, "MOST_OBJECTS", 0)
    quick = gv.difference(gv.graph(net()), gv.graph(net()))
    assert quick.after.table.is_like(quick.before.table)
    for other in (net(norm=True), net(cut=True), net(9), net(depth=3), net() * 2.0):
        assert not quick.after.table.is_like(gv.graph(other).table)
    monkeypatch.setattr(Table, "is_like", lambda self, other: False)
    slow = gv.difference(quick.before, quick.after)
    assert slow.pairs == quick.pairs and slow.changes == quick.changes


def test_a_new_operation_is_added_and_its_user_gets_another_input() -> None:
    found = between(net(), net(norm=True))
    assert [(change.kind, change.label) for change in found] == [
        ("added", "layer_norm"),
        ("changed", "after"),
    ]
    assert found.changes[1].facts == (("inputs", "mul", "layer_norm"),)
    back = between(net(norm=True), net())
    assert [(change.kind, change.label) for change in back] == [
        ("removed", "layer_norm"),
        ("changed", "after"),
    ]


def test_shapes_and_what_backward_would_do() -> None:
    facts = facts_of(between(net(), net(16)))
    assert facts["w"] == {"shape": ("(8, 8)", "(8, 16)")}
    assert set(facts) == {"w", "matmul", "tanh", "mul"}
    cut = facts_of(between(net(), net(cut=True)))
    assert cut["sum"]["requirement"] == ("grad_in_backward", "none")
    assert cut["sum"]["backward"] == ("works", "untracked-root")
    assert "detach" in cut


def test_loops_of_another_length_and_renamed_leaves() -> None:
    found = between(net(depth=2), net(depth=5))
    assert sorted(c.label for c in found if c.kind == "added") == ["mul"] * 3 + ["tanh"] * 3
    x = gv.tensor([1.0], requires_grad=True, name="before")
    y = gv.tensor([1.0], requires_grad=True, name="after")
    found = between(x * 2.0, y * 2.0)
    assert [(c.kind, c.facts) for c in found] == [("changed", (("name", "before", "after"),))]


def test_pairs_and_changes_cover_every_node_once() -> None:
    for before, after in (
        (net(), net(norm=True)),
        (net(depth=9), net(cut=True)),
        (net(3), net(depth=0)),
    ):
        a, b = gv.graph(before), gv.graph(after)
        found = gv.difference(a, b)
        assert len(set(found.pairs.values())) == len(found.pairs)
        removed = {c.before.id for c in found if c.kind == "removed"}
        added = {c.after.id for c in found if c.kind == "added"}
        assert removed | set(found.pairs) == {n.id for n in a} and not removed & set(found.pairs)
        assert added | set(found.pairs.values()) == {n.id for n in b}


def test_the_fewest_nodes_are_left_out() -> None:
    def chain(*sines: int) -> gv.Graph:
        x = gv.tensor(1.0, requires_grad=True, name="x")
        for at in range(60):
            x = x * 1.5
            if at in sines:
                x = x.sin()
        return gv.graph(x, title="chain")

    found = gv.difference(chain(3, 30), chain(5, 20, 51))
    assert sum(c.kind != "changed" for c in found) == 5
    assert len(found.pairs) == 61


@pytest.mark.parametrize("seed", range(20))
def test_the_walk_finds_a_longest_common_subsequence(seed: int) -> None:
    numbers = np.random.default_rng(seed)
    first = list(numbers.integers(0, 3, numbers.integers(0, 12)))
    second = list(numbers.integers(0, 3, numbers.integers(0, 12)))
    pairs = diff._shortest(first, second)[::-1]
    assert all(first[x] == second[y] for x, y in pairs)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(pairs))
    longest = np.zeros((len(first) + 1, len(second) + 1), int)
    for x, one in enumerate(first):
        for y, other in enumerate(second):
            best = max(longest[x, y + 1], longest[x + 1, y])
            longest[x + 1, y + 1] = longest[x, y] + 1 if one == other else best
    assert len(pairs) == longest[-1, -1]


def test_large_graphs_are_paired_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diff, "MOST_ALIGNED", 5)
    monkeypatch.setattr(diff, "MOST_EDITS", 0)
    found = between(net(depth=20), net(depth=23, norm=True))
    assert sum(c.kind == "added" for c in found) == 7
    assert not any(c.kind == "removed" for c in found)


def test_the_message_and_the_view() -> None:
    found = between(net(), net(norm=True))
    view = diff.difference_view(found, most=1)
    assert (view.total, len(view.changes), view.same) == (2, 1, 7)
    bundle = gv.compare(gv.graph(net()), net(norm=True))._repr_mimebundle_()
    pair = bundle["application/vnd.gradviz.v1+json"]
    assert pair["type"] == "pair" and pair["difference"]["total"] == 2
    assert bundle["text/plain"].startswith("+ layer_norm")
    json.dumps(as_json(view), allow_nan=False)
