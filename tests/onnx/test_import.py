"""Models that others wrote: read, explored, run, trained."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz import nn
from tests.onnx.running import assert_same, model, outcome, results

FOLDER = Path(__file__).parent / "models"
OPEN = ("block", "encoder", "lstm", "assorted_open")
"""Models that leave the size of the batch open."""
MODELS = sorted(path.stem for path in FOLDER.glob("*.onnx"))


def truth(name: str) -> tuple[Any, list[Any]]:
    """The input, and what PyTorch computed of it."""
    with np.load(FOLDER / f"{name}.npz") as arrays:
        count = len(arrays.files) - 1
        return arrays["x"], [arrays[f"output_{at}"] for at in range(count)]


def read(name: str) -> Any:
    x, _ = truth(name)
    return gv.from_onnx(FOLDER / f"{name}.onnx", shapes={"x": x.shape})


@pytest.mark.parametrize("name", MODELS)
def test_pytorch_models_give_what_pytorch_gives(name: str) -> None:
    x, wanted = truth(name)
    found = results(read(name), [x])
    assert len(found) == len(wanted)
    for got, true in zip(found, wanted, strict=True):
        assert got.dtype == true.dtype
        np.testing.assert_allclose(got, true, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_pytorch_models_are_exported_again(name: str) -> None:
    x, _ = truth(name)
    assert_same(read(name), [x])


@pytest.mark.parametrize("name", MODELS)
def test_pytorch_models_become_modules(name: str) -> None:
    x, wanted = truth(name)
    model = read(name).to_module()
    found = model(gv.tensor(x))
    for got, true in zip(found if isinstance(found, tuple) else [found], wanted, strict=True):
        np.testing.assert_allclose(got.numpy(), true, rtol=1e-5, atol=1e-5)


def test_a_size_can_be_given_by_its_name() -> None:
    captured = gv.from_onnx(FOLDER / "block.onnx", shapes={"batch": 2})
    assert captured.inputs[0].shape == (2, 3, 16, 16)


@pytest.mark.parametrize("name", OPEN)
@pytest.mark.parametrize("times", [1, 3])
def test_open_sizes_stay_open_when_exported_again(name: str, times: int) -> None:
    data = gv.from_onnx(FOLDER / f"{name}.onnx").to_onnx()
    loaded = model(data)
    assert loaded.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "batch"
    x = np.concatenate([truth(name)[0]] * times)
    wanted = outcome((FOLDER / f"{name}.onnx").read_bytes(), [x])
    for got, true in zip(outcome(data, [x]), wanted, strict=True):
        np.testing.assert_allclose(got, true, rtol=1e-5, atol=1e-5)


def test_a_model_is_explored() -> None:
    graph = gv.graph(read("encoder"))
    assert {"layer_norm", "matmul", "softmax"} <= {node.op for node in graph.nodes}
    labels = {group.label for group in graph.groups}
    assert {"encoder", "layers.0", "self_attn"} <= labels
    assert "<svg" in graph.to_svg()
    weights = {node.name for node in graph.nodes if node.name}
    assert "encoder.layers.0.norm1.weight" in weights


def test_parameters_are_those_that_training_changes() -> None:
    model = read("encoder").to_module()
    names = {name for name, _ in model.named_parameters()}
    assert "encoder.layers.0.norm1.weight" in names
    assert all(parameter.dtype == gv.float32 for parameter in model.parameters())


def test_a_read_model_is_trained() -> None:
    x, _ = truth("block")
    model = read("block").to_module()
    optimizer = gv.optim.SGD(model.parameters(), lr=0.05)
    target = gv.tensor([1, 3])
    losses = []
    for _ in range(5):
        loss = gv.nll_loss(model(gv.tensor(x)), target)
        grads = loss.backward()
        assert all(parameter in grads for parameter in model.parameters())
        optimizer.step(grads)
        losses.append(loss.item())
    assert losses[-1] < losses[0]


def test_lifting_keeps_names_values_and_gradients() -> None:
    gv.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 2))
    net(gv.randn(16, 4))
    net.eval()
    again = gv.from_onnx(gv.capture(net, gv.spec((3, 4))).to_onnx()).to_module()
    names = dict(net.named_parameters())
    lifted = dict(again.named_parameters())
    assert lifted.keys() == names.keys()
    x = gv.tensor(np.random.default_rng(0).normal(size=(3, 4)).astype("f4"))
    first, second = net(x).square().sum().backward(), again(x).square().sum().backward()
    for name, parameter in names.items():
        np.testing.assert_allclose(
            second[lifted[name]].numpy(), first[parameter].numpy(), rtol=1e-4, atol=1e-5
        )


def test_gradients_pass_through_what_is_read_while_none_are_recorded() -> None:
    x, _ = truth("encoder")
    with gv.no_grad():
        captured = read("encoder")
    program = captured.backward()
    assert program.outputs[0].name == "grad_of_x"
    assert len(program.outputs) == 1 + len(captured.parameters)
    model = captured.to_module()
    leaf = gv.tensor(x, requires_grad=True)
    wanted = model(leaf).sum().backward()[leaf].numpy()
    np.testing.assert_allclose(results(program, [x])[0], wanted, rtol=1e-4, atol=1e-5)


def test_names_that_are_no_attributes_are_changed() -> None:
    weights = [
        nn.Parameter([1.0], name=name)
        for name in ("forward", "a..b", "a", "a.b", "/x/y:0", "training", "train.x", "")
    ]

    def program(x: Any) -> Any:
        for weight in weights:
            x = x + weight
        return x

    module = gv.capture(program, gv.spec((1,))).to_module()
    names = [name for name, _ in module.named_parameters()]
    assert len(names) == len(weights) == len(set(names))
    assert module(gv.tensor([1.0])).item() == 9.0
    assert module.training is True
    state = module.state_dict()
    module.load_state_dict(state)


def test_a_module_can_be_copied_saved_and_captured_again(tmp_path: Path) -> None:
    import copy
    import pickle

    x, _ = truth("gru")
    model = read("gru").to_module()
    wanted = model(gv.tensor(x))[0].tolist()
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert twin(gv.tensor(x))[0].tolist() == wanted
    model.save(tmp_path / "model.npz")
    captured = gv.capture(model, gv.spec(x.shape))
    assert {captured.graph.tensors[n].name for n in captured.graph.parameters} == {
        name for name, _ in model.named_parameters()
    }


@pytest.mark.parametrize("form", ["bytes", "bytearray", "text", "path", "file"])
def test_sources(form: str) -> None:
    path = FOLDER / "rnn.onnx"
    data = path.read_bytes()
    source: Any = {
        "bytes": data,
        "bytearray": bytearray(data),
        "text": str(path),
        "path": path,
        "file": io.BytesIO(data),
    }[form]
    assert len(gv.from_onnx(source).inputs) == 1


@pytest.mark.parametrize("source", [None, 3, io.StringIO("text"), ["a"]])
def test_what_is_no_source_is_refused(source: Any) -> None:
    with pytest.raises(gv.GradvizError) as caught:
        gv.from_onnx(source)
    assert caught.value.slug == "invalid-argument"


def test_a_missing_file_is_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        gv.from_onnx(tmp_path / "none.onnx")


@pytest.mark.parametrize("shape", [(1, 2), (2, 3, 16, 17), (2, 3, 16, -1), "abcd", 5])
def test_shapes_that_do_not_fit_are_refused(shape: Any) -> None:
    with pytest.raises(gv.GradvizError) as caught:
        gv.from_onnx(FOLDER / "block.onnx", shapes={"x": shape})
    assert caught.value.slug == "invalid-argument"


def test_operations_come_from_the_line_that_reads_the_file() -> None:
    captured = gv.from_onnx((FOLDER / "rnn.onnx").read_bytes())
    source = captured.operations[0].source
    assert source is not None and source.filename == __file__
