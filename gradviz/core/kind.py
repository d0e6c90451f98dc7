"""Kinds: which machinery holds a tensor."""

from __future__ import annotations

from typing import Final


class Kind(str):
    """The name of a kind, such as `NdArray` or `Autodiff(NdArray)`; equal to its text."""

    __slots__ = ()

    @property
    def is_autodiff(self) -> bool:
        """Whether the kind is `Autodiff(...)`."""
        return self.startswith("Autodiff(")

    @property
    def inner(self) -> Kind:
        """The kind inside `Autodiff(...)`; itself where there is none."""
        return Kind(self[len("Autodiff(") : -1]) if self.is_autodiff else self

    @property
    def is_capture(self) -> bool:
        """Whether operations of this kind are recorded instead of computed."""
        return self.inner == "Capture"

    def autodiff(self) -> Kind:
        """The kind that wraps this one."""
        return Kind(f"Autodiff({self})")

    def __repr__(self) -> str:
        return str(self)


NDARRAY: Final = Kind("NdArray")
CAPTURE: Final = Kind("Capture")
