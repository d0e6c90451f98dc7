"""A captured program: what it does, and running it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from gradviz.autodiff.node import NONE, Node, Origin, new_leaf
from gradviz.backends.capture.backend import replay
from gradviz.backends.ndarray.backend import kernel_of
from gradviz.core.context import call_site, current
from gradviz.dispatch.registry import device
from gradviz.errors import fail
from gradviz.ir.graph import GraphIr, OperationIr, TensorIr
from gradviz.tensor.base import Tensor, views, wrap
from gradviz.tensor.data import array_of
from gradviz.tensor.values import read

RUN = Origin("captured.run")


class CapturedGraph:
    """A program recorded by `gv.capture` or a capture scope.

    Example:
        >>> import gradviz as gv
        >>> captured = gv.capture(lambda x: (x * 2.0).sum(), gv.spec((3,)))
        >>> captured.run([1.0, 2.0, 3.0]).item()
        12.0
    """

    def __init__(
        self,
        graph: GraphIr,
        output_nodes: tuple[Node, ...],
        single: bool,
        parameters: tuple[int, ...] = (),
    ) -> None:
        self.graph = graph
        self.output_nodes = output_nodes
        self._single = single
        self.parameters = parameters
        """Numbers of the constants that are learned."""

    @property
    def inputs(self) -> tuple[TensorIr, ...]:
        """The declared inputs, in order."""
        return tuple(self.graph.tensors[number] for number in self.graph.inputs)

    @property
    def outputs(self) -> tuple[TensorIr, ...]:
        """The outputs, in order."""
        return tuple(self.graph.tensors[number] for number in self.graph.outputs)

    @property
    def operations(self) -> tuple[OperationIr, ...]:
        """The recorded operations, in order."""
        return tuple(self.graph.operations)

    @property
    def constants(self) -> Mapping[str, Any]:
        """Values that came along, such as a module's parameters: name -> a copy of the array."""
        return {
            self.graph.tensors[number].name or f"constant_{number}": array_of(array, None)
            for number, array in self.graph.constants.items()
        }

    def run(self, *values: Any) -> Any:
        """Executes the program on NdArray.

        Args:
            values: one array, tensor or nested list for every input, of its shape and dtype.

        Returns:
            A tensor, or a tuple of tensors where the program has several outputs.

        Raises:
            GradvizError: `capture-boundary` for a missing, extra or misshapen input.
        """
        if len(values) != len(self.graph.inputs):
            raise fail(
                "capture-boundary",
                boundary="input",
                name=str(min(len(values), len(self.graph.inputs))),
                complaint=f"{len(values)} values for {len(self.graph.inputs)} inputs",
                advice="Give one value for every input of the captured function.",
            )
        arrays = [
            self._checked(at, value, wanted)
            for at, (value, wanted) in enumerate(zip(values, self.inputs, strict=True))
        ]
        results = [_tensor(array) for array in replay(self.graph, arrays, kernel_of)]
        return results[0] if self._single else tuple(results)

    def backward(
        self,
        wrt: Any = None,
        *,
        of: Any = None,
        gradient: Literal["ones", "input"] = "ones",
        with_outputs: bool = False,
        allow_unused: bool = False,
    ) -> CapturedGraph:
        """The program that computes gradients of this program, as a captured graph of its own.

        The operations' formulas run on symbols, so nothing is computed here; the result can be
        looked at, run, exported and differentiated again. It stops at `detach` and `no_grad` as an
        eager backward pass does. Burn's capture refuses autodiff, and `backward` on a captured
        tensor stays refused here: this is an extension.

        Args:
            wrt: names or positions of inputs, or names of parameters and other constants, one or
                several; by default all floating point inputs and all parameters.
            of: names or positions of the outputs to differentiate, whose gradients are summed; by
                default all floating point outputs.
            gradient: "ones" starts from ones, as `loss.backward()` does; "input" takes an input
                `gradient` (of several outputs: `gradient_of_<name>`) beside every output that
                isn't one number.
            with_outputs: whether the outputs themselves come first.
            allow_unused: gives zeros for what no gradient reaches, instead of an error.

        Returns:
            A program with this one's inputs, whose outputs are named `grad_of_<name>` and have the
            shapes and dtypes of what they are gradients of.

        Raises:
            GradvizError: `leaf-not-reached` for what has no path to the outputs; `invalid-argument`
                for names that don't exist; `require-grad-on-non-float` for int and bool.

        Example:
            >>> import gradviz as gv
            >>> captured = gv.capture(lambda x: (x * x).sum(), gv.spec((2,)))
            >>> captured.backward().run([1.0, 2.0]).tolist()
            [2.0, 4.0]
        """
        from gradviz.capture.gradient import gradient_program

        return gradient_program(
            self,
            wrt,
            of=of,
            gradient=gradient,
            with_outputs=with_outputs,
            allow_unused=allow_unused,
        )

    def to_onnx(self, path: Any = None, *, opset: int | None = None) -> bytes | None:
        """Writes the program as an ONNX model that other runtimes execute to the same values.

        Nodes are called by their place in the modules (`encoder/layer1/linear`), constants by the
        parameters' names; the same program gives the same bytes.

        Args:
            path: a path, or a file object that takes bytes; without one the bytes are returned.
            opset: the version of ONNX's operator set, from 17; without one 18, or what the
                operations need.

        Returns:
            The model's bytes where no path was given.

        Raises:
            GradvizError: `onnx-not-expressible`, which lists all operations that ONNX has no words
                for; `missing-extra` without the onnx package; `invalid-argument` for an opset that
                can't be written.

        Example:
            >>> import gradviz as gv
            >>> captured = gv.capture(lambda x: (x * 2.0).sum(), gv.spec((3,)))
            >>> model = captured.to_onnx()
        """
        written: bytes | None = views["onnx"](self.graph, path, opset=opset)
        return written

    def _checked(self, at: int, value: Any, wanted: TensorIr) -> Any:
        array = read(value, "run") if isinstance(value, Tensor) else array_of(value, None)
        name = wanted.name or str(at)
        if array.shape != wanted.shape:
            raise fail(
                "capture-boundary",
                boundary="input",
                name=name,
                complaint=f"shape {array.shape} given, {wanted.shape} captured",
                advice="Give a value of the captured shape, or capture again with this one.",
            )
        if array.dtype.name != wanted.dtype:
            typed = isinstance(value, Tensor) or hasattr(value, "dtype")
            if typed:
                raise fail(
                    "capture-boundary",
                    boundary="input",
                    name=name,
                    complaint=f"dtype {array.dtype.name} given, {wanted.dtype} captured",
                    advice=f"Convert the value to {wanted.dtype} first.",
                )
            array = array.astype(wanted.dtype)
        return array

    def __str__(self) -> str:
        return str(self.graph)

    def __repr__(self) -> str:
        inputs = ", ".join(str(item) for item in self.inputs)
        outputs = ", ".join(str(item) for item in self.outputs)
        return f"CapturedGraph({inputs} -> {outputs}: {len(self.graph.operations)} operations)"


def _tensor(array: Any) -> Tensor:
    target = device("ndarray")
    code, lasti = call_site()
    return wrap(array, new_leaf(RUN, target.meta_of(array), NONE, code, lasti, current()))
