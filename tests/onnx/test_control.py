"""Branches and loops of models: written out where the file decides them, refused where a run does."""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import gradviz as gv
from tests.asserting import refused
from tests.onnx.running import outcome

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
X = np.arange(6, dtype=np.float32).reshape(2, 3) - 2


def info(name: str, dtype: int = FLOAT, shape: Any = None) -> Any:
    return helper.make_tensor_value_info(name, dtype, shape)


def node(kind: str, inputs: str, outputs: str, **attributes: Any) -> Any:
    names = [name if name != "_" else "" for name in inputs.split()]
    return helper.make_node(kind, names, outputs.split(), name=f"/{kind}_{outputs}", **attributes)


def graph(nodes: list[Any], inputs: list[Any], outputs: list[Any], **constants: Any) -> Any:
    held = [numpy_helper.from_array(np.asarray(v), name) for name, v in constants.items()]
    return helper.make_graph(nodes, "g", inputs, outputs, held)


def model(nodes: list[Any], shape: Any = (2, 3), **constants: Any) -> bytes:
    made = helper.make_model(
        graph(nodes, [info("x", FLOAT, shape)], [info("y")], **constants),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    return made.SerializeToString()


def same(data: bytes, x: Any = X) -> gv.CapturedGraph:
    """The program computes what ONNX Runtime does of the model."""
    captured = gv.from_onnx(data)
    captured.graph.validate()
    np.testing.assert_allclose(captured.run(x).numpy(), outcome(data, [x])[0], rtol=1e-6)
    return captured


def branches(**constants: Any) -> dict[str, Any]:
    return {
        "then_branch": graph([node("Add", "x two", "p")], [], [info("p")], **constants),
        "else_branch": graph([node("Mul", "x two", "q")], [], [info("q")]),
    }


def turn(nodes: list[Any], *outputs: str, carried: int = 1, **constants: Any) -> dict[str, Any]:
    """The body of a loop that carries `a`, `b` ..."""
    inputs = [info("i", INT64, ()), info("go", BOOL, ())]
    inputs += [info("ab"[at]) for at in range(carried)]
    shown = [info(outputs[0], BOOL, ()), *map(info, outputs[1:])]
    return {"body": graph(nodes, inputs, shown, **constants)}


TWO = np.float32(2.0)
GO_ON = node("Identity", "go", "on")


# --- branches ------------------------------------------------------------------------------------
@pytest.mark.parametrize(("condition", "op"), [(True, "add"), (False, "mul")])
def test_the_branch_of_a_known_condition(condition: bool, op: str) -> None:
    data = model([node("If", "c", "y", **branches())], c=np.bool_(condition), two=TWO)
    captured = same(data)
    assert [item.op for item in captured.operations] == [op]
    branch = "then_branch" if condition else "else_branch"
    assert captured.operations[0].scope == f"If_y/{branch}"


def test_a_condition_that_is_computed_of_shapes() -> None:
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s at", "n"),
        node("Equal", "n one", "c"),
        node("If", "c", "y", **branches()),
    ]
    constants = {"at": np.int64(0), "one": np.int64(2), "two": TWO}
    assert [op.op for op in same(model(nodes, **constants)).operations] == ["add"]
    error = refused(
        lambda: gv.from_onnx(model(nodes, ("n", 3), **constants)), "onnx-unreadable", "whether n is"
    )
    assert "shapes" in error.problem.advice
    known = gv.from_onnx(model(nodes, ("n", 3), **constants), shapes={"n": 5})
    assert [op.op for op in known.operations] == ["mul"]


def test_what_the_other_branch_holds_is_not_asked() -> None:
    chosen = branches()
    nodes = [node("NonZero", "x", "z"), node("Cast", "z", "q", to=FLOAT)]
    chosen["else_branch"] = graph(nodes, [], [info("q")])
    same(model([node("If", "c", "y", **chosen)], c=np.bool_(True), two=TWO))


def test_branches_inside_branches_see_what_is_around() -> None:
    inner = {
        "then_branch": graph([node("Sub", "h x", "r")], [], [info("r")]),
        "else_branch": graph([node("Mul", "h three", "t")], [], [info("t")]),
    }
    outer = {
        "then_branch": graph(
            [node("Add", "x two", "h"), node("If", "d", "p", **inner)],
            [],
            [info("p")],
            three=np.float32(3.0),
        ),
        "else_branch": graph([node("Neg", "x", "q")], [], [info("q")]),
    }
    outer["then_branch"].initializer.append(numpy_helper.from_array(np.bool_(False), "d"))
    captured = same(model([node("If", "c", "y", **outer)], c=np.bool_(True), two=TWO))
    assert [item.op for item in captured.operations] == ["add", "mul"]


# --- loops ---------------------------------------------------------------------------------------
def test_a_loop_of_known_length_with_parts() -> None:
    body = turn(
        [GO_ON, node("Mul", "a two", "m"), node("Add", "m x", "s"), node("Identity", "s", "part")],
        "on",
        "s",
        "part",
    )
    nodes = [
        node("Loop", "many yes x", "last parts", **body),
        node("ReduceSum", "parts axes", "sum", keepdims=0),
        node("Add", "last sum", "y"),
    ]
    constants = {"many": np.int64(3), "yes": np.bool_(True), "axes": np.array([0]), "two": TWO}
    captured = same(model(nodes, **constants))
    assert [item.op for item in captured.operations].count("mul") == 3
    assert captured.operations[0].scope == "Loop_last parts/0"


def test_a_loop_that_counts_and_ends_by_its_condition() -> None:
    body = turn(
        [
            node("Cast", "i", "f", to=FLOAT),
            node("Add", "a f", "s"),
            node("Add", "b one", "n"),
            node("Less", "n most", "on"),
        ],
        "on",
        "s",
        "n",
        carried=2,
    )
    body["body"].input[3].CopyFrom(info("b", INT64, ()))
    body["body"].output[2].CopyFrom(info("n", INT64, ()))
    nodes = [node("Loop", "_ yes x zero", "y n_last", **body)]
    constants = {
        "yes": np.bool_(True),
        "zero": np.int64(0),
        "one": np.int64(1),
        "most": np.int64(4),
    }
    assert len(same(model(nodes, **constants)).operations) == 4
    # A number of turns that is never reached, as exporters write it for `while`.
    nodes = [node("Loop", "many yes x zero", "y n_last", **body)]
    same(model(nodes, many=np.int64(2**63 - 1), **constants))


def test_a_loop_that_never_runs() -> None:
    body = turn([GO_ON, node("Add", "a two", "s"), node("Neg", "a", "part")], "on", "s", "part")
    body["body"].output[2].CopyFrom(info("part", FLOAT, (2, 3)))
    nodes = [
        node("Loop", "none _ x", "last parts", **body),
        node("ReduceSum", "parts axes", "sum", keepdims=0),
        node("Add", "last sum", "y"),
    ]
    same(model(nodes, none=np.int64(0), axes=np.array([0]), two=TWO))
    body["body"].output[2].CopyFrom(info("part"))
    nodes[0] = node("Loop", "none _ x", "last parts", **body)
    data = model(nodes, none=np.int64(0), axes=np.array([0]), two=TWO)
    refused(lambda: gv.from_onnx(data), "onnx-unreadable", "never runs")


def test_learned_constants_of_a_body_are_one_parameter() -> None:
    body = turn(
        [GO_ON, node("MatMul", "a w", "m"), node("Tanh", "m", "s")],
        "on",
        "s",
        w=np.eye(3, dtype=np.float32) * 0.5,
    )
    captured = same(model([node("Loop", "many _ x", "y", **body)], many=np.int64(3)))
    module = captured.to_module()
    ((name, weight),) = module.named_parameters()
    assert name == "w" and [op.op for op in captured.operations] == ["matmul", "tanh"] * 3
    grads = module(gv.tensor(X)).sum().backward()
    assert weight in grads
    again = gv.from_onnx(captured.to_onnx())
    np.testing.assert_allclose(again.run(X).numpy(), captured.run(X).numpy(), rtol=1e-6)


@pytest.mark.parametrize("back", [0, 1])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_scan(axis: int, back: int) -> None:
    size = X.shape[1 - axis]
    body = graph(
        [node("Add", "state part", "s"), node("Mul", "s two", "o")],
        [info("state", FLOAT, (size,)), info("part", FLOAT, (size,))],
        [info("s", FLOAT, (size,)), info("o", FLOAT, (size,))],
    )
    scan = node(
        "Scan",
        "zero x",
        "last y",
        body=body,
        num_scan_inputs=1,
        scan_input_axes=[axis],
        scan_input_directions=[back],
        scan_output_axes=[1],
        scan_output_directions=[1 - back],
    )
    same(model([scan], zero=np.zeros(size, np.float32), two=TWO))


# --- what only a run decides ---------------------------------------------------------------------
LIVE = [node("ReduceSum", "x", "t", keepdims=0), node("Greater", "t two", "c")]
FOREVER = turn([GO_ON, node("Add", "a two", "s")], "on", "s")
DEPENDENT: dict[str, tuple[list[Any], dict[str, Any], str]] = {
    "branch": ([*LIVE, node("If", "c", "y", **branches())], {}, "which branch it takes"),
    "begin": (
        [*LIVE, node("Loop", "_ c x", "y", **FOREVER)],
        {},
        "whether it begins depends on values",
    ),
    "end": (
        [
            node(
                "Loop",
                "_ yes x",
                "y",
                **turn(
                    [
                        node("Add", "a two", "s"),
                        node("ReduceSum", "s", "t", keepdims=0),
                        node("Less", "t two", "on"),
                    ],
                    "on",
                    "s",
                ),
            )
        ],
        {"yes": np.bool_(True)},
        "whether it goes on depends on values",
    ),
    "turns": (
        [
            node("ReduceSum", "x", "t", keepdims=0),
            node("Cast", "t", "many", to=INT64),
            node("Loop", "many _ x", "y", **FOREVER),
        ],
        {},
        "how often it runs depends on values",
    ),
    "too long": (
        [node("Loop", "many _ x", "y", **FOREVER)],
        {"many": np.int64(10**12)},
        "up to 1000000000000 times",
    ),
    "endless": ([node("Loop", "_ yes x", "y", **FOREVER)], {"yes": np.bool_(True)}, "more often"),
}


@pytest.mark.parametrize("name", DEPENDENT)
def test_what_only_a_run_decides_is_named_with_its_reason(name: str) -> None:
    nodes, constants, reason = DEPENDENT[name]
    data = model(nodes, two=TWO, **constants)
    error = refused(lambda: gv.from_onnx(data), "onnx-unreadable", "no counterpart of")
    ((kind, text),) = error.problem.facts
    assert kind in ("If", "Loop") and f"/{kind}_y" in text and reason in text


def test_an_open_size_as_number_of_turns() -> None:
    nodes = [
        node("Shape", "x", "s"),
        node("Gather", "s at", "many"),
        node("Loop", "many _ x", "y", **FOREVER),
    ]
    data = model(nodes, ("batch", 3), at=np.int64(0), two=TWO)
    refused(lambda: gv.from_onnx(data), "onnx-unreadable", "the size batch, which is left open")
    assert len(gv.from_onnx(data, shapes={"batch": 2}).operations) == 2


def test_everything_without_a_counterpart_is_told_at_once() -> None:
    inner = turn([GO_ON, node("Unique", "a", "u"), node("Add", "u two", "s")], "on", "s")
    nodes = [
        node("NonZero", "x", "z"),
        *LIVE,
        node("If", "c", "chosen", **branches()),
        node("Loop", "many _ chosen", "never", **inner),
        node("Loop", "many _ x", "turned", **inner),
        node("Cast", "z", "zf", to=FLOAT),
        helper.make_node("Concat", ["zf", "never", "turned", "chosen"], ["y"], axis=0),
    ]
    data = model(nodes, two=TWO, many=np.int64(2))
    error = refused(lambda: gv.from_onnx(data), "onnx-unreadable")
    found = dict(error.problem.facts)
    assert set(found) == {"NonZero", "If", "Unique"} and "/Unique_u" in found["Unique"]


def test_nested_loops_are_bounded() -> None:
    many = {"many": np.int64(4000)}
    body = turn([node("Identity", "go", "on1"), node("Add", "a two", "s1")], "on1", "s1")
    for level in range(3):
        names = {"i": f"i{level}", "go": f"go{level}", "a": f"a{level}"}
        for item in body["body"].input:
            item.name = names[item.name]
        for inner in body["body"].node:
            for at, name in enumerate(inner.input):
                inner.input[at] = names.get(name, name)
        on, out = f"on{level + 2}", f"s{level + 2}"
        nodes = [node("Identity", "go", on), node("Loop", "many _ a", out, **body)]
        body = turn(nodes, on, out)
    data = model([node("Loop", "many _ x", "y", **body)], two=TWO, **many)
    started = time.perf_counter()
    refused(lambda: gv.from_onnx(data), "onnx-unreadable", "50000 nodes")
    assert time.perf_counter() - started < 60


@pytest.mark.parametrize(
    "broken",
    [
        node("If", "c", "y"),
        node("If", "c", "y", then_branch=graph([], [], []), else_branch=graph([], [], [])),
        node("Loop", "many _ x", "y"),
        node("Loop", "many _", "y", **FOREVER),
        node("Loop", "many _ x x", "y", **FOREVER),
        node("Loop", "x _ x", "y", **FOREVER),
        node("Scan", "x", "y", **FOREVER, num_scan_inputs=1),
        node("Scan", "x", "y", **FOREVER),
        node("Loop", "many _ x", "y", **turn([GO_ON, node("Add", "a gone", "s")], "on", "s")),
        node("Loop", "many _ x", "y", **turn([GO_ON, node("Add", "s two", "s")], "on", "s")),
        node("Loop", "many _ x", "y z", **FOREVER),
    ],
)
def test_control_flow_that_is_none(broken: Any) -> None:
    data = model([broken], c=np.bool_(True), many=np.int64(2), two=TWO)
    try:
        assert gv.from_onnx(data).run(X).shape == (2, 3)
    except gv.GradvizError as error:
        assert error.slug == "onnx-unreadable"  # noqa: PT017 - either of both


@pytest.mark.parametrize("seed", range(3))
def test_damaged_branches_and_loops(seed: int) -> None:
    chance = random.Random(seed)
    inner = turn([GO_ON, node("If", "go", "s", **branches())], "on", "s")
    inner["body"].node[1].attribute[0].g.node[0].input[0] = "a"
    source = model([node("Loop", "many _ x", "y", **inner)], many=np.int64(3), two=TWO)
    gv.from_onnx(source)
    for _ in range(200):
        data = bytearray(source)
        for _ in range(chance.randint(1, 6)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            gv.from_onnx(bytes(data))
        except gv.GradvizError as error:
            assert error.slug == "onnx-unreadable"  # noqa: PT017 - damaged or not
