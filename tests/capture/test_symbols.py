"""Sizes that are left open: carried through every shape, and any number in a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.ops.size import Size, parse, symbol
from gradviz.ops.symbolic import BASES, numbers_for, read_back
from tests.asserting import refused
from tests.ir.programs import same_bits
from tests.ops.sampling import Case, cases

B, T = symbol("batch"), symbol("time")


# --- sizes -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("size", "text"),
    [
        (B, "batch"),
        (2 * B, "2*batch"),
        (B + 1, "batch + 1"),
        (1 - B, "-batch + 1"),
        (B * T * 3 - T + 4, "3*batch*time - time + 4"),
        ((4 * B + 8) // 4, "batch + 2"),
        ((6 * B + 5) // 3, "2*batch + 1"),
        (B * B, "batch^2"),
        (B * T // T, "batch"),
    ],
)
def test_arithmetic(size: Size, text: str) -> None:
    assert str(size) == repr(size) == text
    assert parse(text) == size and hash(parse(text)) == hash(size)
    for batch, time in ((0, 1), (1, 1), (7, 3), (64, 128)):
        wanted = eval(text.replace("^", "**"), {"batch": batch, "time": time})
        assert size.at({"batch": batch, "time": time}) == wanted


def test_numbers_come_out_where_symbols_cancel() -> None:
    assert B - B == 0 and (2 * B) % 2 == 0 and (4 * B + 3) % 4 == 3 and 0 * B == 0
    assert isinstance(B - B + 3, int)
    assert parse("batch - batch + 3") == 3


def test_comparison_is_of_polynomials() -> None:
    assert symbol("batch") == B and B != T and B != 1 and B + 1 != B
    assert B >= 0 and B + 1 > 0 and not B < 0 and 2 * B + 3 >= B
    assert {B: 1}[symbol("batch")] == 1


@pytest.mark.parametrize(
    "use",
    [
        lambda: range(B),
        lambda: int(B),
        lambda: float(B),
        lambda: bool(B),
        lambda: [1, 2][B],
        lambda: B // 2,
        lambda: B % 2,
        lambda: B / 2,
        lambda: 2 / B,
        lambda: 7 // B,
        lambda: B > 3,
        lambda: B < 5,
        lambda: B <= T,
        lambda: B**3,
        lambda: np.zeros(B),
        lambda: B // T,
    ],
)
def test_what_needs_the_number(use: Callable[[], Any]) -> None:
    with pytest.raises(gv.GradvizError) as caught:
        use()
    assert caught.value.slug == "capture-value-unavailable"
    assert "batch" in caught.value.problem.reason


@pytest.mark.parametrize(
    "text", ["", "2*", "batch batch", "a.b", "1.5", "batch**2", "(batch)", "-", "x^9", "n*" * 300]
)
def test_texts_that_are_no_sizes(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse(text)


def test_numbers_stand_for_symbols_and_back() -> None:
    names = ["batch", "time"]
    for size in (B, 3 * B - 2, B * T, B * B * T - 5 * T + 7, 1000 * T, -B):
        for base in BASES:
            assert read_back(size.at(numbers_for(names, base)), names, base) == size
    assert read_back((BASES[0] - 3) // 2, ["batch"], BASES[0]) is None


# --- recording -------------------------------------------------------------------------------------
def test_specs() -> None:
    assert gv.spec(("batch", 784)).shape == (B, 784)
    assert gv.spec("n").shape == (symbol("n"),) and gv.spec((2 * B,)).shape == (2 * B,)
    for shape in (("",), ("a b",), ("1",), ("a-b",), (None,)):
        refused(lambda shape=shape: gv.spec(shape), "invalid-argument", "no shape")


def test_the_listing_shows_symbols() -> None:
    captured = gv.capture(lambda x: gv.softmax(x * 2.0, dim=1), gv.spec(("batch", 784)))
    assert "%0:x float32[batch, 784]" in str(captured)
    assert "float32[batch, 784] = softmax(" in str(captured)
    assert captured.graph.symbols == ("batch",)
    assert captured.outputs[0].shape == (B, 784)
    read = gv.CapturedGraph.from_json(captured.to_json())
    assert str(read) == str(captured) and read.outputs[0].shape == (B, 784)
    graph = gv.graph(captured)
    assert '"shape":["batch",784]' in graph.to_json() and "batch" in graph.to_svg()


SHAPES: dict[str, tuple[Callable[[Any], Any], tuple[Any, ...]]] = {
    "flatten": (lambda x: x.flatten(), (12 * B,)),
    "reshape": (lambda x: x.reshape(-1, 6), (2 * B, 6)),
    "reshape with the size": (lambda x: x.reshape(x.shape[0], -1), (B, 12)),
    "reshape with products": (lambda x: x.reshape(x.shape[0] * 4, 3), (4 * B, 3)),
    "unflatten": (lambda x: x.flatten().unflatten(0, (-1, 12)), (B, 12)),
    "transpose": (lambda x: x.transpose(0, 2), (3, 4, B)),
    "cat": (lambda x: gv.cat([x, x, x[:, :1].expand(-1, 4, -1)]), (3 * B, 4, 3)),
    "stack": (lambda x: gv.stack([x, x], dim=1), (B, 2, 4, 3)),
    "expand": (lambda x: x.unsqueeze(1).expand(x.shape[0], 5, 4, 3), (B, 5, 4, 3)),
    "repeat": (lambda x: x.repeat(2, 1, 1), (2 * B, 4, 3)),
    "pad": (lambda x: gv.pad(x, (0, 0, 0, 0, 1, 2)), (B + 3, 4, 3)),
    "slices": (lambda x: x[1:, ::2, -1], (B - 1, 2)),
    "one element": (lambda x: x[0] + x[-1], (4, 3)),
    "reductions": (lambda x: x.sum(dim=(1, 2)) + x.mean(dim=2).amax(dim=1), (B,)),
    "over the size": (lambda x: x.mean(dim=0) + x.std(dim=0) + x.amax(dim=0), (4, 3)),
    "index": (lambda x: x[:, [0, 2]].argmax(dim=1), (B, 3)),
    "sort": (lambda x: x.sort(dim=0)[1].cumsum(dim=0), (B, 4, 3)),
    "products": (lambda x: x @ x.mT @ gv.ones(4, 2), (B, 4, 2)),
    "zeros and ones": (
        lambda x: gv.zeros(x.shape[0], 3) + gv.ones_like(x)[:, 0] + gv.full((x.shape[0], 1), 2.0),
        (B, 3),
    ),
    "windows": (lambda x: gv.max_pool1d(x, 2).unfold(1, 2, 1), (B, 3, 1, 2)),
    "einsum": (lambda x: gv.einsum("bij,bkj->bik", x, x), (B, 4, 4)),
    "losses": (
        lambda x: gv.mse_loss(x, x * 2.0) + gv.cross_entropy(x[:, 0], x[:, 1].argmax(1)),
        (),
    ),
    "divided by a size": (lambda x: x.sum(0) / x.shape[0] - x.size / (x.sum(0) + 99.0), (4, 3)),
    "times a size": (lambda x: x.shape[0] * x * (2 * x.shape[0] ** 2 - 1), (B, 4, 3)),
    "whole numbers and a size": (lambda x: x.argmax(2) // (x.shape[0] + 1) + x.size, (B, 4)),
    "compared with a size": (
        lambda x: gv.stack([x < x.shape[0], x.shape[0] < x, x == x.shape[0]]).any(dim=0),
        (B, 4, 3),
    ),
    "a number or a size": (lambda x: gv.where(x > 0.0, x, x.shape[0]), (B, 4, 3)),
    "sequences": (
        lambda x: (
            gv.arange(x.shape[0])
            + gv.arange(1, 2 * x.shape[0] + 1, 2)
            - gv.arange(x.shape[0] - 1, -1, -1, dtype="float32")
        ),
        (B,),
    ),
    "squares": (lambda x: x[:, 0] @ x[:, 0].T * gv.eye(x.shape[0]), (B, B)),
    "a causal mask": (
        lambda x: gv.arange(x.shape[0])[:, None] >= gv.arange(x.shape[0]),
        (B, B),
    ),
    "one of each row": (
        lambda x: x[gv.arange(x.shape[0]), x.argmax(1)[:, 0], x.argmax(2)[:, 1] - 3],
        (B,),
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_are_carried_through_and_run_with_any_size(name: str) -> None:
    fn, shape = SHAPES[name]
    captured = gv.capture(fn, gv.spec(("batch", 4, 3)))
    assert captured.outputs[0].shape == shape
    captured.graph.validate()
    read = gv.CapturedGraph.from_json(captured.to_json())
    for batch in (1, 2, 5, 64):
        x = np.random.default_rng(batch).normal(size=(batch, 4, 3)).astype(np.float32)
        eager = fn(gv.tensor(x))
        assert same_bits(captured.run(x), eager)
        assert same_bits(captured.compile(batch=batch).run(x), eager)
        assert same_bits(read.run(x), eager)
        assert same_bits(captured.optimized().run(x), eager)


INDICES: dict[str, Callable[[Any, Any], Any]] = {
    "beside each other": lambda x, i: x[i, i],
    "behind others": lambda x, i: x[:, i, i],
    "with a slice between them": lambda x, i: x[i, :, i],
    "with a number": lambda x, i: x[i, 1, i],
    "with a list and a new dimension": lambda x, i: x[[0], None, i],
    "of several dimensions": lambda x, i: x[..., i[:, None], [[0, 1]]],
    "from the end": lambda x, i: x[i - 3, -1 - i],
}


@pytest.mark.parametrize("name", INDICES)
def test_several_indices_that_are_recorded(name: str) -> None:
    fn = INDICES[name]
    x = np.arange(60, dtype=np.float32).reshape(5, 4, 3)
    index = np.array([2, 0])
    captured = gv.capture(fn, gv.spec(x.shape), gv.spec(index.shape, "int64"))
    assert same_bits(captured.run(x, index), fn(gv.tensor(x), gv.tensor(index)))


REFUSED: dict[str, Callable[[Any], Any]] = {
    "the number itself": lambda x: x * float(x.shape[0]),
    "a loop over it": lambda x: gv.stack([x[n] for n in range(x.shape[0])]),
    "iteration": lambda x: gv.stack(list(x)),
    "length": lambda x: x * len(x),
    "every other": lambda x: x[::2],
    "split": lambda x: x.split(2)[0],
    "squeeze": lambda x: x.squeeze(),
    "k of it": lambda x: x.topk(2, dim=0)[0],
    "a sequence of steps that may not fit": lambda x: gv.arange(0, x.shape[0], 2),
    "even spaces": lambda x: gv.linspace(0.0, 1.0, x.shape[0]),
    "a question": lambda x: x if x.shape[0] > 4 else x * 2.0,
    "pooling over it": lambda x: gv.max_pool1d(x.transpose(0, 2), 2),
}


@pytest.mark.parametrize("name", REFUSED)
def test_operations_that_need_the_number(name: str) -> None:
    fn = REFUSED[name]
    with pytest.raises(gv.GradvizError) as caught:
        gv.capture(fn, gv.spec(("batch", 4, 3)))
    problem = caught.value.problem
    assert problem.slug == "capture-value-unavailable"
    assert "`batch`" in problem.reason and "batch" in problem.advice
    assert problem.where is not None and problem.where.filename == __file__


def test_open_sizes_fit_only_themselves() -> None:
    refused(
        lambda: gv.capture(lambda x: x.reshape(5, -1), gv.spec(("batch", 12))),
        "shape-mismatch",
        "12*batch",
    )
    error = refused(
        lambda: gv.capture(lambda x, y: x + y, gv.spec(("batch", 3)), gv.spec((5, 3))),
        "shape-mismatch",
        "(batch, 3) and (5, 3)",
    )
    assert "`batch`" in error.problem.reason
    refused(
        lambda: gv.capture(lambda x, y: x @ y, gv.spec((3, "n")), gv.spec(("m", 2))),
        "shape-mismatch",
        "(3, n) and (m, 2)",
    )
    both = gv.capture(lambda x, y: x + y[0], gv.spec(("batch", "n")), gv.spec((1, "n")))
    assert both.outputs[0].shape == (B, symbol("n"))


# --- running ---------------------------------------------------------------------------------------
def test_the_same_symbol_agrees() -> None:
    captured = gv.capture(
        lambda x, y, z: x @ y + z, gv.spec(("n", "k")), gv.spec(("k", "n")), gv.spec(("n", 1))
    )
    one = lambda *shape: np.ones(shape, np.float32)  # noqa: E731
    assert captured.run(one(2, 3), one(3, 2), one(2, 1)).shape == (2, 2)
    assert captured.run(one(4, 1), one(1, 4), one(4, 1)).shape == (4, 4)
    for values, words in (
        ((one(2, 3), one(3, 4), one(2, 1)), "`n` is 4 here and 2 in x"),
        ((one(2, 3), one(2, 2), one(2, 1)), "`k` is 2 here and 3 in x"),
        ((one(2, 3), one(3, 2), one(2, 2)), "shape (2, 2) given, (n, 1) captured"),
        ((one(2, 3, 1), one(3, 2), one(2, 1)), "captured"),
    ):
        refused(lambda values=values: captured.run(*values), "capture-boundary", words)


def test_sizes_that_follow_from_others() -> None:
    captured = gv.capture(lambda x, y: gv.cat([x, x]) + y, gv.spec((B, 2)), gv.spec((2 * B, 2)))
    one = lambda *shape: np.ones(shape, np.float32)  # noqa: E731
    assert captured.run(one(3, 2), one(6, 2)).shape == (6, 2)
    refused(lambda: captured.run(one(3, 2), one(5, 2)), "capture-boundary", "(2*batch, 2)")
    refused(
        lambda: gv.capture(lambda y: y * 1.0, gv.spec((2 * B,))).run(one(4)), "capture-boundary"
    )


def test_sizes_for_which_the_program_is_another() -> None:
    captured = gv.capture(lambda x: x[1:].sum(), gv.spec(("n",)))
    assert captured.run([1.0, 2.0]).item() == 2.0
    error = refused(lambda: captured.run(np.ones(0, np.float32)), "capture-boundary", "n = 0")
    assert error.problem.cause is not None and error.problem.cause.text == "x[1:]"
    first = gv.capture(lambda x: x[3] * 2.0, gv.spec(("n",)))
    assert first.run([0.0, 1.0, 2.0, 3.0]).item() == 6.0
    error = refused(lambda: first.run([1.0]), "index-out-of-range")
    assert error.problem.cause is not None and error.problem.cause.text == "x[3]"


def test_networks_with_open_sizes() -> None:
    gv.manual_seed(0)
    nets = {
        "mlp": (gv.nn.Sequential(gv.nn.Linear(6, 8), gv.nn.ReLU(), gv.nn.Linear(8, 3)), (6,)),
        "conv": (
            gv.nn.Sequential(
                gv.nn.Conv2d(2, 4, 3, padding=1),
                gv.nn.BatchNorm2d(4),
                gv.nn.ReLU(),
                gv.nn.MaxPool2d(2),
                gv.nn.AdaptiveAvgPool2d(2),
                gv.nn.Flatten(),
                gv.nn.Linear(16, 3),
            ),
            (2, 8, 8),
        ),
        "transformer": (
            gv.nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, batch_first=True),
            (5, 8),
        ),
        "lstm": (gv.nn.LSTM(4, 6, num_layers=2, batch_first=True), (7, 4)),
        "gru": (gv.nn.GRU(4, 6, bidirectional=True, batch_first=True), (3, 4)),
    }
    for net, rest in nets.values():
        net.eval()
        captured = gv.capture(net, gv.spec(("batch", *rest)))
        for batch in (1, 3, 8):
            x = np.random.default_rng(batch).normal(size=(batch, *rest)).astype(np.float32)
            eager = net(gv.tensor(x))
            flat = [eager[0], *_all(eager[1])] if isinstance(eager, tuple) else [eager]
            got = captured.run(x)
            for one, other in zip(got if isinstance(got, tuple) else [got], flat, strict=True):
                np.testing.assert_array_equal(one.numpy(), other.numpy())


def _all(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple) else [value]


def _may_lead(case: Case) -> bool:
    shapes = [item for item in case.sample.inputs if isinstance(item, tuple)]
    return case.row.elementwise and bool(shapes) and all(shape == shapes[0] for shape in shapes)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("case", cases(_may_lead), ids=str)
def test_every_elementwise_row_with_an_open_leading_size(case: Case) -> None:
    arrays = case.arrays("float32" if case.sample.dtype == "float64" else None)
    if any(array is None or not array.ndim or array.shape != arrays[0].shape for array in arrays):
        return
    shape = ("n", *arrays[0].shape[1:])
    captured = gv.capture(
        lambda *given: case.call(list(given)), *(gv.spec(shape, array.dtype) for array in arrays)
    )
    assert captured.outputs[0].shape == (symbol("n"), *arrays[0].shape[1:])
    eager = case.call([gv.tensor(array) for array in arrays])
    assert same_bits(captured.run(*arrays), eager)
