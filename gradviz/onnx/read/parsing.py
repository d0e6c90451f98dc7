"""The file as checked data: nodes in an order in which they can run, constants, boundaries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from gradviz.onnx.library import PARAMETERS, library
from gradviz.onnx.read.refusal import SHOWN, UnreadableError, shortened, unreadable
from gradviz.onnx.read.registry import READERS, WHY_NOT
from gradviz.onnx.read.tensors import array_of, dtype_of

OLDEST_OPSET: Final = 7
"""Before it, broadcasting had to be asked for."""
_DEFAULT_DOMAINS: Final = ("", "ai.onnx")
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
    nodes = _needed(graph.node, {item.name for item in inputs}, set(constants), outputs)
    _ensure_known(nodes, name)
    return Parsed(opset, nodes, constants, inputs, outputs, _learned(model))


def _opset(model: Any) -> int:
    versions = [item.version for item in model.opset_import if item.domain in _DEFAULT_DOMAINS]
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


def _needed(nodes: Any, inputs: set[str], constants: set[str], outputs: list[Port]) -> list[Any]:
    """The nodes that outputs need, each after those it needs itself.

    Raises:
        UnreadableError: for values that are made twice or never, and for cycles.
    """
    given = inputs | constants
    maker: dict[str, int] = {}
    for at, node in enumerate(nodes):
        for output in node.output:
            if output in maker or output in given:
                raise UnreadableError(f"the value {shortened(output)} is made twice")
            if output:
                maker[output] = at
    done: dict[int, bool] = {}
    order: list[Any] = []
    stack: list[tuple[int, bool]] = []

    def ask(value: str, of: Any) -> None:
        if not value or value in given:
            return
        at = maker.get(value)
        if at is None:
            what = f"the value {shortened(value)}, which nothing makes"
            raise UnreadableError(f"{title(of)} needs {what}")
        if done.get(at) is False:
            raise UnreadableError(f"{title(of)} needs what depends on it: there is a cycle")
        if at not in done:
            stack.append((at, False))

    for output in outputs:
        ask(output.name, output)
        while stack:
            at, finished = stack.pop()
            if finished:
                done[at] = True
                order.append(nodes[at])
                continue
            if at in done:
                continue
            done[at] = False
            stack.append((at, True))
            for value in nodes[at].input:
                ask(value, nodes[at])
    return order


def title(node: Any) -> str:
    """What to call a node, or an output, in messages."""
    if isinstance(node, Port):
        return f"the output {shortened(node.name)}"
    own = f" {shortened(node.name, 60)}" if node.name else ""
    return f"the node{own} ({shortened(node.op_type, 40)})"


def _ensure_known(nodes: list[Any], name: str) -> None:
    """Raises one error for all operations that can't be read."""
    unknown: dict[str, list[str]] = {}
    for node in nodes:
        own = node.domain in _DEFAULT_DOMAINS
        if own and node.op_type in READERS:
            continue
        kind = node.op_type if own else f"{node.domain}.{node.op_type}"
        unknown.setdefault(shortened(kind, 60), []).append(shortened(node.name, 60) or "unnamed")
    if not unknown:
        return
    kinds = list(unknown)
    more = f" and {len(kinds) - SHOWN} more" if len(kinds) > SHOWN else ""
    raise unreadable(
        name,
        f"no counterpart of {', '.join(kinds[:SHOWN])}{more}",
        facts=tuple(
            (kind, ", ".join(places[:SHOWN]) + _reason(kind)) for kind, places in unknown.items()
        )[:40],
        reason="A model is read whole or not at all; these operations have no counterpart here.",
        advice="Export the model with the standard operations of the format.",
    )


def _reason(kind: str) -> str:
    why = WHY_NOT.get(kind)
    return f" ({why})" if why else ""
