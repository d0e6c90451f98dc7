"""Models of others as captured programs."""

from __future__ import annotations

import importlib
from collections import ChainMap
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from gradviz.capture.captured import CapturedGraph
from gradviz.capture.scope import CaptureScope
from gradviz.capture.spec import Spec
from gradviz.core.context import Context, Scope, call_site, current, enter, leave
from gradviz.core.dtype import named
from gradviz.dispatch.registry import default_device
from gradviz.dispatch.registry import device as device_named
from gradviz.errors import GradvizError
from gradviz.onnx.naming import readable, scopes_of
from gradviz.onnx.read.bodies import Body, body_of, graphs_in, needs, title
from gradviz.onnx.read.boundary import fits, input_shape
from gradviz.onnx.read.call import Call, Item, is_open, rows
from gradviz.onnx.read.control import CONTROL, MOST_NODES, TOO_MANY, DependentError
from gradviz.onnx.read.folding import MADE, foldable
from gradviz.onnx.read.lacking import DEFAULT_DOMAINS, Lacking
from gradviz.onnx.read.parsing import Parsed, Port, is_known, parse
from gradviz.onnx.read.refusal import UnreadableError, shortened, unreadable
from gradviz.onnx.read.registry import READERS
from gradviz.onnx.read.sizes import computed, is_about_sizes
from gradviz.onnx.read.source import data_of
from gradviz.onnx.read.tensors import array_of
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation import tensor as tensor_of
from gradviz.tensor.general import moved

_LOST: Final = Item()
"""Stands for what a node without a counterpart would have given."""
_DEEPEST: Final = 32
"""Levels of scopes that a node's name may open."""
_LONGEST_LABEL: Final = 80
FAMILIES: Final = (
    "elementwise",
    "indexing",
    "linear",
    "movement",
    "normalization",
    "recurrent",
    "reduction",
    "resizing",
    "spatial",
)

for _family in FAMILIES:
    importlib.import_module(f"gradviz.onnx.read.{_family}")


def from_onnx(source: Any, *, shapes: Mapping[str, Any] | None = None) -> CapturedGraph:
    """Reads an ONNX model as a captured program: to look at, to run, to export, to train.

    Nothing of the file is executed, and no other file is opened: the operations are recorded one by
    one, as if a function had been captured. Shapes that the model computes from shapes are worked
    out while it is read; sizes that it leaves open stay open where that is possible. Branches and
    loops are written out where the file decides which way they go and how often they run.

    Args:
        source: a path, the model's bytes, or a file opened with "rb".
        shapes: sizes for what the model leaves open: the shape of an input by its name, or a size
            by the name that the model gives it.

    Returns:
        The program. Floating point constants with dimensions count as learned, except statistics
        of batch normalization; `to_module()` makes them parameters.

    Raises:
        GradvizError: `onnx-unreadable` for a file that is damaged or no model, that keeps its
            weights in other files, or that uses operations without a counterpart, all of which are
            listed; `missing-extra` without the onnx package; `invalid-argument` for another source.

    Example:
        >>> import gradviz as gv
        >>> model = gv.capture(lambda x: (x * 2.0).sum(), gv.spec((3,))).to_onnx()
        >>> gv.from_onnx(model).run([1.0, 2.0, 3.0]).item()
        12.0
    """
    data, name = data_of(source)
    parsed = parse(data, name)
    code, lasti = call_site()
    # What is recorded comes from the line that reads the file.
    # Gradients pass through it, wherever it is read.
    token = enter(Context(True, None, code, lasti))
    try:
        return _Reading(parsed, name, dict(shapes or {})).program()
    finally:
        leave(token)


class _Reading:
    """A model while it becomes a program."""

    def __init__(self, parsed: Parsed, name: str, shapes: dict[str, Any]) -> None:
        self.parsed = parsed
        self.name = name
        self.shapes = shapes
        self.opset = parsed.opset
        self.scope = CaptureScope(device_named("capture"))
        self.items: ChainMap[str, Item] = ChainMap()
        """What the values are, those of the innermost branch or loop first."""
        self._lacking = Lacking()
        self._constants: list[Item] = []
        self._bodies: dict[tuple[int, str], Body] = {}
        self._held_in: dict[int, dict[str, Item]] = {}
        self._left = MOST_NODES
        self._path: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
        """The scopes of the node around, as its name says them and as they are recorded."""
        self._scopes: dict[tuple[str, ...], Scope | None] = {(): None}

    def program(self) -> CapturedGraph:
        """Records the nodes."""
        with self.scope, default_device(device_named("ndarray")):
            for port in self.parsed.inputs:
                self._input(port)
            self.items.update(self._held(self.parsed.constants))
            try:
                self._nodes(self.parsed.nodes, self._uses())
            except GradvizError:
                if not self._lacking:
                    raise
            if self._lacking:
                raise self._lacking.error(self.name)
            seen: set[int] = set()
            for port in self.parsed.outputs:
                self._output(port, seen)
        captured = self.scope.graph
        self._mark(captured)
        return captured

    def _held(self, arrays: Mapping[str, Any]) -> dict[str, Item]:
        """Constants of the file."""
        made = {
            name: Item(
                fixed=tensor_of(array, name=readable(name)),
                learned=self._learned(name, array),
                name=name,
            )
            for name, array in arrays.items()
        }
        self._constants += made.values()
        return made

    def _learned(self, name: str, array: Any) -> bool:
        known = self.parsed.learned
        if known is not None:
            return name in known
        return bool(array.dtype.kind == "f" and array.ndim > 0)

    def _mark(self, captured: CapturedGraph) -> None:
        """Says which constants are learned."""
        constants = captured.graph.constants
        numbers = {
            item.live.prim.id for item in self._constants if item.learned and item.live is not None
        }
        captured.graph.parameters = [number for number in constants if number in numbers]

    # --- boundaries ----------------------------------------------------------------------------
    def _input(self, port: Port) -> None:
        if port.name in self.items:
            raise unreadable(self.name, f"the input {shortened(port.name)} is there twice")
        try:
            shape = input_shape(port, self.shapes)
            live = self.scope._declare(Spec(shape, named(port.dtype), readable(port.name)))
        except UnreadableError as error:
            raise unreadable(self.name, shortened(error, 300)) from None
        self.items[port.name] = Item(live=live, name=port.name)

    def _output(self, port: Port, seen: set[int]) -> None:
        item = self.items[port.name]
        try:
            tensor = self.lift(item)
        except UnreadableError as error:
            raise unreadable(self.name, shortened(error, 300)) from None
        shape = tuple(tensor.shape)
        wrong = port.sizes is not None and not fits(shape, port.sizes)
        if wrong or (port.dtype and tensor.dtype.name != port.dtype):
            found, said = (
                f"{dtype} {shortened(sizes)}"
                for dtype, sizes in ((tensor.dtype.name, shape), (port.dtype, port.sizes))
            )
            label = shortened(port.name)
            raise unreadable(self.name, f"the output {label} is {found}, but declared {said}")
        given = self.scope._recording.graph
        if tensor.prim.id in (*given.inputs, *given.constants) or tensor.prim.id in seen:
            tensor = rows.reshape(tensor, shape)  # an output of its own
        seen.add(tensor.prim.id)
        taken = {given.tensors[number].name for number in (*given.inputs, *given.constants)}
        name = readable(port.name)
        self.scope.output(tensor, name=name if name not in taken else None)

    # --- nodes ---------------------------------------------------------------------------------
    def _uses(self) -> set[str]:
        used = {value for node in self.parsed.nodes for value in needs(node)}
        return used | {port.name for port in self.parsed.outputs}

    def lift(self, item: Item) -> Tensor:
        """The recording's tensor of a value."""
        if item.live is None:
            if item.fixed is None:
                raise UnreadableError("it computes with sizes that are left open")
            item.live = moved(item.fixed, self.scope.device)
        return item.live

    def _nodes(self, nodes: list[Any], used: Container[str]) -> None:
        for node in nodes:
            items = [self.items[name] if name else None for name in node.input]
            results = None
            if _LOST not in items:
                results = self._node(node, items, used)
            for at, name in enumerate(node.output):
                if name and (results is None or at < len(results)):
                    self.items[name] = _LOST if results is None else results[at]
            missing = [n for n in node.output if n in used and n not in self.items.maps[0]]
            if missing:
                error = UnreadableError("it doesn't give all that is asked of it")
                raise self._failed(node, error)

    def _node(self, node: Any, items: list[Item | None], used: Container[str]) -> list[Item] | None:
        """What a node gives; None where it has no counterpart, which is noted."""
        control = CONTROL.get(node.op_type) if node.domain in DEFAULT_DOMAINS else None
        if control is None and not is_known(node):
            self._lacking.note(node)
            return None
        try:
            with self._inside(node):
                if control is not None:
                    return control(self, node, items)
                c = Call(
                    node.op_type,
                    items,
                    {item.name: _attribute(item) for item in node.attribute},
                    self.opset,
                    [name in used for name in node.output],
                    self.lift,
                    foldable(node.op_type, items),
                )
                return [_item(result, c.folding) for result in self._results(c)]
        except DependentError as error:
            self._lacking.note(node, str(error))
            return None
        except Exception as error:  # whatever a hostile file makes of a reader
            if isinstance(error, GradvizError) and error.slug == "onnx-unreadable":
                raise  # of a node inside
            raise self._failed(node, error) from None

    def body(self, node: Any, name: str) -> Body:
        """The graph that an attribute of a node holds."""
        # The nodes live as long as what is read, so that their ids are theirs.
        known = self._bodies.get((id(node), name))
        if known is None:
            made = body_of(node, name, self.items)
            self._bodies[id(node), name] = known = made
            self._held_in[id(made)] = self._held(made.constants)
        return known

    def inside(self, body: Body, given: list[Item], label: str) -> list[Item] | None:
        """What a body gives for its inputs; None where some of it has no counterpart."""
        self._left -= 1 + len(body.nodes)
        if self._left < 0:
            raise DependentError(TOO_MANY)
        if len(given) != len(body.inputs):
            raise UnreadableError(f"its body takes {len(body.inputs)} inputs, not {len(given)}")
        outer, path = self.items, self._path
        own = self._held_in[id(body)] | dict(zip(body.inputs, given, strict=True))
        self.items = outer.new_child(own)
        self._path = path[0], (*path[1], label)
        try:
            self._nodes(body.nodes, body.used)
            found = [self.items[name] for name in body.outputs]
        finally:
            self.items, self._path = outer, path
        return None if _LOST in found else found

    def _results(self, c: Call) -> tuple[Any, ...]:
        asked = c.items[:1] if c.kind in ("Expand", "Reshape", "Resize", "Slice") else c.items
        if is_about_sizes(asked) and c.kind not in MADE:
            sizes = computed(c)
            parts = sizes if isinstance(sizes, tuple) else (sizes,)
            if is_open(parts):
                return (Item(sizes=sizes),)
            known = list(parts) if isinstance(sizes, tuple) else sizes
            dtype = "bool" if c.kind == "Equal" else "int64"
            return (Item(fixed=tensor_of(known, dtype=dtype)),)
        made = READERS[c.kind](c)
        return made if isinstance(made, tuple) else (made,)

    def _failed(self, node: Any, error: Exception) -> GradvizError:
        if isinstance(error, GradvizError):
            reason = f"{error.problem.message}. {error.problem.reason}"
        elif isinstance(error, UnreadableError):
            reason = f"In {title(node)}: {error}."
        else:
            reason = f"In {title(node)}: {type(error).__name__}: {shortened(error)}."
        return unreadable(
            self.name,
            f"{title(node)} can't be read",
            reason=shortened(reason, 600),
            facts=(("inputs", self._shown(node)),),
            advice="Give sizes in `shapes` where the model leaves them open; otherwise this model "
            "uses more than has a counterpart here.",
        )

    def _shown(self, node: Any) -> str:
        shapes = []
        for name in list(node.input)[:8]:
            item = self.items.get(name)
            shapes.append("none" if item is None else str(list(item.shape)))
        return ", ".join(shapes) or "none"

    @contextmanager
    def _inside(self, node: Any) -> Iterator[None]:
        """Puts the scopes in force that a node's name says."""
        now = current()
        said = tuple(part[:_LONGEST_LABEL] for part in scopes_of(node))
        base, around = before = self._path
        own = said[len(base) :] if said[: len(base)] == base else said
        labels = (*around, *own)
        if graphs_in(node):
            last = readable(node.name).rpartition("/")[2][:_LONGEST_LABEL] or node.op_type
            self._path = said, (*labels, readable(last))
        token = enter(
            Context(
                now.grad_enabled,
                self._scope(labels[:_DEEPEST]),
                now.code,
                now.lasti,
                now.quiet,
            )
        )
        try:
            yield
        finally:
            leave(token)
            self._path = before

    def _scope(self, labels: tuple[str, ...]) -> Scope | None:
        if labels not in self._scopes:
            self._scopes[labels] = Scope(labels[-1], "scope", self._scope(labels[:-1]))
        return self._scopes[labels]


def _item(result: Any, folding: bool) -> Item:
    if isinstance(result, Item):
        return result
    return Item(fixed=result) if folding else Item(live=result)


def _attribute(proto: Any) -> Any:
    """The value of an attribute."""
    kind = proto.type
    if proto.ref_attr_name:
        raise UnreadableError("it belongs to a function of the model's own")
    if kind == 1:
        return float(proto.f)
    if kind == 2:
        return int(proto.i)
    if kind == 3:
        return proto.s.decode("utf-8", "replace")
    if kind == 4:
        return array_of(proto.t)
    if kind in (6, 7):
        return tuple(proto.floats if kind == 6 else proto.ints)
    if kind == 8:
        return tuple(item.decode("utf-8", "replace") for item in proto.strings)
    raise UnreadableError("it has an attribute that isn't a number, a word or a constant")


__all__ = ["from_onnx"]
