"""Files that are damaged or made to hurt: a clear error, little memory, little time."""

from __future__ import annotations

import random
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import gradviz as gv
from gradviz import nn

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
MEGABYTE = 1 << 20
FOLDER = Path(__file__).parent / "models"


def graph_of(nodes: list[Any], constants: Any = (), shape: Any = (2, 3), **rest: Any) -> Any:
    return helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", FLOAT, shape)],
        [onnx.ValueInfoProto(name="y")],
        constants,
        **rest,
    )


def model_of(nodes: list[Any], constants: Any = (), shape: Any = (2, 3), opset: int = 17) -> Any:
    return helper.make_model(
        graph_of(nodes, constants, shape),
        opset_imports=[helper.make_opsetid("", opset)],
        ir_version=8,
    )


def refused(data: Any, *words: str) -> gv.GradvizError:
    if not isinstance(data, bytes):
        data = data.SerializeToString()
    tracemalloc.start()
    started = time.perf_counter()
    try:
        with pytest.raises(gv.GradvizError) as caught:
            gv.from_onnx(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert time.perf_counter() - started < 20
    assert peak < 100 * MEGABYTE
    assert caught.value.slug == "onnx-unreadable"
    assert isinstance(caught.value, ValueError)
    text = " ".join(str(caught.value).split())
    for word in words:
        assert word in text
    return caught.value


def node(kind: str, inputs: list[str], **attributes: Any) -> Any:
    return helper.make_node(kind, inputs, ["y"], name=f"the/{kind}", **attributes)


def sound() -> bytes:
    gv.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 2))
    return gv.capture(net, gv.spec((1, 1, 4, 4))).to_onnx()


def read_or_refuse(data: bytes) -> bool:
    """Whether a model was read; anything but a model or the one error fails."""
    try:
        captured = gv.from_onnx(data)
    except gv.GradvizError as error:
        if error.slug != "onnx-unreadable":
            raise
        return False
    str(captured)
    return True


@pytest.mark.parametrize("data", [b"", b"text", b"\x00" * 100, b"\xff" * 100, b"\x08" * 1000])
def test_no_model(data: bytes) -> None:
    refused(data)


def test_truncated_at_every_place() -> None:
    data = sound()
    read = sum(read_or_refuse(data[:end]) for end in range(0, len(data), 3))
    assert read <= 40  # what is cut off at the very end may be missed by nobody


@pytest.mark.parametrize("seed", range(6))
def test_flipped_bytes(seed: int) -> None:
    chance = random.Random(seed)
    source = sound() if seed % 2 else (FOLDER / "gru.onnx").read_bytes()
    tracemalloc.start()
    try:
        for _ in range(150):
            data = bytearray(source)
            for _ in range(chance.randint(1, 8)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            read_or_refuse(bytes(data))
        assert tracemalloc.get_traced_memory()[1] < 200 * MEGABYTE
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("seed", range(4))
def test_shuffled_structure(seed: int) -> None:
    """Valid files whose nodes, names, attributes and shapes were exchanged at random."""
    chance = random.Random(seed)
    sources = [path.read_bytes() for path in sorted(FOLDER.glob("*.onnx"))]
    for _ in range(10):
        model = onnx.ModelProto.FromString(chance.choice(sources))
        nodes = model.graph.node
        for _ in range(3):
            one, two = chance.choice(nodes), chance.choice(nodes)
            what = chance.randrange(5)
            if what == 0 and one.input and two.input:
                one.input[0] = two.input[0]
            elif what == 1:
                one.op_type, two.op_type = two.op_type, one.op_type
            elif what == 2 and one.attribute:
                attribute = chance.choice(one.attribute)
                attribute.i = chance.choice([0, -1, 2**62, 7])
                attribute.ints[:] = [chance.choice([0, -5, 3, 2**40]) for _ in attribute.ints]
            elif what == 3 and model.graph.initializer:
                tensor = chance.choice(model.graph.initializer)
                tensor.dims[:] = tensor.dims[::-1] or [2**50]
            else:
                del one.attribute[:]
        read_or_refuse(model.SerializeToString())


def test_a_cycle() -> None:
    nodes = [
        helper.make_node("Add", ["x", "b"], ["a"], name="first"),
        helper.make_node("Add", ["a", "x"], ["b"], name="second"),
        node("Relu", ["b"]),
    ]
    refused(model_of(nodes), "cycle")
    refused(model_of([node("Add", ["x", "y"])]), "cycle")


def test_nodes_out_of_order_are_put_in_order() -> None:
    nodes = [node("Relu", ["a"]), helper.make_node("Neg", ["x"], ["a"])]
    captured = gv.from_onnx(model_of(nodes).SerializeToString())
    assert [operation.op for operation in captured.operations] == ["neg", "relu"]


def test_values_made_twice_or_never() -> None:
    refused(model_of([node("Relu", ["x"]), node("Neg", ["x"])]), "twice")
    refused(model_of([node("Add", ["x", "nowhere"])]), "nowhere")
    refused(model_of([]), "nothing makes")


@pytest.mark.parametrize("location", ["/etc/passwd", "../secret", "weights.bin", "C:\\x", ""])
def test_other_files_are_never_opened(location: str, tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "weights.bin").write_bytes(b"\x00" * 24)
    weight = TensorProto(name="w", data_type=FLOAT, dims=[2, 3], data_location=1)
    weight.external_data.add(key="location", value=location)
    path = tmp_path / "model.onnx"
    path.write_bytes(model_of([node("Add", ["x", "w"])], [weight]).SerializeToString())
    opened: list[Any] = []
    monkeypatch.setattr(
        "builtins.open", lambda *arguments, **rest: opened.append(arguments) or 1 / 0
    )
    with pytest.raises(gv.GradvizError) as caught:
        gv.from_onnx(path)
    assert not opened
    assert caught.value.slug == "onnx-unreadable"
    assert "another file" in str(caught.value)


@pytest.mark.parametrize("dims", [[2**40, 2**20], [-1], [2**62, 2**62], [3], [1] * 70])
def test_constants_that_claim_more_than_they_hold(dims: list[int]) -> None:
    weight = TensorProto(name="w", data_type=FLOAT, dims=dims, raw_data=b"\x00" * 8)
    refused(model_of([node("Add", ["x", "w"])], [weight]), "w")
    weight = TensorProto(name="w", data_type=FLOAT, dims=dims, float_data=[1.0])
    refused(model_of([node("Add", ["x", "w"])], [weight]), "w")


@pytest.mark.parametrize("code", [0, 8, 14, 16, 17, 22, 99])
def test_elements_of_unknown_types(code: int) -> None:
    weight = TensorProto(name="w", data_type=code, dims=[1], raw_data=b"\x00" * 8)
    refused(model_of([node("Add", ["x", "w"])], [weight]), "don't exist here")


def test_a_gigantic_input_costs_nothing() -> None:
    tracemalloc.start()
    try:
        data = model_of([node("Relu", ["x"])], shape=(2**40, 2**20)).SerializeToString()
        captured = gv.from_onnx(data)
        assert captured.outputs[0].shape == (2**40, 2**20)
        gv.graph(captured)
        str(captured)
        assert tracemalloc.get_traced_memory()[1] < 50 * MEGABYTE
    finally:
        tracemalloc.stop()


def ints(name: str, *values: int) -> Any:
    return numpy_helper.from_array(np.array(values, np.int64), name)


def one(name: str, value: int) -> Any:
    return numpy_helper.from_array(np.array(value, np.int64), name)


BIG = 2**45
GROWING = {
    "expand": (helper.make_node("Expand", ["c", "s"], ["b"]), [ints("s", BIG, 3)]),
    "tile": (helper.make_node("Tile", ["c", "s"], ["b"]), [ints("s", BIG)]),
    "constant_of_shape": (
        helper.make_node("ConstantOfShape", ["s"], ["b"]),
        [ints("s", BIG, 3)],
    ),
    "pad": (helper.make_node("Pad", ["c", "s"], ["b"], mode="constant"), [ints("s", BIG, BIG)]),
}


@pytest.mark.parametrize("name", GROWING)
def test_what_grows_is_not_made(name: str) -> None:
    made, constants = GROWING[name]
    value = numpy_helper.from_array(np.float32([1, 2, 3]), "c")
    if name == "expand":
        value = numpy_helper.from_array(np.float32([1]), "c")
    nodes = [made, helper.make_node("Shape", ["b"], ["n"]), node("Cast", ["n"], to=FLOAT)]
    tracemalloc.start()
    try:
        data = model_of(nodes, [value, *constants]).SerializeToString()
        captured = gv.from_onnx(data)
        assert tracemalloc.get_traced_memory()[1] < 50 * MEGABYTE
    finally:
        tracemalloc.stop()
    assert captured.outputs[0].dtype == "float32"
    if name == "expand":  # which is a view
        assert captured.run(np.zeros((2, 3), np.float32)).tolist() == [BIG, 3]


@pytest.mark.parametrize(
    ("made", "constants"),
    [
        (("Range", ["a", "s", "b"]), [one("a", 0), one("s", BIG), one("b", 1)]),
        (("OneHot", ["i", "s", "v"]), [ints("i", 1), one("s", BIG), ints("v", 0, 1)]),
        (("Pad", ["x", "s"], {"mode": "reflect"}), [ints("s", BIG, 0, BIG, 0)]),
        (("Resize", ["x", "", "", "s"]), [ints("s", 2, BIG)]),
        (("Resize", ["x", "", "s"]), [numpy_helper.from_array(np.float32([1, 1e30]), "s")]),
        (("Split", ["x"], {"axis": 7}), []),
        (("Unsqueeze", ["x", "s"]), [ints("s", *range(100))]),
        (("Transpose", ["x"], {"perm": [0, 0]}), []),
        (("Reshape", ["x", "s"]), [ints("s", -1, -1)]),
        (("Reshape", ["x", "s"]), [ints("s", 5)]),
        (("Gather", ["x", "s"]), [one("s", 9)]),
        (("Slice", ["x", "s", "s", "a", "a"]), [ints("s", 0), ints("a", 0)]),
        (("Conv", ["x", "x"], {"strides": [0, 0]}), []),
        (("MaxPool", ["x"], {"kernel_shape": [BIG]}), []),
        (("TopK", ["x", "s"]), [ints("s", BIG)]),
        (("Concat", ["x", "x"]), []),
        (("Softmax", ["x"], {"axis": 99}), []),
        (("Cast", ["x"], {"to": 8}), []),
        (("Einsum", ["x"], {"equation": "((("}), []),
        (("Add", ["x"]), []),
        (("Relu", []), []),
        (("Dropout", ["x", "", "t"]), [numpy_helper.from_array(np.array(True), "t")]),
        (("GRU", ["x", "x", "x"], {"hidden_size": 3}), []),
        (("Pad", ["x", "s"], {"mode": "constant"}), [ints("s", -5, 0, -5, 0)]),
        (("BatchNormalization", ["x", *"wwww"]), [numpy_helper.from_array(np.ones(5, "f4"), "w")]),
        (("Where", ["x", "x", "x"]), []),
        (("Concat", ["x", "w"], {"axis": 0}), [numpy_helper.from_array(np.ones(2, "f4"), "w")]),
        (("Mod", ["i", "z"]), [ints("i", 1), ints("z", 0)]),
    ],
)
def test_nonsense_in_a_node_is_named(made: Any, constants: list[Any]) -> None:
    kind, inputs, *rest = made
    error = refused(model_of([node(kind, inputs, **(rest[0] if rest else {}))], constants))
    assert kind in str(error)


def test_all_unknown_operations_are_listed_at_once() -> None:
    nodes = [
        helper.make_node("Conjure", ["x"], ["a"], name="first", domain="com.example"),
        helper.make_node("NonZero", ["a"], ["b"], name="second"),
        helper.make_node("NoSuch", ["b"], ["c"], name="third"),
        node("Relu", ["c"]),
    ]
    refused(model_of(nodes), "com.example.Conjure", "NonZero", "NoSuch", "first", "second", "third")


def test_branches_and_loops_are_refused() -> None:
    inner = graph_of([node("Relu", ["x"])])
    refused(model_of([node("If", ["x"], then_branch=inner, else_branch=inner)]), "branches")
    refused(model_of([node("Relu", ["x"], body=inner)]), "attribute")


def test_deep_nesting() -> None:
    inner = graph_of([node("Relu", ["x"])])
    for _ in range(10):
        inner = graph_of([node("If", ["x"], then_branch=inner)])
    refused(model_of([node("If", ["x"], then_branch=inner)]))
    # As bytes, deeper than any library would write it: lengths inside lengths.
    data = b""
    for _ in range(3000):
        data = b"\x3a" + _length(len(data)) + data
    refused(data)


def _length(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


@pytest.mark.parametrize("opset", [0, -1, 6, 10_000, 2**62])
def test_unknown_opsets(opset: int) -> None:
    refused(model_of([node("Relu", ["x"])], opset=opset), "opset")


def test_long_chains_and_names_are_read() -> None:
    count = 3000
    nodes = [
        helper.make_node("Neg", [f"v{at}"], [f"v{at + 1}"], name="/".join(["deep"] * 500))
        for at in range(count)
    ]
    nodes[0].input[0] = "x"
    nodes.append(node("Relu", [f"v{count}"]))
    captured = gv.from_onnx(model_of(nodes).SerializeToString())
    assert len(captured.operations) == count + 1


def test_names_from_a_file_are_data() -> None:
    name = "\x1b[31m<script>alert(1)</script>\n"
    model = model_of([helper.make_node("Relu", [name], ["y"], name=f"{name}/{name}")])
    model.graph.input[0].name = name
    captured = gv.from_onnx(model.SerializeToString())
    assert "\x1b" not in str(captured) and "\n<" not in str(captured)
    page = gv.graph(captured).to_html()
    assert "<script>alert" not in page
    model.graph.node[0].op_type = name
    error = refused(model)
    assert "\x1b" not in str(error)


def test_types_that_are_no_tensors() -> None:
    model = model_of([node("Relu", ["x"])])
    model.graph.input[0].type.sequence_type.elem_type.tensor_type.elem_type = FLOAT
    refused(model, "no tensor")
    model = model_of([node("Relu", ["x"])])
    model.graph.input[0].ClearField("type")
    refused(model, "no type")


def test_a_declared_output_must_be_what_is_computed() -> None:
    model = model_of([node("Relu", ["x"])])
    model.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", FLOAT, [7, 7]))
    refused(model, "declared")
    model.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", INT64, [2, 3]))
    refused(model, "declared")


def test_inputs_without_a_shape_ask_for_one() -> None:
    model = model_of([node("Relu", ["x"])], shape=None)
    refused(model, "shapes")
    captured = gv.from_onnx(model.SerializeToString(), shapes={"x": (2,)})
    assert captured.run([-1.0, 1.0]).tolist() == [0.0, 1.0]


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(gv.GradvizError) as caught:
        gv.from_onnx(tmp_path)
    assert caught.value.slug == "onnx-unreadable"
