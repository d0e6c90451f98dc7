"""What an exported file says of the program: names, places, versions, and what it leaves out."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import gradviz as gv
from gradviz import nn
from tests.onnx.running import assert_same, model


class Head(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(4, 8), nn.SiLU())
        self.out = nn.Linear(8, 2)

    def forward(self, x: Any) -> Any:
        with gv.scope("pool"):
            return self.out(self.encoder(x))


def exported(opset: int | None = None) -> Any:
    return model(gv.capture(Head(), gv.spec((3, 4), name="features")).to_onnx(opset=opset))


def test_names_and_scopes_survive() -> None:
    graph = exported().graph
    assert [node.name for node in graph.node] == [
        "Head/pool/encoder/0/linear",
        "Head/pool/encoder/1/silu/Sigmoid",
        "Head/pool/encoder/1/silu/Mul",
        "Head/pool/out/linear",
    ]
    assert [item.name for item in graph.input] == ["features"]
    assert [item.name for item in graph.output] == ["output"]
    assert {item.name for item in graph.initializer} == {
        "encoder.0.weight",
        "encoder.0.bias",
        "out.weight",
        "out.bias",
    }


def test_nodes_say_where_they_come_from() -> None:
    places = [node.doc_string for node in exported().graph.node]
    assert all(place.startswith("test_export.py:") for place in places)
    assert places[0].endswith(": self.encoder(x)")


def test_shapes_of_intermediate_values_are_written() -> None:
    infos = exported().graph.value_info
    sizes = {item.name: [d.dim_value for d in item.type.tensor_type.shape.dim] for item in infos}
    assert sizes["Head/pool/encoder/1/silu"] == [3, 8]


def test_names_that_collide_stay_apart() -> None:
    captured = gv.capture(
        lambda x, y: (x + y, x * y), gv.spec((2,), name="x"), gv.spec((2,), name="add")
    )
    loaded = assert_same(captured, [np.float32([1, 2]), np.float32([3, 4])])
    names = [name for node in loaded.graph.node for name in node.output]
    assert len(set(names)) == 2
    assert not {"x", "add"} & set(names)


def test_an_input_and_a_constant_can_be_outputs() -> None:
    weight = nn.Parameter([1.0, 2.0], name="weight")
    captured = gv.capture(lambda x: (x, x + weight, weight.to(gv.device("capture"))), gv.spec((2,)))
    assert_same(captured, [np.float32([3, 4])])


def test_what_no_output_needs_is_left_out() -> None:
    def program(x: Any) -> Any:
        gv.exp(x)
        return x * 2.0

    assert [n.op_type for n in model(gv.capture(program, gv.spec((2,))).to_onnx()).graph.node] == [
        "Mul"
    ]


def test_unusual_names_are_written() -> None:
    name = "weird \n name \udcff / \u2603"
    with gv.scope(name):
        captured = gv.capture(gv.exp, gv.spec((2,), name=name))
    assert "\u2603" in assert_same(captured, [np.float32([3, 4])]).graph.input[0].name


@pytest.mark.parametrize("opset", [17, 18, 19, 20, 21, 22, 23])
def test_the_opset_is_the_one_asked_for(opset: int) -> None:
    assert [item.version for item in exported(opset).opset_import] == [opset]


def test_the_default_opset_rises_where_an_operation_needs_it() -> None:
    captured = gv.capture(gv.grid_sample, gv.spec((1, 1, 2, 2, 2)), gv.spec((1, 1, 1, 2, 3)))
    assert model(captured.to_onnx()).opset_import[0].version == 20
    with pytest.raises(gv.GradvizError) as caught:
        captured.to_onnx(opset=18)
    assert caught.value.slug == "onnx-not-expressible"
    assert "opset=20" in str(caught.value)


@pytest.mark.parametrize("opset", [16, 0, -1, 999, "18", 18.0, True])
def test_an_opset_that_cannot_be_written_is_refused(opset: Any) -> None:
    with pytest.raises(gv.GradvizError) as caught:
        gv.capture(gv.exp, gv.spec((2,))).to_onnx(opset=opset)
    assert caught.value.slug == "invalid-argument"
    assert "17" in str(caught.value)


def test_one_error_lists_all_operations_with_their_places() -> None:
    def program(x: Any) -> Any:
        a = gv.cholesky(x)
        b = gv.inv(x)
        return a, b, gv.cholesky(x + 1.0)

    captured = gv.capture(program, gv.spec((2, 2)))
    with pytest.raises(gv.GradvizError) as caught:
        captured.to_onnx()
    text = str(caught.value)
    assert text.splitlines()[0].endswith("ONNX has no words for cholesky, inv")
    start = program.__code__.co_firstlineno
    for line in (1, 2, 3):
        assert f"test_export.py:{start + line}:" in text
    assert isinstance(caught.value, ValueError)


def test_the_same_program_gives_the_same_bytes() -> None:
    code = (
        "import hashlib, gradviz as gv\n"
        "gv.manual_seed(3)\n"
        "m = gv.nn.Sequential(gv.nn.Linear(4, 4), gv.nn.GELU(), gv.nn.LayerNorm(4))\n"
        "print(hashlib.sha256(gv.capture(m, gv.spec((2, 4))).to_onnx()).hexdigest())"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    }
    assert len(runs) == 1


def test_targets(tmp_path: Path) -> None:
    captured = gv.capture(gv.exp, gv.spec((2,)))
    data = captured.to_onnx()
    assert captured.to_onnx(tmp_path / "a.onnx") is None
    captured.to_onnx(str(tmp_path / "b.onnx"))
    buffer = io.BytesIO()
    captured.to_onnx(buffer)
    gv.graph(captured).save(tmp_path / "c.onnx")
    assert buffer.getvalue() == data
    assert {path.read_bytes() for path in tmp_path.iterdir()} == {data}
    for target in (3, io.StringIO()):
        with pytest.raises(gv.GradvizError, match="no place for bytes"):
            captured.to_onnx(target)


def test_a_failed_export_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"old")
    with pytest.raises(gv.GradvizError):
        gv.capture(gv.inv, gv.spec((2, 2))).to_onnx(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_graph_of_tensors_is_no_model(tmp_path: Path) -> None:
    x = gv.tensor([1.0], requires_grad=True)
    with pytest.raises(gv.GradvizError, match="captured graph"):
        gv.graph(x * 2.0).save(tmp_path / "x.onnx")


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(gv.GradvizError) as caught:
        gv.capture(gv.exp, gv.spec((2,))).to_onnx()
    assert caught.value.slug == "missing-extra"
    assert "gradviz-lab[onnx]" in str(caught.value)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_other_floats_pass_the_checker(dtype: str) -> None:
    net = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Softmax(-1)).to(dtype)
    loaded = model(gv.capture(net, gv.spec((2, 4), dtype)).to_onnx())
    wanted = {"float16": onnx.TensorProto.FLOAT16, "float64": onnx.TensorProto.DOUBLE}[dtype]
    assert loaded.graph.output[0].type.tensor_type.elem_type == wanted


def test_a_gradient_program_is_exported() -> None:
    gv.manual_seed(0)
    net = nn.Sequential(
        nn.Conv2d(2, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16, 3)
    )
    captured = gv.capture(lambda x: net(x).square().mean(), gv.spec((2, 2, 6, 6)))
    assert_same(
        captured.backward(), [np.random.default_rng(0).normal(size=(2, 2, 6, 6)).astype("f4")]
    )


def test_batch_normalization_is_one_node() -> None:
    gv.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.BatchNorm2d(4))
    net(gv.randn(5, 2, 6, 6))
    net.eval()
    x = np.random.default_rng(0).normal(size=(2, 2, 6, 6)).astype("f4")
    loaded = assert_same(gv.capture(net, gv.spec(x.shape)), [x])
    kinds = [node.op_type for node in loaded.graph.node]
    assert kinds == ["Conv", "BatchNormalization", "Relu", "BatchNormalization"]
    assert loaded.graph.node[1].name == "Sequential/1/batch_norm"
    assert list(loaded.graph.node[1].input)[1:] == [
        "1.weight",
        "1.bias",
        "1.running_mean",
        "1.running_var",
    ]


def test_arithmetic_that_only_resembles_it_stays_arithmetic() -> None:
    vectors = [nn.Parameter([1.0, 2.0, 3.0]) for _ in range(4)]

    def program(x: Any, shared: bool) -> Any:
        mean, var, weight, bias = (v.to(x.device).reshape(1, 3, 1) for v in vectors)
        away = x - mean
        out = away * ((var + 1e-5).rsqrt() * weight) + bias
        return (out, away) if shared else out.reshape(6, 3) * 2.0

    x = np.random.default_rng(0).normal(size=(2, 3, 3)).astype("f4")
    shared = assert_same(gv.capture(lambda t: program(t, True), gv.spec(x.shape)), [x])
    assert "BatchNormalization" not in {node.op_type for node in shared.graph.node}
    alone = assert_same(gv.capture(lambda t: program(t, False), gv.spec(x.shape)), [x])
    assert "BatchNormalization" in {node.op_type for node in alone.graph.node}


def test_promotion_is_written_as_casts() -> None:
    captured = gv.capture(
        lambda x, n, flag: x + n * flag,
        gv.spec((2,)),
        gv.spec((2,), "int64"),
        gv.spec((2,), "bool"),
    )
    arrays = [np.float32([0.5, 1.5]), np.array([2, 3]), np.array([True, False])]
    assert_same(captured, arrays)
