"""What needs an array library: the contents of constants, and computing with them.

A backend registers it here when it is loaded, so that this layer needs no array library itself.
"""

from __future__ import annotations

from typing import Any, Protocol

from gradviz.ir.graph import OperationIr


class Host(Protocol):
    """An array library's answers."""

    def is_array(self, value: Any) -> bool:
        """Whether a value is an array (or a scalar of the library)."""

    def as_array(self, value: Any) -> Any:
        """The value itself where it is an array; the array of a scalar."""

    def copied(self, value: Any) -> Any:
        """An array of its own with the contents of `value`."""

    def facts(self, array: Any) -> tuple[tuple[int, ...], str]:
        """Shape and dtype name of an array."""

    def encode(self, array: Any) -> bytes:
        """Its elements in C order, little-endian."""

    def decode(self, data: bytes, shape: tuple[int, ...], dtype: str) -> Any:
        """The read-only array of such bytes; ValueError where they are none of it."""

    def compute(self, operation: OperationIr, inputs: list[Any]) -> tuple[Any, ...]:
        """The results of an operation on arrays."""


_hosts: list[Host] = []


def register(host: Host) -> None:
    """Makes `host` the one that is asked."""
    _hosts[:] = [host]


def host() -> Host:
    """The array library in use."""
    return _hosts[0]
