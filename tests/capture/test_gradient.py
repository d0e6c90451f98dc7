"""The gradient program of a recording gives what an eager backward pass gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.capture.scope import CaptureScope
from gradviz.ops.spec import table
from tests.asserting import refused
from tests.ops.sampling import Case, cases, gradients, weights

SAME_KERNELS = frozenset(
    """
    add sub mul div neg exp log sqrt rsqrt sin cos tanh sigmoid relu matmul linear sum mean square
    reshape permute transpose expand cat stack slice pad flip roll where maximum minimum clamp
    conv2d gather scatter index embedding tril triu cumsum softmax log_softmax max_pool avg_pool
    """.split()
)
"""Rows whose backward pass is made of the same kernels on symbols as on arrays."""


def captured_case(case: Case, arrays: list[Any]) -> Any:
    """The weighted sum of a row's result, recorded with every array as an input."""
    with CaptureScope(gv.device("capture")) as scope:
        inputs = [
            None if array is None else scope.input(array.shape, array.dtype, name=f"x{at}")
            for at, array in enumerate(arrays)
        ]
        result = case.first(inputs)
        scope.output((result * weights(result.shape).astype(result.dtype)).sum())
    return scope.graph


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("case", cases(lambda case: bool(case.differentiable())), ids=str)
def test_every_row(case: Case) -> None:
    arrays = case.arrays()
    names = [f"x{at}" for at in case.differentiable()]
    program = captured_case(case, arrays).backward(names)
    assert [t.name for t in program.outputs] == [f"grad_of_{name}" for name in names]
    assert {operation.op for operation in program.operations} <= set(table)
    found = program.run(*[array for array in arrays if array is not None])
    found = found if isinstance(found, tuple) else (found,)
    for got, expected, declared in zip(
        found, gradients(case, arrays), program.outputs, strict=True
    ):
        assert got.dtype == expected.dtype and got.dtype.name == declared.dtype
        assert got.shape == declared.shape
        if case.row.name in SAME_KERNELS:
            np.testing.assert_array_equal(got.numpy(), expected)
        else:
            np.testing.assert_allclose(got.numpy(), expected, rtol=1e-9, atol=1e-11)


# --- networks -----------------------------------------------------------------------------------
def mlp() -> tuple[Any, Callable[..., Any], list[np.ndarray]]:
    net = gv.nn.Sequential(gv.nn.Linear(6, 8), gv.nn.GELU(), gv.nn.LayerNorm(8), gv.nn.Linear(8, 3))
    return net, lambda x, t: gv.cross_entropy(net(x), t), [normal(5, 6), integers(3, 5)]


def conv_net() -> tuple[Any, Callable[..., Any], list[np.ndarray]]:
    net = gv.nn.Sequential(
        gv.nn.Conv2d(2, 4, 3, padding=1),
        gv.nn.BatchNorm2d(4),
        gv.nn.ReLU(),
        gv.nn.MaxPool2d(2),
        gv.nn.Conv2d(4, 4, 3, stride=2, padding=1),
        gv.nn.ReLU(),
        gv.nn.AvgPool2d(2),
        gv.nn.Flatten(),
        gv.nn.Linear(4, 3),
    )
    return net, lambda x, t: gv.cross_entropy(net(x), t), [normal(4, 2, 8, 8), integers(3, 4)]


def attention() -> tuple[Any, Callable[..., Any], list[np.ndarray]]:
    net = gv.nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, dropout=0.0, batch_first=True)
    return net, lambda x: (net(x) ** 2).mean(), [normal(2, 5, 8)]


def lstm() -> tuple[Any, Callable[..., Any], list[np.ndarray]]:
    net = gv.nn.LSTM(3, 4, num_layers=2, batch_first=True)
    return net, lambda x: (net(x)[0] ** 2).mean(), [normal(2, 6, 3)]


def gru() -> tuple[Any, Callable[..., Any], list[np.ndarray]]:
    net = gv.nn.GRU(3, 4, batch_first=True)
    return net, lambda x: net(x)[1].sum(), [normal(2, 5, 3)]


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).normal(size=shape).astype(np.float32)


def integers(high: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(4).integers(0, high, shape)


def examples(arrays: list[np.ndarray]) -> list[Any]:
    return [gv.spec(array.shape, array.dtype) for array in arrays]


@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("build", [mlp, conv_net, attention, lstm, gru])
def test_networks(build: Callable[[], Any], training: bool) -> None:
    gv.manual_seed(5)
    net, fn, arrays = build()
    net.train(training)
    program = gv.capture(fn, *examples(arrays)).backward()
    x = gv.tensor(arrays[0], requires_grad=True)
    grads = fn(x, *(gv.tensor(array) for array in arrays[1:])).backward()
    found = dict(zip([t.name for t in program.outputs], program.run(*arrays), strict=True))
    expected = {"grad_of_x": grads[x]}
    expected |= {f"grad_of_{name}": grads[p] for name, p in net.named_parameters()}
    assert set(found) == set(expected)
    for name, gradient in expected.items():
        scale = max(1.0, float(np.abs(gradient.numpy()).max()))
        np.testing.assert_allclose(
            found[name].numpy(), gradient.numpy(), rtol=1e-5, atol=1e-6 * scale, err_msg=name
        )


def test_a_deep_chain_needs_no_recursion() -> None:
    def deep(x: Any) -> Any:
        for _ in range(3000):
            x = x * 1.0001
        return x.sum()

    program = gv.capture(deep, gv.spec((2,))).backward()
    np.testing.assert_allclose(program.run([1.0, 1.0]).numpy(), 1.0001**3000, rtol=1e-3)


# --- what is asked for --------------------------------------------------------------------------
def product() -> Any:
    return gv.capture(lambda a, b, k: (a * b).sum() * k, *[gv.spec((3,))] * 2, gv.spec(()))


@pytest.mark.parametrize(
    ("wrt", "names"),
    [
        (None, ["a", "b", "k"]),
        ("b", ["b"]),
        (1, ["b"]),
        (-1, ["k"]),
        (["k", 0], ["k", "a"]),
        (("a", "a"), ["a"]),
        (iter(["b"]), ["b"]),
    ],
)
def test_names_and_positions(wrt: Any, names: list[str]) -> None:
    program = product().backward(wrt)
    assert [t.name for t in program.outputs] == [f"grad_of_{name}" for name in names]
    assert [t.name for t in program.inputs] == ["a", "b", "k"]


def test_one_target_gives_a_tensor_by_itself() -> None:
    assert isinstance(product().backward("a").run([1.0] * 3, [2.0] * 3, 3.0), gv.Tensor)


def test_parameters_are_asked_about_buffers_and_frozen_ones_are_not() -> None:
    net = gv.nn.Sequential(gv.nn.Linear(2, 3), gv.nn.BatchNorm1d(3)).eval()
    net[0].freeze()
    captured = gv.capture(lambda x: net(x).sum(), gv.spec((4, 2)))
    names = [t.name for t in captured.backward().outputs]
    assert names == ["grad_of_x", "grad_of_1.weight", "grad_of_1.bias"]
    asked = captured.backward(["0.weight", "1.running_mean"])
    assert [t.name for t in asked.outputs] == ["grad_of_0.weight", "grad_of_1.running_mean"]


def test_a_tensor_that_is_no_number_starts_from_ones_or_from_an_input() -> None:
    captured = gv.capture(lambda x: (x * x, x.sum()), gv.spec((2,)))
    np.testing.assert_array_equal(captured.backward().run([1.0, 2.0]).numpy(), [3.0, 5.0])
    given = captured.backward(gradient="input")
    assert [t.name for t in given.inputs] == ["x", "gradient_of_output_0"]
    np.testing.assert_array_equal(given.run([1.0, 2.0], [1.0, 0.5]).numpy(), [3.0, 3.0])
    alone = captured.backward(gradient="input", of=0)
    assert [t.name for t in alone.inputs] == ["x", "gradient"]
    np.testing.assert_array_equal(alone.run([1.0, 2.0], [1.0, 0.5]).numpy(), [2.0, 2.0])


def test_an_input_that_is_called_gradient_keeps_its_name() -> None:
    captured = gv.capture(lambda gradient: gradient * 2.0, gv.spec((2,)))
    given = captured.backward(gradient="input")
    assert [t.name for t in given.inputs] == ["gradient", "gradient_"]


def test_outputs_are_chosen_and_included() -> None:
    captured = gv.capture(lambda x: (x.sum(), (x * x).sum(), x.argmax()), gv.spec((2,)))
    np.testing.assert_array_equal(captured.backward(of=1).run([1.0, 2.0]).numpy(), [2.0, 4.0])
    both = captured.backward(with_outputs=True)
    total, squares, most, gradient = both.run([1.0, 2.0])
    assert (total.item(), squares.item(), most.item()) == (3.0, 5.0, 1)
    np.testing.assert_array_equal(gradient.numpy(), [3.0, 5.0])


def test_values_that_are_inputs_or_each_other_are_outputs_of_their_own() -> None:
    captured = gv.capture(lambda x, y: x + y, gv.spec((2,)), gv.spec((2,)))
    program = captured.backward(gradient="input", with_outputs=True)
    assert len({t.id for t in program.outputs}) == 3
    assert [t.name for t in program.inputs] == ["x", "y", "gradient"]
    total, dx, dy = program.run([1.0, 2.0], [3.0, 4.0], [5.0, 6.0])
    assert (total.tolist(), dx.tolist(), dy.tolist()) == ([4.0, 6.0], [5.0, 6.0], [5.0, 6.0])
    identity = gv.capture(lambda x: x, gv.spec((2,))).backward()
    assert identity.run([1.0, 2.0]).tolist() == [1.0, 1.0]


def test_gradients_of_gradients() -> None:
    captured = gv.capture(lambda x: (x**3).sum(), gv.spec((2,)))
    second = captured.backward().backward()
    np.testing.assert_allclose(second.run([1.0, 2.0]).numpy(), [6.0, 12.0])
    third = second.backward()
    np.testing.assert_allclose(third.run([1.0, 2.0]).numpy(), [6.0, 6.0])


# --- where gradients end ------------------------------------------------------------------------
def quiet(x: Any, y: Any) -> Any:
    with gv.no_grad():
        z = y * 2.0
    return (x * z).sum()


@pytest.mark.parametrize(
    ("fn", "reason"),
    [
        (lambda x, y: x.sum(), "was not used"),
        (lambda x, y: (x * y.detach()).sum(), "ends at `detach`"),
        (lambda x, y: (x * y.set_require_grad(False)).sum(), "ends at `detach`"),
        (quiet, "under `no_grad`"),
        (lambda x, y: (x * (y > 0.0).float()).sum(), "ends at `gt`"),
    ],
)
def test_what_no_gradient_reaches_is_named(fn: Callable[..., Any], reason: str) -> None:
    captured = gv.capture(fn, gv.spec((2,)), gv.spec((2,)))
    with pytest.raises(gv.GradvizError) as caught:
        captured.backward()
    assert caught.value.slug == "leaf-not-reached"
    problem = caught.value.problem
    assert "`y`" in problem.message and reason in problem.reason
    x, y = captured.backward(allow_unused=True).run([1.0, 2.0], [3.0, 4.0])
    leaf = gv.tensor([1.0, 2.0], requires_grad=True)
    grads = fn(leaf, gv.tensor([3.0, 4.0], requires_grad=True)).backward()
    assert x.tolist() == grads[leaf].tolist() and y.tolist() == [0.0, 0.0]


def test_a_live_way_beside_a_cut_one_gives_the_eager_gradient() -> None:
    def fn(x: Any) -> Any:
        return (x * x.detach()).sum() + quiet(x, x)

    x = gv.tensor([1.0, 2.0], requires_grad=True)
    expected = fn(x).backward()[x].tolist()
    assert gv.capture(fn, gv.spec((2,))).backward().run([1.0, 2.0]).tolist() == expected


@pytest.mark.parametrize(
    ("options", "slug"),
    [
        ({"wrt": "z"}, "invalid-argument"),
        ({"wrt": 9}, "invalid-argument"),
        ({"wrt": True}, "invalid-argument"),
        ({"wrt": 1.5}, "invalid-argument"),
        ({"wrt": []}, "invalid-argument"),
        ({"wrt": "n"}, "require-grad-on-non-float"),
        ({"of": 1}, "invalid-argument"),
        ({"of": "z"}, "invalid-argument"),
        ({"gradient": "zeros"}, "invalid-argument"),
    ],
)
def test_questions_that_make_no_sense(options: dict[str, Any], slug: str) -> None:
    captured = gv.capture(lambda x, n: (x.sum(), n + 1), gv.spec((2,)), gv.spec((2,), "int64"))
    with pytest.raises(gv.GradvizError) as caught:
        captured.backward(**options)
    assert caught.value.slug == slug
    assert captured.backward().run([1.0, 2.0], [1, 2]).tolist() == [1.0, 1.0]


def test_programs_of_whole_numbers_have_no_gradient() -> None:
    with pytest.raises(gv.GradvizError, match="floating point"):
        gv.capture(lambda n: n + 1, gv.spec((2,), "int64")).backward()
    with pytest.raises(gv.GradvizError, match="floating point"):
        gv.capture(lambda n: n * 1.0, gv.spec((2,), "int64")).backward()


# --- the program itself -------------------------------------------------------------------------
def test_nothing_is_there_twice_or_for_nothing() -> None:
    net = gv.nn.Sequential(gv.nn.Linear(3, 4), gv.nn.Softmax(dim=-1))
    program = gv.capture(lambda x: (net(x) * net(x)).sum(), gv.spec((2, 3))).backward("x")
    kinds = [operation.op for operation in program.operations]
    assert kinds.count("linear") == 1 and kinds.count("softmax") == 1
    used = {number for operation in program.operations for number in operation.inputs}
    used |= set(program.graph.outputs)
    made = [number for operation in program.operations for number in operation.outputs]
    assert set(made) <= used and len(made) == len(set(made))
    assert set(program.graph.constants) <= used


def test_operations_keep_their_places_and_stand_in_a_group_of_their_own() -> None:
    class Block(gv.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = gv.nn.Linear(2, 2)

        def forward(self, x: Any) -> Any:
            return self.inner(x).tanh()

    captured = gv.capture(Block(), gv.spec((1, 2)))
    program = captured.backward()
    graph = gv.graph(program)
    labels = {group.id: group.label for group in graph.groups}
    parents = {group.id: group.parent for group in graph.groups}

    def path(group: str | None) -> list[str]:
        found: list[str] = []
        while group is not None:
            found.insert(0, labels[group])
            group = parents[group]
        return found

    places = {tuple(path(node.group)) for node in graph.nodes if node.role != "input"}
    assert ("backward", "Block", "inner") in places and ("Block",) in places
    known = {operation.source.text for operation in captured.operations}
    assert {operation.source.text for operation in program.operations} <= known
    assert all(operation.source is not None for operation in program.operations)


def test_the_original_stays_as_it_is() -> None:
    captured = product()
    before = str(captured)
    captured.backward(with_outputs=True)
    assert str(captured) == before


def test_backward_on_a_captured_tensor_stays_refused() -> None:
    with pytest.raises(gv.GradvizError) as caught:
        gv.capture(lambda x: x.sum().backward(), gv.tensor([1.0], requires_grad=True))
    assert caught.value.slug == "capture-tensors-do-not-support-autodiff"


@pytest.mark.parametrize("what", ["module", "layer", "parameter", "mixed"])
def test_modules_and_parameters_by_themselves(what: str) -> None:
    net = gv.nn.Sequential(gv.nn.Linear(2, 2), gv.nn.Linear(2, 1))
    captured = gv.capture(lambda x: net(x).sum(), gv.spec((1, 2)))
    wrt, names = {
        "module": (net, ["0.weight", "0.bias", "1.weight", "1.bias"]),
        "layer": (net[1], ["1.weight", "1.bias"]),
        "parameter": (net[0].bias, ["0.bias"]),
        "mixed": (["x", net[0].bias, net[0]], ["x", "0.bias", "0.weight"]),
    }[what]
    program = captured.backward(wrt)
    assert [t.name for t in program.outputs] == [f"grad_of_{name}" for name in names]
    with pytest.raises(gv.GradvizError, match="no constant with its value") as caught:
        captured.backward(gv.nn.Linear(2, 2))
    assert caught.value.slug == "leaf-not-reached"


# --- programs from files ------------------------------------------------------------------------
def places(program: Any) -> set[tuple[int, int, str]]:
    sources = [operation.source for operation in program.operations]
    return {(source.line, source.col, source.text) for source in sources}


def test_a_program_from_a_file_has_the_same_gradients() -> None:
    net = gv.nn.Sequential(gv.nn.Linear(2, 3), gv.nn.LayerNorm(3), gv.nn.Tanh())

    def fn(x: Any, y: Any) -> Any:
        with gv.no_grad():
            scale = net(x).sum()
        return (net(x) * scale * quiet(y, y) * y.detach().sum()).sum()

    captured = gv.capture(fn, gv.spec((4, 2)), gv.spec((2,)))
    again = type(captured).from_json(captured.to_json())
    program, other = captured.backward(), again.backward()
    arrays = normal(4, 2), normal(2)
    for one, two in zip(program.run(*arrays), other.run(*arrays), strict=True):
        np.testing.assert_array_equal(one.numpy(), two.numpy())
    assert places(other) == places(program)
    labels = {group.label for group in gv.graph(other).groups}
    assert "backward" in labels and {"0", "1", "2"} <= labels
    x = gv.tensor(arrays[0], requires_grad=True)
    y = gv.tensor(arrays[1], requires_grad=True)
    grads = fn(x, y).backward()
    np.testing.assert_allclose(other.run(*arrays)[0].numpy(), grads[x].numpy(), rtol=1e-5)
    np.testing.assert_allclose(other.run(*arrays)[1].numpy(), grads[y].numpy(), rtol=1e-5)
    kept = type(captured).from_json(program.to_json())
    np.testing.assert_array_equal(kept.run(*arrays)[0].numpy(), program.run(*arrays)[0].numpy())


def test_a_program_that_only_refers_to_its_parameters() -> None:
    net = gv.nn.Linear(2, 1)
    captured = gv.capture(lambda x: (net(x) ** 2).sum(), gv.spec((3, 2)))
    bare = type(captured).from_json(captured.to_json(embed=False))
    program = bare.backward("weight")
    with pytest.raises(gv.GradvizError, match="constants without contents"):
        program.run(normal(3, 2))
    given = type(captured).from_json(program.to_json(embed=False), constants=net.state_dict())
    np.testing.assert_array_equal(
        given.run(normal(3, 2)).numpy(), captured.backward("weight").run(normal(3, 2)).numpy()
    )


def test_what_runs_without_gradients_is_cut_in_the_program() -> None:
    captured = gv.capture(quiet, gv.spec((2,)), gv.spec((2,)))
    assert [operation.op for operation in captured.operations].count("detach") == 1
    inside = gv.no_grad()(gv.capture)(lambda x: x * 2.0, gv.spec((2,)))
    assert [operation.op for operation in inside.operations] == ["mul"]


def test_random_numbers_are_those_of_the_forward_pass() -> None:
    def fn(x: Any) -> Any:
        return (gv.dropout(x, 0.5) * gv.dropout(x * 2.0, 0.5)).sum()

    program = gv.capture(fn, gv.spec((4, 8))).backward(with_outputs=True)
    assert [operation.op for operation in program.operations].count("random") == 2
    gv.manual_seed(3)
    total, gradient = program.run(normal(4, 8))
    gv.manual_seed(3)
    x = gv.tensor(normal(4, 8), requires_grad=True)
    expected = fn(x)
    np.testing.assert_allclose(total.item(), expected.item(), rtol=1e-6)
    np.testing.assert_allclose(gradient.numpy(), expected.backward()[x].numpy(), rtol=1e-6)


def test_constants_that_are_only_referred_to_stay_so() -> None:
    scale = gv.nn.Parameter([2.0, 3.0], name="scale")
    captured = gv.capture(lambda x: (x * scale * gv.ones(2)).sum(), gv.spec((2,)))
    read = gv.CapturedGraph.from_json(captured.to_json(embed=False))
    program = read.backward("x")
    refused(lambda: program.run([1.0, 2.0]), "invalid-program", "scale")
    text = program.to_json()
    again = gv.CapturedGraph.from_json(text, constants={"scale": scale})
    assert again.run([1.0, 2.0]).tolist() == [2.0, 3.0]
