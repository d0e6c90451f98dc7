"""The general path of every operation: inputs that aren't ready made are brought together.

Numbers, arrays and plain tensors become tensors of one device, dtypes are promoted as in PyTorch,
and what a kernel can't take is said in the operation's own terms. Operands that fit already never
come here.
"""

from __future__ import annotations

import math
from typing import Any

import gradviz.ops.families as _families  # noqa: F401 - fills the table
from gradviz.autodiff.node import GRAD, NONE, Origin, new_leaf
from gradviz.autodiff.provenance import settle
from gradviz.backends.capture.backend import dry_run
from gradviz.core import dtype as dtypes
from gradviz.core.context import at_call_site, current, enter, leave
from gradviz.core.dtype import named
from gradviz.core.meta import Meta
from gradviz.dispatch.device import Device
from gradviz.dispatch.registry import get_default_device, set_general_path
from gradviz.errors import fail
from gradviz.ops.size import Size, symbol
from gradviz.ops.spec import Row, table
from gradviz.tensor.base import TENSORS, Tensor, wrap
from gradviz.tensor.data import array_of, is_number
from gradviz.tensor.elsewhere import GradOf
from gradviz.tensor.failing import (
    different_backends,
    different_checkpointing,
    facts_of,
)
from gradviz.tensor.failing import explain as explain
from gradviz.tensor.plans import Plan, key_of, plans, remember

CONSTANT = Origin("constant")
LIFT = Origin("autodiff")
ARRAY = Origin("array")
_CACHED_NUMBERS = 1024
_REFUSED = {
    ("floating", "int"): "floating point numbers",
    ("floating", "bool"): "floating point numbers",
    ("numeric", "bool"): "numbers",
    ("integral", "float"): "whole numbers or bools",
    ("whole", "float"): "whole numbers",
    ("whole", "bool"): "whole numbers",
}
_NUMBER_DTYPE = ((bool, "bool"), (int, "int64"), (float, "float32"))


def number(meta: Meta, value: float) -> Tensor | None:
    """A Python number as a tensor beside one of `meta`; None where it would change the dtype."""
    if meta.category == "bool" or (meta.category == "int" and isinstance(value, float)):
        return None
    try:
        prim = meta.device.backend.constant(array_of(value, meta.dtype))
    except OverflowError:
        return None
    known: dict[Any, Any] = meta.floats if isinstance(value, float) else meta.ints
    made = _constant(meta.device, prim, meta.dtype, value)
    # 0.0 and -0.0 are one key, and nan is none; capture constants belong to one recording.
    if value and not math.isnan(value) and meta.device.backend.computes:
        if len(known) >= _CACHED_NUMBERS:
            known.clear()
        known[value] = made
    return made


def _constant(device: Device, prim: Any, dtype: Any, value: Any) -> Tensor:
    node = new_leaf(CONSTANT, device.meta((), dtype), NONE, None, -1, current(), attrs=(value,))
    return wrap(prim, node)


def general(row: Row, inputs: list[Any], attrs: tuple[Any, ...]) -> Any:
    """Runs a row on any inputs."""
    token = enter(at_call_site())
    tensors: list[Any] = inputs
    try:
        flat, key = key_of(row, inputs, attrs)
        plan = None if key is None else plans.get(key)
        if plan is not None:
            planned = _follow(plan, flat)
            if planned is not None:
                tensors = planned
                return plan.run(*plan.first, *tensors, *attrs)
        tensors = prepare(row, inputs)
        run, first = _function(row, tensors, attrs)
        if key is not None and plan is None:
            remember(key, row, flat, _laid_flat(row, tensors), run, first)
        return run(*first, *tensors, *attrs)
    except Exception as error:
        raise explain(error, row, tensors, attrs) from None
    finally:
        leave(token)


def _follow(plan: Plan, flat: list[Any]) -> list[Any] | None:
    """The inputs as a plan wants them; None where a number doesn't fit its dtype."""
    for at in plan.moves:
        flat[at] = moved(flat[at], plan.device)
    for at, meta in plan.numbers:
        value = flat[at]
        known: dict[Any, Any] = meta.floats if value.__class__ is float else meta.ints
        made = known.get(value)
        if made is None:
            made = number(meta, value)
            if made is None:
                return None
        flat[at] = made
    return flat if plan.fixed is None else [*flat[: plan.fixed], flat[plan.fixed :]]


def _function(row: Row, tensors: list[Any], attrs: tuple[Any, ...]) -> tuple[Any, tuple[Meta, ...]]:
    """The table's function for tensors that were brought together, and what it is given first."""
    if row.checked and dry_run() is None:
        row.infer(*facts_of(tensors), *attrs)
    meta: Meta = next(t for t in _laid_flat(row, tensors) if t is not None).node.meta
    for at, item in enumerate(row.inputs):
        if item.name not in row.fixed and tensors[at] is not None and not item.variadic:
            meta = tensors[at].node.meta
            break
    if not row.elementwise:
        return getattr(meta.table, row.name), ()
    metas = {t.node.meta.shape for t in tensors}
    if len(metas) == 1:
        return getattr(meta.table, row.name), (meta,)
    return getattr(meta.table, row.name + "_wide"), ()


def _laid_flat(row: Row, tensors: list[Any]) -> list[Any]:
    """The inputs in one list; None for one that is left out."""
    return [*tensors[:-1], *tensors[-1]] if row.variadic else tensors


def prepare(row: Row, inputs: list[Any]) -> list[Any]:
    """The inputs as tensors of one device and, but for masks and indices, one dtype."""
    names: list[str] = []
    flat: list[Any] = []
    for item, value in zip(row.inputs, inputs, strict=True):
        if item.variadic:
            if isinstance(value, Tensor) or not isinstance(value, list | tuple) or not value:
                raise fail(
                    "invalid-argument",
                    operation=row.name,
                    complaint="needs a list or tuple of at least one tensor",
                    advice=f"Write `gv.{row.name}([a, b])`.",
                )
            flat += value
            names += [item.name] * len(value)
        else:
            flat.append(value)
            names.append(item.name)
    device = common_device(row.name, flat)
    may_lack = {item.name for item in row.inputs if item.optional}
    ready = [
        None
        if value is None and name in may_lack
        else as_operand(row.name, value, device, lists=name in row.fixed)
        for name, value in zip(names, flat, strict=True)
    ]
    if row.promote != "none" or len(ready) > 1:
        ready = _promoted(row, names, flat, ready)
    if row.variadic:
        fixed = len(row.inputs) - 1
        return [*ready[:fixed], ready[fixed:]]
    return ready


def as_operand(operation: str, value: Any, device: Device, *, lists: bool = False) -> Tensor:
    """One input as a tensor of `device`."""
    if isinstance(value, Tensor):
        return value if value.node.meta.device is device else moved(value, device)
    if isinstance(value, Size) and device.is_capture:
        return amount(value, device)
    if is_number(value):
        plain = value.item() if hasattr(value, "item") else value
        dtype = named(next(name for sort, name in _NUMBER_DTYPE if isinstance(plain, sort)))
        return _constant(device, device.backend.constant(array_of(plain, dtype)), dtype, plain)
    if value.__class__ is GradOf:
        raise value.refusal()
    array = array_of(value, None, operation=operation, allow_lists=lists)
    code = current()
    node = new_leaf(ARRAY, device.meta(array.shape, array.dtype), NONE, code.code, code.lasti, code)
    return wrap(device.backend.constant(array), node)


def amount(size: Size, device: Device) -> Tensor:
    """A size that was left open as an int64 number of a recording.

    A run knows it from the shapes of its inputs: a symbol is the sum of as many ones.
    """
    total: Any = None
    for names, factor in size.terms:
        part: Any = None if names and factor == 1 else _whole(factor, device)
        for name, power in names:
            ones = general(table["expand"], [_whole(1, device)], ((symbol(name),),))
            read = general(table["sum"], [ones], ((0,), False))
            for _ in range(power):
                part = read if part is None else general(table["mul"], [part, read], ())
        total = part if total is None else general(table["add"], [total, part], ())
    made: Tensor = total
    return made


def _whole(value: int, device: Device) -> Tensor:
    dtype = named("int64")
    return _constant(device, device.backend.constant(array_of(value, dtype)), dtype, value)


def moved(value: Tensor, device: Device) -> Tensor:
    """A tensor lifted to `device` as an untracked constant.

    A module's parameter enters a recording once, under its name, and stays a marked leaf where the
    recording tracks.
    """
    context = current()
    prim = value.prim
    recording = None
    constant = False
    if device.is_capture and not value.node.meta.device.is_capture:
        prim = device.backend.constant(prim)
        recording = prim.recording
        if value.node.name and recording is not None:
            recording.rename(prim.id, value.node.name)
        constant = value.captured_as_constant or (recording is not None and recording.dry)
        if recording is not None and constant:
            known: Tensor | None = recording.lifted.get(value.node.id)
            if known is not None:
                return known
    node = new_leaf(
        LIFT,
        device.meta(value.node.meta.shape, value.node.meta.dtype),
        NONE,
        context.code,
        context.lasti,
        context,
        (value.node,),
    )
    settle(node)
    made = wrap(prim, node)
    if recording is not None and constant:
        recording.lifted[value.node.id] = made
        if value.node.name:
            node.more().name = value.node.name
        if device.is_autodiff and value.node.requirement != NONE:
            node.requirement = GRAD
    return made


def common_device(operation: str, values: list[Any]) -> Device:
    """The device an operation on these inputs runs on.

    Raises:
        GradvizError: `different-backends` or `different-checkpointing`.
    """
    tensors = [value for value in values if isinstance(value, Tensor)]
    if not tensors:
        return get_default_device()
    devices: dict[Device, Tensor] = {t.node.meta.device: t for t in tensors}
    if len(devices) == 1:
        return next(iter(devices))
    kinds = {device.backend.kind for device in devices}
    if len(kinds) > 1:
        capture = next(device for device in devices if device.is_capture)
        outside = [
            t for t in tensors if not t.node.meta.device.is_capture and not t.captured_as_constant
        ]
        # A dry run asks what would happen where values are: there, these tensors fit.
        if outside and dry_run() is None:
            raise different_backends(operation, tensors, outside[0])
        wrapped = [d for d in devices if d.is_capture and d.is_autodiff]
        return wrapped[0] if wrapped else capture
    autodiff = [device for device in devices if device.is_autodiff]
    if len({device.checkpointing for device in autodiff}) > 1:
        raise different_checkpointing(operation, tensors)
    return autodiff[0]


def _promoted(row: Row, names: list[str], given: list[Any], ready: list[Any]) -> list[Any]:
    operands = []
    for name, raw, tensor in zip(names, given, ready, strict=True):
        if tensor is None or name in row.fixed:
            continue
        meta = tensor.node.meta
        standing = (
            dtypes.NUMBER
            if isinstance(raw, Size) or (not isinstance(raw, Tensor) and is_number(raw))
            else dtypes.DIMENSIONED
            if meta.shape
            else dtypes.SCALAR
        )
        operands.append((meta.dtype_name, standing))
    common = dtypes.result_type(operands)
    category = dtypes.category(named(common))
    if row.promote == "float" and category != "float":
        common = "float32"
    elif (wanted := _REFUSED.get((row.promote, category))) is not None:
        raise fail(
            "invalid-dtype",
            operation=row.name,
            complaint=f"needs {wanted}, not {common}",
            facts=(("operation", row.name), ("dtype", common)),
            advice="Convert it first: `.float()`, `.long()` or `.bool()`.",
        )
    return [
        tensor
        if tensor is None or name in row.fixed or tensor.node.meta.dtype_name == common
        else _number_as(raw, tensor, common)
        if is_number(raw)
        else cast(tensor, common)
        for name, raw, tensor in zip(names, given, ready, strict=True)
    ]


def _number_as(value: Any, tensor: Tensor, dtype: str) -> Tensor:
    """A plain number in the dtype of the others, from all of its digits."""
    plain = value.item() if hasattr(value, "item") else value
    device, wanted = tensor.device, named(dtype)
    try:
        return _constant(device, device.backend.constant(array_of(plain, wanted)), wanted, plain)
    except OverflowError:  # a whole number wraps around, as in PyTorch
        return cast(tensor, dtype)


def cast(tensor: Tensor, dtype: str) -> Tensor:
    """A tensor in another dtype; the gradient passes between floating point dtypes."""
    meta = tensor.node.meta
    discrete = dtypes.category(named(dtype)) != "float"
    name = "cast_discrete" if discrete else "cast"
    result: Tensor = getattr(meta.table, name)(tensor, dtype)
    return result


def row_of(name: str) -> Row:
    """A row of the table."""
    return table[name]


set_general_path(general)

__all__ = ["TENSORS", "amount", "cast", "explain", "general", "number", "row_of"]
