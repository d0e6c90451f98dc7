"""Devices by name, the default device, and the general path that tables fall back to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from gradviz.backends.capture import CaptureBackend
from gradviz.backends.ndarray import NdArrayBackend
from gradviz.core.context import Entered
from gradviz.dispatch.device import Device
from gradviz.errors import fail
from gradviz.ops.spec import Row

_devices: dict[str, Device] = {
    "ndarray": Device("ndarray", NdArrayBackend()),
    "capture": Device("capture", CaptureBackend()),
}
_chosen: list[Device] = [_devices["ndarray"]]
_override: ContextVar[Device | None] = ContextVar("gradviz_default_device", default=None)


def device(name: str | Device) -> Device:
    """The device of a name: "ndarray", "capture", or `str()` of any device.

    Args:
        name: "ndarray" computes with NumPy, "capture" records; `autodiff(...)` around either
            tracks gradients.

    Raises:
        GradvizError: `invalid-argument` for an unknown name.

    Example:
        >>> import gradviz as gv
        >>> gv.device(str(gv.device("ndarray").autodiff()))
        gv.device('autodiff(ndarray)')
    """
    if isinstance(name, Device):
        return name
    text = name.strip().lower() if isinstance(name, str) else ""
    if text in _devices:
        return _devices[text]
    if text.startswith("autodiff(") and text.endswith(")"):
        inner, _, strategy = text[len("autodiff(") : -1].partition(",")
        key, _, value = strategy.partition("=")
        if not strategy:
            return device(inner).autodiff()
        if key.strip() == "checkpointing":
            return device(inner).autodiff(value.strip())  # type: ignore[arg-type]
    advice = f"Use one of {', '.join(sorted(_devices))}, or `.autodiff()` of one."
    if is_place_elsewhere(text):
        advice = "Leave the device out: tensors live in main memory, and are computed there."
    raise fail(
        "invalid-argument",
        operation="device",
        complaint=f"unknown device {name!r}",
        advice=advice,
    )


def is_place_elsewhere(name: str) -> bool:
    """Whether other libraries call a device so: where memory is, which nobody chooses here."""
    return name.strip().lower().partition(":")[0] in ("cpu", "cuda", "mps", "xpu")


def set_default_device(dev: str | Device) -> None:
    """Makes a device the one that new tensors go to where none is named."""
    _chosen[0] = device(dev)


def get_default_device() -> Device:
    """The device that new tensors go to where none is named."""
    return _override.get() or _chosen[0]


@contextmanager
def default_kept() -> Iterator[None]:
    """Puts the default device back at the end of a block."""
    before = _chosen[0]
    try:
        yield
    finally:
        _chosen[0] = before


class default_device(Entered):  # noqa: N801 - used like a function
    """Makes a device the default inside a `with` block."""

    __slots__ = ("_device", "_resets")

    def __init__(self, dev: str | Device) -> None:
        super().__init__()
        self._device = device(dev)
        self._resets: list[Any] = []

    def __enter__(self) -> None:
        self._resets.append(_override.set(self._device))

    def __exit__(self, *_: object) -> None:
        _override.reset(self._resets.pop())


_general: list[Callable[[Row, list[Any], tuple[Any, ...]], Any]] = []


def set_general_path(path: Callable[[Row, list[Any], tuple[Any, ...]], Any]) -> None:
    """Supplies the function that coerces and promotes the inputs of any row."""
    _general[:] = [path]


def slow_path(row: Row) -> Callable[..., Any]:
    """The general path of a row in the calling form of a table's function."""
    count = len(row.inputs)

    def call(*arguments: Any) -> Any:
        skip = len(arguments) - count - len(row.attrs)
        inputs = list(arguments[skip : skip + count])
        return _general[0](row, inputs, tuple(arguments[skip + count :]))

    return call
