"""`gv.capture`: forms of functions, what is recorded, listings, and running."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused

VEC = gv.spec((3,))


# --- forms of results ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("fn", "expected"),
    [
        (lambda x: x * 2.0, [2.0, 4.0, 6.0]),
        (lambda x: (x, x * 2.0), ([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])),
        (lambda x: [x.sum()], (6.0,)),
        (lambda x: {"a": x.sum(), "b": [x]}, (6.0, [1.0, 2.0, 3.0])),
        (lambda x: x, [1.0, 2.0, 3.0]),
        (lambda x: (x, x), ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])),
        (lambda x: ((y := x + 1.0), y, x), ([2.0, 3.0, 4.0], [2.0, 3.0, 4.0], [1.0, 2.0, 3.0])),
        (lambda x: x.sort(descending=True), ([3.0, 2.0, 1.0], [2, 1, 0])),
        (lambda x: gv.ones(2), [1.0, 1.0]),
        (lambda x: (x.max(), x.argmax()), (3.0, 2)),
    ],
)
def test_results(fn: Callable[..., Any], expected: Any) -> None:
    got = gv.capture(fn, VEC).run([1.0, 2.0, 3.0])
    if isinstance(expected, tuple):
        assert isinstance(got, tuple)
        assert tuple(t.tolist() for t in got) == expected
    else:
        assert isinstance(got, gv.Tensor) and got.tolist() == expected


@pytest.mark.parametrize(
    ("fn", "slug"),
    [
        (lambda x: 3.0, "capture-boundary"),
        (lambda x: None, "capture-boundary"),
        (lambda x: (x, "text"), "capture-boundary"),
        (lambda x: gv.ones(1).to("ndarray"), "cannot-move-from-capture"),
    ],
)
def test_results_that_are_no_tensors(fn: Callable[..., Any], slug: str) -> None:
    refused(lambda: gv.capture(fn, VEC), slug)


def test_what_is_no_function_and_what_is_no_example() -> None:
    for call in (
        lambda: gv.capture(3, VEC),
        lambda: gv.capture(lambda x: x, object()),
        lambda: gv.capture(lambda x: x, "x"),
    ):
        refused(call, "invalid-argument")


# --- forms of examples ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("example", "shape", "dtype"),
    [
        (gv.spec((2, 3), "int32"), (2, 3), "int32"),
        (gv.spec(4), (4,), "float32"),
        (gv.spec(()), (), "float32"),
        (np.ones((2, 2), np.float64), (2, 2), "float64"),
        ([[1.0, 2.0]], (1, 2), "float32"),
        (3, (), "int64"),
        (2.5, (), "float32"),
        (True, (), "bool"),
        (np.float16(1.0), (), "float16"),
    ],
)
def test_examples(example: Any, shape: tuple[int, ...], dtype: str) -> None:
    captured = gv.capture(lambda x: x, example)
    (made,) = captured.inputs
    assert (made.shape, made.dtype, made.name) == (shape, dtype, "x")
    assert str(captured.output_nodes[0].meta.device.kind) == "Capture"


def test_tensors_as_examples() -> None:
    plain = gv.capture(lambda x: x * 2.0, gv.ones(2))
    tracked = gv.capture(
        lambda x, y: x * y, gv.ones(2), gv.ones(2, requires_grad=True, name="given")
    )
    assert str(plain.output_nodes[0].meta.device.kind) == "Capture"
    assert str(tracked.output_nodes[0].meta.device.kind) == "Autodiff(Capture)"
    assert [t.name for t in tracked.inputs] == ["x", "given"]
    assert tracked.run([1.0, 2.0], [3.0, 4.0]).tolist() == [3.0, 8.0]


def test_names_come_from_the_signature() -> None:
    def named(first: Any, /, second: Any, *rest: Any) -> Any:
        return first + second + sum(rest)

    captured = gv.capture(named, VEC, gv.spec((3,), name="mine"), VEC, VEC)
    assert [t.name for t in captured.inputs] == ["first", "mine", "rest_0", "rest_1"]
    assert gv.capture(gv.add, VEC, VEC).run([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]).tolist() == [
        2.0,
        3.0,
        4.0,
    ]


# --- what is recorded ----------------------------------------------------------------------------
def network(x: gv.Tensor, w: gv.Tensor) -> gv.Tensor:
    with gv.scope("layer"):
        hidden = (x @ w).relu()
    return hidden.sum()


def test_operations_in_order_with_their_places() -> None:
    captured = gv.capture(network, gv.spec((2, 3)), gv.spec((3, 4)))
    assert [op.op for op in captured.operations] == ["matmul", "relu", "sum"]
    sources = [op.source for op in captured.operations]
    assert [s.text for s in sources] == ["x @ w", "(x @ w).relu()", "hidden.sum()"]
    first = network.__code__.co_firstlineno
    assert [s.line - first for s in sources] == [2, 2, 3]
    assert {s.filename for s in sources} == {__file__}
    assert [captured.graph.tensors[op.outputs[0]].shape for op in captured.operations] == [
        (2, 4),
        (2, 4),
        (),
    ]
    assert [
        op.place[2].scope.label if op.place[2].scope else None for op in captured.operations
    ] == ["layer", "layer", None]


def test_numbers_are_dense_and_every_input_is_known() -> None:
    graph = gv.capture(network, gv.spec((2, 3)), gv.spec((3, 4))).graph
    assert sorted(graph.tensors) == list(range(len(graph.tensors)))
    known = set(graph.inputs) | set(graph.constants)
    for operation in graph.operations:
        assert set(operation.inputs) <= known | {-1}
        assert not set(operation.outputs) & known
        known |= set(operation.outputs)
    assert set(graph.outputs) <= known


def test_the_same_function_gives_the_same_program() -> None:
    one, two = (gv.capture(network, gv.spec((2, 3)), gv.spec((3, 4))) for _ in range(2))
    assert one.graph.operations == two.graph.operations
    assert one.graph.tensors == two.graph.tensors
    assert str(one) == str(two)


def test_loops_unroll_and_branches_on_facts_are_taken() -> None:
    def fn(x: gv.Tensor) -> gv.Tensor:
        for n in range(3):
            x = x * 2.0 if x.ndim == 1 and n < 2 else x + 1.0
        return x

    captured = gv.capture(fn, VEC)
    assert [op.op for op in captured.operations] == ["mul", "mul", "add"]


def test_no_grad_and_detach_record_all_the_same() -> None:
    def fn(x: gv.Tensor) -> gv.Tensor:
        with gv.no_grad():
            y = x * 2.0
        return (y.detach() + x).sum()

    for example in (VEC, gv.ones(3, requires_grad=True)):
        assert gv.capture(fn, example).run([1.0, 2.0, 3.0]).item() == 18.0


def test_lists_of_tensors_optional_inputs_and_several_results() -> None:
    def fn(x: gv.Tensor) -> Any:
        values, indices = gv.cat([x, x * 2.0], dim=0).sort()
        return values, indices, gv.layer_norm(x, (3,)), gv.where(x > 1.0, x, 0.0)

    captured = gv.capture(fn, VEC)
    x = np.array([3.0, 1.0, 2.0], np.float32)
    eager = fn(gv.tensor(x))
    for got, expected in zip(captured.run(x), eager, strict=True):
        np.testing.assert_array_equal(got.numpy(), expected.numpy())
        assert got.dtype == expected.dtype


def test_results_that_are_unused_stay() -> None:
    def fn(x: gv.Tensor) -> gv.Tensor:
        _ = x.exp()
        return x * 1.0

    assert [op.op for op in gv.capture(fn, VEC).operations] == ["exp", "mul"]


def test_a_deep_program() -> None:
    def fn(x: gv.Tensor) -> gv.Tensor:
        for _ in range(20_000):
            x = x * 1.0
        return x

    captured = gv.capture(fn, gv.spec((1,)))
    assert len(captured.operations) == 20_000 and captured.run([2.0]).tolist() == [2.0]


# --- listings ------------------------------------------------------------------------------------
def test_the_listing() -> None:
    captured = gv.capture(network, gv.spec((2, 3)), gv.spec((3, 4)))
    line = network.__code__.co_firstlineno + 2
    assert str(captured).split("\n") == [
        "inputs:",
        "  %0:x float32[2, 3]",
        "  %1:w float32[3, 4]",
        "operations:",
        "  layer:",
        f"    %2 float32[2, 4] = matmul(%0, %1)    # {line}: x @ w",
        f"    %3 float32[2, 4] = relu(%2)    # {line}: (x @ w).relu()",
        f"  %4 float32[] = sum(%3, dims=(0, 1), keepdim=False)    # {line + 1}: hidden.sum()",
        "outputs:",
        "  %4 float32[]",
    ]
    assert (
        repr(captured)
        == "CapturedGraph(%0:x float32[2, 3], %1:w float32[3, 4] -> %4 float32[]: 3 operations)"
    )


def test_the_listing_of_a_program_without_source() -> None:
    space: dict[str, Any] = {}
    exec("def fn(x, y=None):\n    return x * 2.0", space)
    text = str(gv.capture(space["fn"], VEC))
    assert "mul(%0" in text and "constants:" in text


# --- running -------------------------------------------------------------------------------------
def test_wrong_inputs() -> None:
    captured = gv.capture(lambda x, n: x * n, VEC, gv.spec((), "int64"))
    for values, text in (
        (([1.0, 2.0, 3.0],), "1 values for 2 inputs"),
        (([1.0, 2.0, 3.0], 1, 1), "3 values for 2 inputs"),
        (([1.0, 2.0], 1), "shape (2,) given, (3,) captured"),
        ((np.ones(3), 1), "dtype float64 given, float32 captured"),
        ((gv.ones(3), gv.ones(())), "dtype float32 given, int64 captured"),
    ):
        refused(partial(captured.run, *values), "capture-boundary", text)


def test_inputs_are_not_kept_and_not_changed() -> None:
    captured = gv.capture(lambda x: x, VEC)
    array = np.ones(3, np.float32)
    got = captured.run(array)
    array[:] = 5.0
    assert got.tolist() == [1.0, 1.0, 1.0]
    given = gv.ones(3, requires_grad=True)
    out = captured.run(given)
    assert out.kind == "NdArray" and given.is_require_grad


def test_running_needs_no_scope_and_opens_none() -> None:
    captured = gv.capture(lambda x: x * 2.0, VEC)
    with gv.no_grad(), gv.default_device(gv.device("ndarray").autodiff()):
        out = captured.run([1.0, 2.0, 3.0])
    assert str(out.kind) == "NdArray" and out.requirement == "none"
    inner = gv.capture(lambda x: x + captured.run([1.0, 1.0, 1.0]).numpy(), VEC)
    assert inner.run([1.0, 1.0, 1.0]).tolist() == [3.0, 3.0, 3.0]


def test_an_empty_program_and_empty_tensors() -> None:
    assert gv.capture(lambda: gv.ones(2)).run().tolist() == [1.0, 1.0]
    assert (
        gv.capture(lambda x: x.sum(), gv.spec((0, 3))).run(np.ones((0, 3), np.float32)).item()
        == 0.0
    )


def test_the_graph_of_a_capture_shows_the_file() -> None:
    graph = gv.graph(gv.capture(network, gv.spec((2, 3)), gv.spec((3, 4))))
    assert {node.source.filename for node in graph.nodes if node.source} == {__file__}
    assert Path(__file__).name in graph.to_json()
