"""Trials: a patched program is run, and nothing of the run stays."""

from __future__ import annotations

import cProfile
import linecache
import random
import sys
import threading
import time

import numpy as np
import pytest

import gradviz as gv
from gradviz.diagnose import trial
from gradviz.nn.registry import live_modules
from gradviz.tensor import escapes

GV = "import gradviz as gv\n"


def run(text: str, shared: dict[str, object] | None = None) -> trial.Trial:
    return trial.run(GV + text, "<tried>", shared)


@pytest.fixture
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "LIMIT_SECONDS", 0.3)


def test_the_variables_and_the_end_are_told() -> None:
    done = run("x = gv.ones(2)\n")
    assert done.finished and done.space["x"].shape == (2,)
    failed = run("x = 1\nx.missing()\n")
    assert not failed.finished and isinstance(failed.error, AttributeError)
    assert failed.space["x"] == 1
    assert isinstance(run("x = (\n").error, SyntaxError)


def test_the_generators_go_on_as_if_nothing_had_been_run() -> None:
    def draw() -> list[float]:
        return [*gv.rand(2).tolist(), random.random(), float(np.random.rand())]  # noqa: NPY002 - the shared generator is what is tested

    gv.manual_seed(5)
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    expected = draw()
    gv.manual_seed(5)
    random.seed(5)
    np.random.seed(5)  # noqa: NPY002
    run(
        "import random\nimport numpy as np\ngv.manual_seed(1)\ngv.rand(9)\nrandom.seed(1)\nrandom.random()\nnp.random.rand(3)\n"
    )
    assert draw() == expected


def test_a_program_without_a_seed_draws_what_it_would_have_drawn() -> None:
    gv.manual_seed(7)
    seen = run("x = gv.rand(3)\n").space["x"].tolist()
    assert gv.rand(3).tolist() == seen


def test_modes_left_open_end_with_the_trial() -> None:
    run("quiet = gv.no_grad()\nquiet.__enter__()\n")
    assert gv.is_grad_enabled()
    run('gv.set_default_device(gv.device("ndarray").autodiff())\n')
    assert gv.ones(1).kind == "NdArray"
    run('scope = gv.scope("open")\nscope.__enter__()\n')
    x = gv.ones(1, requires_grad=True) * 2.0
    assert x.node.context.scope is None


def test_modes_of_the_one_who_asks_do_not_reach_a_fresh_program() -> None:
    with gv.no_grad():
        done = run("x = (gv.ones(1, requires_grad=True) * 2.0)\n")
    assert done.space["x"].is_tracked


def test_a_capture_scope_left_open_does_not_block_the_next() -> None:
    run("scope = gv.capture_scope()\nscope.__enter__()\n")
    with gv.capture_scope() as scope:
        scope.output(scope.input((2,)) * 2.0)
    assert scope.graph.run([1.0, 2.0]).tolist() == [2.0, 4.0]


def test_inside_a_capture_scope_a_fresh_program_opens_its_own() -> None:
    with gv.capture_scope() as scope:
        done = run("with gv.capture_scope() as scope:\n    x = scope.input((1,))\n")
        assert done.finished, done.error
        scope.output(scope.input((2,)))
    assert len(scope.graph.inputs) == 1


def test_what_is_printed_is_not_seen(capsys: pytest.CaptureFixture[str]) -> None:
    run("print('loud')\nimport contextlib\n")
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("_short")
@pytest.mark.parametrize(
    "text",
    [
        "while True:\n    x = 1\n",
        "while True:\n    try:\n        x = 1\n    except Exception:\n        pass\n",
        "def f():\n    for n in range(10**9):\n        yield n\nsum(f())\n",
        "def f(n):\n    return f(n)\nwhile True:\n    try:\n        f(1)\n    except RecursionError:\n        pass\n",
    ],
)
def test_a_program_that_does_not_end_is_stopped(text: str) -> None:
    start = time.monotonic()
    done = run(text)
    assert isinstance(done.error, trial.TooSlow)
    assert time.monotonic() - start < 20.0
    assert sys.gettrace() is None or "trial" not in repr(sys.gettrace())


@pytest.mark.usefixtures("_short")
def test_a_profiler_is_no_hindrance() -> None:
    """Python 3.11 under a profiler waits for ever for an exception that was taken back."""
    profile = cProfile.Profile()
    with profile:
        assert isinstance(run("while True:\n    x = 1\n").error, trial.TooSlow)
        assert run("x = 1\n").finished
    assert run("x = 1\n").finished


@pytest.mark.usefixtures("_short")
@pytest.mark.parametrize("nap", [0.295, 0.299, 0.3, 0.301, 0.305])
def test_a_program_that_ends_when_its_time_does(nap: float) -> None:
    """Whatever comes first: nothing arrives in the code that goes on afterwards."""
    for _ in range(3):
        end = time.monotonic() + nap
        run(f"end = {end}\nclock = __import__\nwhile clock('time').monotonic() < end:\n    pass\n")
        total = sum(n for n in range(20_000))
    assert total == 199_990_000
    time.sleep(0.2)
    assert not [t for t in threading.enumerate() if t.name == "gradviz-trial" and t.is_alive()]


@pytest.mark.parametrize(
    "text",
    [
        "raise SystemExit(1)\n",
        "raise SystemExit\n",
        "def f():\n    return f()\nf()\n",
        "1 / 0\n",
        "raise ExceptionGroup('several', [ValueError()])\n",
        "class Odd(Exception):\n    def __str__(self):\n        raise ValueError\nraise Odd\n",
    ],
)
def test_no_exception_gets_out(text: str) -> None:
    assert not run(text).finished


def test_an_interrupt_of_the_user_gets_through() -> None:
    with pytest.raises(KeyboardInterrupt):
        run("raise KeyboardInterrupt\n")
    assert not trial.trying.get()


def test_readings_are_forgotten() -> None:
    escapes.recent.clear()
    (gv.ones(1, requires_grad=True) * 2.0).numpy()
    before = list(escapes.recent)
    run("y = (gv.ones(1, requires_grad=True) * 3.0).numpy()\n")
    assert list(escapes.recent) == before and len(before) == 1


def test_shared_variables_are_copied_and_names_do_not_come_back() -> None:
    shared: dict[str, object] = {"gv": gv, "a": 1}
    done = run("a = 2\nb = 3\n", shared)
    assert done.space["a"] == 2 and shared == {"gv": gv, "a": 1}


def test_trials_of_several_threads_take_turns() -> None:
    before = sys.stdout, sys.stderr, list(escapes.recent)
    ends: list[bool] = []

    def work() -> None:
        for _ in range(20):
            ends.append(run("print('x')\nx = gv.rand(2)\n").finished)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ends == [True] * 120
    assert (sys.stdout, sys.stderr, list(escapes.recent)) == before


def test_no_fixes_are_looked_for_inside_a_trial(tmp_path) -> None:
    path = tmp_path / "asks.py"
    text = (
        GV + "w = gv.ones(2, requires_grad=True)\nreport = gv.diagnose(w.detach().sum(), wrt=w)\n"
    )
    path.write_text(text)
    done = trial.run(text, str(path), None)
    assert done.finished and [len(p.fixes) for p in done.space["report"]] == [0, 0]
    linecache.checkcache(str(path))


def test_modules_of_a_trial_are_let_go() -> None:
    before = len(live_modules())
    run("net = gv.nn.Linear(2, 1)\n")
    assert len(live_modules()) == before


# --- the leaves a gradient reaches ---------------------------------------------------------------
def test_leaves_and_everything_on_the_way() -> None:
    x, w = gv.ones(1, requires_grad=True), gv.ones(1, requires_grad=True)
    h = x * w
    y = (h + w.detach()).sum()
    assert trial.leaves_of(y.node) == {x.node.id, w.node.id}
    assert trial.reached_by(y.node) >= {x.node.id, w.node.id, h.node.id, y.node.id}
    assert trial.reached_by(w.detach().node) == set()
    assert trial.leaves_of(x.node) == {x.node.id}


def test_a_late_mark_is_no_leaf_and_a_late_freeze_is_one() -> None:
    device = gv.device("ndarray").autodiff()
    x, late = gv.ones(1, requires_grad=True), gv.ones(1, device=device)
    y = x * late
    late.require_grad()
    assert trial.leaves_of(y.node) == {x.node.id}
    layer = gv.nn.Linear(1, 1)
    z = layer(gv.ones(1))
    layer.freeze()
    assert trial.leaves_of(z.node) == {layer.weight.node.id, layer.bias.node.id}


def test_the_loss_is_the_tracked_scalar_made_last() -> None:
    x = gv.ones(2, requires_grad=True)
    first, last = x.sum(), x.mean()
    space = {"a": last, "b": first, "c": x * 2.0, "d": 3, "e": last.detach()}
    assert trial.latest_result(space) is last
    assert trial.latest_result({"x": x}) is None


def test_what_other_threads_print_is_not_lost(capsys: pytest.CaptureFixture[str]) -> None:
    started, go_on = threading.Event(), threading.Event()
    text = "started.set()\ngo_on.wait(30)\nprint('inside')\n"
    shared = {"started": started, "go_on": go_on}
    outcome: list[trial.Trial] = []
    thread = threading.Thread(target=lambda: outcome.append(trial.run(text, "cell", shared)))
    thread.start()
    assert started.wait(30)
    print("outside")
    go_on.set()
    thread.join()
    assert outcome[0].finished
    assert capsys.readouterr().out == "outside\n"
