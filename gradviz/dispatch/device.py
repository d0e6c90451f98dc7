"""Devices: a backend, with or without gradient tracking around it."""

from __future__ import annotations

import threading
from typing import Any, Literal

from gradviz.autodiff.decorator import build
from gradviz.backends.base import Backend
from gradviz.core import dtype as dtypes
from gradviz.core.kind import Kind
from gradviz.core.meta import Meta
from gradviz.errors import fail
from gradviz.ops.spec import category_after, table

Checkpointing = Literal["none", "balanced"]
STRATEGIES: tuple[Checkpointing, ...] = ("none", "balanced")
_INTERNED_METAS = 8192


class Device:
    """Where tensors live: which backend computes, and whether gradients are tracked.

    Devices are immutable, hashable and interned: equal devices are the same object.

    Example:
        >>> import gradviz as gv
        >>> gv.device("ndarray").autodiff().kind
        Autodiff(NdArray)
    """

    __slots__ = (
        "_autodiff",
        "_tables",
        "backend",
        "checkpointing",
        "inner_device",
        "metas",
        "name",
    )

    def __init__(
        self,
        name: str,
        backend: Backend,
        checkpointing: Checkpointing | None = None,
        inner: Device | None = None,
    ) -> None:
        fields = {
            "name": name,
            "backend": backend,
            "checkpointing": checkpointing,
            "inner_device": inner,
            "metas": {},
            "_autodiff": {},
        }
        for field, value in fields.items():
            object.__setattr__(self, field, value)
        tables = {category: Table(self, category) for category in ("float", "int", "bool")}
        object.__setattr__(self, "_tables", tables)

    name: str
    backend: Backend
    checkpointing: Checkpointing | None
    inner_device: Device | None
    metas: dict[tuple[tuple[int, ...], Any], Meta]
    _autodiff: dict[str, Device]
    _tables: dict[str, Table]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a device never changes: {name!r} can't be set on {self}")

    @property
    def kind(self) -> Kind:
        """The kind of the tensors that live here."""
        return self.backend.kind.autodiff() if self.is_autodiff else self.backend.kind

    @property
    def is_autodiff(self) -> bool:
        """Whether gradients can be tracked here."""
        return self.checkpointing is not None

    @property
    def is_capture(self) -> bool:
        """Whether operations are recorded here instead of computed."""
        return not self.backend.computes

    def autodiff(self, checkpointing: Checkpointing = "none") -> Device:
        """This device with gradient tracking around it.

        Args:
            checkpointing: "none" keeps what backward needs; "balanced" recomputes cheap results and
                every other matrix product of a chain, and where the C library is glibc its backward
                hands freed memory back to the system (`malloc_trim`) each 16 MiB.

        Raises:
            GradvizError: `autodiff-wraps-autodiff` on an autodiff device; `invalid-argument` for an
                unknown strategy.
        """
        known = self._autodiff.get(checkpointing) if isinstance(checkpointing, str) else None
        if known is not None:
            return known
        if self.is_autodiff:
            raise fail(
                "autodiff-wraps-autodiff",
                reason=f"{self} tracks gradients already; there is no second layer.",
                facts=(("device", str(self)),),
                advice="Use the device as it is, or `device.inner().autodiff(...)` to change its "
                "strategy.",
            )
        if checkpointing not in STRATEGIES:
            raise fail(
                "invalid-argument",
                operation="autodiff",
                complaint=f"unknown checkpointing {checkpointing!r}",
                advice='Use "none" or "balanced".',
            )
        with _lock:
            made = self._autodiff.get(checkpointing)
            if made is None:
                text = "" if checkpointing == "none" else f", checkpointing={checkpointing}"
                name = f"autodiff({self.name}{text})"
                made = self._autodiff[checkpointing] = Device(
                    name, self.backend, checkpointing, inner=self
                )
        return made

    def inner(self) -> Device:
        """The device without gradient tracking; itself where there is none."""
        return self if self.inner_device is None else self.inner_device

    def table(self, category: str) -> Table:
        """The functions for tensors of a dtype category."""
        return self._tables[category]

    def meta(self, shape: tuple[int, ...], dtype: Any) -> Meta:
        """The interned meta of this shape and dtype."""
        key = (shape, dtype)
        meta = self.metas.get(key)
        if meta is None:
            if len(self.metas) >= _INTERNED_METAS:
                self.metas.clear()
            meta = self.metas[key] = Meta(shape, dtype, self)
        return meta

    def meta_of(self, value: Any) -> Meta:
        """The interned meta of a value."""
        key = (value.shape, value.dtype)
        return self.metas.get(key) or self.meta(*key)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"gv.device({self.name!r})"

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        from gradviz.dispatch.registry import device

        return device, (self.name,)

    def __copy__(self) -> Device:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Device:
        return self


_lock = threading.RLock()


class Table:
    """A device's functions for one dtype category, compiled when first used.

    `name` takes inputs that share one dtype; for elementwise rows it also takes the meta that all
    of them share, and `name_wide` is the form for operands of different shapes.
    """

    def __init__(self, device: Device, category: str) -> None:
        self._device = device
        self._category: dtypes.Category = category  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        row = table.get(name.removesuffix("_wide"))
        if row is None or name.startswith("__"):
            raise AttributeError(name)
        device = self._device
        if category_after(row.promote, self._category) != self._category:
            from gradviz.dispatch.registry import slow_path

            found = slow_path(row)
        else:
            found = build(
                row,
                device.backend.kernel(row),
                tensor_type=tensor_type(),
                tracking=device.is_autodiff and self._category == "float",
                shared_meta=row.elementwise and not name.endswith("_wide"),
                meta_of=device.meta_of,
                checkpointing=device.checkpointing == "balanced",
                keeps_data=device.backend.computes,
            )
        setattr(self, name, found)
        return found


_tensor_types: list[type] = []


def set_tensor_type(tensor: type) -> None:
    """Tells the tables which class their results have."""
    _tensor_types[:] = [tensor]


def tensor_type() -> type:
    """The class of results."""
    return _tensor_types[0]
