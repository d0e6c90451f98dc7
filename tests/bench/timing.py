"""Interleaved timing: candidates take turns, medians are compared, so that noise hits all alike.

What is counted is the time of the processor spent in this process, all threads together: on a busy machine a
candidate that runs longer than a time slice waits for others more often than a short one.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping


def medians(
    candidates: Mapping[str, Callable[[], object]], rounds: int, steps: int = 1
) -> dict[str, float]:
    """Median seconds of processor time of each candidate over interleaved rounds, after one warm-up round.

    Where a turn has more than one step, it is as in a training loop: a step before them finds the processor's
    cache as the other candidates left it and isn't counted.
    """
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for number in range(rounds + 1):
        for name, run in candidates.items():
            if steps > 1:
                run()
            start = time.process_time()
            for _ in range(steps):
                run()
            if number:
                times[name].append((time.process_time() - start) / steps)
    return {name: statistics.median(values) for name, values in times.items()}


def ratios(
    candidates: Mapping[str, Callable[[], object]], peer: str, rounds: int
) -> dict[str, float]:
    """Median of each candidate divided by the peer's in the same run."""
    found = medians(candidates, rounds)
    return {name: value / found[peer] for name, value in found.items()}
