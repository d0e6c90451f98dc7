"""A chain of 100,000 operations: time and memory. `python -m tests.bench.deep_chain`."""

from __future__ import annotations

import gc
import time
import tracemalloc

import gradviz as gv

LENGTH = 100_000
MOST_MIB = 50
"""What the graph of the chain may hold."""


def run(length: int = LENGTH) -> tuple[float, float]:
    """Seconds of forward, backward and release; mebibytes held by the graph before backward."""
    x = gv.tensor([1.0], requires_grad=True)
    gc.collect()
    tracemalloc.start()
    h = x
    for _ in range(length):
        h = h * 0.99999
    held = tracemalloc.get_traced_memory()[0] / 2**20
    tracemalloc.stop()
    del h
    start = time.perf_counter()
    h = x
    for _ in range(length):
        h = h * 0.99999
    grads = h.backward()
    assert x in grads
    del h, grads
    return time.perf_counter() - start, held


if __name__ == "__main__":
    spent, held = run()
    print(
        f"{LENGTH:,} operations: {spent:.2f} s forward, backward and freed; {held:.0f} MiB held (to reach: {MOST_MIB})"
    )
