"""Making tensors: dtypes, copies, options, seeds, refusals."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (1.5, "float32", ()),
        (2, "int64", ()),
        (True, "bool", ()),
        ([1, 2], "int64", (2,)),
        ([1, 2.5], "float32", (2,)),
        ([[True], [False]], "bool", (2, 1)),
        ([], "float32", (0,)),
        ([[], []], "float32", (2, 0)),
        (np.ones(2), "float64", (2,)),
        (np.ones(2, np.float16), "float16", (2,)),
        (np.ones(2, np.int8), "int8", (2,)),
        (np.float64(1.0), "float64", ()),
        (np.ones(2, ">f4"), "float32", (2,)),
        (range(3), "int64", (3,)),
    ],
    ids=str,
)
def test_dtypes_of_data(data, dtype, shape):
    made = gv.tensor(data)
    assert made.dtype == dtype and made.shape == shape and made.dtype.isnative


@pytest.mark.parametrize(
    "name", ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"]
)
def test_dtypes_by_every_name(name):
    for wanted in (
        name,
        np.dtype(name),
        getattr(np, name if name != "bool" else "bool_"),
        getattr(gv, name),
    ):
        assert gv.tensor([0, 1], dtype=wanted).dtype == np.dtype(name)
    assert getattr(gv, name) == np.dtype(name)


def test_casts():
    x = gv.tensor([0.0, 1.5, -2.5])
    names = {
        "float": "float32",
        "double": "float64",
        "half": "float16",
        "int": "int32",
        "long": "int64",
        "bool": "bool",
    }
    for method, name in names.items():
        assert getattr(x, method)().dtype == name
    assert x.int().tolist() == [0, 1, -2] and x.bool().tolist() == [False, True, True]
    assert x.to(gv.float32) is x and x.float() is x


def test_data_is_copied_both_ways():
    array = np.ones(3, np.float32)
    for made in (gv.tensor(array), gv.from_numpy(array), gv.tensor(array, requires_grad=True)):
        array[0] = 9.0
        assert made.tolist() == [1.0, 1.0, 1.0]
        array[0] = 1.0
        out = made.numpy()
        out[0] = 7.0
        np.asarray(made)[1] = 7.0
        assert made.tolist() == [1.0, 1.0, 1.0]


def test_arrays_met_by_operations_are_copied():
    array = np.ones(2, np.float32)
    x = gv.tensor([1.0, 1.0], requires_grad=True)
    out = x * array
    array[:] = 100.0
    assert x.grad(out.sum().backward()).tolist() == [1.0, 1.0]


def test_a_tensor_of_a_tensor_is_a_new_leaf():
    x = gv.tensor([1.0], requires_grad=True)
    y = gv.tensor(x * 2.0)
    assert y.tolist() == [2.0] and not y.is_tracked and y.node.parents == ()


CREATED = {
    "zeros": (lambda **o: gv.zeros(2, 3, **o), [[0.0] * 3] * 2),
    "ones": (lambda **o: gv.ones((2, 3), **o), [[1.0] * 3] * 2),
    "empty": (lambda **o: gv.empty(1, **o), None),
    "full": (lambda **o: gv.full((2,), 1.5, **o), [1.5, 1.5]),
    "eye": (lambda **o: gv.eye(2, 3, **o), [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    "arange": (lambda **o: gv.arange(0.0, 1.0, 0.25, **o), [0.0, 0.25, 0.5, 0.75]),
    "linspace": (lambda **o: gv.linspace(0, 1, 3, **o), [0.0, 0.5, 1.0]),
    "rand": (lambda **o: gv.rand(2, **o), None),
    "randn": (lambda **o: gv.randn(2, **o), None),
    "uniform": (lambda **o: gv.uniform(2, low=1.0, high=2.0, **o), None),
    "normal": (lambda **o: gv.normal(2, mean=1.0, std=0.0, **o), [1.0, 1.0]),
    "bernoulli": (lambda **o: gv.bernoulli(2, p=1.0, **o), [1.0, 1.0]),
    "zeros_like": (lambda **o: gv.zeros_like(gv.ones(2), **o), [0.0, 0.0]),
    "ones_like": (lambda **o: gv.ones_like(gv.zeros(2), **o), [1.0, 1.0]),
    "empty_like": (lambda **o: gv.empty_like(gv.zeros(2), **o), None),
    "full_like": (lambda **o: gv.full_like(gv.zeros(2), 3.0, **o), [3.0, 3.0]),
    "rand_like": (lambda **o: gv.rand_like(gv.zeros(2), **o), None),
    "randn_like": (lambda **o: gv.randn_like(gv.zeros(2), **o), None),
}


@pytest.mark.parametrize("make", [make for make, _ in CREATED.values()], ids=CREATED)
def test_every_creation_takes_the_options(make):
    made = make(dtype="float64", requires_grad=True, name="w", device="ndarray")
    assert made.dtype == np.float64 and made.requirement == "grad" and made.name == "w"
    assert str(made.kind) == "Autodiff(NdArray)" and made.is_leaf
    assert make().dtype == np.float32 and make().requirement == "none" and make().name is None


@pytest.mark.parametrize(
    ("make", "values"),
    [v for v in CREATED.values() if v[1]],
    ids=[name for name, v in CREATED.items() if v[1]],
)
def test_created_values(make, values):
    assert make().tolist() == values


def test_the_like_forms_follow_their_model():
    model = gv.tensor([1, 2], device=gv.device("ndarray").autodiff())
    for made in (gv.zeros_like(model), gv.ones_like(model), gv.full_like(model, 3)):
        assert made.dtype == np.int64 and made.shape == (2,) and made.device is model.device


def test_whole_numbers_and_flags():
    assert gv.arange(3).dtype == np.int64 and gv.arange(1, 7, 2).tolist() == [1, 3, 5]
    assert gv.arange(5, 0, -2).tolist() == [5, 3, 1] and gv.arange(0).shape == (0,)
    assert gv.full((1,), 3).dtype == np.int64 and gv.full((), True).dtype == np.bool_
    assert gv.one_hot(gv.tensor([2, 0])).tolist() == [[0, 0, 1], [1, 0, 0]]
    assert gv.one_hot(gv.tensor([[1]]), 3).shape == (1, 1, 3)


@pytest.mark.parametrize(
    ("call", "slug"),
    [
        (lambda: gv.tensor("text"), "not-a-tensor"),
        (lambda: gv.tensor(None), "not-a-tensor"),
        (lambda: gv.tensor({"a": 1}), "not-a-tensor"),
        (lambda: gv.tensor([[1, 2], [3]]), "invalid-argument"),
        (lambda: gv.tensor([1j]), "invalid-dtype"),
        (lambda: gv.tensor(["a"]), "invalid-dtype"),
        (lambda: gv.tensor([1.0], dtype="complex64"), "invalid-dtype"),
        (lambda: gv.tensor([1.0], dtype="nothing"), "invalid-dtype"),
        (lambda: gv.tensor([300], dtype="uint8"), "invalid-argument"),
        (lambda: gv.tensor([1], requires_grad=True), "require-grad-on-non-float"),
        (lambda: gv.tensor([1.0], name=3), "invalid-argument"),
        (lambda: gv.from_numpy([1.0]), "not-a-tensor"),
        (lambda: gv.zeros(-1), "invalid-argument"),
        (lambda: gv.ones("a"), "invalid-argument"),
        (lambda: gv.full((2,), "x"), "invalid-argument"),
        (lambda: gv.arange(0, 5, 0), "invalid-argument"),
        (lambda: gv.arange(0, 5, -1), "invalid-argument"),
        (lambda: gv.linspace(0, 1, -3), "invalid-argument"),
        (lambda: gv.eye(-1), "invalid-argument"),
        (lambda: gv.one_hot(gv.tensor([3]), 2), "index-out-of-range"),
        (lambda: gv.one_hot(gv.tensor([1.0])), "invalid-dtype"),
        (lambda: gv.manual_seed("a"), "invalid-argument"),
    ],
)
def test_refusals(call, slug):
    refused(call, slug)


# --- random numbers ------------------------------------------------------------------------------
def draws():
    return [
        gv.rand(3).tolist(),
        gv.randn(2, 2).tolist(),
        gv.uniform(3, low=-1.0, high=1.0).tolist(),
        gv.normal(3, std=2.0).tolist(),
        gv.bernoulli(8).tolist(),
        gv.dropout(gv.ones(8)).tolist(),
        gv.rand_like(gv.ones(2)).tolist(),
    ]


def test_the_same_seed_gives_the_same_numbers():
    gv.manual_seed(42)
    first = draws()
    assert draws() != first
    gv.manual_seed(42)
    assert draws() == first
    gv.manual_seed(43)
    assert draws() != first


def test_the_seed_leaves_numpys_own_generator_alone():
    np.random.seed(0)  # noqa: NPY002
    expected = np.random.rand()  # noqa: NPY002
    np.random.seed(0)  # noqa: NPY002
    gv.manual_seed(1)
    gv.rand(10)
    assert np.random.rand() == expected  # noqa: NPY002


def test_ranges_of_random_numbers():
    gv.manual_seed(0)
    u = gv.uniform(20000, low=-2.0, high=3.0).numpy()
    assert u.min() >= -2.0 and u.max() < 3.0 and abs(u.mean() - 0.5) < 0.05
    n = gv.normal(20000, mean=1.0, std=2.0).numpy()
    assert abs(n.mean() - 1.0) < 0.05 and abs(n.std() - 2.0) < 0.05
    chances = gv.bernoulli(gv.tensor([0.0, 1.0, 0.5] * 2000)).numpy().reshape(-1, 3)
    assert chances[:, 0].max() == 0.0 and chances[:, 1].min() == 1.0
    assert abs(chances[:, 2].mean() - 0.5) < 0.05


def test_drawing_in_threads_never_repeats():
    gv.manual_seed(0)
    found = []

    def draw():
        found.extend(tuple(gv.rand(2).tolist()) for _ in range(200))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 800
