"""The file as checked data: nodes in an order in which they can run, constants, boundaries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from gradviz.onnx.library import PARAMETERS, library
from gradviz.onnx.read.bodies import graphs_in, ordered
from gradviz.onnx.read.control import CONTROL
from gradviz.onnx.read.lacking import DEFAULT_DOMAINS, Lacking
from gradviz.onnx.read.refusal import UnreadableError, shortened, unreadable
from gradviz.onnx.read.registry import READERS
from gradviz.onnx.read.tensors import array_of, dtype_of

OLDEST_OPSET: Final = 7
"""Before it, broadcasting had to be asked for."""
LONGEST_NAME: Final = 4096


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output: its name, dtype and sizes; a size is a number, a name, or None."""

    name: str
    dtype: str
    sizes: tuple[int | str | None, ...] | None


@dataclass(slots=True)
class Parsed:
    """A model that is sound as a graph.

    Attributes:
        opset: the version of the operator set.
        nodes: in an order in which they can run, without those that no output needs.
        constants: arrays by name.
        inputs: what has to be given.
        outputs: what is computed.
        learned: names of constants that the model itself calls learned; None where it doesn't say.
    """

    opset: int
    nodes: list[Any]
    constants: dict[str, Any]
    inputs: list[Port]
    outputs: list[Port]
    learned: frozenset[str] | None = field(default=None)


def parse(data: bytes, name: str) -> Parsed:
    """Reads and checks a file.

    Raises:
        GradvizError: `onnx-unreadable`.
    """
    onnx = library("from_onnx")
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except Exception as error:  # the class belongs to protobuf, and moved between versions
        raise unreadable(
            name,
            "it is no model, or damaged",
            reason=f"The bytes can't be taken apart: {shortened(error)}.",
            advice="Download or export the file again.",
        ) from None
    if not model.HasField("graph") or not model.opset_import:
        raise unreadable(name, "it holds no model", advice="Give a file that ends in .onnx.")
    try:
        return _checked(model, name)
    except UnreadableError as error:
        raise unreadable(name, shortened(error, 300)) from None


def _ensure_text(graph: Any) -> None:
    """Names that aren't UTF-8 come as bytes; such a file is damaged."""
    for node in graph.node:
        words = (node.name, node.op_type, node.domain, *node.input, *node.output)
        if not all(isinstance(word, str) for word in words):
            raise UnreadableError("it is damaged: the name of a node is no text")
        if not all(isinstance(item.name, str) for item in node.attribute):
            raise UnreadableError("it is damaged: the name of an attribute is no text")
        for inner in graphs_in(node):
            _ensure_text(inner)
    for item in (*graph.input, *graph.output, *graph.initializer):
        if not isinstance(item.name, str):
            raise UnreadableError("it is damaged: the name of a value is no text")


def _checked(model: Any, name: str) -> Parsed:
    opset = _opset(model)
    graph = model.graph
    _ensure_text(graph)
    if graph.sparse_initializer:
        raise UnreadableError("it has sparse constants")
    constants: dict[str, Any] = {}
    for proto in graph.initializer:
        if proto.name in constants:
            raise UnreadableError(f"the constant {shortened(proto.name)} is there twice")
        constants[proto.name] = array_of(proto)
    inputs = [_port(item) for item in graph.input if item.name not in constants]
    outputs = [_port(item, shaped=False) for item in graph.output]
    if not outputs:
        raise UnreadableError("it has no outputs")
    given = {item.name for item in inputs} | set(constants)
    wanted = [(item.name, f"the output {item.name}") for item in outputs]
    nodes = ordered(graph.node, given, wanted)
    _ensure_readable(nodes, name)
    return Parsed(opset, nodes, constants, inputs, outputs, _learned(model))


def _opset(model: Any) -> int:
    versions = [item.version for item in model.opset_import if item.domain in DEFAULT_DOMAINS]
    newest = int(library("from_onnx").defs.onnx_opset_version())
    if len(versions) != 1 or not OLDEST_OPSET <= versions[0] <= newest:
        found = ", ".join(str(version) for version in versions[:3]) or "none"
        raise UnreadableError(f"its opset is {found}; {OLDEST_OPSET} to {newest} are known")
    return int(versions[0])


def _port(item: Any, *, shaped: bool = True) -> Port:
    if not item.name or len(item.name) > LONGEST_NAME:
        raise UnreadableError("an input or output has no name")
    kind = item.type.WhichOneof("value")
    if kind != "tensor_type":
        if kind is None and not shaped:
            return Port(item.name, "", None)
        raise UnreadableError(f"{shortened(item.name)} is no tensor but {kind or 'has no type'}")
    tensor = item.type.tensor_type
    dtype = dtype_of(tensor.elem_type)
    if not tensor.HasField("shape"):
        return Port(item.name, dtype, None)
    sizes: list[int | str | None] = []
    for dim in tensor.shape.dim:
        if dim.HasField("dim_value"):
            if dim.dim_value < 0 and shaped:
                raise UnreadableError(f"{shortened(item.name)} has a size below 0")
            sizes.append(int(dim.dim_value))
        else:
            sizes.append(dim.dim_param if isinstance(dim.dim_param, str) else None)
    if len(sizes) > 64:
        raise UnreadableError(f"{shortened(item.name)} has {len(sizes)} dimensions")
    return Port(item.name, dtype, tuple(sizes))


def _learned(model: Any) -> frozenset[str] | None:
    found = [item.value for item in model.metadata_props if item.key == PARAMETERS]
    return frozenset(found[0].split("\n")) if found and isinstance(found[0], str) else None


def is_known(node: Any) -> bool:
    return node.domain in DEFAULT_DOMAINS and node.op_type in READERS


def _ensure_readable(nodes: list[Any], name: str) -> None:
    """Raises one error for all operations that can't be read.

    Where there is control flow, reading the model finds out more, and raises it all together.
    """
    if any(node.domain in DEFAULT_DOMAINS and node.op_type in CONTROL for node in nodes):
        return
    lacking = Lacking()
    for node in nodes:
        if not is_known(node):
            lacking.note(node)
    if lacking:
        raise lacking.error(name)
