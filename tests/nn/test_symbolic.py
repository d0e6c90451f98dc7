"""Modules built on the capture device: shapes and dtypes at once, numbers when somebody reads them."""

from __future__ import annotations

import copy
import pickle
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradviz as gv

CAPTURE = gv.device("capture")
MODULES: dict[str, Callable[[int], Any]] = {
    "linear": lambda n: gv.nn.Linear(n, n),
    "bilinear": lambda n: gv.nn.Bilinear(n, 4, 4),
    "embedding": lambda n: gv.nn.Embedding(n, n, padding_idx=0),
    "embedding bag": lambda n: gv.nn.EmbeddingBag(n, n, padding_idx=0),
    "conv1d": lambda n: gv.nn.Conv1d(n, n, 3),
    "conv2d": lambda n: gv.nn.Conv2d(n, n, 3, groups=2),
    "conv transpose": lambda n: gv.nn.ConvTranspose2d(n, n, 3),
    "batch norm": gv.nn.BatchNorm2d,
    "instance norm": lambda n: gv.nn.InstanceNorm1d(n, affine=True, track_running_stats=True),
    "layer norm": lambda n: gv.nn.LayerNorm((n, n)),
    "rms norm": gv.nn.RMSNorm,
    "group norm": lambda n: gv.nn.GroupNorm(2, n),
    "prelu": gv.nn.PReLU,
    "lstm": lambda n: gv.nn.LSTM(n, n, num_layers=2, bidirectional=True),
    "gru": lambda n: gv.nn.GRU(n, n),
    "attention": lambda n: gv.nn.MultiheadAttention(n, 2),
    "encoder": lambda n: gv.nn.TransformerEncoder(
        gv.nn.TransformerEncoderLayer(n, 2, dim_feedforward=n), num_layers=3
    ),
    "transformer": lambda n: gv.nn.Transformer(n, 2, 1, 2, dim_feedforward=n),
}


def built(make: Callable[[int], Any], size: int) -> Any:
    with gv.default_device(CAPTURE):
        return make(size)


@pytest.mark.parametrize("name", MODULES)
def test_nothing_is_allocated_until_it_is_read(name: str) -> None:
    built(MODULES[name], 8)  # what is imported on the way isn't counted
    tracemalloc.start()
    try:
        module = built(MODULES[name], 2**14)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2**20
    for parameter in module.parameters():
        assert parameter.requirement == "grad" and str(parameter.kind) == "Autodiff(Capture)"
        assert "captured" in repr(parameter)
    small = built(MODULES[name], 8)
    eager = MODULES[name](8)
    symbolic = [(k, p.shape, p.dtype) for k, p in small.named_parameters()]
    assert symbolic == [(k, p.shape, p.dtype) for k, p in eager.named_parameters()]
    for kept, other in zip(small.buffers(), eager.buffers(), strict=True):
        np.testing.assert_array_equal(kept.numpy(), other.numpy())
    for (path, parameter), other in zip(small.named_parameters(), eager.parameters(), strict=True):
        values = parameter.numpy()
        np.testing.assert_array_equal(values, parameter.numpy(), err_msg=path)
        assert (values.std() > 0.0) == (other.numpy().std() > 0.0)
        np.testing.assert_allclose(np.abs(values).mean(), np.abs(other.numpy()).mean(), atol=0.5)


def test_the_same_seed_gives_the_same_numbers_whenever_they_are_read() -> None:
    def make() -> Any:
        gv.manual_seed(3)
        return built(lambda n: gv.nn.Sequential(gv.nn.Linear(n, n), gv.nn.Linear(n, n)), 4)

    one, two = make(), make()
    first = two[1].weight.tolist()
    gv.rand(5)
    assert one[0].weight.tolist() == two[0].weight.tolist()
    assert one[1].weight.tolist() == first != one[0].weight.tolist()


def test_a_module_moves_to_where_numbers_are() -> None:
    module = built(lambda n: gv.nn.Sequential(gv.nn.Linear(n, 3), gv.nn.BatchNorm1d(3)), 4)
    state = module.state_dict()
    module.to("ndarray")
    assert str(module[0].weight.kind) == "Autodiff(NdArray)"
    assert module[0].weight.requirement == "grad"
    for name, tensor in (*module.named_parameters(), *module.named_buffers()):
        np.testing.assert_array_equal(tensor.numpy(), state[name])
    loss = module(gv.ones(2, 4)).sum()
    assert loss.backward()[module[0].weight].shape == (3, 4)


def test_dtypes_change_without_numbers() -> None:
    module = built(lambda n: gv.nn.Linear(n, n), 2**16).half()
    assert module.weight.dtype == gv.float16 and str(module.weight.kind) == "Autodiff(Capture)"
    small = built(lambda n: gv.nn.Linear(n, n), 3)
    expected = small.weight.numpy().astype("float64")
    np.testing.assert_array_equal(small.double().weight.numpy(), expected)


def test_what_users_write_in_constructors() -> None:
    class Own(gv.nn.Module):
        def __init__(self, n: int) -> None:
            super().__init__()
            self.scaled = gv.nn.Parameter(gv.randn(n, n) * 0.02)
            self.stacked = gv.nn.Parameter(gv.cat([gv.zeros(1, n), gv.ones(1, n)]).T[:2])
            self.listed = gv.nn.Parameter([1.0, 2.0])
            self.register_buffer("mask", gv.tril(gv.ones(n, n)))
            gv.nn.init.xavier_uniform_(self.scaled)
            gv.nn.init.constant_(self.stacked, 2.5)
            self.more = gv.nn.ModuleList([copy.deepcopy(gv.nn.Linear(n, n)) for _ in range(3)])
            self.more[0].weight.replace(gv.eye(n))
            self.more[1].freeze()

        def forward(self, x: Any) -> Any:
            for layer in self.more:
                x = layer(x)
            return (x * self.mask) @ self.scaled

    large = built(Own, 2**16)
    assert gv.check(lambda x: large(x).sum(), gv.spec((2**16, 2**16)), wrt=large.more[2]).ok
    small = built(Own, 4)
    assert small.stacked.tolist() == [[2.5, 2.5]] * 2 and small.listed.tolist() == [1.0, 2.0]
    assert small.more[0].weight.tolist() == np.eye(4).tolist()
    assert small.mask.tolist() == np.tril(np.ones((4, 4))).tolist()
    assert 0.0 < np.abs(small.scaled.numpy()).max() <= (6 / 8) ** 0.5
    assert small.more[1].weight.requirement == "none"
    weights = [small.more[at].weight for at in (1, 2)]
    assert weights[0].tolist() != weights[1].tolist()


def test_a_module_is_captured_by_name_and_runs() -> None:
    module = built(lambda n: gv.nn.Sequential(gv.nn.Linear(n, 3), gv.nn.Tanh()), 4)
    captured = gv.capture(module, gv.spec((2, 4)))
    x = np.ones((2, 4), np.float32)
    found = captured.run(x)
    assert set(captured.constants) == {"0.weight", "0.bias"}
    assert [t.name for t in captured.backward().outputs][1:] == [
        "grad_of_0.weight",
        "grad_of_0.bias",
    ]
    again = type(captured).from_json(captured.to_json())
    np.testing.assert_array_equal(again.run(x).numpy(), found.numpy())
    np.testing.assert_array_equal(found.numpy(), module.to("ndarray")(gv.tensor(x)).numpy())


def test_copies_and_pickles() -> None:
    module = built(lambda n: gv.nn.Linear(n, n), 3)
    made = copy.deepcopy(module)
    assert made.weight.tolist() == module.weight.tolist()
    assert str(made.weight.kind) == "Autodiff(Capture)"
    captured = gv.capture(lambda x: made(module(x)), gv.spec((1, 3)))
    assert len(captured.parameters) == 4
    kept = pickle.loads(pickle.dumps(module))
    assert kept.weight.tolist() == module.weight.tolist()
    assert str(module.valid().weight.kind) == "Capture"


def test_numbers_come_from_a_state() -> None:
    module = built(lambda n: gv.nn.Linear(n, 2), 3)
    state = gv.nn.Linear(3, 2).state_dict()
    module.load_state_dict(state)
    np.testing.assert_array_equal(module.weight.numpy(), state["weight"])
    with pytest.raises(gv.GradvizError, match="shape"):
        module.load_state_dict({**state, "weight": np.ones((5, 5))})


def test_what_a_recording_makes_has_numbers_as_before() -> None:
    def fresh(x: Any) -> Any:
        return gv.nn.Linear(3, 2)(x)

    captured = gv.capture(fresh, gv.spec((1, 3)))
    assert all(isinstance(array, np.ndarray) for array in captured.constants.values())
    assert gv.zeros(2, device=CAPTURE).tolist() == [0.0, 0.0]
    assert gv.arange(1, 6, 2, device=CAPTURE).tolist() == [1, 3, 5]
    assert gv.linspace(0.0, 1.0, 3, device=CAPTURE).tolist() == [0.0, 0.5, 1.0]
    assert 0.0 <= gv.rand(1, device=CAPTURE).item() < 1.0
    with pytest.raises(gv.GradvizError):
        gv.full((2,), "x", device=CAPTURE)
    with pytest.raises(gv.GradvizError):
        gv.arange(0.0, float("inf"), device=CAPTURE)


def test_numbers_and_symbols_dont_mix() -> None:
    module = built(lambda n: gv.nn.Linear(n, 2), 3)
    with pytest.raises(gv.GradvizError) as caught:
        module(gv.ones(1, 3))
    assert caught.value.slug == "different-backends"
