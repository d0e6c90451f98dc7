"""Capture scopes: where a recording begins and ends, and what goes in and out."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from gradviz.autodiff.node import NONE, Node, Origin, new_leaf
from gradviz.backends.capture.backend import Recording, audible, recordings
from gradviz.backends.capture.dry import DryRun
from gradviz.capture.arguments import ensure_called_rightly, filled, flattened, leaves
from gradviz.capture.captured import CapturedGraph
from gradviz.capture.naming import learned, name_constants
from gradviz.capture.spec import Spec, spec
from gradviz.core.context import CallSite, call_site, current
from gradviz.dispatch.device import Device
from gradviz.dispatch.registry import default_device
from gradviz.dispatch.registry import device as device_named
from gradviz.errors import GradvizError, GradvizTypeError, fail
from gradviz.tensor.base import Tensor, wrap
from gradviz.tensor.data import array_of, is_number
from gradviz.tensor.functions import reshape
from gradviz.tensor.general import moved

INPUT = Origin("input")


class CaptureScope:
    """An open recording: declare inputs, compute, declare outputs; then read `graph`."""

    def __init__(self, device: Device, dry: DryRun | None = None) -> None:
        self.device = device
        self._recording = Recording(str(device), dry)
        self._outputs: list[Node] = []
        self._graph: CapturedGraph | None = None
        self._single = True
        self._captured: Any = None

    def input(self, shape: Any, dtype: Any = "float32", name: str | None = None) -> Tensor:
        """Declares an input and returns its tensor.

        Args:
            shape: sizes of the dimensions.
            dtype: the dtype or its name.
            name: a name no other input has.

        Raises:
            GradvizError: `capture-boundary` for a name that is taken; `capture-scope-closed`.
        """
        return self._declare(spec(shape, dtype, name))

    def _declare(self, described: Spec) -> Tensor:
        self._ensure_open()
        graph = self._recording.graph
        names = {graph.tensors[number].name for number in graph.inputs}
        if described.name is not None and described.name in names:
            raise _boundary(
                "input", described.name, "declared twice", "Give every input its own name."
            )
        symbol = self._recording.input(described.shape, described.dtype, described.name)
        code, lasti = call_site()
        meta = self.device.meta(described.shape, described.dtype)
        node = new_leaf(INPUT, meta, NONE, code, lasti, current())
        if described.name is not None:
            node.more().name = described.name
        return wrap(symbol, node)

    def output(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """Declares an output and returns it; it may be used as before, nothing consumes it.

        Raises:
            GradvizError: `capture-boundary` for something that isn't a tensor of this scope or is
                an output already; `capture-scope-closed`.
        """
        self._ensure_open()
        graph = self._recording.graph
        label = name or str(len(graph.outputs))
        if not isinstance(tensor, Tensor):
            raise _boundary(
                "output",
                label,
                f"a {type(tensor).__name__} is no captured tensor",
                "Return tensors computed from the inputs.",
            )
        if tensor.captured_as_constant and not tensor.device.is_capture:
            tensor = self.lifted(tensor)
        if not tensor.device.is_capture:
            raise _boundary(
                "output",
                label,
                f"kind {tensor.kind} was never recorded",
                "Compute it from the scope's inputs, or bring it in with `.to(device)`.",
            )
        if tensor.prim.recording is not self._recording and tensor.prim.array is None:
            raise _boundary(
                "output",
                label,
                "it belongs to another scope",
                "Declare tensors of this scope only.",
            )
        prim = tensor.prim
        if current().grad_enabled:
            prim = audible(prim)
        number = self._recording.adopt(prim)
        if number in graph.outputs:
            raise _boundary("output", label, "declared twice", "Declare every output once.")
        graph.outputs.append(number)
        self._outputs.append(tensor.node)
        if name is not None:
            self._recording.rename(number, name)
        return tensor

    @property
    def graph(self) -> CapturedGraph:
        """The recorded program.

        Raises:
            GradvizError: `capture-boundary` while nothing has been declared as an output.
        """
        if self._graph is None:
            if not self._recording.graph.outputs:
                raise _boundary(
                    "output",
                    "0",
                    "no output was declared",
                    "Call `scope.output(y)` inside the scope.",
                )
            self._graph = CapturedGraph(
                self._recording.graph,
                tuple(self._outputs),
                self._single_output(),
                learned(self._recording),
            )
        return self._graph

    def lifted(self, tensor: Tensor) -> Tensor:
        """The tensor that stands for an outside parameter in this recording."""
        known: Tensor | None = self._recording.lifted.get(tensor.node.id)
        return moved(tensor, self.device) if known is None else known

    def _single_output(self) -> bool:
        return self._single and len(self._outputs) == 1

    def _ensure_open(self) -> None:
        if not self._recording.open:
            raise fail(
                "capture-scope-closed",
                reason="the scope has ended; its inputs and outputs are settled.",
                advice="Declare inputs and outputs inside the `with` block.",
            )

    def __enter__(self) -> Self:
        self._ensure_open()
        open_here = recordings()
        for other in open_here:
            if other.device_name == self._recording.device_name:
                raise _boundary(
                    "scope",
                    str(self.device),
                    "a capture scope is already active on this device",
                    "End the other scope first.",
                )
        open_here.append(self._recording)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        recordings().remove(self._recording)
        self._recording.close()
        if error is None and self._recording.dry is None:
            name_constants(self._recording, self._captured)


def _boundary(boundary: str, name: str, complaint: str, advice: str) -> GradvizError:
    return fail(
        "capture-boundary",
        boundary=boundary,
        name=name,
        complaint=complaint,
        reason=f"the program's boundary is the list of its inputs and outputs; {boundary} {name} "
        f"doesn't fit: {complaint}.",
        advice=advice,
    )


def capture_scope(device: Any = None) -> CaptureScope:
    """A scope that records what is computed from its inputs.

    Args:
        device: a capture device or its autodiff form; `gv.device("capture")` where it is left out.

    Raises:
        GradvizError: `invalid-argument` for another device; `capture-boundary` when a scope is
            active on the device already.

    Example:
        >>> import gradviz as gv
        >>> with gv.capture_scope() as scope:
        ...     x = scope.input((2,), "float32", name="x")
        ...     y = scope.output(x * 2.0)
        >>> scope.graph.run([1.0, 2.0]).tolist()
        [2.0, 4.0]
    """
    target = device_named("capture" if device is None else device)
    if not target.is_capture:
        raise fail(
            "invalid-argument",
            operation="capture_scope",
            complaint=f"{target} is no capture device",
            advice='Use `gv.device("capture")`.',
        )
    return CaptureScope(target)


def capture(fn: Callable[..., Any], *examples: Any) -> CapturedGraph:
    """Records what a function does, without computing anything.

    Args:
        fn: a function of tensors that returns a tensor, or a tuple, list or dict of tensors.
        examples: for every argument a tensor, an array, a number or `gv.spec(shape, dtype)`; only
            shape and dtype count. A tensor of an autodiff kind makes the inputs
            `Autodiff(Capture)`. Lists, tuples and dicts of these are taken apart: the program has
            an input for each. None stays None.

    Returns:
        The program. Its inputs have the names of the function's arguments, and its outputs are
        all tensors of the result, in order.

    Raises:
        GradvizError: whatever the function meets: `capture-value-unavailable` where it reads a
            value, `different-backends` where it uses a tensor from outside, `shape-mismatch` ...

    Example:
        >>> import gradviz as gv
        >>> captured = gv.capture(lambda x: x.sum(), gv.tensor([1.0, 2.0]))
        >>> len(captured.operations)
        1
    """
    if not callable(fn):
        raise fail(
            "invalid-argument",
            operation="capture",
            complaint=f"a {type(fn).__name__} can't be called",
            advice="Write `gv.capture(fn, *examples)` with a function of tensors.",
            error=GradvizTypeError,
        )
    ensure_called_rightly(fn, examples)
    given = leaves(fn, examples)
    device = device_named("capture")
    if any(isinstance(item, Tensor) and item.device.is_autodiff for item, _ in given):
        device = device.autodiff()
    scope = CaptureScope(device)
    scope._captured = fn
    with scope, default_device(device):
        inputs = iter([_input(scope, example, name) for example, name in given])
        result = fn(*[filled(example, inputs) for example in examples])
        outputs, single = flattened(result)
        scope._single = single
        seen: set[int] = set()
        for output in outputs:
            key = id(getattr(output, "prim", output))
            # The same tensor returned twice: an output of its own, as the caller sees it.
            again = key in seen
            seen.add(key)
            with CallSite():
                scope.output(reshape(output, output.shape) if again else output)
    return scope.graph


def _input(scope: CaptureScope, example: Any, name: str | None) -> Tensor:
    described = spec_of(example)
    return scope._declare(Spec(described.shape, described.dtype, name))


def spec_of(example: Any) -> Spec:
    """The shape, dtype and name of an example."""
    if isinstance(example, Spec):
        return example
    if isinstance(example, Tensor):
        return Spec(example.shape, example.dtype, example.name)
    rows = isinstance(example, list | tuple)
    if rows or is_number(example) or hasattr(example, "__array__"):
        array = array_of(example, None, operation="capture")
        return Spec(array.shape, array.dtype)
    raise fail(
        "invalid-argument",
        operation="capture",
        complaint=f"a {type(example).__name__} is no example of an input",
        advice="Give tensors, arrays, numbers or `gv.spec(shape, dtype)`; bind other arguments "
        "first: `gv.capture(lambda x: fn(x, flag), x)`.",
    )
