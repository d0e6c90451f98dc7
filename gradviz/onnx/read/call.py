"""One node with its inputs, as readers see it."""

from __future__ import annotations

import math
from typing import Any, Final

from gradviz.core.dtype import named
from gradviz.core.shape import count
from gradviz.onnx.read.refusal import UnreadableError
from gradviz.ops.size import Length, Size
from gradviz.ops.spec import table
from gradviz.tensor.base import Tensor
from gradviz.tensor.general import cast as cast_tensor
from gradviz.tensor.general import general
from gradviz.tensor.namespace import TensorNamespace


class _Rows(TensorNamespace):
    """The rows, with the checks that a recording leaves to the kernels."""

    def reshape(self, x: Tensor, shape: tuple[Length, ...]) -> Any:
        """The same elements in another shape."""
        if math.prod(shape) != math.prod(x.shape):
            raise UnreadableError(f"{list(x.shape)[:16]} has no shape {list(shape)[:16]}")
        return general(table["reshape"], [x], (tuple(shape),))

    def pad(self, x: Tensor, widths: tuple[tuple[int, int], ...], value: Any) -> Any:
        """A border, or less of the tensor."""
        for size, (low, high) in zip(x.shape, widths, strict=True):
            if not is_open((size,)) and size + low + high < 0:
                raise UnreadableError(f"it cuts {-low - high} elements off {size}")
        return general(table["pad"], [x], (widths, value))

    def where(self, condition: Tensor, x: Any, other: Any) -> Any:
        """One or the other."""
        if condition.dtype.kind != "b":
            raise UnreadableError(f"it chooses by {condition.dtype.name}")
        return general(table["where"], [condition, x, other], ())


rows: Final = _Rows()
"""The rows of the operation table, on tensors, with attributes in canonical form."""


class Item:
    """A value of the model.

    Attributes:
        fixed: a plain tensor, where the value is known.
        live: its tensor in the recording, once it has one.
        sizes: whole numbers of which some are only known by name: one, or a vector.
        learned: whether it is a constant that training changes.
        name: what the model calls it.
    """

    __slots__ = ("fixed", "learned", "live", "name", "sizes")

    def __init__(
        self,
        fixed: Tensor | None = None,
        live: Tensor | None = None,
        sizes: Length | tuple[Length, ...] | None = None,
        learned: bool = False,
        name: str = "",
    ) -> None:
        self.fixed = fixed
        self.live = live
        self.sizes = sizes
        self.learned = learned
        self.name = name

    @property
    def shape(self) -> tuple[Length, ...]:
        """Its shape."""
        tensor = self.fixed if self.fixed is not None else self.live
        if tensor is not None:
            return tuple(tensor.shape)
        return (len(self.sizes),) if isinstance(self.sizes, tuple) else ()


class Call:
    """A node: its inputs, attributes, and the version of the operator set.

    Attributes:
        kind: the operation.
        items: the inputs; None for one left out.
        attributes: the attributes by name.
        opset: the version of the operator set.
        wanted: for every output whether anything uses it.
        lift: makes the recording's tensor of an item.
        folding: whether the node is computed now, from known values.
    """

    def __init__(
        self,
        kind: str,
        items: list[Item | None],
        attributes: dict[str, Any],
        opset: int,
        wanted: list[bool],
        lift: Any,
        folding: bool = False,
    ) -> None:
        self.kind = kind
        self.items = items
        self.attributes = attributes
        self.opset = opset
        self.wanted = wanted
        self.folding = folding
        self._lift = lift

    # --- inputs --------------------------------------------------------------------------------
    def has(self, at: int) -> bool:
        """Whether an input is given."""
        return at < len(self.items) and self.items[at] is not None

    def item(self, at: int) -> Item:
        """An input that has to be there."""
        item = self.items[at] if at < len(self.items) else None
        if item is None:
            raise UnreadableError(f"its input {at} is missing")
        return item

    def tensor(self, at: int) -> Tensor:
        """An input as a tensor to compute with."""
        return self._tensor(self.item(at))

    def optional(self, at: int) -> Tensor | None:
        """An input as a tensor, or None where it is left out."""
        return self.tensor(at) if self.has(at) else None

    def _tensor(self, item: Item) -> Tensor:
        if self.folding and item.fixed is not None:
            return item.fixed
        tensor: Tensor = self._lift(item)
        return tensor

    @property
    def x(self) -> Tensor:
        """The first input."""
        return self.tensor(0)

    @property
    def tensors(self) -> list[Tensor]:
        """All inputs."""
        return [self.tensor(at) for at in range(len(self.items))]

    def lengths(self, at: int) -> tuple[Length, ...]:
        """An input that is a vector of sizes, or one; they have to be known, if only by name."""
        item = self.item(at)
        if item.sizes is not None:
            return item.sizes if isinstance(item.sizes, tuple) else (item.sizes,)
        return self.ints(at)

    def ints(self, at: int) -> tuple[int, ...]:
        """An input that is a vector of known whole numbers, or one."""
        item = self.item(at)
        if item.fixed is None:
            raise UnreadableError(f"its input {at} has to be known before the model runs")
        if item.fixed.dtype.kind not in "iu" or len(item.fixed.shape) > 1:
            raise UnreadableError(f"its input {at} is no vector of whole numbers")
        if count(tuple(item.fixed.shape)) > 4096:
            raise UnreadableError(f"its input {at} is too long")
        values = item.fixed.tolist()
        return tuple(values) if isinstance(values, list) else (values,)

    def number(self, at: int) -> Any:
        """An input that is one known number."""
        item = self.item(at)
        if item.fixed is None or count(tuple(item.fixed.shape)) != 1:
            raise UnreadableError(f"its input {at} has to be one known number")
        return item.fixed.reshape(()).item()

    def known(self, at: int) -> bool:
        """Whether an input is one known number."""
        item = self.items[at] if at < len(self.items) else None
        return (
            item is not None
            and item.fixed is not None
            and not item.learned
            and count(tuple(item.fixed.shape)) == 1
        )

    # --- attributes ----------------------------------------------------------------------------
    def whole(self, name: str, default: Any = None) -> Any:
        """A whole number among the attributes."""
        return self._attribute(name, int, default)

    def real(self, name: str, default: Any = None) -> Any:
        """A number among the attributes."""
        return self._attribute(name, float, default)

    def text(self, name: str, default: Any = None) -> Any:
        """A word among the attributes."""
        return self._attribute(name, str, default)

    def integers(self, name: str, default: Any = None) -> Any:
        """Whole numbers among the attributes."""
        return self._attribute(name, tuple, default)

    def _attribute(self, name: str, wanted: type, default: Any) -> Any:
        value = self.attributes.get(name, default)
        if value is None or isinstance(value, wanted):
            return value
        raise UnreadableError(f"its attribute {name} is of another type")

    def axis(self, name: str, default: Any, rank: Any) -> Any:
        """A dimension among the attributes, counted from the front."""
        return axis_of(self.whole(name, default), rank)

    def axes(self, at: int, name: str = "axes") -> tuple[Any, ...] | None:
        """Dimensions that older versions give as an attribute, later ones as an input."""
        if name in self.attributes:
            return tuple(self.integers(name))
        return self.ints(at) if self.has(at) else None


def axis_of(axis: Any, rank: int) -> int:
    """A dimension counted from the front."""
    if not isinstance(axis, int) or not -max(rank, 1) <= axis < max(rank, 1):
        raise UnreadableError(f"there is no dimension {axis} among {rank}")
    return axis % max(rank, 1)


def as_dtype(tensor: Tensor, dtype: str) -> Tensor:
    """A tensor in a dtype."""
    return tensor if tensor.dtype.name == dtype else cast_tensor(tensor, dtype)


def like(number: Any, tensor: Tensor) -> Any:
    """A number as the tensor's dtype takes it."""
    kind = named(tensor.dtype.name).kind
    return float(number) if kind == "f" else bool(number) if kind == "b" else int(number)


def solid(length: Any, what: str) -> int:
    """A size that has to be a number for what is done with it."""
    if isinstance(length, Size):
        raise UnreadableError(f"{what} depends on the size {length}, which is left open")
    return int(length)


def is_open(shape: tuple[Length, ...]) -> bool:
    """Whether a shape has sizes that are only known by name."""
    return any(isinstance(size, Size) for size in shape)
