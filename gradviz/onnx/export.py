"""A recorded program as a model of the format."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any, Final

from gradviz.core.files import write_whole
from gradviz.errors import GradvizError, GradvizTypeError, fail
from gradviz.ir.graph import GraphIr, OperationIr, TensorIr
from gradviz.ir.stumbling import stumbled
from gradviz.onnx import write as _writers  # noqa: F401 - registers the writers
from gradviz.onnx.builder import Builder, Draft, InexpressibleError
from gradviz.onnx.library import CODES, DEFAULT_OPSET, OPSETS, PARAMETERS, library
from gradviz.onnx.naming import Names, path_of, place_of, readable
from gradviz.onnx.planning import Piece, pieces
from gradviz.onnx.registry import writer_of
from gradviz.onnx.value import Value
from gradviz.ops.spec import table

LARGEST_BYTES: Final = 2**31 - 1
"""The format's container can't hold more."""
_LISTED = 40
"""Refused operations that an error lists; the others are counted."""


class Refused(Exception):  # noqa: N818 - collects what is then raised as one error
    """Operations that could not be written.

    Attributes:
        found: each operation with its reason and the opset that would do, if any.
    """

    def __init__(self, found: list[tuple[OperationIr, InexpressibleError]]) -> None:
        super().__init__(len(found))
        self.found = found


def to_onnx(graph: GraphIr, path: Any = None, *, opset: int | None = None) -> bytes | None:
    """Writes a program as an ONNX model.

    Names and scopes survive: nodes are called by their place in the modules
    (`encoder/layer1/linear`), constants by the parameters' names, and every node says in its
    documentation which line it comes from. The same program gives the same bytes.

    Args:
        graph: the program.
        path: a path, or a file object that takes bytes; without one the model is returned.
        opset: the version of the operator set; without one, 18 or what the operations need.

    Returns:
        The model's bytes where no path was given.

    Raises:
        GradvizError: `onnx-not-expressible` with all operations that ONNX has no words for;
            `missing-extra` without the onnx package; `invalid-argument` for an opset that can't be
            written, or a program too large for one file.
    """
    wanted = _checked(opset)
    try:
        model = _model(graph, wanted or DEFAULT_OPSET)
    except Refused as refused:
        needed = [problem.opset for _, problem in refused.found]
        if wanted is not None or None in needed:
            raise _not_expressible(refused, wanted) from None
        later = max(number for number in needed if number is not None)
        if later > _newest():
            raise _not_expressible(refused, wanted) from None
        try:
            model = _model(graph, later)
        except Refused as again:
            raise _not_expressible(again, wanted) from None
    data: bytes = model.SerializeToString(deterministic=True)
    if path is None:
        return data
    _write(path, data)
    return None


def _newest() -> int:
    return min(OPSETS[-1], int(library("to_onnx").defs.onnx_opset_version()))


def _checked(opset: Any) -> int | None:
    newest = _newest()
    if opset is None:
        return None
    known = isinstance(opset, int) and not isinstance(opset, bool)
    if known and OPSETS[0] <= opset <= newest:
        return int(opset)
    raise fail(
        "invalid-argument",
        operation="to_onnx",
        complaint=f"opset {opset!r} can't be written",
        reason=f"Versions {OPSETS[0]} to {newest} of the operator set can; what runs the model "
        "may know fewer.",
        advice=f"Leave `opset` out, or give a number from {OPSETS[0]} to {newest}.",
        error=None if known else GradvizTypeError,
    )


# --- the model -----------------------------------------------------------------------------------
def _model(graph: GraphIr, opset: int) -> Any:
    onnx = library("to_onnx")
    b = Builder(opset)
    nodes = _Nodes(b, graph)
    empty = [number for number, array in graph.constants.items() if array is None]
    if empty:
        raise fail(
            "invalid-program",
            operation="to_onnx",
            complaint=f"{len(empty)} constants have no contents",
            reason="The program was read from a text that only refers to them.",
            advice="Give their arrays: `from_json(text, constants={name: array})`.",
        )
    held = sum(int(array.nbytes) for array in graph.constants.values())
    if held > LARGEST_BYTES:
        raise fail(
            "invalid-argument",
            operation="to_onnx",
            complaint=f"the constants hold {held} bytes, and a model at most {LARGEST_BYTES}",
            advice="Capture the model in half precision, or in parts.",
        )
    for number in graph.constants:
        nodes.constant(number)
    refused = []
    for piece in pieces(graph):
        try:
            nodes.write(piece)
        except (InexpressibleError, GradvizError) as problem:
            refused.append((piece.operation, _reason(problem)))
            nodes.skip(piece.operation)
        except Exception as error:  # attributes that are none make a writer stumble anywhere
            made = piece.operation
            raise stumbled("to_onnx", made.op, error, made.source, "can't be written") from error
    if refused:
        raise Refused(refused)
    nodes.finish()
    used = {name for node in nodes.made for name in node.input}
    helper = onnx.helper
    made = onnx.GraphProto(
        name=_title(graph),
        node=nodes.made,
        input=[nodes.info(number, nodes.names[number]) for number in graph.inputs],
        output=[
            nodes.info(number, name)
            for number, name in zip(graph.outputs, nodes.output_names, strict=True)
        ],
        initializer=[proto for name, proto in b.initializers.items() if name in used],
        value_info=nodes.infos,
    )
    model = helper.make_model(
        made,
        producer_name="gradviz",
        ir_version=helper.find_min_ir_version_for([helper.make_opsetid("", opset)]),
        opset_imports=[helper.make_opsetid("", opset)],
    )
    learned = [nodes.values[number].name for number in graph.parameters]
    if learned:
        # So that a model that is read again knows what training changes.
        helper.set_model_props(model, {PARAMETERS: "\n".join(learned)})
    return model


def _reason(problem: InexpressibleError | GradvizError) -> InexpressibleError:
    """Why an operation can't be written; a writer that asks for an open size is told so."""
    if isinstance(problem, InexpressibleError):
        return problem
    if problem.slug != "capture-value-unavailable":
        raise problem
    return InexpressibleError(problem.problem.reason.rstrip("."))


def _title(graph: GraphIr) -> str:
    """The scope that all operations lie in: the module that was captured, where it was one."""
    labels = {
        operation.scopes[0].label if operation.scopes else "" for operation in graph.operations
    }
    label = labels.pop() if len(labels) == 1 else ""
    return readable(label) or "program"


class _Nodes:
    """The nodes of the file while they are made."""

    def __init__(self, b: Builder, graph: GraphIr) -> None:
        self.b = b
        self.graph = graph
        self.made: list[Any] = []
        self.infos: list[Any] = []
        self.values: dict[int, Value] = {}
        self._node_names = Names()
        inputs, outputs = graph.inputs, graph.outputs
        self.names = {
            number: b.values.claim(self._name(number) or _numbered("input", at, len(inputs)))
            for at, number in enumerate(inputs)
        }
        for number, name in self.names.items():
            tensor = graph.tensors[number]
            value = self.values[number] = Value(b, name, tensor.dtype, tensor.shape)
            sizes: tuple[Any, ...] = tensor.shape
            for axis, size in enumerate(sizes):
                if not isinstance(size, int):
                    b.symbols.setdefault(str(size), (value, axis))
        ready = self.names.keys() | graph.constants.keys()
        self.output_names = [
            b.values.claim(
                (None if number in ready else self._name(number))
                or _numbered("output", at, len(outputs))
            )
            for at, number in enumerate(outputs)
        ]
        self._early = {
            number: name
            for number, name in zip(outputs, self.output_names, strict=True)
            if number not in ready
        }

    def _name(self, number: int) -> str | None:
        name = self.graph.tensors[number].name
        return readable(name) if name else None

    def constant(self, number: int) -> None:
        """Puts a constant of the program into the file."""
        array = self.graph.constants[number]
        self.values[number] = self.b.array(array, self._name(number))

    def write(self, piece: Piece) -> None:
        """Writes one piece of the program."""
        operation = piece.operation
        b, row = self.b, table[operation.op]
        b.row = row
        b.out = tuple(self.graph.tensors[number] for number in operation.outputs)
        b.drafts = []
        inputs: list[Any] = [None if number < 0 else self.values[number] for number in piece.inputs]
        if piece.write is not None:
            result = piece.write(b, *inputs)
        else:
            if row.variadic:
                fixed = len(row.inputs) - 1
                inputs = [*inputs[:fixed], inputs[fixed:]]
            result = writer_of(row)(b, *inputs, **dict(operation.attributes))
        results = result if isinstance(result, tuple) else (result,)
        path = path_of(operation, piece.name)
        final: dict[str, str] = {}
        produced = {name for draft in b.drafts for name in draft.outputs}
        for number, value in zip(operation.outputs, results, strict=False):
            tensor = self.graph.tensors[number]
            name = b.cast(value, tensor.dtype).name
            if name != value.name:
                produced.add(name)
            if name in produced and name not in final:
                early = self._early.pop(number, None)
                final[name] = early or b.values.claim(self._name(number) or path)
                if early is None:
                    self.infos.append(self.info(number, final[name]))
            self.values[number] = Value(b, final.get(name, name), tensor.dtype, tensor.shape)
        self._settle(path, place_of(operation), final)

    def skip(self, operation: OperationIr) -> None:
        """Lets later operations be looked at although this one can't be written."""
        for number in operation.outputs:
            tensor = self.graph.tensors[number]
            self.values[number] = Value(self.b, f"\0skipped{number}", tensor.dtype, tensor.shape)

    def _settle(self, path: str, place: str, final: dict[str, str]) -> None:
        """Gives the nodes and values of one operation their names."""
        drafts = self.b.drafts
        known = dict(final)
        for draft in drafts:
            wanted = path if len(drafts) == 1 else f"{path}/{draft.kind}"
            name = self._node_names.claim(wanted)
            for output in draft.outputs:
                if output not in known:
                    known[output] = self.b.values.claim(name)
            self.made.append(self._node(draft, name, place, known))

    def _node(self, draft: Draft, name: str, place: str, known: dict[str, str]) -> Any:
        node = self.b.onnx.helper.make_node(
            draft.kind,
            [known.get(item, item) for item in draft.inputs],
            [known.get(item, item) for item in draft.outputs],
            name=name,
            **draft.attributes,
        )
        if place:
            node.doc_string = place
        return node

    def finish(self) -> None:
        """Copies to outputs what no node of their own gives."""
        for number, name in zip(self.graph.outputs, self.output_names, strict=True):
            value = self.values[number]
            if value.name != name:
                copy = Draft("Identity", [value.name], [name], {})
                self.made.append(self._node(copy, self._node_names.claim("output"), "", {}))

    def info(self, number: int, name: str) -> Any:
        """Shape and dtype of a value under its name."""
        tensor: TensorIr = self.graph.tensors[number]
        sizes = [size if isinstance(size, int) else readable(str(size)) for size in tensor.shape]
        return self.b.onnx.helper.make_tensor_value_info(name, CODES[tensor.dtype], sizes)


def _numbered(word: str, at: int, count: int) -> str:
    return word if count == 1 else f"{word}_{at}"


# --- the error -----------------------------------------------------------------------------------
def _not_expressible(refused: Refused, opset: int | None) -> GradvizError:
    """One error with all operations that can't be written."""
    groups: dict[tuple[str, str], list[OperationIr]] = {}
    for operation, problem in refused.found:
        reason = problem.reason
        if problem.opset is not None:
            reason += f": opset {problem.opset}"
        groups.setdefault((operation.op, reason), []).append(operation)
    facts = []
    for (name, reason), operations in groups.items():
        places = [f"{operation.source or 'place unknown'}" for operation in operations]
        shown = list(dict.fromkeys(places))
        more = f" and {len(shown) - _LISTED} more" if len(shown) > _LISTED else ""
        facts.append((name, f"{', '.join(shown[:_LISTED])}{more} ({reason})"))
    later = {problem.opset for _, problem in refused.found}
    advice = "Compute these outside the captured function, or write them with other operations."
    if None not in later:
        advice = f"Write `to_onnx(path, opset={max(n for n in later if n is not None)})`."
    source = refused.found[0][0].source
    count = len(refused.found)
    return fail(
        "onnx-not-expressible",
        operations=", ".join(dict.fromkeys(name for name, _ in groups)),
        reason=f"{count} operation{'s' if count > 1 else ''} of the program can't be written"
        + (f" at opset {opset}." if opset is not None else "."),
        facts=tuple(facts),
        advice=advice,
        cause=source,
    )


# --- the file ------------------------------------------------------------------------------------
def _write(path: Any, data: bytes) -> None:
    if isinstance(path, str | os.PathLike):
        write_whole(Path(os.fsdecode(os.fspath(path))), data)
        return
    write = getattr(path, "write", None)
    if write is None or isinstance(path, io.TextIOBase):
        raise fail(
            "invalid-argument",
            operation="to_onnx",
            complaint=f"a {type(path).__name__} is no place for bytes",
            advice='Give a path such as "model.onnx", or a file opened with "wb".',
            error=GradvizTypeError,
        )
    write(data)
