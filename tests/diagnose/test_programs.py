"""Predicted if and only if it happens: random programs. The long run is `python -m tests.diagnose.programs 100000`."""

from __future__ import annotations

import pytest

from tests.diagnose.moves import written
from tests.diagnose.programs import check

PROGRAMS, BATCH = 300, 25


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("start", range(0, PROGRAMS, BATCH))
def test_what_is_predicted_happens_and_nothing_else(start: int) -> None:
    for seed in range(start, start + BATCH):
        run = check(seed)
        assert not run.wrong, f"seed {seed}\n{run.writer.text}\n" + "\n".join(run.wrong)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(1000, 1016))
def test_offered_fixes_hold(seed: int) -> None:
    run = check(seed, fixes=True)
    assert not run.wrong, f"{run.writer.text}\n" + "\n".join(run.wrong)


def test_programs_are_of_many_kinds() -> None:
    texts = [written(seed).text for seed in range(PROGRAMS)]
    for part in (
        ".detach()",
        ".inner()",
        "gv.no_grad()",
        ".argmax()",
        ".round()",
        ".require_grad()",
        "set_require_grad(False)",
        "gv.scope(",
        ".freeze()",
        ".valid()(",
        "capture_scope",
        "retain_graph=True",
        ".backward()",
        ".numpy()",
        ".retain_grad()",
    ):
        assert sum(part in text for text in texts) >= 5, part
    assert texts[:20] == [written(seed).text for seed in range(20)]
