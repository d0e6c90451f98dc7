"""`gv.why`, verdicts of every catalogued failure, and how long the diagnosis takes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

import gradviz as gv
from gradviz.errors.catalogue import catalogue
from tests.bench import diagnosis
from tests.diagnose.conftest import Play

W = "w = gv.tensor([1.0, 2.0], requires_grad=True)\n"


# --- why ---------------------------------------------------------------------------------------
def test_the_path_of_a_gradient(play: Play) -> None:
    session = play(W + "h = w * 2.0\nloss = h.sum()\n")
    why = session.ask("gv.why(w, loss)")
    assert why and why.reaches and why.problem is None
    assert why.path == ("loss", "h", "w")
    assert why.nodes[-1] == session.space["w"].node.id
    assert str(why) == "it gets a gradient: loss <- h <- w"


def test_the_first_place_where_tracking_ends(play: Play) -> None:
    session = play(
        W
        + "h = w * 2.0\ncut = h.detach()\nb = gv.ones(2, requires_grad=True)\nloss = (cut * b).sum()\n"
    )
    why = session.ask("gv.why(w, loss)")
    assert not why and why.problem.slug == "path-cut-detach"
    assert why.problem.cause.line == session.line("cut =")
    assert why.path == ("loss", "mul", "cut (untracked)", "h", "w")
    assert why.problem.fixes and "way: loss" in str(why)


def test_one_that_was_never_used(play: Play) -> None:
    session = play(W + "b = gv.ones(2, requires_grad=True)\nloss = w.sum()\n")
    why = session.ask("gv.why(b, loss)")
    assert not why and why.path == () and why.problem.slug == "leaf-not-reached"
    assert str(why).startswith("No gradient reaches `b` from `loss`\n")


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("w = gv.ones(2)\nloss = w.sum()\n", "requires-autodiff-tensor"),
        (W + "loss = w.sum()\nloss.backward()\n", "graph-consumed"),
        ("w = gv.ones(2).autodiff()\nloss = w.sum()\n", "untracked-root"),
        (W + "loss = (w * 2.0).sum()\nw = w * 3.0\nloss = (w * w).sum()\n", "gradient-of-non-leaf"),
        (W + "loss = gv.tensor(w.numpy(), requires_grad=True).sum()\n", "path-cut-value-escape"),
        (W + "with gv.no_grad():\n    loss = w.sum()\n", "path-cut-no-grad"),
        ("w = gv.ones(2).autodiff()\nloss = w.sum()\nw.require_grad()\n", "marked-after-use"),
    ],
)
def test_the_reason_is_the_most_telling_one(text: str, slug: str, play: Play) -> None:
    why = play(text).ask("gv.why(w, loss)")
    assert not why and why.problem is not None
    assert why.problem.slug == slug


def test_the_whole_dead_loss_on_a_capture_is_no_gradient() -> None:
    with gv.capture_scope(gv.device("capture").autodiff()) as scope:
        x = scope.input((2,)).require_grad()
        why = gv.why(x, x.sum())
    assert not why and why.problem.slug == "capture-tensors-do-not-support-autodiff"


def test_a_leaf_is_its_own_root(play: Play) -> None:
    assert play("w = gv.ones(1, requires_grad=True)\n").ask("gv.why(w, w)").path == ("w",)


def test_asking_consumes_and_changes_nothing(play: Play) -> None:
    session = play(W + "loss = (w * w).sum()\n")
    for question in (
        "gv.why(w, loss)",
        "gv.diagnose(loss, wrt=w)",
        "gv.graph(loss)",
        "loss.verdict",
    ):
        session.ask(question)
    assert session.ask("loss.backward()[w].tolist()") == [2.0, 4.0]


# --- verdicts ----------------------------------------------------------------------------------
def raising() -> Iterator[object]:
    """Catalogued reproducers of failures that a verdict foresees, their failing call apart."""
    for record in catalogue.values():
        for number, scenario in enumerate(record.trigger_scenarios, 1):
            body = ast.parse(scenario.program).body
            call = body[-1].value if isinstance(body[-1], ast.Expr) else None
            method = call.func if isinstance(call, ast.Call) else None
            if isinstance(method, ast.Attribute) and method.attr in ("backward", "require_grad"):
                receiver = ast.unparse(method.value)
                before = ast.unparse(ast.Module(body[:-1], []))
                yield pytest.param(
                    before, receiver, method.attr, ast.unparse(call), id=f"{record.slug}-{number}"
                )


@pytest.mark.parametrize(("before", "receiver", "method", "call"), list(raising()))
def test_the_verdict_is_what_is_raised(
    before: str, receiver: str, method: str, call: str, play: Play
) -> None:
    session = play(before + "\n", head="")
    outcome = session.ask(f"{receiver}.verdict.{method}")
    if outcome.ok:
        assert outcome.slug is None
        session.ask(call)
        return
    with pytest.raises(gv.GradvizError) as caught:
        session.ask(call)
    error = caught.value
    assert outcome.slug == error.slug
    assert outcome.reason and outcome.problem.reason == error.problem.reason
    assert outcome.problem.predicted and not error.problem.predicted
    assert [label for label, _ in outcome.problem.facts] == [
        label for label, _ in error.problem.facts
    ]


def test_verdicts_offer_fixes_when_asked(play: Play) -> None:
    session = play("w = gv.tensor([1.0])\nloss = w.sum()\n")
    outcome = session.ask("w.verdict.require_grad")
    assert outcome.slug == "require-grad-on-plain-kind" and outcome.problem is not None
    assert session.ask("gv.ones(1, requires_grad=True).verdict.backward.fixes") == ()


# --- speed -------------------------------------------------------------------------------------
@pytest.mark.slow
def test_ten_thousand_nodes_take_no_time_to_speak_of() -> None:
    """The limit is half a second; test machines are busy."""
    late = {
        name: s for name, s in diagnosis.measure(10_000).items() if s > 4 * diagnosis.LIMITS[10_000]
    }
    assert late == {}


def test_no_recursion_however_deep_the_graph() -> None:
    leaves, root = diagnosis.chain(40_000)
    assert gv.diagnose(root, wrt=leaves).ok
    assert gv.why(leaves[0], root).reaches and len(gv.why(leaves[0], root).path) > 20_000
    cut, dead = diagnosis.cut_leaves(20_000, 3)
    assert {p.slug for p in gv.diagnose(dead, wrt=cut) if p.severity != "note"} == {
        "path-cut-detach"
    }
