"""Hostile objects, huge values, sources that are gone or changed: a shorter message, never a second exception."""

from __future__ import annotations

import linecache
from typing import Any

import pytest

import gradviz as gv
from gradviz.graph import names
from tests.diagnose.conftest import Play

W = "w = gv.tensor([1.0, 2.0], requires_grad=True)\n"
B = "b = gv.tensor([1.0], requires_grad=True)\n"
CUT = W + B + "loss = (w.detach() * b).sum()\n"


class Hostile:
    """Raises whatever is asked of it."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __repr__(self) -> str:
        raise RuntimeError("repr")

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("eq")

    def __hash__(self) -> int:
        raise RuntimeError("hash")

    def __bool__(self) -> bool:
        raise RuntimeError("bool")

    def __len__(self) -> int:
        raise RuntimeError("len")

    def __iter__(self) -> Any:
        raise RuntimeError("iter")


class HostileList(list):
    def __repr__(self) -> str:
        raise RuntimeError("repr")

    def __iter__(self) -> Any:
        raise RuntimeError("iter")


class HostileDict(dict):
    def items(self) -> Any:
        raise RuntimeError("items")

    def values(self) -> Any:
        raise RuntimeError("values")


def look_at_everything(session: Any) -> None:
    for report in (session.ask("gv.diagnose(loss, wrt=w)"), session.ask("gv.diagnose(loss)")):
        assert str(report) and repr(report)
    assert str(session.ask("gv.why(w, loss)"))
    graph = session.ask("gv.graph(loss)")
    assert str(graph) and repr(graph) and graph.to_json()
    assert session.ask("loss.verdict").backward.reason
    assert repr(session.space["loss"]) and session.ask("loss._repr_mimebundle_()")


@pytest.mark.parametrize(
    "make",
    [
        Hostile,
        lambda: HostileList([1]),
        lambda: HostileDict(a=1),
        lambda: type("Odd", (Hostile,), {}),
    ],
)
def test_hostile_objects_among_the_variables(make: Any, play: Play) -> None:
    session = play(CUT)
    thing = make()
    session.space["hostile"] = thing
    session.space["nested"] = [thing]
    session.space["held"] = {"key": thing}
    look_at_everything(session)
    assert session.slugs("gv.diagnose(loss, wrt=w)") == ["path-cut-detach"]


def test_hostile_attributes_of_the_users_own_objects(play: Play) -> None:
    session = play(
        CUT
        + """
class Mine:
    def __init__(self):
        self.kept = loss
        self.bad = None

    @property
    def loud(self):
        raise RuntimeError("properties run code")

    def __getattribute__(self, name):
        if name == "bad":
            raise RuntimeError(name)
        return super().__getattribute__(name)

mine = Mine()
"""
    )
    session.space["mine"].__dict__["bad"] = Hostile()
    look_at_everything(session)


def test_variables_that_look_like_modules_and_optimizers(play: Play) -> None:
    session = play(CUT)
    session.space["net"] = type("Net", (), {"parameters": lambda self: 1 / 0, "node": 3})()
    session.space["gv2"] = type("Module", (), {"__name__": "gradviz"})()
    look_at_everything(session)


def test_modules_with_hostile_attributes(play: Play) -> None:
    session = play(
        CUT
        + """
class Net(gv.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = gv.nn.Parameter([1.0])

net = Net()
"""
    )
    session.space["net"].bad = Hostile()
    session.space["net"].listed = HostileList([1])
    look_at_everything(session)


def test_many_variables_and_long_containers(play: Play) -> None:
    session = play(CUT)
    session.space |= {f"v{n}": n for n in range(20_000)}
    session.space["long"] = [session.space["w"]] * 100_000
    session.space["wide"] = dict.fromkeys(range(100_000), session.space["w"])
    look_at_everything(session)


def test_huge_values_are_shown_in_short(play: Play) -> None:
    session = play(
        """
w = gv.tensor([3e38, -3e38], requires_grad=True)
b = gv.full((2000, 2000), 1e30)
loss = (w.detach() * 10.0).sum() + (b * 1e30).sum()
"""
    )
    look_at_everything(session)
    assert len(str(session.ask("gv.graph(loss)"))) < 20_000


def test_long_names_and_long_lines(play: Play) -> None:
    name = "x" * 2000
    session = play(
        f"{name} = gv.tensor([1.0], requires_grad=True)\nw = {name}\nloss = ({name}.detach(){' + 1.0' * 300}).sum()\n"
    )
    look_at_everything(session)
    assert all(
        len(line) < 4000 for line in str(session.ask("gv.diagnose(loss, wrt=w)")).split("\n")
    )


def test_names_with_control_characters(play: Play) -> None:
    session = play(
        'w = gv.tensor([1.0], requires_grad=True, name="a\\x1b[31m\\n<b>`")\nloss = w.detach().sum()\n'
    )
    look_at_everything(session)
    text = str(session.ask("gv.diagnose(loss, wrt=w)"))
    assert "\x1b" not in text


@pytest.mark.parametrize(
    "later",
    [
        None,
        "",
        "# nothing\n",
        "x = 1\n",
        "import gradviz as gv\n" + CUT[3:],
        "\0",
        "\n" * 9 + CUT,
        "(((\n",
        "é" * 500,
    ],
)
def test_a_source_that_is_gone_or_changed(later: str | None, play: Play) -> None:
    session = play(CUT)
    if later is None:
        session.path.unlink()
    else:
        session.path.write_text(later, encoding="utf-8")
    linecache.checkcache(str(session.path))
    look_at_everything(session)
    report = session.ask("gv.diagnose(loss, wrt=w)")
    assert [p.slug for p in report.problems if p.severity != "note"] == ["path-cut-detach"]
    for problem in report:
        for fix in problem.fixes:
            assert fix.verified


def test_a_program_that_never_was_a_file() -> None:
    space: dict[str, Any] = {}
    exec("import gradviz as gv\n" + CUT, space)
    report = eval("gv.diagnose(loss, wrt=w)", space)
    assert [p.slug for p in report] == ["path-cut-detach"]
    assert report.problems[0].fixes == () and str(report)


def test_a_raised_error_survives_its_source(play: Play) -> None:
    session = play(W + "h = w * 2.0\ndef mark():\n    h.require_grad()\n")
    session.path.unlink()
    linecache.checkcache(str(session.path))
    with pytest.raises(gv.GradvizError) as caught:
        session.space["mark"]()
    assert str(caught.value).startswith("Can't convert a non leaf tensor into a tracked tensor")
    assert caught.value.problem.fixes == ()


def test_cells_that_were_run_again_with_another_text() -> None:
    """The same file name, another text: places of the first run point into the second."""
    name = "<cell 1>"
    space: dict[str, Any] = {}

    def cell(text: str) -> None:
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        exec(compile(text, name, "exec"), space)

    cell("import gradviz as gv\nw = gv.ones(2, requires_grad=True)\nloss = w.detach().sum()\n")
    cell("x = 3\n")
    report = eval(compile("gv.diagnose(loss, wrt=w)", name, "eval"), space)
    assert {p.slug for p in report} == {"path-cut-detach", "untracked-root"}
    assert all(p.fixes == () for p in report) and str(report)
    linecache.cache.pop(name)


def test_namespaces_are_bounded_and_properties_never_run() -> None:
    class Own:
        @property
        def loud(self) -> Any:
            raise AssertionError

    Own.__module__ = "__main__"
    own = Own()
    own.kept = gv.ones(1)
    x = gv.ones(1)
    found = names.find([{"own": own, "_hidden": x, "longer": x, "x": x, "T": Own}])
    assert {label for label, _ in found.values()} == {"own.kept", "x"}
    assert names.find([]) == {} and names.namespaces(None) == []


def test_deep_recursion_of_the_user(play: Play) -> None:
    session = play(
        CUT
        + """
def deep(n):
    return gv.diagnose(loss, wrt=w) if n == 0 else deep(n - 1)
"""
    )
    assert [p.slug for p in session.space["deep"](700)] == ["path-cut-detach"]
