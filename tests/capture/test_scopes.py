"""Capture scopes: what goes in and out, when they are open, and what is refused with which words."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused


# --- inputs ------------------------------------------------------------------------------------
def test_inputs_have_shape_dtype_name_and_no_value() -> None:
    with gv.capture_scope() as scope:
        x = scope.input((2, 3), "int32", name="x")
        assert x.shape == (2, 3) and x.dtype == gv.int32 and x.name == "x"
        assert str(x.kind) == "Capture" and x.requirement == "none" and x.is_leaf
        y = scope.input(4)
        assert y.shape == (4,) and y.dtype == gv.float32 and y.name is None
        scope.output(x)
    assert [t.name for t in scope.graph.inputs] == ["x", None]
    assert [t.id for t in scope.graph.inputs] == [0, 1]


def test_a_name_is_taken_once() -> None:
    with gv.capture_scope() as scope:
        scope.input((1,), name="x")
        refused(lambda: scope.input((2,), name="x"), "capture-boundary", "x", "declared twice")
        scope.output(scope.input((2,)))
        scope.output(scope.input((2,)))
    assert len(scope.graph.inputs) == 3


@pytest.mark.parametrize("shape", [(-1,), "a b", ("",), (1.5,), None, [[1]]])
def test_shapes_that_are_none(shape: Any) -> None:
    with gv.capture_scope() as scope:
        refused(lambda: scope.input(shape), "invalid-argument")
        refused(lambda: scope.input((1,), "float31"), "invalid-dtype")


# --- outputs -----------------------------------------------------------------------------------
def test_outputs_are_declared_once_and_returned() -> None:
    with gv.capture_scope() as scope:
        x = scope.input((2,), name="x")
        y = x * 2.0
        assert scope.output(y, name="doubled") is y
        refused(lambda: scope.output(y), "capture-boundary", "output", "declared twice")
        assert scope.output(x) is x
    assert [t.name for t in scope.graph.outputs] == ["doubled", "x"]
    doubled, same = scope.graph.run([1.0, 2.0])
    assert doubled.tolist() == [2.0, 4.0] and same.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("thing", [3.0, None, "y", np.ones(2), [1.0]])
def test_outputs_that_are_no_tensors(thing: Any) -> None:
    with gv.capture_scope() as scope:
        scope.input((2,))
        refused(lambda: scope.output(thing), "capture-boundary", type(thing).__name__)


def test_an_output_that_was_never_recorded() -> None:
    with gv.capture_scope() as scope:
        refused(lambda: scope.output(gv.ones(2)), "capture-boundary", "NdArray")
        refused(
            lambda: scope.output(gv.ones(2, requires_grad=True)),
            "capture-boundary",
            "Autodiff(NdArray)",
        )


def test_a_constant_may_be_an_output() -> None:
    device = gv.device("capture")
    with gv.capture_scope(device) as scope:
        scope.output(gv.tensor([1.0, 2.0], device=device))
    assert scope.graph.run().tolist() == [1.0, 2.0]
    assert len(scope.graph.constants) == 1 and not scope.graph.operations


def test_a_program_needs_an_output() -> None:
    with gv.capture_scope() as scope:
        scope.input((2,))
    refused(lambda: scope.graph, "capture-boundary", "no output was declared")


# --- several scopes ----------------------------------------------------------------------------
def test_one_scope_at_a_time_on_a_device() -> None:
    with gv.capture_scope() as scope:
        refused(lambda: gv.capture_scope().__enter__(), "capture-boundary", "already active")
        scope.output(scope.input((1,)))
    with gv.capture_scope() as again:
        again.output(again.input((1,)))


def test_scopes_on_two_devices_may_be_nested() -> None:
    tracked = gv.device("capture").autodiff()
    with gv.capture_scope() as outer, gv.capture_scope(tracked) as inner:
        a, b = outer.input((2,)), inner.input((2,))
        outer.output(a * 2.0)
        inner.output(b * 3.0)
    assert outer.graph.run([1.0, 1.0]).tolist() == [2.0, 2.0]
    assert inner.graph.run([1.0, 1.0]).tolist() == [3.0, 3.0]
    assert len(outer.graph.operations) == len(inner.graph.operations) == 1
    assert str(b.kind) == "Autodiff(Capture)"


def test_handles_of_another_scope() -> None:
    tracked = gv.device("capture").autodiff()
    with gv.capture_scope() as outer:
        a = outer.input((2,))
        with gv.capture_scope(tracked) as inner:
            b = inner.input((2,))
            refused(lambda: inner.output(a), "capture-boundary", "another scope")
            inner.output(b)
        outer.output(a)
    with gv.capture_scope() as later:
        refused(lambda: later.output(a), "capture-boundary")


def test_only_capture_devices_have_scopes() -> None:
    for device in ("ndarray", gv.device("ndarray").autodiff()):
        refused(
            lambda device=device: gv.capture_scope(device), "invalid-argument", "capture device"
        )


# --- the end -----------------------------------------------------------------------------------
def test_nothing_works_after_the_end() -> None:
    with gv.capture_scope() as scope:
        x = scope.input((2,))
        y = scope.output(x * 2.0)
    refused(lambda: scope.input((1,)), "capture-scope-closed")
    refused(lambda: scope.output(y), "capture-scope-closed")
    refused(lambda: x + y, "capture-scope-closed")
    refused(y.sum, "capture-scope-closed")
    refused(lambda: gv.stack([x, y]), "capture-scope-closed")
    refused(scope.__enter__, "capture-scope-closed")
    assert y.shape == (2,) and repr(y)


def test_the_cause_of_a_late_use_is_where_the_handle_was_made() -> None:
    with gv.capture_scope() as scope:
        x = scope.input((2,))
        scope.output(x)
    error = refused(lambda: x * 2.0, "capture-scope-closed")
    assert error.problem.cause.text == "scope.input((2,))"


def test_a_handle_of_a_closed_scope_inside_an_open_one() -> None:
    with gv.capture_scope() as first:
        x = first.output(first.input((2,)))
    with gv.capture_scope() as second:
        y = second.input((2,))
        refused(lambda: x + 1.0, "capture-scope-closed")
        with pytest.raises(gv.GradvizError) as caught:
            _ = y + x
        assert caught.value.slug in ("capture-scope-closed", "capture-boundary")


def test_without_any_scope() -> None:
    device = gv.device("capture")
    constant = gv.tensor([1.0, 2.0], device=device)
    assert constant.tolist() == [1.0, 2.0]
    refused(lambda: constant * 2.0, "capture-scope-closed", "none is open")


def test_an_exception_releases_the_device() -> None:
    for _ in range(2):
        scope = gv.capture_scope()
        with pytest.raises(ZeroDivisionError), scope:
            _ = scope.input((2,)).ndim / 0
    refused(lambda: scope.input((1,)), "capture-scope-closed")
    with pytest.raises(gv.GradvizError), gv.capture_scope() as scope:
        scope.input((2,)) @ scope.input((3,))
    assert gv.capture(lambda x: x, gv.spec((1,))).run([1.0]).tolist() == [1.0]


def test_a_failed_operation_leaves_no_trace() -> None:
    with gv.capture_scope() as scope:
        x = scope.input((2, 3))
        refused(lambda: x @ x, "shape-mismatch", "(2, 3)")
        refused(lambda: x + scope.input((4,)), "shape-mismatch")
        scope.output(x * 1.0)
    assert [op.op for op in scope.graph.operations] == ["mul"]


def test_the_graph_may_be_read_before_the_end() -> None:
    with gv.capture_scope() as scope:
        scope.output(scope.input((2,)) + 1.0)
        assert scope.graph.run([1.0, 2.0]).tolist() == [2.0, 3.0]


# --- threads -----------------------------------------------------------------------------------
def test_every_thread_has_scopes_of_its_own() -> None:
    found: dict[int, list[float]] = {}
    errors: list[BaseException] = []
    barrier = threading.Barrier(4)

    def work(number: int) -> None:
        try:
            with gv.capture_scope() as scope:
                barrier.wait()
                y = scope.input((2,))
                for _ in range(50):
                    y = y + float(number)
                scope.output(y)
            assert len(scope.graph.operations) == 50
            found[number] = scope.graph.run([0.0, 1.0]).tolist()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert found == {n: [50.0 * n, 50.0 * n + 1.0] for n in range(4)}


def test_a_thread_that_ends_inside_its_scope_blocks_nobody() -> None:
    for _ in range(20):
        thread = threading.Thread(target=lambda: gv.capture_scope().__enter__())
        thread.start()
        thread.join()
    errors: list[BaseException] = []

    def work() -> None:
        try:
            gv.capture(lambda x: x * 2.0, gv.spec((1,)))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not errors


def test_nothing_is_used_up_by_operations() -> None:
    with gv.capture_scope() as scope:
        x = scope.input((2,), name="x")
        y = x * 2.0
        last = y + x  # the last use of y, before it is declared
        scope.output(last)
        del last
        scope.output(y.reshape(2), name="y")
        scope.output(y)
        scope.output(x)
        y.sum()
    graph = scope.graph
    assert [t.tolist() for t in graph.run([1.0, 2.0])] == [
        [3.0, 6.0],
        [2.0, 4.0],
        [2.0, 4.0],
        [1.0, 2.0],
    ]


def test_the_first_line_names_the_input_or_output() -> None:
    def twice() -> None:
        with gv.capture_scope() as scope:
            scope.input((2,), name="image")
            scope.input((2,), name="image")

    def unknown() -> None:
        with gv.capture_scope() as scope:
            scope.input((2,), name="image")
            scope.output(gv.ones(2), name="loss")

    captured = gv.capture(lambda image: image * 2.0, gv.spec((2,)))
    for call, words in (
        (twice, "input image: declared twice"),
        (unknown, "output loss: kind NdArray was never recorded"),
        (lambda: captured.run([1.0]), "input image: shape (1,) given, (2,) captured"),
        (captured.run, "input image: 0 values for 1 inputs"),
        (lambda: captured.run(np.ones(2)), "input image: dtype float64 given, float32 captured"),
    ):
        with pytest.raises(gv.GradvizError) as caught:
            call()
        assert str(caught.value).splitlines()[0] == f"Capture boundary: {words}"
