"""Type promotion as PyTorch documents it: the tables are written out, not computed."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz as gv

NAMES = ["uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "bool"]

# torch.promote_types, row by column.
TABLE = """
uint8   int16   int16   int32   int64   float16 float32 float64 uint8
int16   int8    int16   int32   int64   float16 float32 float64 int8
int16   int16   int16   int32   int64   float16 float32 float64 int16
int32   int32   int32   int32   int64   float16 float32 float64 int32
int64   int64   int64   int64   int64   float16 float32 float64 int64
float16 float16 float16 float16 float16 float16 float32 float64 float16
float32 float32 float32 float32 float32 float32 float32 float64 float32
float64 float64 float64 float64 float64 float64 float64 float64 float64
uint8   int8    int16   int32   int64   float16 float32 float64 bool
"""
ROWS = dict(zip(NAMES, (line.split() for line in TABLE.strip().splitlines()), strict=True))
PAIRS = [(a, b, ROWS[a][at]) for a in NAMES for at, b in enumerate(NAMES)]


@pytest.mark.parametrize(("a", "b", "expected"), PAIRS)
def test_two_tensors(a, b, expected):
    x, y = gv.ones(2, dtype=a), gv.ones(2, dtype=b)
    assert (x * y).dtype == gv.maximum(x, y).dtype == gv.cat([x, y]).dtype == expected
    assert gv.where(x == x, x, y).dtype == expected
    assert (x == y).dtype == np.bool_


@pytest.mark.parametrize(("a", "b", "expected"), PAIRS)
def test_a_tensor_without_dimensions_counts_only_by_category(a, b, expected):
    # Within one category (flags, whole numbers, floats) the tensor with dimensions decides.
    category = {"b": 0, "u": 1, "i": 1, "f": 2}
    kinds = category[np.dtype(a).kind], category[np.dtype(b).kind]
    want = a if kinds[0] >= kinds[1] else b
    assert (gv.ones(2, dtype=a) * gv.ones((), dtype=b)).dtype == want
    assert (gv.ones((), dtype=b) * gv.ones(2, dtype=a)).dtype == want
    assert (gv.ones((), dtype=a) * gv.ones((), dtype=b)).dtype == expected


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(2,), ()], ids=str)
def test_python_numbers(name, shape):
    x = gv.ones(shape, dtype=name)
    whole = "int64" if name == "bool" else name
    floating = name if name.startswith("float") else "float32"
    assert (x * 2).dtype == (2 * x).dtype == whole
    assert (x * 2.0).dtype == (2.0 * x).dtype == floating
    assert (x * True).dtype == (True * x).dtype == name
    assert (x == 2.5).dtype == np.bool_


@pytest.mark.parametrize("name", NAMES)
def test_true_division_and_functions_are_floating(name):
    x = gv.ones(2, dtype=name)
    floating = name if name.startswith("float") else "float32"
    assert (x / x).dtype == (x / 2).dtype == (1 / x).dtype == floating
    for function in (gv.exp, gv.sqrt, gv.sin, gv.tanh, gv.sigmoid, gv.log1p):
        assert function(x).dtype == floating


@pytest.mark.parametrize("name", NAMES)
def test_reductions(name):
    x = gv.ones(2, dtype=name)
    summed = name if name.startswith("float") else "int64"
    assert x.sum().dtype == x.prod().dtype == summed
    assert x.sum(dtype="float64").dtype == "float64"
    assert x.any().dtype == x.all().dtype == "bool"
    if name == "bool":  # as in PyTorch: which of the trues is the largest?
        with pytest.raises(gv.GradvizError):
            x.argmax()
        return
    assert x.argmax().dtype == "int64"
    assert x.max().dtype == name
    values, indices = x.max(dim=0)
    assert values.dtype == name and indices.dtype == "int64"
    if name.startswith("float"):
        assert x.mean().dtype == x.var().dtype == name


def test_integers_divide_by_rounding_down():
    x, y = gv.tensor([7, -7]), gv.tensor([2, 2])
    assert (x // y).tolist() == [3, -4] and (x // y).dtype == np.int64
    assert (x % y).tolist() == [1, 1] and (x / y).tolist() == [3.5, -3.5]


def test_unsigned_numbers_wrap_and_do_not_grow():
    x = gv.tensor([250], dtype="uint8")
    assert (x + 10).tolist() == [4] and (x + 10).dtype == "uint8"
    assert (x + gv.tensor([10], dtype="uint8")).tolist() == [4]


def test_gradients_come_back_in_the_dtype_of_their_leaf():
    half = gv.ones(2, dtype="float16", requires_grad=True)
    single = gv.ones(2, requires_grad=True)
    double = gv.ones(2, dtype="float64", requires_grad=True)
    scalar = gv.ones((), dtype="float64", requires_grad=True)
    grads = (half * single * double * gv.tensor([1, 2]) * scalar).sum().backward()
    for leaf in (half, single, double, scalar):
        assert grads[leaf].dtype == leaf.dtype and grads[leaf].shape == leaf.shape
    grads = (single * scalar).sum().backward()
    assert grads[scalar].dtype == np.float64 and grads[scalar].shape == ()


def test_a_python_number_keeps_the_dtype_of_a_float_tensor():
    for name in ("float16", "float32", "float64"):
        x = gv.ones((), dtype=name, requires_grad=True)
        out = (2.0 * x + 1) ** 2 / 3.0 - 0.5
        assert out.dtype == name and x.grad(out.backward()).dtype == name
