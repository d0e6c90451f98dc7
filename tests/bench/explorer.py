"""How the explorer copes with large graphs, beside Graphviz on the same ones.

    python -m tests.bench.explorer [--nodes 1000 10000 100000 1000000] [--dot]

Prints, for each size: processor seconds of `gv.explore(loss)` for a live training graph of that size,
from the call to the message that the front end is sent; its size, milliseconds from the message to the
first picture in headless Chromium, the slowest of several unfoldings, frames a second while panning,
and the browser's memory. A graph opens after the sum of the first and the third. `--dot` lays the whole graph out with Graphviz, as tools do
that draw every node.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import gradviz as gv
from gradviz.core.source import SourceSpan
from gradviz.graph.graph import Graph, GraphEdge, GraphGroup, GraphNode
from gradviz.graph.model import MIME_TYPE, Role
from gradviz.render.program import find
from tests.ui.bare import RENDER
from tests.ui.browser import ARGUMENTS, find_chromium

STATIC = Path(__file__).resolve().parents[2] / "gradviz" / "static"
DOT_SECONDS = 60

OPS = ("layer_norm", "matmul", "matmul", "matmul", "softmax", "matmul", "linear", "add", "layer_norm", "linear",
       "gelu", "linear", "add")  # fmt: skip
PLACE = SourceSpan("train.py", 12, 8, 12, 30, "self.block(x)")

PLACED = """() => new Promise(done => {
    const look = () => document.querySelector('.gradviz-stage')?.dataset.state === 'placed'
        ? done(performance.now()) : requestAnimationFrame(look);
    look();
})"""
PAN = """() => new Promise(done => {
    const canvas = document.querySelector('.gradviz-canvas');
    const box = canvas.getBoundingClientRect();
    const send = (name, x, y) => canvas.dispatchEvent(new PointerEvent(name,
        {pointerId: 1, button: 0, bubbles: true, clientX: x, clientY: y}));
    canvas.setPointerCapture = () => {};
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    send('pointerdown', x, y);
    const start = performance.now();
    let frames = 0;
    const step = now => {
        const part = (now - start) / 2000;
        if (part > 1) { send('pointerup', x, y); done(frames / 2); return; }
        frames += 1;
        send('pointermove', x + 150 * Math.sin(part * 12), y + 150 * Math.cos(part * 12));
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
})"""


def network(wanted: int) -> Graph:
    """A training graph of about so many nodes: steps of a loop over blocks of a transformer."""
    nodes: list[GraphNode] = []
    edges: list[GraphEdge] = []
    groups: list[GraphGroup] = []

    def node(op: str, role: Role, group: str | None, shape: tuple[int, ...]) -> int:
        tracked = role == "operation"
        nodes.append(
            GraphNode(
                id=len(nodes) + 1, op=op, name=None, kind="Autodiff(NdArray)",
                requirement="grad_in_backward" if tracked else "grad" if role == "parameter" else "none",
                is_leaf=not tracked, role=role, shape=shape, dtype="float32", device="autodiff(ndarray)",
                attributes={}, group=group, source=PLACE, value=None, consumed=False, cut=None,
            )
        )  # fmt: skip
        return len(nodes)

    weights = [node("parameter", "parameter", None, (64, 64)) for _ in range(6 * 12)]
    step, last = 0, 0
    while len(nodes) < wanted:
        outer = f"s{step}"
        groups.append(GraphGroup(outer, f"step {step}", "scope", None))
        last = last or node("input", "input", outer, (32, 64))
        for block in range(12):
            inner = f"{outer}b{block}"
            groups.append(GraphGroup(inner, str(block), "module", outer))
            skip = last
            for at, op in enumerate(OPS):
                made = node(op, "operation", inner, (32, 64))
                edges.append(GraphEdge(last, made, "input", True))
                if op in ("matmul", "linear"):
                    edges.append(GraphEdge(weights[block * 6 + at % 6], made, "weight", True))
                if op == "add":
                    edges.append(GraphEdge(skip, made, "rhs", True))
                    skip = made
                last = made
        step += 1
    return Graph(tuple(nodes), tuple(edges), tuple(groups), (last,), "training")


def training(wanted: int) -> gv.Tensor:
    """The loss of about so many nodes: steps of a loop over blocks of a transformer, not one module."""
    shape = (4, 4)
    weights = [[gv.ones(*shape, requires_grad=True) for _ in range(6)] for _ in range(12)]
    x = loss = gv.ones(*shape, requires_grad=True)
    before = x.node.id
    while loss.node.id - before < wanted:
        with gv.scope("step"):
            for block in weights:
                with gv.scope("block"):
                    x = transformed(x, block)
            loss = x.mean()
    return loss


def transformed(x: gv.Tensor, weights: list[gv.Tensor]) -> gv.Tensor:
    """A block with attention."""
    wq, wk, wv, wo, w1, w2 = weights
    n = gv.layer_norm(x, (4,))
    attention = ((n @ wq) @ (n @ wk)).softmax(dim=-1) @ (n @ wv)
    x = attention @ wo + x
    return gv.gelu(gv.layer_norm(x, (4,)) @ w1) @ w2 + x


@dataclass
class Row:
    """What was measured of one graph."""

    nodes: int
    explore_s: float
    message_kb: int
    open_ms: float = 0
    shown: str = ""
    unfold_ms: float = 0
    pan_fps: float = 0
    all_fps: float = 0
    memory_mb: float = 0


def measure(page: Any, loss: gv.Tensor) -> Row:
    """Explores a loss, opens its graph, unfolds some of it, pans."""
    start = time.process_time()
    explorer = gv.explore(loss)
    bundle, _ = explorer._repr_mimebundle_()
    took = time.process_time() - start
    message = json.dumps(bundle[MIME_TYPE])
    row = Row(bundle[MIME_TYPE]["total_nodes"], took, len(message) // 1000)
    page.goto("/missing-page-on-purpose.html")
    page.set_content("<!doctype html><meta charset=utf-8>")
    page.evaluate(
        RENDER.replace("async text => {", "async text => { window.began = performance.now();"),
        message,
    )
    row.open_ms = page.evaluate(PLACED) - page.evaluate("() => window.began")
    row.shown = page.locator(".gradviz-counts").inner_text()
    row.pan_fps = page.evaluate(PAN)
    for _ in range(6):
        # The last folded box: opening it shows what is inside, and folded boxes again.
        took = page.evaluate(
            """async placed => {
                const openers = document.querySelectorAll('.gradviz-folded .gradviz-opener');
                if (!openers.length) return 0;
                const canvas = document.querySelector('.gradviz-canvas');
                for (const name of ['pointerdown', 'pointerup']) canvas.dispatchEvent(new PointerEvent(name, {button: 0}));
                const start = performance.now();
                openers[openers.length - 1].dispatchEvent(new MouseEvent('click', {bubbles: true}));
                return await eval(placed)() - start;
            }""",
            PLACED,
        )
        row.unfold_ms = max(row.unfold_ms, took)
    heap = page.context.new_cdp_session(page).send("Runtime.getHeapUsage")
    row.memory_mb = (heap["usedSize"] + heap.get("backingStorageSize", 0)) / 1e6
    if row.nodes <= 12_000:
        page.get_by_label("Unfold everything").click()
        page.evaluate(PLACED)
        page.get_by_label("Fit the whole graph").click()
        page.wait_for_timeout(800)
        row.all_fps = page.evaluate(PAN)
    return row


def dot_seconds(graph: Graph) -> str:
    """How long Graphviz takes for all nodes."""
    program = find()
    if program is None:
        return "no dot"
    lines = [f'n{node.id} [label="{node.op}"];' for node in graph.nodes]
    lines += [f"n{edge.source} -> n{edge.target};" for edge in graph.edges]
    text = "digraph { node [shape=box]; " + "\n".join(lines) + "}"
    start = time.perf_counter()
    with suppress(subprocess.TimeoutExpired):
        done = subprocess.run(
            [program.path, "-Tsvg"],
            input=text.encode(),
            capture_output=True,
            timeout=DOT_SECONDS,
            check=False,
        )
        took = time.perf_counter() - start
        return f"{took:.1f} s" if done.returncode == 0 else f"fails after {took:.1f} s"
    return f"more than {DOT_SECONDS} s"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """The table is all there is to read."""


def main() -> None:
    """Measures and prints."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", type=int, nargs="*", default=[1000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--dot", action="store_true", help="lay everything out with Graphviz, too")
    options = parser.parse_args()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(STATIC))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
            base = f"http://127.0.0.1:{server.server_address[1]}/"
            page = browser.new_page(base_url=base, viewport={"width": 1400, "height": 900})
            page.set_default_timeout(180_000)
            for wanted in options.nodes:
                loss = training(wanted)
                row = measure(page, loss)
                print(
                    f"{row.nodes:>9,} nodes: explore {row.explore_s:.2f} s, {row.message_kb:,} kB; open {row.open_ms:.0f} ms "
                    f"({row.shown}); unfold {row.unfold_ms:.0f} ms; pan {row.pan_fps:.0f} fps"
                    + (f", all in sight {row.all_fps:.0f} fps" if row.all_fps else "")
                    + f"; {row.memory_mb:.0f} MB"
                    + (f"; dot {dot_seconds(gv.graph(loss))}" if options.dot else ""),
                    flush=True,
                )
            browser.close()
        server.shutdown()


if __name__ == "__main__":
    main()
