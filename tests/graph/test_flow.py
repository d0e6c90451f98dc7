"""What bytecode tells about the order of instructions, beside a search that goes one by one."""

from __future__ import annotations

import random
import textwrap
import time
from itertools import pairwise
from pathlib import Path
from types import CodeType

import pytest

from gradviz.graph.flow import ANEW, FORWARD, Flow


def search(flow: Flow, start: int) -> set[int]:
    """Every instruction reached from one without going back, one instruction after the other."""
    numbers = {item.offset: at for at, item in enumerate(flow.instructions)}
    found: set[int] = set()
    waiting = [start]
    while waiting:
        for offset in flow._next(numbers[waiting.pop()]):
            if offset not in found:
                found.add(offset)
                waiting.append(offset)
    return found


def codes(code: CodeType) -> list[CodeType]:
    inside = [item for item in code.co_consts if isinstance(item, CodeType)]
    return [code, *(inner for item in inside for inner in codes(item))]


@pytest.mark.parametrize("module", [textwrap, random])
def test_leads_is_what_a_search_instruction_by_instruction_finds(module: object) -> None:
    path = str(getattr(module, "__file__", ""))
    whole = compile(Path(path).read_text("utf-8"), path, "exec")
    draw = random.Random(0)
    for code in codes(whole):
        flow = Flow(code)
        offsets = [item.offset for item in flow.instructions]
        for start in draw.sample(offsets, min(len(offsets), 12)):
            reached = search(flow, start)
            assert [flow.leads(start, end) for end in offsets] == [o in reached for o in offsets]


def test_steps_tell_forward_round_and_new_call() -> None:
    text = "a = 1\nfor i in range(3):\n    b = i\n    with open(a) as f:\n        c = f\nd = 2\n"
    flow = Flow(compile(text, "steps.py", "exec"))
    at = {
        item.argval: item.offset
        for item in reversed(flow.instructions)
        if item.opname == "STORE_NAME"
    }
    assert flow.step(at["a"], at["d"]) == FORWARD
    assert flow.step(at["b"], at["c"]) == FORWARD
    assert flow.step(at["c"], at["b"]) == 0  # the next round of the outermost loop
    assert flow.step(at["c"], at["d"]) == FORWARD
    assert flow.step(at["d"], at["b"]) == ANEW


HANDLED = """\
for i in r:
    try:
        a = f()
    except ValueError as error:
        b = 2
    with open(i) as c:
        d = i
    e = 3
g = 4
while True:
    try:
        h = f()
        break
    except ValueError:
        k = f()
l = 6
try:
    for m in r:
        n = m
except ValueError:
    o = 7
p = f(8) + f(9)
"""


def test_what_handles_exceptions_belongs_to_the_loop_of_its_try() -> None:
    """Since Python 3.12 it stands behind all other code, and leads back from there."""
    flow = Flow(compile(HANDLED, "handled.py", "exec"))
    at = {
        item.argval: item.offset
        for item in reversed(flow.instructions)
        if item.opname == "STORE_NAME"
    }
    first, second = flow.around(at["a"]), flow.around(at["h"])
    assert len(first) == len(second) == 1 and first != second
    loops = {name: flow.around(at[name]) for name in at}
    assert all(loops[name] == first for name in "abcde"), loops
    assert loops["k"] == second
    assert all(loops[name] == () for name in "glop"), loops
    assert len(loops["n"]) == 1 and loops["n"] not in (first, second)
    assert flow.step(at["b"], at["d"]) == FORWARD
    assert flow.step(at["e"], at["b"]) == 0
    assert flow.step(at["d"], at["p"]) == FORWARD
    assert flow.step(at["o"], at["p"]) == FORWARD
    assert flow.step(at["p"], at["a"]) == ANEW


def test_what_a_break_stands_behind_belongs_to_the_loop() -> None:
    text = "for i in r:\n    a = f()\n    if i:\n        b = f()\n        break\nc = f() + f()\n"
    flow = Flow(compile(text, "broken.py", "exec"))
    at = {i.argval: i.offset for i in flow.instructions if i.opname == "STORE_NAME"}
    assert len(flow.around(at["a"])) == 1
    assert flow.around(at["b"]) == flow.around(at["a"])
    assert flow.around(at["c"]) == ()


def test_long_code_without_loops_is_read_in_proportion_to_its_length() -> None:
    def seconds(lines: int) -> float:
        flow = Flow(compile("a = b\n" * lines, "long.py", "exec"))
        stores = [item.offset for item in flow.instructions if item.opname == "STORE_NAME"]
        start = time.process_time()
        steps = {flow.step(one, other) for one, other in pairwise(stores)}
        assert steps == {FORWARD}
        return time.process_time() - start

    seconds(100)
    short, long = (min(seconds(lines) for _ in range(3)) for lines in (2000, 16_000))
    # Eight times as long; what looked at all that follows took sixty times.
    assert long < 25 * short
