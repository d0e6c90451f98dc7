"""Watched backward passes: the engine's own numbers, in the engine's own order."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import gradviz as gv
from gradviz.autodiff.observe import watching
from gradviz.tensor import tracing


def network(device: gv.Device, rows: int = 80) -> tuple[list[gv.Tensor], gv.Tensor]:
    """Leaves used several times, a broadcast, a list input, and arrays large enough to add in place."""
    numbers = np.random.default_rng(3)
    w = gv.tensor(
        numbers.normal(size=(80, 80)).astype(np.float32), device=device, requires_grad=True
    )
    b = gv.tensor(numbers.normal(size=80).astype(np.float32), device=device, requires_grad=True)
    x = gv.tensor(numbers.normal(size=(rows, 80)).astype(np.float32), device=device)
    h = (x @ w + b).tanh()
    h = gv.cat([h @ w, h, h], dim=0) * w.sum()
    return [w, b], (h * h).mean() + (w * w).sum()


@pytest.mark.parametrize("checkpointing", ["none", "balanced"])
@pytest.mark.parametrize("create_graph", [False, True])
def test_the_gradients_are_the_same_bit_for_bit(checkpointing: str, create_graph: bool) -> None:
    device = gv.device("ndarray").autodiff(checkpointing=checkpointing)
    leaves, loss = network(device)
    plain = loss.backward(retain_graph=True, create_graph=create_graph)
    trace = gv.trace_backward(loss, retain_graph=True, create_graph=create_graph)
    for leaf in leaves:
        assert (trace.grads[leaf].numpy() == plain[leaf].numpy()).all()
        assert trace.grads[leaf].is_tracked == create_graph
    assert trace.total == len(trace.steps) and trace.retained


def test_steps_tell_formulas_inputs_and_joins() -> None:
    x = gv.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    loss = (y * 3.0).sum()
    trace = gv.trace_backward(loss)
    assert [step.op for step in trace] == ["sum", "mul", "mul"]
    assert trace.steps[0].incoming.numbers == (1.0,) and trace.root == loss.node.id
    middle, last = trace.steps[1:]
    assert [(part.slot, part.part.numbers, part.joins) for part in middle.contributions] == [
        ("lhs", (3.0, 3.0), False)
    ]
    assert middle.saved[0].name == "rhs" and middle.saved[0].value.numbers == (3.0,)
    first, second = last.contributions
    assert (first.slot, first.joins, second.slot, second.joins) == ("lhs", False, "rhs", True)
    assert second.part.numbers == (3.0, 6.0) and second.total.numbers == (6.0, 12.0)
    assert second.node == x.node.id and last.source.text == "x * x"
    assert str(trace).count("\n") == 3 and "joins [6, 12]" in str(trace)


def test_parts_of_a_list_are_named_by_their_place() -> None:
    x = gv.tensor([1.0], requires_grad=True)
    y = gv.tensor([1.0], requires_grad=True)
    trace = gv.trace_backward(gv.cat([x, y, x]).sum())
    assert [part.slot for part in trace.steps[1].contributions] == [
        "tensors[0]",
        "tensors[1]",
        "tensors[2]",
    ]


def test_memory_of_the_tape() -> None:
    x = gv.tensor(np.ones((100, 100), np.float32), requires_grad=True)
    loss = (x.exp().tanh() * 2.0).sum()
    trace = gv.trace_backward(loss)
    sum_, mul, tanh, exp = trace.steps
    # tanh and exp saved their results, the multiplication its number.
    assert trace.tape_bytes == sum_.tape_bytes == 80_004
    assert (tanh.tape_bytes, exp.tape_bytes) == (80_000, 40_000)
    assert (sum_.freed_bytes, mul.freed_bytes, tanh.freed_bytes, exp.freed_bytes)[2:] == (
        40_000,
        40_000,
    )
    assert trace.freed_bytes >= 80_000


def test_what_a_variable_holds_is_not_freed() -> None:
    x = gv.tensor(np.ones(1000, np.float32), requires_grad=True)
    y = x.exp()
    trace = gv.trace_backward((y * 2.0).sum())
    assert trace.steps[-1].op == "exp" and trace.steps[-1].freed_bytes == 0
    assert trace.steps[-1].tape_bytes == y.numpy().nbytes


def test_a_retained_graph_frees_nothing() -> None:
    x = gv.tensor(np.ones(1000, np.float32), requires_grad=True)
    trace = gv.trace_backward(x.exp().sum(), retain_graph=True)
    assert trace.retained and trace.freed_bytes == 0
    assert {step.tape_bytes for step in trace} == {4000}


def test_recomputation_is_told() -> None:
    device = gv.device("ndarray").autodiff(checkpointing="balanced")
    x = gv.tensor(np.ones((4, 4), np.float32), device=device, requires_grad=True)
    e = x.exp()
    numbers = [e.node.id]
    y = e @ e
    trace = gv.trace_backward(y.sum())
    matmul = next(step for step in trace if step.op == "matmul")
    assert matmul.recomputed == numbers
    assert {item.name for item in matmul.saved} == {"lhs", "rhs"}
    assert all(item.value is None for item in matmul.saved)


def test_several_passes_and_nothing_outside_the_block() -> None:
    x = gv.tensor(2.0, requires_grad=True)
    with gv.observe_backward() as traces:
        (x * x).backward()
        (x * 3.0).backward()
    (x * 4.0).backward()
    assert [trace.grads[x].item() for trace in traces] == [4.0, 3.0]
    assert watching.get() is None


def test_a_refused_pass_leaves_no_trace() -> None:
    x = gv.tensor(2.0)
    with gv.observe_backward() as traces, pytest.raises(gv.GradvizError):
        x.backward()
    assert traces == [] and watching.get() is None


def test_no_array_is_kept_alive() -> None:
    x = gv.tensor(np.ones(100_000, np.float32), requires_grad=True)
    y = x.exp()
    seen = weakref.ref(y.prim)
    trace = gv.trace_backward(y.sum())
    del y
    gc.collect()
    assert seen() is None and len(trace) == 2


def test_long_passes_are_told_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "MOST_STEPS", 5)
    x = gv.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(20):
        y = y * 1.5
    trace = gv.trace_backward(y)
    assert len(trace) == 5 and trace.total == 20 and "and 15 more" in str(trace)
    assert trace.grads[x].item() == pytest.approx(1.5**20)


def test_nan_and_inf_are_numbers_of_a_step() -> None:
    x = gv.tensor([0.0, 1.0], requires_grad=True)
    trace = gv.trace_backward(x.log().sum())
    part = trace.steps[-1].contributions[0].part
    assert part.summary.above == 1 and part.summary.finite == 1
