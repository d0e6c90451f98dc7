"""A program as JSON: the form that `GraphIr.to_json` writes and `GraphIr.from_json` reads.

```
{"format": "gradviz-program", "version": 1,
 "result": "tensor" | "tuple",              what running gives where there is one output
 "inputs": [0], "outputs": [3],             numbers of tensors
 "tensors": [{"id": 0, "shape": ["batch", 784], "dtype": "float32", "status": "input",
              "name": "x"}, ...],           status: input, constant or computed; name may lack
 "constants": [{"id": 1, "data": base64, "learned": true}, {"id": 2}],
 "operations": [{"op": "linear", "inputs": [0, 1, null], "outputs": [3],
                 "attributes": {}, "scope": 0,
                 "source": {"file": 0, "line": 4, "col": 8, "end_line": 4, "end_col": 16,
                            "text": "layer(x)"}}, ...],
 "scopes": [{"label": "Linear", "kind": "module", "parent": null}, ...],
 "files": ["model.py"]}
```

- A size is a whole number, or a text for one that was left open: `"batch"`, `"2*batch + 1"`.
- A constant without `data` is only referred to, by its tensor's name; `learned` marks parameters.
- Contents are little-endian elements in C order.
- `inputs` of an operation follow the table's row: null is an optional input that isn't given, the
  members of a list of tensors stand at the end. `attributes` are those of the row, in canonical
  form; `gradviz.ir.values` says how each value is written.
- Operations stand in an order in which they can run; a scope's parent stands before it.
- `scope` and `source` may lack.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from gradviz.core.context import Scope
from gradviz.errors import fail
from gradviz.ir.host import host
from gradviz.ir.values import Unreadable, encode, encode_array
from gradviz.ops.size import Size

if TYPE_CHECKING:
    from gradviz.ir.graph import GraphIr, OperationIr, TensorIr

FORMAT: Final = "gradviz-program"
VERSION: Final = 1
_RECORDED: Final = "<recorded "


def write(graph: GraphIr, *, embed: bool = True, indent: int | None = None) -> str:
    """The program as JSON text."""
    document = Writer(graph, embed).document()
    separators = (",", ":") if indent is None else None
    return json.dumps(document, indent=indent, separators=separators, allow_nan=False)


class Writer:
    """Collects the scopes and files that operations share."""

    def __init__(self, graph: GraphIr, embed: bool) -> None:
        self._graph = graph
        self._embed = embed
        self._learned = set(graph.parameters)
        self._scopes: dict[int, int] = {}
        self._scope_rows: list[dict[str, Any]] = []
        self._files: dict[str, int] = {}

    def document(self) -> dict[str, Any]:
        """The program as plain dicts and lists."""
        graph = self._graph
        operations = [self._operation(at, item) for at, item in enumerate(graph.operations)]
        return {
            "format": FORMAT,
            "version": VERSION,
            "result": "tensor" if graph.single else "tuple",
            "inputs": list(graph.inputs),
            "outputs": list(graph.outputs),
            "tensors": [_tensor(graph.tensors[number]) for number in sorted(graph.tensors)],
            "constants": [self._constant(number) for number in sorted(graph.constants)],
            "operations": operations,
            "scopes": self._scope_rows,
            "files": list(self._files),
        }

    def _constant(self, number: int) -> dict[str, Any]:
        array = self._graph.constants[number]
        row: dict[str, Any] = {"id": number}
        if number in self._learned:
            row["learned"] = True
        referred = not self._embed and self._graph.tensors[number].name is not None
        if array is None or referred:
            return row
        if not host().is_array(array):
            raise _unwritable(f"constant %{number} is a {type(array).__name__}, no array")
        return row | {"data": encode_array(array)["array"]}

    def _operation(self, at: int, operation: OperationIr) -> dict[str, Any]:
        try:
            attributes = {name: encode(value) for name, value in operation.attributes}
        except Unreadable as error:
            raise _unwritable(f"operation {at} ({operation.op}): {error}") from None
        made: dict[str, Any] = {
            "op": operation.op,
            "inputs": [None if number < 0 else number for number in operation.inputs],
            "outputs": list(operation.outputs),
            "attributes": attributes,
        }
        scopes = operation.scopes
        if scopes:
            made["scope"] = self._scope(scopes)
        source = operation.source
        if source is not None:
            made["source"] = {
                "file": self._files.setdefault(file_name(source.filename), len(self._files)),
                "line": source.line,
                "col": source.col,
                "end_line": source.end_line,
                "end_col": source.end_col,
                "text": source.text,
            }
        return made

    def _scope(self, path: tuple[Scope, ...]) -> int:
        parent: int | None = None
        for scope in path:
            number = self._scopes.get(scope.serial)
            if number is None:
                number = self._scopes[scope.serial] = len(self._scope_rows)
                row = {"label": scope.label, "kind": scope.kind, "parent": parent}
                self._scope_rows.append(row)
            parent = number
        assert parent is not None
        return parent


def recorded_name(name: str) -> str:
    """How a file is called whose name was read: in brackets, so that nobody opens it.

    The name may lead anywhere on this machine, which need not be the one that recorded.
    """
    return f"{_RECORDED}{name}>"


def file_name(name: str) -> str:
    """The name of a file as it was recorded."""
    return name[len(_RECORDED) : -1] if name.startswith(_RECORDED) else name


def _tensor(tensor: TensorIr) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": tensor.id,
        "shape": [str(size) if isinstance(size, Size) else size for size in tensor.shape],
        "dtype": tensor.dtype,
        "status": tensor.status,
    }
    if tensor.name is not None:
        made["name"] = tensor.name
    return made


def _unwritable(complaint: str) -> Exception:
    return fail("invalid-program", operation="to_json", complaint=complaint)
