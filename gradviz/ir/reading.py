"""Programs from JSON texts that anybody may have written.

Whatever the text is, the answer is a checked program or an error: work and memory grow with the
text alone, depth is limited before it is parsed, and nothing of it is executed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from gradviz.core import dtype as dtypes
from gradviz.core.context import Context, Scope
from gradviz.core.source import SourceSpan
from gradviz.errors import fail
from gradviz.ir import values
from gradviz.ir.checking import check
from gradviz.ir.graph import ABSENT, GraphIr, OperationIr, TensorIr
from gradviz.ir.host import host
from gradviz.ir.values import Unreadable
from gradviz.ir.writing import FORMAT, VERSION, recorded_name

DEEPEST: Final = 64
"""Brackets inside each other anywhere in a text."""
DEEPEST_SCOPE: Final = 256
LONGEST_NAME: Final = 4096
MOST_LINES: Final = 10_000
_BRACKETS: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


def read(text: str, given: Mapping[str, Any]) -> GraphIr:
    """The program of a JSON text."""
    if not isinstance(text, str | bytes | bytearray):
        refuse(f"a {type(text).__name__} is no JSON text")
    try:
        graph = _Reader(_parsed(text), given).graph()
    except Unreadable as error:
        refuse(str(error))
    check(graph)
    return graph


def refuse(complaint: str) -> NoReturn:
    """Raises the error of a text that is no program."""
    raise fail("invalid-program", operation="from_json", complaint=complaint)


def _parsed(text: str | bytes | bytearray) -> dict[str, Any]:
    try:
        if not isinstance(text, str):
            text = bytes(text).decode("utf-8")
        _limit_depth(text)
        found = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, Unreadable):
            raise
        said = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        refuse(f"this is no JSON: {said}")
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        refuse(f'this JSON is no program: it lacks "format": "{FORMAT}"')
    if type(found.get("version")) is not int or found["version"] != VERSION:
        refuse(f"version {found.get('version')!r} is unknown; this release reads {VERSION}")
    return found


def _limit_depth(text: str) -> None:
    depth = 0
    for match in _BRACKETS.finditer(text):
        first = text[match.start()]
        if first in "[{":
            depth += 1
            if depth > DEEPEST:
                raise Unreadable(f"brackets are nested more than {DEEPEST} deep")
        elif first in "]}":
            depth -= 1


def _no_constant(name: str) -> NoReturn:
    raise Unreadable(f"{name} is no JSON number")


class _Reader:
    """Takes a parsed document apart."""

    def __init__(self, document: dict[str, Any], given: Mapping[str, Any]) -> None:
        self._document = document
        self._given = given

    def graph(self) -> GraphIr:
        result = self._document.get("result", "tuple")
        if result not in ("tensor", "tuple"):
            raise Unreadable('"result" is neither "tensor" nor "tuple"')
        files = [_text(name, "a file's name") for name in self._list("files", [])]
        scopes = self._scopes()
        made = GraphIr(single=result == "tensor")
        for at, item in enumerate(self._list("tensors")):
            tensor = _tensor(at, item)
            if tensor.id in made.tensors:
                raise Unreadable(f"tensor %{tensor.id} stands there twice")
            made.tensors[tensor.id] = tensor
        made.inputs = [_number(item, "an input") for item in self._list("inputs")]
        made.outputs = [_number(item, "an output") for item in self._list("outputs")]
        for item in self._list("constants", []):
            self._constant(made, item)
        made.operations = [
            _operation(at, item, scopes, files) for at, item in enumerate(self._list("operations"))
        ]
        return made

    def _list(self, key: str, default: list[Any] | None = None) -> list[Any]:
        found = self._document.get(key, default)
        if not isinstance(found, list):
            raise Unreadable(f'"{key}" is missing or no list')
        return found

    def _scopes(self) -> list[tuple[Scope, int]]:
        made: list[tuple[Scope, int]] = []
        for at, item in enumerate(self._list("scopes", [])):
            row = _object(item, "a scope", {"label", "kind", "parent"})
            label, kind = _text(row["label"], "a label"), _text(row["kind"], "a kind")
            parent, depth = None, 0
            if row["parent"] is not None:
                number = _number(row["parent"], "a scope's parent")
                if number >= at:
                    raise Unreadable(f"scope {at} stands before its parent")
                parent, depth = made[number]
            if depth >= DEEPEST_SCOPE:
                raise Unreadable("scopes are nested too deeply")
            made.append((Scope(label, kind, parent), depth + 1))
        return made

    def _constant(self, graph: GraphIr, item: Any) -> None:
        row = _object(item, "a constant", {"id"}, {"data", "learned"})
        number = _number(row["id"], "a constant")
        tensor = graph.tensors.get(number)
        if tensor is None or number in graph.constants:
            raise Unreadable(f"constant %{number} is unknown or stands there twice")
        if row.get("learned", False) not in (True, False):
            raise Unreadable(f"constant %{number}: learned is true or false")
        if row.get("learned"):
            graph.parameters.append(number)
        if "data" in row:
            if any(not isinstance(size, int) for size in tensor.shape):
                raise Unreadable(f"constant %{number} has no definite shape")
            graph.constants[number] = values.contents(row["data"], tensor.shape, tensor.dtype)
            return
        array = self._given.get(tensor.name) if tensor.name is not None else None
        if array is not None:
            array = host().copied(array)
        graph.constants[number] = array


def _tensor(at: int, item: Any) -> TensorIr:
    row = _object(item, f"tensor {at}", {"id", "shape", "dtype", "status"}, {"name"})
    number = _number(row["id"], "a tensor's id")
    name = None if row.get("name") is None else _text(row["name"], "a name")
    if not isinstance(row["dtype"], str) or row["dtype"] not in dtypes.NAMES:
        raise Unreadable(f"tensor %{number}: {str(row['dtype'])[:80]!r} is no dtype")
    if row["status"] not in ("input", "constant", "computed"):
        raise Unreadable(f"tensor %{number}: {str(row['status'])[:80]!r} is no status")
    try:
        shape = values.shape(row["shape"])
    except Unreadable as error:
        raise Unreadable(f"tensor %{number}: {error}") from None
    return TensorIr(number, shape, row["dtype"], name, row["status"])


def _operation(
    at: int, item: Any, scopes: list[tuple[Scope, int]], files: list[str]
) -> OperationIr:
    label = f"operation {at}"
    row = _object(item, label, {"op", "inputs", "outputs", "attributes"}, {"scope", "source"})
    if not isinstance(row["inputs"], list) or not isinstance(row["outputs"], list):
        raise Unreadable(f"{label}: inputs and outputs are lists of numbers")
    if not isinstance(row["attributes"], dict):
        raise Unreadable(f"{label}: attributes are an object")
    scope = None
    if row.get("scope") is not None:
        number = _number(row["scope"], f"{label}: a scope")
        if number >= len(scopes):
            raise Unreadable(f"{label}: there is no scope {number}")
        scope = scopes[number][0]
    try:
        attributes = tuple(
            (name, values.decode(value)) for name, value in row["attributes"].items()
        )
    except Unreadable as error:
        raise Unreadable(f"{label}: {error}") from None
    return OperationIr(
        _text(row["op"], "an operation's name"),
        tuple(
            ABSENT if number is None else _number(number, f"{label}: an input")
            for number in row["inputs"]
        ),
        tuple(_number(number, f"{label}: an output") for number in row["outputs"]),
        attributes,
        None if scope is None else (None, -1, Context(scope=scope)),
        None if row.get("source") is None else _span(row["source"], files),
    )


def _span(item: Any, files: list[str]) -> SourceSpan:
    places = ("file", "line", "col", "end_line", "end_col")
    row = _object(item, "a source", {*places, "text"})
    file, line, col, end_line, end_col = (_number(row[key], f"a source's {key}") for key in places)
    if file >= len(files):
        raise Unreadable(f"there is no file {file}")
    if not isinstance(row["text"], str):
        raise Unreadable("a source's text is no text")
    if not line <= end_line <= line + MOST_LINES:
        raise Unreadable("a source ends before it begins, or has too many lines")
    return SourceSpan(recorded_name(files[file]), line, col, end_line, end_col, row["text"])


def _object(
    item: Any,
    label: str,
    needed: set[str],
    allowed: set[str] = frozenset(),  # type: ignore[assignment]
) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise Unreadable(f"{label} is no object")
    missing = needed - set(item)
    if missing:
        raise Unreadable(f"{label} lacks {', '.join(sorted(missing))}")
    unknown = set(item) - needed - allowed
    if unknown:
        raise Unreadable(f"{label} has an unknown entry {min(unknown)[:80]!r}")
    return item


def _number(value: Any, label: str) -> int:
    if type(value) is not int or not 0 <= value < 2**31:
        raise Unreadable(f"{label} is no number from 0 up")
    return value


def _text(value: Any, label: str) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_NAME:
        raise Unreadable(f"{label} is no text of at most {LONGEST_NAME} characters")
    return value
