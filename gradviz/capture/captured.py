"""A captured program: what it does, running it, and keeping it in a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gradviz.autodiff.node import Node
from gradviz.capture.compiled import CompiledGraph
from gradviz.capture.running import Runner, ensure_constants
from gradviz.core.files import write_whole
from gradviz.errors import fail
from gradviz.ir.comparing import Difference
from gradviz.ir.graph import GraphIr, OperationIr, TensorIr
from gradviz.tensor.base import views
from gradviz.tensor.data import array_of

if TYPE_CHECKING:
    from gradviz.capture.module import CapturedModule

_LARGEST_FILE = 2**33


class CapturedGraph:
    """A program recorded by `gv.capture` or a capture scope, or read from a file.

    Example:
        >>> import gradviz as gv
        >>> captured = gv.capture(lambda x: (x * 2.0).sum(), gv.spec((3,)))
        >>> captured.run([1.0, 2.0, 3.0]).item()
        12.0
    """

    def __init__(
        self,
        graph: GraphIr,
        output_nodes: tuple[Node, ...] = (),
        single: bool | None = None,
        parameters: tuple[int, ...] | None = None,
    ) -> None:
        self.graph = graph
        self.output_nodes = output_nodes
        """The outputs' nodes of the recording; none where the program came from a file."""
        self._runner = Runner()
        if single is not None:
            graph.single = single
        if parameters is not None:
            graph.parameters = [number for number in parameters if number in graph.constants]

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
    def parameters(self) -> tuple[int, ...]:
        """Numbers of the constants that are learned."""
        return tuple(self.graph.parameters)

    @property
    def constants(self) -> Mapping[str, Any]:
        """Values that came along, such as a module's parameters: name -> a copy of the array."""
        return {
            self.graph.tensors[number].name or f"constant_{number}": array_of(array, None)
            for number, array in self.graph.constants.items()
            if array is not None
        }

    def run(self, *values: Any) -> Any:
        """Executes the program on NdArray, to the same bits as the function that was captured.

        Args:
            values: one array, tensor or nested list for every input, of its shape and dtype; sizes
                that were left open may be any, the same for the same symbol.

        Returns:
            A tensor, or a tuple of tensors where the program has several outputs.

        Raises:
            GradvizError: `capture-boundary` for a missing, extra or misshapen input;
                `invalid-program` where a constant that is only referred to wasn't given.
        """
        return self._runner.run(self.graph, values)

    def compile(self, **sizes: int) -> CompiledGraph:
        """Plans the program's execution: what `run` does, ready made and to be looked at.

        Args:
            sizes: numbers for the sizes that were left open.

        Raises:
            GradvizError: `capture-boundary` for sizes that are missing, unknown or don't fit.

        Example:
            >>> import gradviz as gv
            >>> compiled = gv.capture(lambda x: x.tanh() * 2.0, gv.spec(("n",))).compile(n=3)
            >>> compiled.run([0.0, 0.0, 0.0]).tolist()
            [0.0, 0.0, 0.0]
        """
        return CompiledGraph(self.graph, sizes)

    def optimized(self) -> CapturedGraph:
        """The program without what it doesn't need; `graph.optimized()` tells what was done.

        Example:
            >>> import gradviz as gv
            >>> captured = gv.capture(lambda x: (x.exp(), x * 2.0)[1], gv.spec((3,)))
            >>> [operation.op for operation in captured.optimized().operations]
            ['mul']
        """
        return CapturedGraph(self.graph.optimized().graph, self.output_nodes)

    def diff(self, other: CapturedGraph) -> Difference:
        """What another captured program does differently: data, and text when it is printed.

        Example:
            >>> import gradviz as gv
            >>> one = gv.capture(lambda x: x.exp(), gv.spec((3,)))
            >>> one.diff(one).same
            True
        """
        return self.graph.diff(other.graph)

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
            wrt: names or positions of inputs, names of parameters and other constants, parameters
                or modules, one or several; by default all floating point inputs and parameters.
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

    def to_module(self) -> CapturedModule:
        """The program as a module that can be trained, combined and captured again.

        Constants that are learned become parameters under their names, the others buffers; calling
        the module replays the operations on tensors, so that `backward` works.

        Returns:
            A `gv.nn.Module` whose `forward` takes the program's inputs.

        Raises:
            GradvizError: `invalid-program` where a constant that is only referred to wasn't given.

        Example:
            >>> import gradviz as gv
            >>> captured = gv.capture(gv.nn.Linear(2, 1), gv.spec((4, 2)))
            >>> model = captured.to_module()
            >>> sorted(name for name, _ in model.named_parameters())
            ['bias', 'weight']
        """
        from gradviz.capture.module import CapturedModule

        ensure_constants(self.graph, "to_module")
        return CapturedModule(self.graph)

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

    # --- files ---------------------------------------------------------------------------------
    def to_json(self, *, embed: bool = True, indent: int | None = None) -> str:
        """The program as JSON text; `gradviz.ir.writing` describes the form.

        Args:
            embed: whether the contents of named constants (parameters, buffers) are written;
                otherwise they are only referred to by name, and given again when it is read.
            indent: spaces of indentation; compact where it is left out.

        Raises:
            GradvizError: `invalid-program` for one that no JSON can hold.

        Example:
            >>> import gradviz as gv
            >>> text = gv.capture(lambda x: x * 2.0, gv.spec((2,))).to_json()
            >>> gv.CapturedGraph.from_json(text).run([1.0, 2.0]).tolist()
            [2.0, 4.0]
        """
        return self.graph.to_json(embed=embed, indent=indent)

    @classmethod
    def from_json(cls, text: str, *, constants: Mapping[str, Any] | None = None) -> CapturedGraph:
        """The program of a JSON text, checked; nothing in it is executed.

        Args:
            text: what `to_json` wrote.
            constants: arrays or tensors for the constants that the text only refers to, by name.

        Raises:
            GradvizError: `invalid-program` or `capture-boundary` for anything that is no program.
        """
        arrays = {name: array_of(array, None) for name, array in (constants or {}).items()}
        return cls(GraphIr.from_json(text, constants=arrays))

    def save(self, path: str | os.PathLike[str], *, embed: bool = True) -> None:
        """Writes the program to a JSON file, which appears when it is complete.

        Args:
            path: the file.
            embed: as for `to_json`.
        """
        write_whole(path, self.to_json(embed=embed).encode("utf-8"))

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, constants: Mapping[str, Any] | None = None
    ) -> CapturedGraph:
        """The program of a JSON file, checked; nothing in it is executed.

        Args:
            path: the file.
            constants: as for `from_json`.

        Raises:
            GradvizError: `invalid-program` or `capture-boundary` for anything that is no program.
            OSError: where the file can't be opened.
        """
        file = Path(path)
        size = file.stat().st_size
        if size > _LARGEST_FILE:
            raise fail(
                "invalid-program",
                operation="load",
                complaint=f"{size} bytes are more than a program of {_LARGEST_FILE}",
            )
        return cls.from_json(file.read_bytes(), constants=constants)  # type: ignore[arg-type]

    def __str__(self) -> str:
        return str(self.graph)

    def __repr__(self) -> str:
        inputs = ", ".join(str(item) for item in self.inputs)
        outputs = ", ".join(str(item) for item in self.outputs)
        return f"CapturedGraph({inputs} -> {outputs}: {len(self.graph.operations)} operations)"
