"""Texts that are no programs: always one of our errors, in bounded time and memory."""

from __future__ import annotations

import contextlib
import copy
import json
import random
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.ir import GraphIr, OperationIr, TensorIr
from tests.asserting import refused
from tests.ir.programs import network
from tests.ir.test_json import recorded
from tests.ops.sampling import Case, cases

DOCUMENT: dict[str, Any] = json.loads(network()[0].to_json())


def reading(text: Any) -> Callable[[], Any]:
    return lambda: gv.CapturedGraph.from_json(text)


def changed(change: Callable[[dict[str, Any]], Any]) -> str:
    """The text of the document after a change in place."""
    document = copy.deepcopy(DOCUMENT)
    change(document)
    return json.dumps(document)


def operation(document: dict[str, Any], name: str) -> dict[str, Any]:
    return next(row for row in document["operations"] if row["op"] == name)


# --- texts -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no JSON"),
        ("{", "no JSON"),
        ("null", "no program"),
        ("[]", "no program"),
        ('"gradviz-program"', "no program"),
        ("{}", "format"),
        ('{"format": "gradviz-program"}', "version None"),
        ('{"format": "gradviz-program", "version": 2}', "version 2"),
        ('{"format": "gradviz-program", "version": true}', "version True"),
        ('{"format": "gradviz-program", "version": 1}', "missing"),
        ("[" * 100_000, "deep"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "deep"),
        ('{"format": NaN}', "NaN"),
        ("1" * 5000, "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (7, "int"),
        ('{"a": "\\ud800' + "[" * 1000 + '"}', "no program"),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_texts_that_are_no_programs(text: Any, words: str) -> None:
    refused(reading(text), "invalid-program", words)


@pytest.mark.parametrize(
    ("change", "slug", "words"),
    [
        (lambda d: d.update(result="array"), "invalid-program", "result"),
        (lambda d: d.update(tensors={}), "invalid-program", "tensors"),
        (lambda d: d["tensors"].append(d["tensors"][0]), "invalid-program", "twice"),
        (lambda d: d["tensors"][0].update(id=-1), "invalid-program", "number"),
        (lambda d: d["tensors"][0].update(id=True), "invalid-program", "number"),
        (lambda d: d["tensors"][0].update(dtype="object"), "invalid-program", "dtype"),
        (lambda d: d["tensors"][0].update(status="lost"), "invalid-program", "status"),
        (lambda d: d["tensors"][0].update(status="computed"), "invalid-program", "computed"),
        (lambda d: d["tensors"][0].update(shape=[3, -8]), "invalid-program", "size"),
        (lambda d: d["tensors"][0].update(shape=[3, 8.0]), "invalid-program", "size"),
        (lambda d: d["tensors"][0].update(shape=[3, True]), "invalid-program", "size"),
        (lambda d: d["tensors"][0].update(shape=[2**20] * 3), "invalid-program", "elements"),
        (lambda d: d["tensors"][0].update(shape=[10**4000]), "invalid-program", "elements"),
        (lambda d: d["tensors"][0].update(shape=[0, 2**62]), "invalid-program", "elements"),
        (lambda d: d["tensors"][0].update(shape=[1] * 65), "invalid-program", "dimensions"),
        (lambda d: d["tensors"][0].update(shape="3"), "invalid-program", "shape"),
        (lambda d: d["tensors"][0].update(shape=["__import__('os')"]), "invalid-program", "size"),
        (lambda d: d["tensors"][0].update(shape=["n*" * 1000 + "n"]), "invalid-program", "size"),
        (lambda d: d["tensors"][0].update(name="x" * 10_000), "invalid-program", "name"),
        (lambda d: d["tensors"][0].update(extra=1), "invalid-program", "extra"),
        (lambda d: d["tensors"].append(dict(d["tensors"][0], id=900)), "invalid-program", "never"),
        (lambda d: d["inputs"].append(d["inputs"][0]), "capture-boundary", "declared twice"),
        (lambda d: d["outputs"].append(d["outputs"][0]), "capture-boundary", "declared twice"),
        (lambda d: d["inputs"].append(900), "capture-boundary", "unknown"),
        (lambda d: d["outputs"].append(900), "capture-boundary", "unknown"),
        (lambda d: d["inputs"].append(d["outputs"][0]), "capture-boundary", "produced within"),
        (
            lambda d: d["inputs"].append(d["constants"][0]["id"]),
            "capture-boundary",
            "constant of the graph",
        ),
        (lambda d: d["inputs"].pop(), "capture-boundary", "undeclared"),
        (
            lambda d: d["tensors"][1].update(name=d["tensors"][0]["name"]),
            "capture-boundary",
            "taken",
        ),
        (lambda d: d["constants"].append(d["constants"][0]), "invalid-program", "twice"),
        (lambda d: d["constants"][0].update(data="AAAA"), "invalid-program", "contents"),
        (lambda d: d["constants"][0].update(data=3), "invalid-program", "contents"),
        (
            lambda d: d["constants"][0].update(data="*" * len(d["constants"][0]["data"])),
            "invalid-program",
            "contents",
        ),
        (lambda d: d["scopes"][1].update(parent=1), "invalid-program", "before its parent"),
        (lambda d: d["scopes"][0].update(label=None), "invalid-program", "label"),
        (
            lambda d: d["scopes"].extend(
                [
                    {"label": "s", "kind": "scope", "parent": at + len(d["scopes"]) - 1}
                    for at in range(400)
                ]
            ),
            "invalid-program",
            "deeply",
        ),
        (lambda d: operation(d, "sort").update(op="system"), "invalid-program", "unknown"),
        (lambda d: operation(d, "sort").update(op="__class__"), "invalid-program", "unknown"),
        (lambda d: operation(d, "sort")["inputs"].append(0), "invalid-program", "inputs"),
        (lambda d: operation(d, "sort").update(inputs=[None]), "invalid-program", "lacks"),
        (lambda d: operation(d, "sort").update(inputs=[-1]), "invalid-program", "number"),
        (lambda d: operation(d, "sort").update(inputs=[900]), "invalid-program", "undefined"),
        (lambda d: operation(d, "cat").update(inputs=[]), "invalid-program", "inputs"),
        (lambda d: operation(d, "sort")["outputs"].pop(), "invalid-program", "results"),
        (
            lambda d: operation(d, "sort").update(outputs=operation(d, "linear")["outputs"] * 2),
            "invalid-program",
            "there already",
        ),
        (lambda d: operation(d, "sort").update(outputs=[0, 900]), "capture-boundary", "produced"),
        (
            lambda d: operation(d, "gelu").update(inputs=operation(d, "gelu")["outputs"]),
            "invalid-program",
            "cycle",
        ),
        (
            lambda d: operation(d, "gelu").update(inputs=operation(d, "sort")["outputs"][:1]),
            "invalid-program",
            "cycle",
        ),
        (lambda d: d["operations"].reverse(), "invalid-program", "out of order"),
        (lambda d: operation(d, "sort").update(attributes={}), "invalid-program", "attributes"),
        (lambda d: operation(d, "sort").update(attributes=[1]), "invalid-program", "attributes"),
        (
            lambda d: operation(d, "sort")["attributes"].update(dim="x"),
            "invalid-program",
            "no dimension",
        ),
        (
            lambda d: operation(d, "cat")["attributes"].update(dim=10**30),
            "invalid-program",
            "too large",
        ),
        (lambda d: operation(d, "cat")["attributes"].update(dim={}), "invalid-program", "value"),
        (
            lambda d: operation(d, "slice")["attributes"].update(
                index=[{"slice": [None, None, 0]}, {"slice": [None, 2, None]}]
            ),
            "invalid-program",
            "slice",
        ),
        (
            lambda d: operation(d, "gelu")["attributes"].update(
                approximate=json.loads("[" * 30 + "]" * 30)
            ),
            "invalid-program",
            "nested",
        ),
        (lambda d: operation(d, "sort").update(scope=900), "invalid-program", "scope"),
        (lambda d: operation(d, "sort")["source"].update(file=900), "invalid-program", "file"),
        (
            lambda d: operation(d, "sort")["source"].update(end_line=2**30),
            "invalid-program",
            "lines",
        ),
    ],
)
def test_documents_that_break_a_rule(change: Any, slug: str, words: str) -> None:
    refused(reading(changed(change)), slug, words)


def test_shapes_and_dtypes_that_inference_contradicts() -> None:
    for at, row in enumerate(DOCUMENT["tensors"]):
        if row["status"] != "computed":
            continue
        for change in ({"shape": [*row["shape"], 1]}, {"dtype": "uint16"}):
            text = changed(lambda d, at=at, change=change: d["tensors"][at].update(change))
            refused(reading(text), "invalid-program", "said to be")


def test_the_error_shows_the_line_that_was_recorded_and_opens_no_file() -> None:
    def change(document: dict[str, Any]) -> None:
        document["files"] = ["/dev/zero"] * len(document["files"])
        operation(document, "sort")["attributes"]["dim"] = 9

    with pytest.raises(gv.GradvizError) as caught:
        gv.CapturedGraph.from_json(changed(change))
    problem = caught.value.problem
    assert problem.cause is not None and problem.cause.filename == "<recorded /dev/zero>"
    assert problem.where is not None and problem.where.filename == __file__
    assert "hidden.sort(dim=-1)" in str(problem.cause.text) and str(caught.value)


# --- by hand -----------------------------------------------------------------------------------------
def test_programs_put_together_by_hand() -> None:
    x, y = TensorIr(0, (2,), "float32", "x", "input"), TensorIr(1, (2,), "float32")
    graph = GraphIr({0: x, 1: y}, [OperationIr("exp", (0,), (1,))], {}, [0], [1])
    graph.validate()
    assert gv.CapturedGraph(graph).run([0.0, 0.0]).tolist() == [1.0, 1.0]
    graph.tensors[1] = TensorIr(7, (2,), "float32")
    refused(graph.validate, "invalid-program", "has the number 7")
    graph.tensors[1] = TensorIr(1, [2], "float32")  # type: ignore[arg-type]
    refused(graph.validate, "invalid-program", "no shape")
    graph.tensors[1] = y
    graph.constants[2] = None
    refused(graph.validate, "invalid-program", "unknown")
    graph.constants = {0: None}
    refused(graph.validate, "capture-boundary", "constant of the graph")
    graph.constants = {}
    graph.operations = []
    refused(graph.validate, "invalid-program", "never defined")
    del graph.tensors[1]
    refused(graph.validate, "capture-boundary", "unknown")
    graph.operations = [OperationIr("gelu", (0,), (0,), (("approximate", object()),))]
    refused(graph.to_json, "invalid-program", "object has no form")


# --- many ------------------------------------------------------------------------------------------
JUNK: list[Any] = [
    None,
    True,
    -1,
    0,
    3,
    2**31,
    2**63,
    10**40,
    1.5,
    1e308,
    "",
    "batch",
    "float16",
    "nan",
    "2*batch - 9",
    [],
    [[]],
    [None],
    [10**9, 10**9],
    [1] * 70,
    {},
    {"float": "nan"},
    {"size": "batch"},
    {"slice": [None, 3, -1]},
    {"array": "AAAAAA==", "shape": [1], "dtype": "int32"},
    {"array": "AAAAAA==", "shape": [2**31, 2**31], "dtype": "int32"},
]


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values inside a document."""
    found = [path]
    items = node.items() if isinstance(node, dict) else ()
    for key, value in enumerate(node) if isinstance(node, list) else items:
        found += places(value, (*path, key))
    return found


def mutated(generator: random.Random) -> str:
    """The document with a few values replaced, removed, doubled or exchanged."""
    document = copy.deepcopy(DOCUMENT)
    for _ in range(generator.randint(1, 3)):
        path = generator.choice(places(document)[1:])
        holder: Any = document
        for key in path[:-1]:
            holder = holder[key]
        action = generator.random()
        if action < 0.6:
            holder[path[-1]] = generator.choice(JUNK)
        elif action < 0.75:
            del holder[path[-1]]  # type: ignore[arg-type]
        elif isinstance(holder, list):
            holder.insert(generator.randrange(len(holder) + 1), holder[path[-1]])
        else:
            holder[generator.choice(list(holder))] = holder[path[-1]]
    return json.dumps(document)


def runs(captured: gv.CapturedGraph) -> None:
    """Runs a program that was read; where that can't be, it is said by one of our errors."""
    graph = captured.graph
    sizes = [size for number in graph.inputs for size in graph.tensors[number].shape]
    if any(size.__class__ is int and size > 1000 for size in sizes):
        return
    given = [
        np.zeros([3 if size.__class__ is not int else size for size in item.shape], item.dtype)
        for item in captured.inputs
    ]
    with contextlib.suppress(gv.GradvizError):  # anything else fails the test
        captured.run(*given)


def survives(text: str) -> bool:
    """Whether a text is read as a program; anything but our errors is a failure of the test."""
    try:
        captured = gv.CapturedGraph.from_json(text)
    except gv.GradvizError as error:
        if error.slug not in ("invalid-program", "capture-boundary"):
            raise
        return False
    assert str(captured)
    runs(captured)
    # What is read can be written, and that is read again.
    assert str(gv.CapturedGraph.from_json(captured.to_json())) == str(captured)
    return True


@pytest.mark.parametrize("seed", range(8))
def test_documents_with_random_changes(seed: int) -> None:
    generator = random.Random(seed)
    read = sum(survives(mutated(generator)) for _ in range(150))
    assert read < 150  # the changes do break something


@pytest.mark.parametrize("seed", range(4))
def test_texts_with_random_changes(seed: int) -> None:
    generator = random.Random(seed)
    whole = json.dumps(DOCUMENT)
    for _ in range(150):
        text = list(whole)
        for _ in range(generator.randint(1, 4)):
            text[generator.randrange(len(text))] = generator.choice('{}[],:"\\0e-\u00e9x')
        survives("".join(text))
    for _ in range(100):
        assert not survives(whole[: generator.randrange(len(whole) - 1)])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("case", cases(lambda case: case.number == 0 and case.row.attrs), ids=str)
def test_attributes_of_every_row_with_random_changes(case: Case) -> None:
    generator = random.Random(str(case))
    captured, arrays = recorded(case)
    whole = json.loads(captured.to_json())
    for _ in range(6):
        document = copy.deepcopy(whole)
        row = generator.choice(document["operations"])
        paths = places(row["attributes"])[1:]
        if not paths:
            continue
        path = generator.choice(paths)
        holder = row["attributes"]
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = copy.deepcopy(generator.choice([*JUNK, -1, 1, 2, 5, 100, 0.5, "mean"]))
        # Whether it is refused when it is read, run, written or differentiated: by an error of ours.
        try:
            captured = gv.CapturedGraph.from_json(json.dumps(document))
        except gv.GradvizError:
            continue
        for use in (lambda c: c.run(*arrays), lambda c: c.to_onnx(), lambda c: c.backward()):
            with contextlib.suppress(gv.GradvizError):
                use(captured)


def test_time_and_memory_stay_within_the_text() -> None:
    huge = [
        "[" * 3_000_000,
        '{"format":"gradviz-program","version":1,"tensors":[' + "0," * 1_000_000 + "0]}",
        changed(lambda d: d["tensors"][0].update(shape=[2**39])),
        changed(lambda d: operation(d, "cat").update(inputs=[0] * 200_000)),
        changed(lambda d: d["files"].extend(["f"] * 200_000)),
        '"' + "\\" * 4_000_001 + '"',
    ]
    for text in huge:
        tracemalloc.start()
        start = time.process_time()
        survives(text)
        spent = time.process_time() - start
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert spent < 20.0 and peak < 60 * len(text) + 50_000_000


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("stride", [2**40], "too large (stride)"),
        ("kernel_size", [2**31], "too large (kernel_size)"),
        ("padding", [{"size": "free"}], "which no input has"),
    ],
)
def test_numbers_that_only_a_kernel_would_see(name: str, value: Any, words: str) -> None:
    captured = gv.capture(lambda x: gv.max_pool1d(x, 2).sum(), gv.spec((2, 8))).backward()
    document = json.loads(captured.to_json())
    row = next(row for row in document["operations"] if name in row["attributes"])
    row["attributes"][name] = value
    refused(reading(json.dumps(document)), "invalid-program", words)


def test_a_size_that_no_input_has() -> None:
    text = changed(lambda d: d["tensors"][-1].update(shape=["free"]))
    refused(reading(text), "invalid-program", "which no input has")


def test_attributes_that_a_formula_stumbles_over() -> None:
    document = json.loads(gv.capture(lambda x: x**3, gv.spec((2,))).to_json())
    operation(document, "pow_scalar")["attributes"]["exponent"] = "three"
    captured = gv.CapturedGraph.from_json(json.dumps(document))
    refused(captured.backward, "invalid-program", "pow_scalar")
    x = gv.ones(2)
    for use in (captured.run, captured.to_module()):
        with pytest.raises(gv.GradvizError):
            use(x)
    with pytest.raises(gv.GradvizError):
        captured.to_onnx()
