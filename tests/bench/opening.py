"""What the kernel does until a graph is open, for graphs of several shapes.

    python -m tests.bench.opening [--nodes 100000]

Prints processor seconds of `gv.graph(loss)` and of the message made of it, beside those of the training
step (forward and backward) that the graph is of; then those of the first `gv.explore(loss)` of a process,
which loads what a view needs, of the next one, and the memory at most, each in a process of its own.
"""

from __future__ import annotations

import argparse
import linecache
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
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


def plain(nodes: int) -> gv.Tensor:
    """Two operations, again and again."""
    h, w, b = leaf(1), leaf(1), leaf(1)
    for _ in range(nodes // 2):
        h = h * w + b
    return h.sum()


def numbers(nodes: int) -> gv.Tensor:
    """The same with Python's numbers."""
    h = leaf(1)
    for _ in range(nodes // 2):
        h = h * 0.5 + 0.25
    return h.sum()


def turns(nodes: int) -> gv.Tensor:
    """A loop that doesn't do the same in every round."""
    h, w = leaf(4), leaf(4)
    at, before = 0, h.node.id
    while h.node.id - before < nodes:
        at = (at * 5 + 3) % 4096
        h = gv.tanh(h * w) if at % 3 else h + w
        if at % 7 > 2:
            h = (h * 0.5).relu()
    return h.sum()


def wide(nodes: int) -> gv.Tensor:
    """A hundred branches that are added up."""
    x, weights = leaf(4), [leaf(4) for _ in range(100)]
    total = x
    for w in weights:
        h = x
        for _ in range(nodes // 200):
            h = gv.tanh(h * w)
        total = total + h
    return total.sum()


def recurrent(nodes: int) -> gv.Tensor:
    """A recurrent cell over twenty inputs, epoch after epoch."""
    over, back, bias = (leaf(4) for _ in range(3))
    inputs = [gv.full((4,), at / 20) for at in range(20)]
    total = bias.mean()
    for _ in range(nodes // 102):
        h = bias
        for x in inputs:
            h = gv.tanh(x * over + h * back + bias)
        total = total + h.mean()
    return total


def layers(nodes: int) -> gv.Tensor:
    """A small network of modules, step after step."""
    parts = [part for _ in range(4) for part in (gv.nn.Linear(4, 4), gv.nn.Tanh())]
    net = gv.nn.Sequential(*parts)
    x, total = gv.full((2, 4), 0.1), leaf()
    for _ in range(nodes // 10):
        total = total + net(x).mean()
    return total


def balanced(nodes: int) -> gv.Tensor:
    """Two operations, again and again, whose results are recomputed in backward."""
    device = gv.device("ndarray").autodiff("balanced")
    h, w, b = (gv.tensor([0.5], device=device).require_grad() for _ in range(3))
    for _ in range(nodes // 2):
        h = h * w + b
    return h.sum()


SHAPES: dict[str, Callable[[int], gv.Tensor]] = {
    make.__name__: make
    for make in (scopes, modules, tree, functions, straight, plain, numbers, turns)
}
MORE: dict[str, Callable[[int], gv.Tensor]] = {
    make.__name__: make for make in (wide, recurrent, layers, balanced)
}
"""Further shapes to be measured by hand."""


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


def first_look(name: str, nodes: int) -> None:
    """Prints what looking at a shape costs in this process, for the first time and again."""
    loss = (SHAPES | MORE)[name](nodes)
    seconds = []
    for _ in range(2):
        start = time.process_time()
        gv.explore(loss)._repr_mimebundle_()
        seconds.append(time.process_time() - start)
    print(f"{seconds[0]:.3f} {seconds[1]:.3f} {_most_memory()}")


def _most_memory() -> int:
    """Megabytes that this process has held at most; 0 where the system doesn't tell."""
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s+(\d+)", status.read_text()) if status.exists() else None
    return int(found[1]) // 1024 if found else 0


def fresh(name: str, nodes: int) -> tuple[float, float, int]:
    """Seconds of the first and of the next look in a process of its own, and its memory in MB."""
    code = f"from tests.bench import opening; opening.first_look({name!r}, {nodes})"
    command = [sys.executable, "-c", code]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    first, again, most = answer.stdout.split()
    return float(first), float(again), int(most)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, default=100_000)
    wanted = parser.parse_args().nodes
    gv.graph(leaf(1).sum())  # what is loaded when it is first needed
    for name, make in (SHAPES | MORE).items():
        count, step, graph, message = measure(make, wanted)
        print(
            f"{name:10} {count:>9,} nodes: training step {step:5.2f} s, "
            f"graph {graph:5.2f} s, message {message:5.2f} s",
            flush=True,
        )
    for name in SHAPES | MORE:
        first, again, most = fresh(name, wanted)
        print(
            f"{name:10} explored first in {first:5.2f} s, again {again:5.2f} s, at most {most:,} MB"
        )


if __name__ == "__main__":
    main()
