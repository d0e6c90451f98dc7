"""The tensor: a value and its node. Operations are attached from the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

from gradviz.autodiff.node import GRAD, GRAD_IN_BACKWARD, NONE, REQUIREMENT_NAMES, Node
from gradviz.core.context import CallSite
from gradviz.core.kind import Kind
from gradviz.dispatch.device import Device, set_tensor_type
from gradviz.ops import shapes
from gradviz.tensor.elsewhere import MARK, absent
from gradviz.tensor.methods import TableMethods

if TYPE_CHECKING:
    from gradviz.tensor.gradients import Gradients

TENSORS: set[type[Any]] = set()
"""Tensor and its subclasses: membership is cheaper than isinstance on the hot path."""


class ElementCount(int):
    """A number of elements that may also be called, for who writes `x.size(0)`.

    Example:
        >>> import gradviz as gv
        >>> x = gv.zeros(2, 3)
        >>> x.size, x.size(), x.size(-1)
        (6, (2, 3), 3)
    """

    _shape: tuple[int, ...]

    def __new__(cls, count: int, shape: tuple[int, ...]) -> Self:
        """The number of elements of a shape."""
        made = super().__new__(cls, count)
        made._shape = shape
        return made

    def __call__(self, dim: int | None = None) -> Any:
        """The shape, or its size in one dimension.

        Args:
            dim: the dimension, counted from 0 or from -1 at the end; None for all of them.

        Raises:
            GradvizError: `dimension-out-of-range`.
        """
        if dim is None:
            return self._shape
        if not self._shape:
            raise shapes.no_dimension("size")
        return self._shape[shapes.dimension("size", dim, len(self._shape))]

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        return int, (int(self),)


class Tensor(TableMethods):
    """An immutable multi-dimensional array that knows its kind, its place and its graph.

    Tensors are made by `gv.tensor` and the other creation functions, and by operations. Their
    operations are methods and functions of `gv` alike, with PyTorch's names and arguments.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([1.0, 2.0], requires_grad=True)
        >>> (x * x).sum().backward()[x].tolist()
        [2.0, 4.0]
    """

    __slots__ = ("__weakref__", "node", "prim")
    # NumPy arrays on the left let the tensor's reflected operator take over.
    __array_priority__: ClassVar[int] = 1000
    captured_as_constant: ClassVar[bool] = False

    node: Node
    prim: Any

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        TENSORS.add(cls)

    # --- facts ---------------------------------------------------------------------------------
    @property
    def device(self) -> Device:
        """The device the tensor lives on."""
        device: Device = self.node.meta.device
        return device

    @property
    def kind(self) -> Kind:
        """Which machinery holds the tensor: `NdArray`, `Autodiff(NdArray)`, `Capture` ..."""
        return self.device.kind

    @property
    def dtype(self) -> Any:
        """The dtype; equal to NumPy's."""
        return self.node.meta.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions."""
        return self.node.meta.shape

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.node.meta.shape)

    @property
    def size(self) -> int:
        """Number of elements; called, the shape (`x.size()`) or one of its sizes (`x.size(0)`)."""
        meta = self.node.meta
        count = meta.size
        return ElementCount(count, meta.shape) if count.__class__ is int else count

    @property
    def name(self) -> str | None:
        """The name given at creation, if any."""
        return self.node.name

    @property
    def is_leaf(self) -> bool:
        """Whether the tensor is not computed from tracked ones, so that it can be marked."""
        return self.node.requirement != GRAD_IN_BACKWARD

    @property
    def is_tracked(self) -> bool:
        """Whether gradients flow through the tensor."""
        return self.node.requirement != NONE

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow through the tensor: `is_tracked` under PyTorch's name."""
        return self.node.requirement != NONE

    @requires_grad.setter
    def requires_grad(self, _: object) -> NoReturn:
        raise AttributeError(f"'requires_grad' can't be set: tensors never change; {MARK}")

    @property
    def is_require_grad(self) -> bool:
        """Whether the tensor is a leaf marked by `require_grad`."""
        return self.node.requirement == GRAD

    @property
    def requirement(self) -> str:
        """Either "grad" (a marked leaf), "grad_in_backward" (a tracked result) or "none"."""
        return REQUIREMENT_NAMES[self.node.requirement]

    @property
    def T(self) -> Tensor:  # noqa: N802 - PyTorch's name
        """The dimensions in reverse order."""
        meta = self.node.meta
        turned: Tensor = meta.table.permute(self, tuple(range(len(meta.shape) - 1, -1, -1)))
        return turned

    @property
    def mT(self) -> Tensor:  # noqa: N802 - PyTorch's name
        """The last two dimensions exchanged."""
        with CallSite():
            return self.transpose(-2, -1)

    @property
    def verdict(self) -> Any:
        """What `backward` and `require_grad` would do here; nothing is executed."""
        return views["verdict"](self)

    # --- identity ------------------------------------------------------------------------------
    __hash__ = object.__hash__

    def __setitem__(self, index: Any, value: Any) -> None:
        refused = refusals["setitem"](self, index, value)
        if refused is not None:
            raise refused

    def __len__(self) -> int:
        if not self.shape:
            raise refusals["len"](self)
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if not self.shape:
            raise refusals["iter"](self)
        return (self[at] for at in range(self.shape[0]))

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in absent]

    def __repr__(self) -> str:
        text: str = views["repr"](self)
        return text

    def __format__(self, spec: str) -> str:
        # As in PyTorch, a single element takes a number's format.
        return format(self.item(), spec) if spec else repr(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        return views["mimebundle"](self)

    if TYPE_CHECKING:

        def backward(
            self,
            retain_graph: bool = False,
            create_graph: bool = False,
            gradient: Any = None,
        ) -> Gradients:
            """Attached by `gradviz.tensor.backward`; here for type checkers."""


views: dict[str, Callable[..., Any]] = {}
"""How tensors are shown and judged; supplied by the layers that know."""

refusals: dict[str, Callable[..., Any]] = {}
"""The errors of what tensors can't do; supplied by `gradviz.tensor.values`."""

TENSORS.add(Tensor)
set_tensor_type(Tensor)


def wrap(prim: Any, node: Node) -> Tensor:
    """A tensor of a value and its node."""
    made = Tensor()
    made.prim = prim
    made.node = node
    return made
