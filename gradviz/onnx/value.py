"""Values of the model being written, with operators, so that compositions read like formulas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradviz.onnx.builder import Builder

Dim = Any
"""A size: a whole number, or a symbol that stands for one."""


class Value:
    """A result, input or constant: its name in the file, its dtype and, where known, its shape."""

    __slots__ = ("builder", "dtype", "name", "shape")

    def __init__(
        self, builder: Builder, name: str, dtype: str, shape: tuple[Dim, ...] | None = None
    ) -> None:
        self.builder = builder
        self.name = name
        self.dtype = dtype
        self.shape = shape

    @property
    def dims(self) -> tuple[Dim, ...]:
        """The shape of a value that has one: inputs and results of recorded operations have."""
        if self.shape is None:
            raise TypeError(f"the shape of {self.name} isn't known")
        return self.shape

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.dims)

    @property
    def is_float(self) -> bool:
        """Whether its elements are floating point numbers."""
        return self.dtype.startswith("float")

    @property
    def is_whole(self) -> bool:
        """Whether its elements are whole numbers or bools."""
        return not self.is_float

    def _op(self, kind: str, *inputs: Any) -> Value:
        made: Value = self.builder.op(kind, *inputs)
        return made

    def __add__(self, other: Any) -> Value:
        return self._op("Add", self, other)

    def __radd__(self, other: Any) -> Value:
        return self._op("Add", other, self)

    def __sub__(self, other: Any) -> Value:
        return self._op("Sub", self, other)

    def __rsub__(self, other: Any) -> Value:
        return self._op("Sub", other, self)

    def __mul__(self, other: Any) -> Value:
        return self._op("Mul", self, other)

    def __rmul__(self, other: Any) -> Value:
        return self._op("Mul", other, self)

    def __truediv__(self, other: Any) -> Value:
        return self._op("Div", self, other)

    def __rtruediv__(self, other: Any) -> Value:
        return self._op("Div", other, self)

    def __neg__(self) -> Value:
        return self._op("Neg", self)

    def __lt__(self, other: Any) -> Value:
        return self._op("Less", self, other)

    def __le__(self, other: Any) -> Value:
        return self._op("LessOrEqual", self, other)

    def __gt__(self, other: Any) -> Value:
        return self._op("Greater", self, other)

    def __ge__(self, other: Any) -> Value:
        return self._op("GreaterOrEqual", self, other)

    def __and__(self, other: Any) -> Value:
        return self._op("And", self, other)

    def __or__(self, other: Any) -> Value:
        return self._op("Or", self, other)

    def __invert__(self) -> Value:
        return self._op("Not", self)
