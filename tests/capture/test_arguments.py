"""What a captured function is called with: names of its inputs, and arguments that don't fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused

VEC = gv.spec((3,))


def names(captured: gv.CapturedGraph) -> list[str | None]:
    return [item.name for item in captured.inputs]


class Masked(gv.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = gv.nn.Linear(3, 3)

    def forward(self, image: Any, mask: Any = None, *more: Any, scale: float = 1.0) -> Any:
        y = self.layer(image) * scale + sum(more)
        return y if mask is None else y * mask


def test_a_module_names_its_inputs_as_its_forward_does() -> None:
    captured = gv.capture(Masked(), VEC, VEC, VEC, VEC)
    assert names(captured) == ["image", "mask", "more_0", "more_1"]
    assert "%0:image float32[3]" in str(captured) and '"name":"image"' in captured.to_json()
    assert names(gv.capture(gv.nn.Sequential(gv.nn.ReLU()), VEC)) == ["input"]
    assert names(gv.capture(Masked().forward, VEC)) == ["image"]


def test_names_in_a_file_are_those_of_the_inputs() -> None:
    onnx = pytest.importorskip("onnx")
    data = gv.capture(Masked(), VEC, VEC).to_onnx()
    graph = onnx.load_model_from_string(data).graph
    assert [item.name for item in graph.input] == ["image", "mask"]
    assert names(gv.from_onnx(data)) == ["image", "mask"]


def test_every_name_is_given_once() -> None:
    def joined(a: Any, b: Any, *rest: Any) -> Any:
        return a + b + sum(rest)

    x = gv.ones(3, name="x")
    assert names(gv.capture(joined, gv.spec((3,), name="b"), VEC)) == ["b", "b_2"]
    assert names(gv.capture(joined, x, x, x)) == ["x", "b", "rest_0"]
    assert names(gv.capture(lambda *given: sum(given), VEC, gv.ones(3, name="given_0"))) == [
        "given_0",
        "given_1",
    ]
    same = gv.spec((3,), name="same")
    error = refused(lambda: gv.capture(joined, same, same), "capture-boundary", "declared twice")
    assert "same" in error.problem.reason


def test_a_scope_keeps_what_is_declared() -> None:
    with gv.capture_scope() as scope:
        x, y = scope.input((3,)), scope.input((3,), name="right")
        scope.output(x + y, name="sum")
    assert names(scope.graph) == [None, "right"] and scope.graph.outputs[0].name == "sum"


@pytest.mark.parametrize(
    ("examples", "text"),
    [((VEC,), "missing a required argument: 'b'"), ((VEC, VEC, VEC), "too many")],
)
def test_too_few_and_too_many(examples: tuple[Any, ...], text: str) -> None:
    error = refused(lambda: gv.capture(lambda a, b: a + b, *examples), "invalid-argument", text)
    assert isinstance(error, TypeError) and "(a, b)" in error.problem.reason


def test_examples_inside_each_other() -> None:
    def fn(x: Any, state: Any, options: Any, mask: Any = None) -> Any:
        assert isinstance(state, tuple) and mask is None
        return x + state[0] * state[1][0] + options["bias"], state[1][1]

    state = (VEC, [gv.ones(3), np.ones(3, np.float32)])
    captured = gv.capture(fn, VEC, state, {"bias": gv.spec((3,), name="b")}, None)
    assert names(captured) == ["x", "state_0", "state_1_0", "state_1_1", "b"]
    given = [np.full(3, n, np.float32) for n in (1, 2, 3, 4, 5)]
    total, last = captured.run(*given)
    assert total.tolist() == [12.0] * 3 and last.tolist() == [4.0] * 3


def test_a_recurrent_layer_with_its_state() -> None:
    layer = gv.nn.LSTM(4, 3)
    x, h, c = (np.ones(shape, np.float32) for shape in ((5, 2, 4), (1, 2, 3), (1, 2, 3)))
    captured = gv.capture(layer, x, (h, c))
    found = captured.run(x, h, c)
    out, (last, memory) = layer(gv.tensor(x), (gv.tensor(h), gv.tensor(c)))
    for got, wanted in zip(found, (out, last, memory), strict=True):
        assert np.array_equal(got.numpy(), wanted.numpy())
    assert names(captured)[1:] == ["hx_0", "hx_1"]


def test_a_result_that_is_left_out() -> None:
    attention = gv.nn.MultiheadAttention(4, 2)
    example = gv.spec((5, 1, 4))
    captured = gv.capture(lambda x: attention(x, x, x, need_weights=False), example)
    x = np.ones((5, 1, 4), np.float32)
    (found,) = captured.run(x)
    wanted = attention(*[gv.tensor(x)] * 3, need_weights=False)[0]
    assert np.array_equal(found.numpy(), wanted.numpy())
    refused(lambda: gv.capture(lambda x: (None, None), VEC), "capture-boundary", "no output")


def test_a_parameter_may_be_returned() -> None:
    layer = gv.nn.Linear(3, 2)
    captured = gv.capture(lambda x: (layer.weight, layer(x), layer.bias), VEC)
    assert [item.name for item in captured.outputs] == ["weight", None, "bias"]
    weight, _, bias = captured.run([1.0, 2.0, 3.0])
    assert weight.tolist() == layer.weight.tolist() and bias.tolist() == layer.bias.tolist()


def test_a_second_copy_of_a_result_comes_from_the_line_that_captures() -> None:
    captured = gv.capture(lambda x: (y := x + 1.0, y), VEC)
    again = captured.operations[-1].source
    assert again is not None and again.filename == __file__


@pytest.mark.parametrize(
    ("dtype", "given", "fits"),
    [
        ("int64", [1.5, 2.0, 3.0], False),
        ("int64", [True, False, True], True),
        ("bool", [1, 0, 1], False),
        ("float32", [1, 2, 3], True),
        ("float32", [True, False, True], True),
    ],
)
def test_plain_numbers_stay_what_they_are(dtype: str, given: list[Any], fits: bool) -> None:
    captured = gv.capture(lambda x: x, gv.spec((3,), dtype))
    if fits:
        assert captured.run(given).tolist() == [
            type(captured.run(given).tolist()[0])(n) for n in given
        ]
    else:
        refused(lambda: captured.run(given), "capture-boundary", "given")


ADVICE: dict[str, tuple[Callable[[Any], Any], str]] = {
    "branch": (lambda x: x if x.sum() > 0 else -x, "gv.where"),
    "and": (lambda x: (x > 0).any() and x, "`&`"),
    "largest": (lambda x: max(x[0], x[1]), "gv.maximum"),
    "mask": (lambda x: x[x > 0], "gv.where(mask, x"),
    "NumPy": (lambda x: np.sin(x) * 2.0, "gv.sin(x)"),
    "number": (lambda x: x * float(x.mean()), "compute with tensors"),
    "classes": (lambda x: gv.one_hot(x.argmax(0)), "num_classes"),
    "copy": (gv.tensor, "x.detach()"),
    "counts": (lambda x: gv.repeat_interleave(x, x.argmax(0)), "Python number"),
    "value": (lambda x: x.numpy(), "`run`"),
}


@pytest.mark.parametrize("name", ADVICE)
def test_what_to_write_instead(name: str) -> None:
    fn, words = ADVICE[name]
    error = refused(lambda: gv.capture(fn, VEC), "capture-value-unavailable")
    assert words in " ".join(error.problem.advice.split())
    assert error.problem.where is not None and error.problem.where.filename == __file__
