"""Programs as JSON: what is written is read again, and runs to the same bits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.ir import GraphIr
from tests.ir.programs import network, same_bits
from tests.ops.sampling import Case, cases


def test_a_program_comes_back_as_it_was() -> None:
    captured, arrays = network()
    text = captured.to_json()
    read = gv.CapturedGraph.from_json(text)
    assert str(read) == str(captured) and repr(read) == repr(captured)
    assert read.graph.tensors == captured.graph.tensors
    assert [op.op for op in read.operations] == [op.op for op in captured.operations]
    assert [op.scope for op in read.operations] == [op.scope for op in captured.operations]
    assert read.to_json() == text == GraphIr.from_json(text).to_json()
    assert same_bits(read.run(*arrays), captured.run(*arrays))
    assert set(read.constants) == set(captured.constants)


def test_the_form_is_plain_data() -> None:
    captured, _ = network()
    found = json.loads(captured.to_json(indent=1))
    assert (found["format"], found["version"], found["result"]) == ("gradviz-program", 1, "tuple")
    statuses = {row["id"]: row["status"] for row in found["tensors"]}
    assert {statuses[number] for number in found["inputs"]} == {"input"}
    assert {statuses[row["id"]] for row in found["constants"]} == {"constant"}
    linear = next(row for row in found["operations"] if row["op"] == "linear")
    assert linear["inputs"][2] is None and linear["attributes"] == {}
    assert linear["source"]["text"] == "body(x[:, 1:7])"
    assert found["files"][linear["source"]["file"]] == str(Path(__file__).parent / "programs.py")
    path = []
    scope = linear["scope"]
    while scope is not None:
        path.append(found["scopes"][scope]["label"])
        scope = found["scopes"][scope]["parent"]
    assert path == ["0", "Sequential", "encoder"]


def test_a_read_program_still_says_where_it_was_recorded() -> None:
    captured, _ = network()
    read = gv.CapturedGraph.from_json(captured.to_json())
    for one, other in zip(captured.operations, read.operations, strict=True):
        assert one.source is not None and other.source is not None
        assert (one.source.line, one.source.text) == (other.source.line, other.source.text)
        # The name is kept, but nobody opens what it may lead to here.
        assert other.source.filename == f"<recorded {one.source.filename}>"
    groups = {group.label for group in gv.graph(read).groups}
    assert groups == {group.label for group in gv.graph(captured).groups}


def test_one_output_by_itself_or_in_a_tuple() -> None:
    for fn, kind in ((lambda x: x + 1.0, gv.Tensor), (lambda x: (x + 1.0,), tuple)):
        captured = gv.capture(fn, gv.spec((2,)))
        read = gv.CapturedGraph.from_json(captured.to_json())
        assert isinstance(captured.run([1.0, 2.0]), kind)
        assert isinstance(read.run([1.0, 2.0]), kind)


def test_constants_by_reference() -> None:
    captured, arrays = network()
    text = captured.to_json(embed=False)
    assert len(text) < len(captured.to_json())
    data = {row["id"] for row in json.loads(text)["constants"] if "data" in row}
    named = {n for n in captured.graph.constants if captured.graph.tensors[n].name}
    assert named and not data & named
    read = gv.CapturedGraph.from_json(text)
    assert str(read) == str(captured)
    with pytest.raises(gv.GradvizError) as caught:
        read.run(*arrays)
    assert caught.value.slug == "invalid-program" and "0.weight" in str(caught.value)
    assert read.to_json() == text
    given = gv.CapturedGraph.from_json(text, constants=captured.constants)
    assert same_bits(given.run(*arrays), captured.run(*arrays))
    wrong = dict(captured.constants)
    wrong["0.weight"] = np.zeros((1, 2), np.float32)
    with pytest.raises(gv.GradvizError) as caught:
        gv.CapturedGraph.from_json(text, constants=wrong)
    assert caught.value.slug == "invalid-program" and "(1, 2)" in str(caught.value)


def test_files(tmp_path: Path) -> None:
    captured, arrays = network()
    path = tmp_path / "program.json"
    captured.save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["program.json"]
    assert same_bits(gv.CapturedGraph.load(str(path)).run(*arrays), captured.run(*arrays))
    path.write_bytes(b"\xff\xfe{")
    with pytest.raises(gv.GradvizError) as caught:
        gv.CapturedGraph.load(path)
    assert caught.value.slug == "invalid-program"
    with pytest.raises(FileNotFoundError):
        gv.CapturedGraph.load(tmp_path / "none.json")


@pytest.mark.parametrize(
    "array",
    [
        np.array([np.nan, -np.nan, np.inf, -0.0, 1e-45], np.float32),
        np.array([True, False]),
        np.array(-(2**63), np.int64),
        np.arange(6, dtype=np.uint16).reshape(2, 3).T,
        np.zeros((0, 3), np.float16),
        np.array([1.0, 2.0], ">f8"),
    ],
    ids=str,
)
def test_contents_of_constants_to_the_last_bit(array: np.ndarray[Any, Any]) -> None:
    captured = gv.capture(lambda: gv.tensor(array, device="capture"))
    read = gv.CapturedGraph.from_json(captured.to_json())
    assert same_bits(read.run(), captured.run())
    assert (
        read.run().numpy().tobytes()
        == np.ascontiguousarray(array).astype(array.dtype.newbyteorder("=")).tobytes()
    )


def recorded(case: Case) -> tuple[gv.CapturedGraph, list[Any]]:
    """A row with one of its samples, as a program and its inputs."""
    arrays = case.arrays("float32" if case.sample.dtype == "float64" else None)
    present = [at for at, array in enumerate(arrays) if array is not None]

    def program(*given: Any) -> Any:
        inputs: list[Any] = [None] * len(arrays)
        for at, tensor in zip(present, given, strict=True):
            inputs[at] = tensor
        return case.call(inputs)

    given = [arrays[at] for at in present]
    return gv.capture(program, *(gv.spec(a.shape, a.dtype) for a in given)), given


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("case", cases(), ids=str)
def test_every_row_of_the_table_survives(case: Case) -> None:
    captured, arrays = recorded(case)
    captured.graph.validate()
    text = captured.to_json()
    read = gv.CapturedGraph.from_json(text)
    assert str(read) == str(captured) and read.to_json() == text
    assert same_bits(read.run(*arrays), captured.run(*arrays))
