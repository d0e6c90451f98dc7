"""save and load with the ending .safetensors: what other libraries write and read."""

from __future__ import annotations

import json
import struct
import sys

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import gradviz as gv
from tests.asserting import refused

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]


class Holder(gv.nn.Module):
    """A module whose state is the given arrays."""

    def __init__(self, **arrays):
        super().__init__()
        for name, array in arrays.items():
            self.register_buffer(name, gv.tensor(array))


def file_of(entries, data=b""):
    """The bytes of a file, written by hand."""
    header = json.dumps(entries).encode()
    return struct.pack("<Q", len(header)) + header + data


def entry(dtype="F32", shape=(1,), length=4):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [0, length]}


def net():
    return gv.nn.Sequential(gv.nn.Linear(3, 4), gv.nn.BatchNorm1d(4), gv.nn.Linear(4, 1))


def test_round_trip(tmp_path):
    first, second = net(), net()
    first(gv.randn(5, 3))  # moves the running statistics
    first.save(tmp_path / "net.safetensors")
    assert [path.name for path in tmp_path.iterdir()] == ["net.safetensors"]
    assert second.load(str(tmp_path / "net.safetensors")) == ([], [])
    for name, array in first.state_dict().items():
        np.testing.assert_array_equal(second.state_dict()[name], array)
    x = gv.randn(2, 3)
    np.testing.assert_array_equal(first.eval()(x).numpy(), second.eval()(x).numpy())


def test_the_file_is_what_others_expect(tmp_path):
    model = net()
    model.save(tmp_path / "net.safetensors")
    found = load_file(tmp_path / "net.safetensors")
    state = model.state_dict()
    assert set(found) == set(state)
    for name, array in state.items():
        assert found[name].dtype == array.dtype and found[name].shape == array.shape
        np.testing.assert_array_equal(found[name], array)


def test_a_file_with_the_names_of_pytorch(tmp_path):
    rng = np.random.default_rng(1)
    state = {
        "0.weight": rng.normal(size=(4, 3)).astype(np.float32),
        "0.bias": rng.normal(size=4).astype(np.float32),
        "1.weight": np.ones(4, np.float32),
        "1.bias": np.zeros(4, np.float32),
        "1.running_mean": rng.normal(size=4).astype(np.float32),
        "1.running_var": np.full(4, 2.0, np.float32),
        "1.num_batches_tracked": np.array(7),
        "2.weight": rng.normal(size=(1, 4)).astype(np.float32),
        "2.bias": np.array([0.5], np.float32),
    }
    save_file(state, tmp_path / "torch.safetensors", metadata={"format": "pt"})
    model = net()
    assert model.load(tmp_path / "torch.safetensors") == ([], [])
    x = rng.normal(size=(2, 3)).astype(np.float32)
    hidden = (x @ state["0.weight"].T + state["0.bias"] - state["1.running_mean"]) / np.sqrt(
        2 + 1e-5
    )
    expected = hidden @ state["2.weight"].T + 0.5
    np.testing.assert_allclose(model.eval()(gv.tensor(x)).numpy(), expected, rtol=1e-5, atol=1e-6)
    assert model[1].num_batches_tracked.item() == 7


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3)])
def test_dtypes_and_shapes(tmp_path, dtype, shape):
    array = (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 2).astype(dtype)
    Holder(a=array).save(tmp_path / "a.safetensors")
    other = Holder(a=np.ones(shape, dtype))
    other.load(tmp_path / "a.safetensors")
    assert other.a.dtype == np.dtype(dtype) and other.a.shape == shape
    np.testing.assert_array_equal(other.a.numpy(), array)


def test_arrays_that_are_not_contiguous(tmp_path):
    rows = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    model = Holder()
    model.register_buffer("turned", gv.tensor(rows).T)
    model.register_buffer("every", gv.tensor(rows)[:, ::2])
    model.save(tmp_path / "a.safetensors")
    found = load_file(tmp_path / "a.safetensors")
    np.testing.assert_array_equal(found["turned"], rows.T)
    np.testing.assert_array_equal(found["every"], rows[:, ::2])


def test_bfloat16_is_read_as_float32(tmp_path):
    # 1.0, -2.5, infinity and the smallest normal number, in the upper halves of their float32.
    halves = struct.pack("<4H", 0x3F80, 0xC020, 0x7F80, 0x0080)
    (tmp_path / "a.safetensors").write_bytes(file_of({"a": entry("BF16", (4,), 8)}, halves))
    model = Holder(a=np.zeros(4, np.float32))
    model.load(tmp_path / "a.safetensors")
    assert model.a.tolist() == [1.0, -2.5, float("inf"), 2.0**-126]


def test_the_ending_in_capitals(tmp_path):
    Holder(a=[1.0]).save(tmp_path / "A.SAFETENSORS")
    assert set(load_file(tmp_path / "A.SAFETENSORS")) == {"a"}


def test_booleans_are_zeros_and_ones_whatever_the_file_holds(tmp_path):
    (tmp_path / "a.safetensors").write_bytes(
        file_of({"a": entry("BOOL", (3,), 3)}, b"\x00\x01\x05")
    )
    model = Holder(a=[False] * 3)
    model.load(tmp_path / "a.safetensors")
    assert model.a.numpy().tobytes() == b"\x00\x01\x01"


def test_keys_and_shapes_are_checked_as_for_other_states(tmp_path):
    path = tmp_path / "a.safetensors"
    model = gv.nn.Linear(2, 1)
    before = model.weight.tolist()
    save_file({"weight": np.ones((1, 2), np.float32)}, path)
    refused(lambda: model.load(path), "invalid-argument", "nothing for bias")
    assert model.weight.tolist() == before
    assert model.load(path, strict=False) == (["bias"], [])
    assert model.weight.tolist() == [[1.0, 1.0]]
    save_file({"weight": np.ones((2, 2), np.float32), "bias": np.ones(1, np.float32)}, path)
    refused(lambda: model.load(path), "shape-mismatch", "`weight`")


HOSTILE = {
    "empty": b"",
    "rubbish": b"rubbish" * 20,
    "a zip": b"PK\x03\x04 broken",
    "a header without an end": struct.pack("<Q", 1 << 62) + b"{}",
    "no JSON": struct.pack("<Q", 4) + b"{{{{",
    "no UTF-8": struct.pack("<Q", 2) + b"\xff\xfe",
    "another structure": file_of({"weight": 1}),
    "too little data": file_of({"weight": entry(shape=(1, 1))}, b"\0\0"),
    "too much data": file_of({"weight": entry(shape=(1, 1))}, bytes(8)),
    "a shape beyond all bounds": file_of({"weight": entry(shape=(1 << 62, 1 << 62))}, bytes(4)),
    "a negative shape": file_of({"weight": entry(shape=(-1,))}, bytes(4)),
    "overlapping": file_of({"weight": entry(), "bias": entry()}, bytes(4)),
    "complex numbers": file_of({"weight": entry("C64", (1,), 8)}, bytes(8)),
    "eight-bit floats": file_of({"weight": entry("F8_E4M3", (4,), 4)}, bytes(4)),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_other_and_damaged_files(tmp_path, content):
    (tmp_path / "a.safetensors").write_bytes(content)
    model = gv.nn.Linear(1, 1)
    before = model.weight.item()
    refused(lambda: model.load(tmp_path / "a.safetensors"), "invalid-argument", "is no state file")
    assert model.weight.item() == before


@pytest.mark.parametrize("ending", ["npz", "safetensors"])
def test_a_file_cut_short_anywhere(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    model = gv.nn.Linear(2, 1)
    model.save(path)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        refused(lambda: model.load(path), "invalid-argument")


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        net().load(tmp_path / "nowhere.safetensors")
    refused(
        lambda: net().load(tmp_path / "nowhere.safetensors"),
        "invalid-argument",
        "nowhere.safetensors'",
    )


def test_a_name_that_the_format_needs(tmp_path):
    model = Holder()
    model.register_buffer("__metadata__", gv.ones(2))
    path = tmp_path / "a.safetensors"
    refused(lambda: model.save(path), "invalid-argument", "__metadata__")
    assert not path.exists()


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.safetensors"
    layer = gv.nn.Linear(2, 1)
    layer.save(path)
    before = path.read_bytes()

    def fails(*_args):
        raise OSError("no space left")

    monkeypatch.setattr("pathlib.Path.replace", fails)
    with pytest.raises(OSError, match="no space"):
        layer.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_without_the_package(tmp_path, monkeypatch):
    path = tmp_path / "a.safetensors"
    layer = gv.nn.Linear(2, 1)
    layer.save(path)
    for name in ("safetensors", "safetensors.numpy"):
        monkeypatch.setitem(sys.modules, name, None)
    for call in (lambda: layer.save(path), lambda: layer.load(path)):
        refused(
            call, "missing-extra", "pip install 'gradviz-lab[safetensors]'", builtin=ImportError
        )
    layer.save(tmp_path / "a.npz")
    layer.load(tmp_path / "a.npz")
