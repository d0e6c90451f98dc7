"""How long the diagnosis of large graphs takes. `python -m tests.bench.diagnosis [nodes ...]`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

import gradviz as gv

LIMITS = {10_000: 0.5, 1_000_000: 20.0}
"""Seconds that `gv.diagnose` may take, by number of nodes."""

Leaves = list[gv.Tensor]


def marked(count: int) -> Leaves:
    return [gv.tensor([1.0], requires_grad=True) for _ in range(count)]


def chain(nodes: int) -> tuple[Leaves, gv.Tensor]:
    """A deep graph of two leaves."""
    x, w = marked(2)
    h = x
    for _ in range(nodes // 2):
        h = h * 0.9999 + w
    return [x, w], h.sum()


def many_leaves(nodes: int, leaves: int = 200) -> tuple[Leaves, gv.Tensor]:
    """A deep graph in which many leaves take turns."""
    found = marked(leaves)
    h = found[0]
    for at in range(nodes):
        h = h * found[at % leaves]
    return found, h.sum()


def cut_leaves(nodes: int, leaves: int = 200) -> tuple[Leaves, gv.Tensor]:
    """As many leaves, each cut off where it enters."""
    found = marked(leaves)
    cut = [leaf.detach() for leaf in found]
    (h,) = marked(1)
    for at in range(nodes):
        h = h * cut[at % leaves]
    return found, h.sum()


def flat_leaves(nodes: int, leaves: int = 200) -> tuple[Leaves, gv.Tensor]:
    """As many leaves, each behind an operation whose gradient is zero."""
    found = marked(leaves)
    h = found[0].round()
    for at in range(nodes // 2):
        h = h * found[at % leaves].round()
    return found, h.sum()


SHAPES: dict[str, Callable[[int], tuple[Leaves, gv.Tensor]]] = {
    "chain": chain,
    "many leaves": many_leaves,
    "cut leaves": cut_leaves,
    "flat leaves": flat_leaves,
}


def seconds(run: Callable[[], object]) -> float:
    """Processor time, so that a busy machine doesn't count."""
    start = time.process_time()
    run()
    return time.process_time() - start


def measure(nodes: int) -> dict[str, float]:
    """Seconds of `gv.diagnose`, by shape of graph and question."""
    found: dict[str, float] = {}
    for name, build in SHAPES.items():
        leaves, root = build(nodes)
        strangers = marked(50)
        found[name] = seconds(partial(gv.diagnose, root))
        found[f"{name}, wrt"] = seconds(partial(gv.diagnose, root, wrt=leaves))
        found[f"{name}, wrt strangers"] = seconds(partial(gv.diagnose, root, wrt=strangers))
        grads = root.backward(retain_graph=True)
        found[f"{name}, grads"] = seconds(partial(gv.diagnose, root, wrt=leaves, grads=grads))
        del leaves, root, grads
    return found


def main() -> None:
    sizes = [int(text) for text in sys.argv[1:]] or list(LIMITS)
    late = False
    for nodes in sizes:
        limit = LIMITS.get(nodes, 20.0 * nodes / 1e6)
        for name, spent in measure(nodes).items():
            late |= spent > limit
            print(f"{nodes:>9,} nodes, {name:28} {spent:6.2f} s of {limit:g} s", flush=True)
    sys.exit(late)


if __name__ == "__main__":
    main()
