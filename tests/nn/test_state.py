"""state_dict, load_state_dict, save, load."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused


class Model(gv.nn.Module):
    def __init__(self, width=3):
        super().__init__()
        self.body = gv.nn.Linear(2, width)
        self.file = gv.nn.Parameter([1.0])  # a name that np.savez could not take
        self.register_buffer("mean", gv.zeros(2))
        self.register_buffer("scratch", gv.zeros(2), persistent=False)

    def forward(self, x):
        return self.body(x) * self.file


def test_state_holds_parameters_and_persistent_buffers_as_copies():
    model = Model()
    state = model.state_dict()
    assert list(state) == ["file", "mean", "body.weight", "body.bias"]
    assert all(type(array) is np.ndarray for array in state.values())
    state["file"][0] = 9.0
    assert model.file.tolist() == [1.0]


def test_round_trip():
    first, second = Model(), Model()
    x = gv.ones(4, 2)
    weight = second.body.weight
    assert second.load_state_dict(first.state_dict()) == ([], [])
    assert second.body.weight is weight and weight.is_require_grad
    np.testing.assert_array_equal(first(x).numpy(), second(x).numpy())


def test_loading_accepts_tensors_lists_and_other_dtypes():
    model = Model()
    state = model.state_dict() | {"file": gv.tensor([4.0]), "mean": [1, 2]}
    state["body.bias"] = np.arange(3)
    model.load_state_dict(state)
    assert model.file.tolist() == [4.0] and model.mean.tolist() == [1.0, 2.0]
    assert model.body.bias.dtype == np.float32


@pytest.mark.parametrize(
    ("change", "slug", "text"),
    [
        (lambda s: s.pop("body.bias"), "invalid-argument", "nothing for body.bias"),
        (lambda s: s.update(other=np.ones(1)), "invalid-argument", "no place for other"),
        (lambda s: s.update(file=np.ones(2)), "shape-mismatch", "`file` has shape (1,)"),
        (lambda s: s.update(file="text"), "not-a-tensor", "str"),
        (lambda s: s.update(file=np.array(["a"])), "invalid-dtype", ""),
    ],
    ids=["missing", "unexpected", "shape", "type", "dtype"],
)
def test_a_failed_load_changes_nothing(change, slug, text):
    model = Model()
    before = {name: array.tolist() for name, array in model.state_dict().items()}
    state = {name: array + 1.0 for name, array in model.state_dict().items()}
    change(state)
    refused(lambda: model.load_state_dict(state), slug, text)
    assert {name: array.tolist() for name, array in model.state_dict().items()} == before


def test_loading_what_fits():
    model = Model()
    found = model.load_state_dict({"file": [5.0], "other": [1.0]}, strict=False)
    assert model.file.tolist() == [5.0]
    assert found.missing_keys == ["mean", "body.weight", "body.bias"]
    assert found.unexpected_keys == ["other"]
    refused(lambda: model.load_state_dict({"file": np.ones(3)}, strict=False), "shape-mismatch")


def test_loading_no_mapping():
    refused(lambda: Model().load_state_dict([1, 2]), "invalid-argument")


def test_a_graph_from_before_loading_keeps_its_values():
    model = Model()
    loss = (model.file * model.file).sum()
    model.load_state_dict({"file": [100.0]}, strict=False)
    assert model.file.grad(loss.backward()).tolist() == [2.0]


def test_frozen_parameters_are_loaded_and_stay_frozen():
    model = Model().freeze()
    model.load_state_dict({"file": [5.0]}, strict=False)
    assert model.file.requirement == "none" and model.file.tolist() == [5.0]


def test_tied_parameters_stand_under_every_path():
    net = gv.nn.Sequential(gv.nn.Linear(2, 2, bias=False), gv.nn.Linear(2, 2, bias=False))
    net[1].weight = net[0].weight
    state = net.state_dict()
    assert list(state) == ["0.weight", "1.weight"]
    net.load_state_dict({name: np.zeros((2, 2)) for name in state})
    assert net[1].weight is net[0].weight


@pytest.mark.parametrize("name", ["model.npz", "model"])
def test_save_and_load(tmp_path, name):
    first, second = Model(), Model()
    first.save(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["model.npz"]
    assert second.load(tmp_path / name) == ([], [])
    np.testing.assert_array_equal(first(gv.ones(2)).numpy(), second(gv.ones(2)).numpy())
    with np.load(tmp_path / "model.npz") as archive:
        assert set(archive.files) == set(first.state_dict())


def test_load_reads_what_numpy_wrote(tmp_path):
    layer = gv.nn.Linear(2, 1)
    np.savez(tmp_path / "state.npz", weight=np.ones((1, 2)), bias=np.zeros(1))
    layer.load(str(tmp_path / "state.npz"))
    assert layer.weight.tolist() == [[1.0, 1.0]]


def test_load_of_a_missing_file(tmp_path):
    refused(lambda: Model().load(tmp_path / "nowhere"), "invalid-argument", "nowhere.npz")
    with pytest.raises(FileNotFoundError):
        Model().load(tmp_path / "nowhere")


@pytest.mark.parametrize("content", [b"", b"rubbish", b"PK\x03\x04 broken"])
def test_load_of_another_file(tmp_path, content):
    (tmp_path / "state.npz").write_bytes(content)
    refused(lambda: Model().load(tmp_path / "state.npz"), "invalid-argument")


def test_load_runs_nothing_from_the_file(tmp_path):
    np.savez(tmp_path / "state.npz", weight=np.array([{"a": 1}], dtype=object))
    refused(lambda: gv.nn.Linear(1, 1).load(tmp_path / "state.npz"), "invalid-argument")


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    layer = gv.nn.Linear(2, 1)
    layer.save(tmp_path / "state.npz")
    before = (tmp_path / "state.npz").read_bytes()

    def fails(*_args, **_kwargs):
        raise OSError("no space left")

    monkeypatch.setattr(zipfile.ZipFile, "open", fails)
    with pytest.raises(OSError, match="no space"):
        layer.save(tmp_path / "state.npz")
    assert (tmp_path / "state.npz").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["state.npz"]
