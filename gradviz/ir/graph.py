"""GraphIr: a recorded program as data.

A program is a list of operations over numbered tensors. A tensor is an input, a constant, or made
by exactly one operation that stands before all its uses; nothing is ever overwritten. The form as
JSON is described in `gradviz.ir.writing`, the rules of a valid program in `gradviz.ir.checking`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import CodeType
from typing import TYPE_CHECKING, Any, Literal

from gradviz.core.context import Context, Scope, origin
from gradviz.core.source import SourceSpan, span
from gradviz.ops.size import Length, symbols_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gradviz.ir.comparing import Difference
    from gradviz.ir.passes import Optimized
Status = Literal["input", "constant", "computed"]
Place = tuple[CodeType | None, int, Context]

ABSENT = -1
"""The number of an optional input that isn't given."""


@dataclass(frozen=True, slots=True)
class TensorIr:
    """One value of the program.

    Attributes:
        id: its number.
        shape: its sizes; a size that was left open is a symbol.
        dtype: the dtype's name.
        name: the user's name for it, if any.
        status: where it comes from: given by the caller, kept with the program, or computed.
    """

    id: int
    shape: tuple[Length, ...]
    dtype: str
    name: str | None = None
    status: Status = "computed"

    def __str__(self) -> str:
        label = f"%{self.id}" if self.name is None else f"%{self.id}:{self.name}"
        return f"{label} {self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True, slots=True)
class OperationIr:
    """One recorded operation: `outputs = op(inputs, **attributes)`; -1 is an absent input.

    Attributes:
        op: the row of the operation table.
        inputs: numbers of tensors; those of a list of tensors stand at the end.
        outputs: numbers of the results.
        attributes: the row's other arguments in canonical form, in the row's order.
        place: the code that was recorded, with its scopes.
        span: the expression, where the program was read from a file and no code is at hand.
    """

    op: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    attributes: tuple[tuple[str, Any], ...] = ()
    place: Place | None = field(default=None, compare=False, repr=False)
    span: SourceSpan | None = field(default=None, compare=False, repr=False)

    @property
    def source(self) -> SourceSpan | None:
        """The user's expression that was recorded."""
        if self.span is not None or self.place is None:
            return self.span
        return span(*origin(*self.place))

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The scopes it was recorded in, outermost first."""
        found: list[Scope] = []
        scope = None if self.place is None else self.place[2].scope
        while scope is not None:
            found.append(scope)
            scope = scope.parent
        return tuple(reversed(found))

    @property
    def scope(self) -> str:
        """The labels of its scopes as a path: `"encoder/0"`; empty outside of all."""
        return "/".join(scope.label for scope in self.scopes)


@dataclass(slots=True)
class GraphIr:
    """A program: operations in order, over tensors addressed by number.

    Attributes:
        tensors: number -> tensor.
        operations: in an order in which they can run.
        constants: number -> array; None for one that is only referred to.
        inputs: numbers of the inputs, in the caller's order.
        outputs: numbers of the outputs.
        parameters: numbers of the constants that are learned.
        single: whether running gives the only output by itself instead of a tuple.
    """

    tensors: dict[int, TensorIr] = field(default_factory=dict)
    operations: list[OperationIr] = field(default_factory=list)
    constants: dict[int, Any] = field(default_factory=dict)
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    parameters: list[int] = field(default_factory=list)
    single: bool = True

    @property
    def symbols(self) -> tuple[str, ...]:
        """The sizes that the inputs leave open, sorted by name."""
        return symbols_of(self.tensors[number].shape for number in self.inputs)

    def rename(self, number: int, name: str) -> None:
        """Gives a tensor a name."""
        self.tensors[number] = replace(self.tensors[number], name=name)

    def copy(self) -> GraphIr:
        """A program of its own with the same tensors, operations and arrays."""
        return GraphIr(
            dict(self.tensors),
            list(self.operations),
            dict(self.constants),
            list(self.inputs),
            list(self.outputs),
            list(self.parameters),
            self.single,
        )

    def validate(self) -> None:
        """Checks that this is a program.

        Raises:
            GradvizError: `capture-boundary` for inputs and outputs that are duplicate, unknown,
                undeclared, computed or not available at the end; `invalid-program` for everything
                else: unknown operations, wrong numbers of inputs, tensors that are undefined, made
                twice or used before they are made, shapes and dtypes that inference contradicts.
        """
        from gradviz.ir.checking import check

        check(self)

    def to_json(self, *, embed: bool = True, indent: int | None = None) -> str:
        """The program as JSON text.

        Args:
            embed: whether named constants come with their contents.
            indent: spaces of indentation, if any.

        Raises:
            GradvizError: `invalid-program` for one that no JSON can hold.

        Example:
            >>> import gradviz as gv
            >>> graph = gv.capture(lambda x: x * 2.0, gv.spec((3,))).graph
            >>> str(type(graph).from_json(graph.to_json())) == str(graph)
            True
        """
        from gradviz.ir.writing import write

        return write(self, embed=embed, indent=indent)

    @classmethod
    def from_json(cls, text: str, *, constants: Mapping[str, Any] | None = None) -> GraphIr:
        """The program of a JSON text, validated.

        Args:
            text: the text.
            constants: name -> array, for those that were written without contents.

        Raises:
            GradvizError: as from `validate`.
        """
        from gradviz.ir.reading import read

        return read(text, constants or {})

    def optimized(self) -> Optimized:
        """The program without what it doesn't need, and what was done to it.

        Example:
            >>> import gradviz as gv
            >>> captured = gv.capture(lambda x: (x.exp(), x * 2.0)[1], gv.spec((3,)))
            >>> print(captured.graph.optimized().reports[0])
            dead code: 1 operation removed (exp)
        """
        from gradviz.ir.passes import optimize

        return optimize(self)

    def diff(self, other: GraphIr) -> Difference:
        """What another program does differently."""
        from gradviz.ir.comparing import compare

        return compare(self, other)

    def __str__(self) -> str:
        from gradviz.ir.listing import listing

        return listing(self)
