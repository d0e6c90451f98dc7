"""What a row of the operation table says.

A formula asks for values by the names of its parameters, as with test fixtures. It may ask for

- `g`, the incoming gradient; `xp`, the operations to compute with;
- an input's name, for its value; `out` or the name of a further result or of a value kept;
- `<input>_shape`, `<input>_dtype`, `out_shape`: facts that cost nothing to keep;
- the row's attributes in canonical form; for a variadic input, `shapes` and `index`.

A step saves exactly the values that the formulas of its tracked inputs ask for. Formulas use
operators and `xp` only, so that one formula serves arrays and tracked tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from gradviz.core.dtype import Category
from gradviz.ops.symbolic import aware

Promote = Literal["none", "common", "float", "floating", "numeric", "integral", "whole"]
Result = Literal["same", "bool", "infer"]
Formula = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Input:
    """One tensor argument of a row."""

    name: str
    optional: bool = False
    variadic: bool = False


@dataclass(frozen=True, slots=True)
class Attr:
    """One argument that is not a tensor, in canonical form."""

    name: str


@dataclass(frozen=True, slots=True)
class Ints:
    """A sample's input of whole numbers from `low` up to, not including, `high`."""

    shape: tuple[int, ...]
    high: int
    low: int = 0


@dataclass(frozen=True, slots=True)
class Mask:
    """A sample's input of truth values."""

    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """A sample's input written out, as nested lists."""

    values: Any
    dtype: str = "int64"


@dataclass(frozen=True, slots=True)
class Sample:
    """Inputs to test a row with, and attributes in canonical form.

    An input is a shape, filled with numbers of `dtype` between `low` and `high`, or one of `Ints`,
    `Mask` and `Given`, which also serve inside attributes; None is an absent input.
    """

    inputs: tuple[Any, ...]
    attrs: tuple[Any, ...] = ()
    low: float = -2.0
    high: float = 2.0
    differentiable: bool = True
    dtype: str = "float64"


@dataclass(frozen=True, slots=True)
class Row:
    """One operation.

    Attributes:
        name: its name in the table, on tensors and in pictures.
        inputs: its tensor arguments.
        attrs: its other arguments.
        infer: shape and dtype of the results from those of the inputs: `(shape, dtype name)`.
        forward: the backend's kernel; a name of the array library or of the backend's own kernels.
        vjp: input name -> formula; an input without one gets no gradient.
        elementwise: whether inputs broadcast and the result has their common shape.
        result: whether the result keeps the dtype of the inputs.
        promote: what happens to the inputs' dtypes first: they become one ("common") or floating
            point ("float"); or they are refused unless they are floating point ("floating"),
            numbers ("numeric"), whole numbers and bools ("integral") or whole numbers ("whole").
        checked: whether the shape rule is asked before the kernel runs, because the kernel would
            accept what the operation doesn't.
        fixed: inputs that keep their dtype whatever the others are (masks, indices).
        extra_results: names of results beyond the first; they carry no gradient.
        kept: names of values that the kernel gives behind its results, for formulas to ask for.
        zero_gradient: whether the gradient exists but is zero everywhere.
        memory_bound: whether recomputing is cheaper than keeping the result.
        redone: whether a result that isn't may still be recomputed where memory is scarce, as long
            as few such results follow each other.
        pure: whether equal inputs give equal results; random numbers don't.
        doc: one sentence.
        formula: the mathematics, where it is worth a line.
        samples: what to test it with.
    """

    name: str
    inputs: tuple[Input, ...]
    attrs: tuple[Attr, ...]
    infer: Callable[..., Any]
    forward: str
    vjp: Mapping[str, Formula]
    elementwise: bool
    result: Result
    promote: Promote
    checked: bool
    fixed: tuple[str, ...]
    extra_results: tuple[str, ...]
    kept: tuple[str, ...]
    zero_gradient: bool
    memory_bound: bool
    redone: bool
    pure: bool
    doc: str
    formula: str
    onnx: str | None
    samples: tuple[Sample, ...]
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def differentiable(self) -> bool:
        """Whether any input can get a gradient."""
        return bool(self.vjp)

    @property
    def variadic(self) -> bool:
        """Whether the last input is a list of tensors."""
        return self.inputs[-1].variadic if self.inputs else False

    @property
    def several(self) -> tuple[str, ...]:
        """What the kernel gives besides the first result."""
        return self.extra_results + self.kept

    def input_names(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(item.name for item in self.inputs)


class TableError(TypeError):
    """A row that contradicts itself; raised while the table is built."""


def parse_inputs(text: str) -> tuple[Input, ...]:
    """Inputs from a text such as `"x weight bias?"` or `"tensors*"`."""
    return tuple(
        Input(word.rstrip("?*"), optional=word.endswith("?"), variadic=word.endswith("*"))
        for word in text.split()
    )


def check_formulas(row: Row) -> dict[str, tuple[str, ...]]:
    """Parameter names of every formula; TableError for one that asks for what doesn't exist."""
    names = row.input_names()
    known = {"g", "xp", "out", "out_shape", *names, *(attr.name for attr in row.attrs)}
    known |= {f"{name}_shape" for name in names} | {f"{name}_dtype" for name in names}
    known |= {*row.extra_results, *row.kept}
    if row.variadic:
        known |= {"shapes", "index"}
    needs: dict[str, tuple[str, ...]] = {}
    for name, formula in row.vjp.items():
        if name not in names:
            raise TableError(f"row {row.name!r}: a formula for {name!r}, which is no input")
        # `inspect.signature` would take most of the time of importing the table.
        code = formula.__code__
        wanted = code.co_varnames[: code.co_argcount]
        unknown = [want for want in wanted if want not in known]
        if unknown:
            raise TableError(f"row {row.name!r}: the formula for {name!r} asks for {unknown}")
        needs[name] = wanted
    return needs


table: dict[str, Row] = {}
"""Every row by name."""


def op(
    name: str,
    inputs: str,
    *,
    infer: Callable[..., Any],
    doc: str,
    attrs: str = "",
    forward: str | None = None,
    vjp: Mapping[str, Formula] | None = None,
    elementwise: bool = False,
    result: Result = "infer",
    promote: Promote = "none",
    checked: bool = False,
    fixed: str = "",
    extra_results: str = "",
    kept: str = "",
    zero_gradient: bool = False,
    memory_bound: bool = True,
    redone: bool = False,
    pure: bool = True,
    formula: str = "",
    onnx: str | None = None,
    samples: tuple[Sample, ...] = (),
) -> Row:
    """Adds a row to the table."""
    if name in table:
        raise TableError(f"row {name!r} is there twice")
    row = Row(
        name=name,
        inputs=parse_inputs(inputs),
        attrs=tuple(Attr(word) for word in attrs.split()),
        infer=aware(infer),
        forward=forward or name,
        vjp=dict(vjp or {}),
        elementwise=elementwise,
        result=result,
        promote=promote,
        checked=checked,
        fixed=tuple(fixed.split()),
        extra_results=tuple(extra_results.split()),
        kept=tuple(kept.split()),
        zero_gradient=zero_gradient,
        memory_bound=memory_bound,
        redone=redone,
        pure=pure,
        doc=doc,
        formula=formula,
        onnx=onnx,
        samples=samples,
    )
    row.needs.update(check_formulas(row))  # type: ignore[attr-defined]
    table[name] = row
    return row


def category_after(promote: Promote, category: Category) -> Category:
    """The category a row computes in, given its inputs'."""
    if promote in ("float", "floating"):
        return "float"
    if promote == "whole" or (promote == "integral" and category == "float"):
        return "int"
    if promote == "numeric" and category == "bool":
        return "int"
    return category
