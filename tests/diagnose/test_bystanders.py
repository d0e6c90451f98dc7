"""Charts, bars and logs stand aside while a fix is tried, and the fix is found all the same."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from gradviz.diagnose import trial
from tests.diagnose.conftest import Play

TRAINING = """import gradviz as gv
import logging
import matplotlib.pyplot as plt
from tqdm.auto import tqdm, trange

log = logging.getLogger("training")
w = gv.tensor([1.0, 2.0], requires_grad=True)
seen = []
figure, (left, right) = plt.subplots(1, 2)
bar = tqdm(range(3), desc="steps")
for step in bar:
    loss = ((w - 1.0).detach() ** 2).sum()
    seen.append(loss.item())
    bar.set_postfix(loss=seen[-1])
    log.info("step %d: %f", step, loss.item())
for step in trange(2):
    left.plot(seen)
right.plot(seen)
plt.show()
"""


@pytest.fixture(autouse=True)
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the libraries were asked to do, whether they are installed or not."""
    calls: list[str] = []
    plt, auto = ModuleType("matplotlib.pyplot"), ModuleType("tqdm.auto")
    vars(plt)["plot"] = lambda values: calls.append("plot")
    vars(auto)["tqdm"] = lambda items: [calls.append("bar"), items][1]
    for module in (ModuleType("matplotlib"), plt, ModuleType("tqdm"), auto):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    vars(sys.modules["matplotlib"])["pyplot"] = plt
    return calls


def test_a_bar_gives_its_items_and_the_rest_does_nothing() -> None:
    outcome = trial.run(TRAINING, "training.py", None)
    assert outcome.error is None
    assert len(outcome.space["seen"]) == 3
    assert len(outcome.space["bar"]) == 3


def test_what_a_notebook_shares_stands_aside_too() -> None:
    plt = ModuleType("matplotlib.pyplot")

    def tqdm(items: object) -> object:
        raise AssertionError("not in a trial")

    tqdm.__module__ = "tqdm.std"
    text = "for n in tqdm([1, 2]):\n    plt.plot(n)\n    last = n\n"
    outcome = trial.run(text, "cell", {"plt": plt, "tqdm": tqdm})
    assert outcome.error is None and outcome.space["last"] == 2


def test_a_fix_is_found_in_code_that_draws(play: Play, drawn: list[str]) -> None:
    session = play(
        """
        import matplotlib.pyplot as plt
        from tqdm.auto import tqdm

        w = gv.tensor([1.0, 2.0], requires_grad=True)
        seen = []
        for step in tqdm(range(2)):
            loss = ((w - 1.0).detach() ** 2).sum() + w.sum() * 0.0 + w.detach().sum()
            seen.append(loss.item())
        plt.plot(seen)
        loss = (w.detach() * 2.0).sum()
        """
    )
    assert drawn == ["bar", "plot"]
    problem = session.problem("gv.diagnose(loss, wrt=w)", "path-cut-detach")
    assert [fix.verified for fix in problem.fixes][:1] == [True]
    assert drawn == ["bar", "plot"], "a trial draws nothing"
