"""What the kernel does until a graph is open, for graphs of several shapes.

    python -m tests.bench.opening [--nodes 100000]

Prints processor seconds of `gv.graph(loss)` and of the message made of it, beside those of the training
step (forward and backward) that the graph is of.
"""

from __future__ import annotations

import argparse
import linecache
import time
from collections.abc import Callable
from typing import Any

import gradviz as gv
from gradviz.graph.message import message_of

MOST_STEPS = 3.0
"""What opening a graph may cost, in training steps of cheap operations."""


def leaf(*shape: int) -> gv.Tensor:
    return gv.full(shape, 0.5, requires_grad=True)


def scopes(nodes: int) -> gv.Tensor:
    """A scope every two operations."""
    weights, h = [leaf(4) for _ in range(10)], leaf(4)
    for at in range(nodes // 2):
        with gv.scope(f"layer {at % 50}"):
            h = gv.tanh(h * weights[at % 10])
    return h.sum()


def modules(nodes: int) -> gv.Tensor:
    """Encoder layers of modules, step after step of a loop."""
    layers = gv.nn.ModuleList([gv.nn.TransformerEncoderLayer(4, 2, 8) for _ in range(6)])
    x = total = gv.full((1, 3, 4), 0.5, requires_grad=True)
    before = x.node.id
    total = x.mean()
    while total.node.id - before < nodes:
        h = x
        for layer in layers:
            h = layer(h)
        total = total + h.mean()
    return total


def tree(nodes: int) -> gv.Tensor:
    """Ten thousand leaves that are added up in pairs, again and again."""
    leaves = [leaf(3) for _ in range(min(10_000, nodes // 4))]
    total = leaves[0]
    for _ in range(nodes // len(leaves) // 2):
        level = [gv.tanh(one) for one in leaves]
        while len(level) > 1:
            odd = level[-1:] if len(level) % 2 else []
            level = [a + b for a, b in zip(level[::2], level[1::2], strict=False)] + odd
        total = total + level[0]
    return total.sum()


def functions(nodes: int) -> gv.Tensor:
    """Plain functions that call each other in loops."""
    weights = [leaf(4) for _ in range(8)]

    def layer(h: gv.Tensor, w: gv.Tensor) -> gv.Tensor:
        return gv.tanh(h * w) + h

    def block(h: gv.Tensor) -> gv.Tensor:
        for w in weights:
            h = layer(h, w)
        return h

    h = weights[0]
    for _ in range(nodes // 24):
        h = block(h)
    return h.sum()


def straight(nodes: int) -> gv.Tensor:
    """Two thousand lines without a loop, called again and again."""
    lines = ["def run(h, w):", *["    h = gv.tanh(h * w)"] * min(2000, nodes // 2), "    return h"]
    filename = "<bench straight>"
    linecache.cache[filename] = (0, None, [f"{line}\n" for line in lines], filename)
    space: dict[str, Any] = {"gv": gv}
    exec(compile("\n".join(lines), filename, "exec"), space)
    h, w = leaf(4), leaf(4)
    for _ in range(max(nodes // 4000, 1)):
        h = space["run"](h, w)
    return h.sum()


SHAPES: dict[str, Callable[[int], gv.Tensor]] = {
    make.__name__: make for make in (scopes, modules, tree, functions, straight)
}


def in_steps(make: Callable[[int], gv.Tensor], nodes: int) -> float:
    """What opening a graph costs, in the training steps that it is of."""
    _, step, graph, message = measure(make, nodes)
    return (graph + message) / step


def measure(make: Callable[[int], gv.Tensor], nodes: int) -> tuple[int, float, float, float]:
    """Nodes, and seconds of the training step, of the graph and of its message."""
    start = time.process_time()
    loss = make(nodes)
    loss.backward(retain_graph=True)
    made = time.process_time()
    graph = gv.graph(loss)
    known = time.process_time()
    message_of(graph)
    return len(graph), made - start, known - made, time.process_time() - known


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=100_000)
    wanted = parser.parse_args().nodes
    gv.graph(leaf(1).sum())  # what is loaded when it is first needed
    for name, make in SHAPES.items():
        count, step, graph, message = measure(make, wanted)
        print(
            f"{name:10} {count:>9,} nodes: training step {step:5.2f} s, "
            f"graph {graph:5.2f} s, message {message:5.2f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
