"""Parameters and buffers: the tensors that belong to a module."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from gradviz.autodiff.node import NONE, Node, Origin, new_leaf
from gradviz.backends.capture.backend import Symbol, defers
from gradviz.backends.capture.deferred import Deferred, contents_of
from gradviz.core.context import call_site, current
from gradviz.dispatch.device import Device
from gradviz.dispatch.registry import device as device_named
from gradviz.dispatch.registry import get_default_device
from gradviz.errors import GradvizTypeError, fail
from gradviz.ops import shapes
from gradviz.tensor import copying as _copying  # noqa: F401 - parameters can be copied and pickled
from gradviz.tensor.autodiff import INNER, require_grad
from gradviz.tensor.base import Tensor, wrap
from gradviz.tensor.data import array_of
from gradviz.tensor.values import read

PARAMETER = Origin("parameter")
BUFFER = Origin("buffer")


def _leaf(cls: type[Tensor], prim: Any, node: Node) -> Any:
    made: Tensor = object.__new__(cls)
    made.prim = prim
    made.node = node
    return made


def _node(origin: Origin, array: Any, device: Device) -> Node:
    return new_leaf(origin, device.meta(array.shape, array.dtype), NONE, *call_site(), current())


def _contents(data: Any, operation: str) -> Any:
    """The array of a new parameter, or on the capture device what it will be made of."""
    if not isinstance(data, Tensor):
        return array_of(data, None, operation=operation)
    if not data.device.is_capture or not defers():
        return array_of(read(data, operation), None, operation=operation)
    symbol = data.prim
    if symbol.array is None:  # in a dry run: nobody will ask for the numbers
        return Deferred(symbol.shape, symbol.dtype, lambda: read(data, operation))
    return Deferred(symbol.shape, symbol.dtype, lambda: array_of(symbol.contents, None))


class Parameter(Tensor):
    """A tensor that a module learns: a marked leaf that modules find among their attributes.

    An optimizer and `load_state_dict` give it another value; the object stays the same.

    Args:
        data: a number, nested lists, an array or a tensor, of any shape; copied.
        requires_grad: whether it gets gradients.
        name: the name shown in pictures and messages; its path in the module where left out.

    Raises:
        GradvizError: `require-grad-on-non-float` for integers; `capture-value-unavailable` for a
            captured result.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Parameter([1.0, 2.0]).requirement
        'grad'
    """

    __slots__ = ("named",)
    captured_as_constant: ClassVar[bool] = True
    carried: ClassVar[tuple[str, ...]] = ("named",)

    named: bool
    """Whether the user gave the name."""

    def __new__(cls, data: Any, requires_grad: bool = True, name: str | None = None) -> Self:  # noqa: D102
        if name is not None and not isinstance(name, str):
            raise fail(
                "invalid-argument",
                operation="Parameter",
                complaint=f"name must be text, not {type(name).__name__}",
                advice="Give a string, or leave the name out.",
                error=GradvizTypeError,
            )
        array, device = _contents(data, "Parameter"), home_of(data)
        prim = Symbol.of(array) if device.is_capture else array
        made: Self = _leaf(cls, prim, _node(PARAMETER, array, device))
        made.named = name is not None
        if name is not None:
            made.node.more().name = name
        if requires_grad:
            require_grad(made)
        return made

    def replace(self, value: Any) -> Parameter:
        """Gives the parameter another value; graphs that used the old one keep it.

        Args:
            value: an array or tensor of the parameter's shape; it gets the parameter's dtype.

        Returns:
            The parameter itself.

        Raises:
            GradvizError: `shape-mismatch`.

        Example:
            >>> import gradviz as gv
            >>> gv.nn.Parameter([1.0, 2.0]).replace([3.0, 4.0]).tolist()
            [3.0, 4.0]
        """
        self.prim = fitting(self, value, "replace")
        return self


class Buffer(Tensor):
    """A tensor that belongs to a module and isn't learned: statistics, masks, tables.

    Args:
        data: a number, nested lists, an array or a tensor, of any shape; copied.
        persistent: whether `state_dict` holds it.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Buffer([0.0, 1.0]).requirement
        'none'
    """

    __slots__ = ("persistent",)
    captured_as_constant: ClassVar[bool] = True
    carried: ClassVar[tuple[str, ...]] = ("persistent",)

    persistent: bool

    def __new__(cls, data: Any, *, persistent: bool = True) -> Self:  # noqa: D102
        made: Self
        if isinstance(data, Tensor):
            made = _leaf(cls, data.prim, data.node)
        else:
            array = array_of(data, None, operation="Buffer")
            device = get_default_device()
            made = _leaf(cls, device.backend.constant(array), _node(BUFFER, array, device))
        made.persistent = persistent
        return made


def home_of(data: Any) -> Device:
    """The autodiff device on which a parameter with this data lives.

    Outside of recordings that may be the capture device: such a parameter has a shape and a dtype,
    and numbers as soon as somebody reads them.
    """
    device = data.device if isinstance(data, Tensor) else get_default_device()
    if device.is_capture and not defers():
        # A recording holds no values, and parameters need some: they enter it as constants.
        device = device_named("ndarray")
    return device if device.is_autodiff else device.autodiff()


def plain_form(tensor: Tensor) -> Any:
    """A parameter or buffer on the inner device, with a light link to the original."""
    if tensor.device.is_capture:  # a symbol is the same on both devices
        inner = wrap(tensor.prim, _node(INNER, tensor.prim, tensor.device.inner()))
    else:
        inner = tensor.inner()
    made = _leaf(type(tensor), inner.prim, inner.node)
    for field in getattr(tensor, "carried", ()):
        setattr(made, field, getattr(tensor, field))
    if tensor.name is not None and inner is not tensor:
        made.node.more().name = tensor.name
    return made


def moved_to(tensor: Tensor, device: Device | None, dtype: Any) -> None:
    """Puts a parameter or buffer on another device or into another dtype, in place.

    It gets a new node: graphs that used it before keep the old one whole.
    """
    home = device or tensor.device
    array = _moved_contents(tensor, home, dtype)
    old = tensor.node
    node = _node(old.step, array, home)
    if old.extra is not None:
        node.more().name = old.name
    marked = tensor.is_require_grad
    tensor.prim, tensor.node = array, node
    if marked:
        require_grad(tensor)


def _moved_contents(tensor: Tensor, home: Device, dtype: Any) -> Any:
    """A tensor's contents in another dtype; numbers that were put off are made for `ndarray`."""
    if not tensor.device.is_capture:
        return tensor.prim if dtype is None else tensor.prim.astype(dtype)
    known = tensor.prim.array
    wanted = tensor.dtype if dtype is None else dtype
    later = Deferred(tensor.shape, wanted, lambda: contents_of(known).astype(wanted))
    return Symbol.of(later) if home.is_capture else later.contents()


def fitting(tensor: Tensor, value: Any, operation: str, label: str = "") -> Any:
    """A fresh array with a value's contents that can take the place of a tensor's.

    Raises:
        GradvizError: `shape-mismatch`.
    """
    if tensor.device.is_capture and isinstance(value, Tensor) and value.device.is_capture:
        array = value.prim
        array = Deferred(array.shape, tensor.dtype, lambda: read(value, operation))
    else:
        given = read(value, operation) if isinstance(value, Tensor) else value
        array = array_of(given, tensor.dtype, operation=operation)
    if array.shape != tensor.shape:
        raise shapes.mismatch(
            operation,
            tensor.shape,
            array.shape,
            f"{label or 'the parameter'} has shape {tensor.shape} and the value {array.shape}.",
            "Give a value of the same shape, or build the module with the sizes of the value.",
        )
    return Symbol.of(array) if tensor.device.is_capture else array
