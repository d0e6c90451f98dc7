"""Compiled plans: the same bits as eager execution, memory of their own, several threads at once."""

from __future__ import annotations

import gc
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.backends.capture.group import BLOCK_BYTES, BlockGroup
from gradviz.ops.spec import table
from tests.asserting import refused
from tests.ir.programs import same_bits

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

LARGE = BLOCK_BYTES // 4 * 3 + 5
"""Several blocks of float32 and a part of one."""
ELEMENTWISE = [
    row
    for row in table.values()
    if row.elementwise
    and not row.attrs
    and not row.fixed
    and row.promote not in ("integral", "whole")
    and row.name != "pow"
    and hasattr(gv, row.name)
]
SLOW = ("erfinv", "lgamma")
"""Rows whose kernels take long; they don't run in blocks, or as any other."""


def numbers(*shape: int, dtype: str = "float32", seed: int = 0) -> np.ndarray[Any, Any]:
    generator = np.random.default_rng(seed)
    values = generator.normal(size=shape)
    if dtype.startswith("int"):
        return (values * 9).astype(dtype) + np.int64(20).astype(dtype)
    return values.astype(dtype)


def check(fn: Callable[..., Any], *arrays: np.ndarray[Any, Any]) -> gv.CapturedGraph:
    """Eager execution, `run` and a compiled plan give the same bits, again and again."""
    tensors = [gv.tensor(array) for array in arrays]
    eager = fn(*tensors)
    captured = gv.capture(fn, *tensors)
    compiled = captured.compile()
    for _ in range(2):
        assert same_bits(captured.run(*arrays), eager)
        assert same_bits(compiled.run(*tensors), eager)
    assert same_bits(captured.optimized().run(*arrays), eager)
    return captured


# --- the same bits ---------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("row", ELEMENTWISE, ids=lambda row: row.name)
def test_every_elementwise_row_in_blocks(row: Any, dtype: str) -> None:
    size = 3000 if row.name in SLOW else LARGE
    arrays = [numbers(size, dtype=dtype, seed=at) for at in range(len(row.inputs))]
    arrays = [np.abs(array) % 1 if row.name in ("erfinv", "logit") else array for array in arrays]
    call = getattr(gv, row.name)
    check(call, *arrays)
    # In a chain, so that the result lies in scratch memory and is read again.
    check(lambda *given: (call(*given).to(dtype) * 0.5 + given[0]).sum(), *arrays)


@pytest.mark.parametrize(
    "name",
    [
        "bitwise_and",
        "bitwise_xor",
        "bitwise_left_shift",
        "add",
        "mul",
        "floor",
        "abs",
        "relu",
        "div",
    ],
)
def test_whole_numbers_in_blocks(name: str) -> None:
    row = table[name]
    arrays = [numbers(LARGE, dtype="int32", seed=at) % 17 + 1 for at in range(len(row.inputs))]
    check(lambda *given: getattr(gv, name)(*given) + given[0], *arrays)


FUNCTIONS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "chain": (
        lambda x, y: (x.tanh() * y.sigmoid() + (-x * x).exp() / (1.0 + y * y)).sum(),
        [(LARGE,), (LARGE,)],
    ),
    "rows and columns": (
        lambda x, r, c: gv.relu(x * r + c) - x.mean(dim=1, keepdim=True) * r,
        [(700, 257), (257,), (700, 1)],
    ),
    "three dimensions": (
        lambda x, r: (x + r).sigmoid() * x.amax(dim=(1, 2), keepdim=True),
        [(40, 30, 70), (30, 1)],
    ),
    "only broadcast": (lambda c, r: (c * r).exp() + c, [(900, 1), (300,)]),
    "scalars on the way": (lambda x: (x - x.mean()) / x.std() * x.amax(), [(LARGE,)]),
    "masks": (
        lambda x, y: gv.where((x > 0.0) & (y < 0.5), x, y * 2.0).clamp(-1.0, 1.0),
        [(LARGE,), (LARGE,)],
    ),
    "several outputs": (
        lambda x: ((y := x.exp()), (z := y * y), z + x, z.sum(), y.reshape(5, -1)),
        [(LARGE - LARGE % 5,)],
    ),
    "transposed": (lambda x: (x.T * 2.0 + 1.0).tanh().sum(dim=0), [(300, 400)]),
    "transposed outputs": (lambda x: (x.T.exp(), (x.exp() * 2.0).T), [(300, 400)]),
    "views": (lambda x: (x[1:] - x[:-1]).abs().sqrt() + x[::2][: len(x) // 4][0], [(LARGE,)]),
    "activations": (
        lambda x: gv.gelu(x) + gv.silu(x) + gv.softplus(x) + gv.elu(x) + gv.leaky_relu(x, 0.1),
        [(LARGE,)],
    ),
    "powers": (lambda x: x**2 + (x * x + 0.1) ** 0.5 + x.square() + (x * x).rsqrt(), [(LARGE,)]),
    "products": (
        lambda x, w, v: ((x @ w).relu() @ v + 1.0, x @ w),
        [(64, 80), (80, 96), (96, 32)],
    ),
    "batches of products": (
        lambda x, w: gv.softmax(x @ x.mT, dim=-1) @ x + gv.linear(x, w, w[:, 0]).tanh(),
        [(6, 50, 48), (48, 48)],
    ),
    "vectors": (lambda x, w: (x @ w, w @ w, x @ w.reshape(-1, 1)), [(200, 300), (300,)]),
    "a stack of layers": (
        lambda x: [x := gv.relu(x @ x.T @ x * 0.01 + 0.1) for _ in range(6)][-1],
        [(90, 90)],
    ),
    "the same result twice": (lambda x: ((x + 1.0).exp(), (x + 1.0).exp()), [(LARGE,)]),
    "input and constant as outputs": (lambda x: (x, x.detach(), x * 2.0), [(LARGE,)]),
    "written over": (lambda x: (x * 2.0).sum() + ((x * 2.0 + 1.0) * 3.0).prod(), [(LARGE,)]),
    "empty": (lambda x: (x.exp() * 2.0, (x + 1.0).sum()), [(0, 5)]),
    "one number": (lambda x: (x.exp() * 2.0 - x).tanh(), [()]),
    "casts": (lambda x: (x * 10.0).long().float().exp() + x.double().float(), [(LARGE,)]),
    "convolution": (
        lambda x, w: gv.max_pool2d(gv.conv2d(x, w, padding=1).relu() * 2.0, 2),
        [(2, 3, 64, 64), (4, 3, 3, 3)],
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_programs(name: str) -> None:
    fn, shapes = FUNCTIONS[name]
    check(fn, *(numbers(*shape, seed=at) for at, shape in enumerate(shapes)))


def test_inputs_that_lie_otherwise_in_memory() -> None:
    captured = gv.capture(
        lambda x, y: (x * y + x).exp().sum(dim=0), gv.spec((300, 400)), gv.spec((400,))
    )
    base, row = numbers(400, 300), numbers(800, seed=1)
    for x in (base.T, np.asfortranarray(base.T), base.T.copy(), numbers(600, 400)[::2]):
        for y in (row[::2], row[:400]):
            eager = captured_eager(x, y)
            assert captured.run(x, y).numpy().tobytes() == eager.tobytes()


def captured_eager(x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return (gv.tensor(x) * gv.tensor(y) + gv.tensor(x)).exp().sum(dim=0).numpy()


def test_networks() -> None:
    gv.manual_seed(1)
    net = gv.nn.Sequential(
        gv.nn.Conv2d(1, 8, 3, padding=1),
        gv.nn.BatchNorm2d(8),
        gv.nn.SiLU(),
        gv.nn.MaxPool2d(2),
        gv.nn.Flatten(),
        gv.nn.Linear(8 * 49, 64),
        gv.nn.LayerNorm(64),
        gv.nn.ReLU(),
        gv.nn.Linear(64, 10),
    ).eval()
    check(net, numbers(16, 1, 14, 14))
    layer = gv.nn.TransformerEncoderLayer(32, 4, dim_feedforward=64, batch_first=True).eval()
    check(layer, numbers(8, 20, 32))
    lstm = gv.nn.LSTM(12, 16)
    check(lambda x: lstm(x)[0], numbers(7, 9, 12))


# --- memory ----------------------------------------------------------------------------------------
def test_results_are_memory_of_their_own() -> None:
    fn, shapes = FUNCTIONS["several outputs"]
    (x,) = (numbers(*shape) for shape in shapes)
    captured = gv.capture(fn, gv.tensor(x))
    first = captured.run(x)
    kept = [tensor.numpy().copy() for tensor in first]
    second = captured.run(numbers(*shapes[0], seed=9))
    for tensor, before in zip(first, kept, strict=True):
        np.testing.assert_array_equal(tensor.numpy(), before)
    arrays = [tensor.prim for tensor in (*first, *second)] + [x]
    for at, one in enumerate(arrays):
        assert not any(np.shares_memory(one, other) for other in arrays[at + 1 :])


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: x,
        lambda x: x.reshape(-1),
        lambda x: x.T,
        lambda x: x[0],
        lambda x: x.expand(3, *x.shape),
        lambda x: (x * 2.0).T,
        lambda x: (x * 2.0).reshape(-1)[3:],
        lambda x: (x @ x.T).detach(),
        lambda x: (x * 2.0).floor(),
        lambda x: (x.long() + 1).floor(),
        lambda x: gv.zeros(50, 60, device="capture").T,
        lambda x: gv.softmax(x[:0], dim=1),
    ],
)
def test_views_of_inputs_constants_and_buffers_are_copied(fn: Callable[..., Any]) -> None:
    x = numbers(50, 60)
    captured = gv.capture(fn, gv.tensor(x))
    one, other = captured.run(x), captured.run(x + 1.0)
    holders = [x, other.prim, *captured.graph.constants.values()]
    assert not any(np.shares_memory(one.prim, holder) for holder in holders)
    before = one.numpy().copy()
    captured.run(x + 2.0)
    np.testing.assert_array_equal(one.numpy(), before)
    gc.collect()


def test_buffers_are_used_again() -> None:
    def deep(x: gv.Tensor) -> gv.Tensor:
        for _ in range(20):
            x = (x @ x) * 0.01
        return x.sum()

    compiled = gv.capture(deep, gv.spec((128, 128))).compile()
    assert compiled.buffer_bytes <= 4 * 128 * 128 * 4
    fn, shapes = FUNCTIONS["chain"]
    compiled = gv.capture(fn, *(gv.spec(shape) for shape in shapes)).compile()
    (group,) = [unit for unit in compiled.plan.units if isinstance(unit, BlockGroup)]
    assert len(group.operations) == 10 and group.block * 4 == BLOCK_BYTES
    assert compiled.buffer_bytes < LARGE * 4 + 8 * BLOCK_BYTES


def test_several_threads_at_once() -> None:
    fn, shapes = FUNCTIONS["several outputs"]
    arrays = [numbers(*shapes[0], seed=seed) for seed in range(4)]
    captured = gv.capture(fn, gv.tensor(arrays[0]))
    compiled = captured.compile()
    expected = [fn(gv.tensor(array)) for array in arrays]
    wrong: list[int] = []

    def work(at: int) -> None:
        for run in (captured.run, compiled.run) * 10:
            if not same_bits(run(arrays[at]), expected[at]):
                wrong.append(at)

    threads = [threading.Thread(target=work, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# --- what goes wrong ---------------------------------------------------------------------------------
def test_a_failing_operation_is_named_with_its_place() -> None:
    captured = gv.capture(
        lambda w, index: gv.embedding(index, w) * 2.0, gv.spec((4, 3)), gv.spec((2,), "int64")
    )
    w = numbers(4, 3)
    assert captured.run(w, [0, 3]).shape == (2, 3)
    with pytest.raises(gv.GradvizError) as caught:
        captured.run(w, [0, 9])
    problem = caught.value.problem
    assert problem.slug == "index-out-of-range"
    assert problem.cause is not None and problem.cause.text == "gv.embedding(index, w)"
    assert problem.where is not None and "captured.run" in problem.where.text
    assert captured.run(w, [0, 3]).shape == (2, 3)


def test_whole_numbers_divided_by_zero_inside_a_group() -> None:
    captured = gv.capture(
        lambda x, y: (x + 1) // y * 2, gv.spec((LARGE,), "int64"), gv.spec((LARGE,), "int64")
    )
    x = np.arange(LARGE)
    with pytest.raises(gv.GradvizError) as caught:
        captured.run(x, x)
    assert caught.value.problem.cause.text == "(x + 1) // y"  # type: ignore[union-attr]
    assert captured.run(x, x + 1).tolist()[:3] == [2, 2, 2]


@pytest.mark.parametrize("plus", [lambda x: x + 1.0, lambda x: (x + 1.0, x.exp().sum())])
def test_results_that_no_machine_holds(plus: Callable[..., Any]) -> None:
    captured = gv.capture(lambda x: plus(x.expand(2**46)), gv.spec((1,)))
    refused(lambda: captured.run([1.0]), "invalid-argument")
    assert gv.capture(lambda x: plus(x.expand(2, 2)), gv.spec((1,))).run([1.0]) is not None


def test_a_plan_follows_changes_of_its_program() -> None:
    captured = gv.capture(lambda x, w: x.exp() @ w, gv.spec((3, 3)), gv.spec((3, 3)))
    x = numbers(3, 3)
    before = captured.run(x, x)
    captured.graph.operations[0] = gv.capture(lambda x: x.sin(), gv.spec((3, 3))).operations[0]
    captured.graph.operations[0] = type(captured.operations[0])("sin", (0,), (2,))
    after = captured.run(x, x)
    assert not same_bits(before, after)
    np.testing.assert_array_equal(after.numpy(), (gv.tensor(x).sin() @ gv.tensor(x)).numpy())


def test_constants_may_be_exchanged() -> None:
    layer = gv.nn.Linear(3, 2, bias=False)
    captured = gv.capture(layer, gv.spec((4, 3)))
    x, weight = numbers(4, 3), numbers(2, 3, seed=5)
    captured.run(x)
    (number,) = captured.parameters
    captured.graph.constants[number] = weight
    np.testing.assert_array_equal(captured.run(x).numpy(), x @ weight.T)


def test_no_warnings_of_numpy_reach_the_user() -> None:
    fn, shapes = FUNCTIONS["products"]
    arrays = [numbers(*shape, seed=at) for at, shape in enumerate(shapes)]
    captured = gv.capture(fn, *map(gv.tensor, arrays))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        captured.run(*arrays)
        gv.capture(lambda x: x.relu() * gv.maximum(x, 0.5), gv.spec((LARGE,))).run(numbers(LARGE))


def test_a_compiled_program_tells_its_steps() -> None:
    captured = gv.capture(lambda x, w: (x @ w).relu().sum(), gv.spec(("n", 64)), gv.spec((64, 64)))
    compiled = captured.compile(n=64)
    text = str(compiled)
    assert "matmul into buffer 0" in text and "relu" in text and "64x64" in text
    assert repr(compiled).startswith("CompiledGraph(3 steps")
    refused(captured.compile, "capture-boundary", "n", "missing")
    refused(lambda: captured.compile(n=2, m=3), "capture-boundary", "m", "unknown")
    refused(lambda: captured.compile(n=-1), "capture-boundary", "no size")
    refused(
        lambda: compiled.run(numbers(5, 64), numbers(64, 64)), "capture-boundary", "planned for 64"
    )
    assert same_bits(
        compiled(numbers(64, 64), numbers(64, 64)), captured.run(numbers(64, 64), numbers(64, 64))
    )


def test_a_very_long_program() -> None:
    def fn(x: gv.Tensor) -> gv.Tensor:
        for _ in range(300):
            x = (x * 1.01 + 0.1).tanh()
        return x

    check(fn, numbers(LARGE // 8))
