"""Normalisation under PyTorch's names."""

from __future__ import annotations

from typing import Any

from gradviz.core.context import CallSite
from gradviz.core.shape import count
from gradviz.errors import fail
from gradviz.ops import shapes
from gradviz.ops.size import Size
from gradviz.tensor import canon, functions
from gradviz.tensor.base import TENSORS, Tensor
from gradviz.tensor.general import explain, general, row_of

_layer_norm, _rms_norm = row_of("layer_norm"), row_of("rms_norm")


def _alike(x: Any, *others: Any) -> bool:
    """Whether tensors need neither lifting nor promotion."""
    if x.__class__ not in TENSORS:
        return False
    meta = x.node.meta
    return all(
        other is None
        or (
            other.__class__ in TENSORS
            and other.node.meta.table is meta.table
            and other.node.meta.dtype is meta.dtype
        )
        for other in others
    )


def layer_norm(
    input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Tensor:
    """Mean 0 and variance 1 over the last dimensions, then a scale and a shift.

    Args:
        input: shape (..., *normalized_shape), float.
        normalized_shape: the sizes of the last dimensions, or one number for the last one.
        weight: shape normalized_shape: the scale, or None.
        bias: shape normalized_shape: the shift, or None.
        eps: what keeps the divisor from being 0.

    Raises:
        GradvizError: `shape-mismatch`, `invalid-dtype`.

    Example:
        >>> import gradviz as gv
        >>> gv.layer_norm(gv.tensor([[1.0, 3.0]]), (2,)).numpy().round(3).tolist()
        [[-1.0, 1.0]]
    """
    x = canon.tensor("layer_norm", input)
    dims = canon.tail("layer_norm", normalized_shape, x)
    _same_tail("layer_norm", x, dims, weight, bias)
    attrs = (dims, canon.scalar("layer_norm", "eps", eps))
    if _alike(x, weight, bias) and x.node.meta.category == "float":
        try:
            found: Tensor = x.node.meta.table.layer_norm(x, weight, bias, *attrs)
        except Exception as error:
            raise explain(error, _layer_norm, (x, weight, bias), attrs) from None
        return found
    result: Tensor = general(_layer_norm, [x, weight, bias], attrs)
    return result


def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Tensor:
    """Divided by the root of the mean square over the last dimensions, then scaled.

    Args:
        input: shape (..., *normalized_shape), float.
        normalized_shape: the sizes of the last dimensions, or one number for the last one.
        weight: shape normalized_shape: the scale, or None.
        eps: what keeps the divisor from being 0; the dtype's precision where it is left out.

    Raises:
        GradvizError: `shape-mismatch`, `invalid-dtype`.

    Example:
        >>> import gradviz as gv
        >>> gv.rms_norm(gv.tensor([[1.0, 7.0]]), (2,)).numpy().round(3).tolist()
        [[0.20000000298023224, 1.399999976158142]]
    """
    x = canon.tensor("rms_norm", input)
    canon.floating("rms_norm", x)
    dims = canon.tail("rms_norm", normalized_shape, x)
    _same_tail("rms_norm", x, dims, weight)
    least = _PRECISION[x.dtype.name] if eps is None else canon.scalar("rms_norm", "eps", eps)
    with CallSite():
        result: Tensor = general(_rms_norm, [x, weight], (dims, least))
        return result


_PRECISION = {"float16": 2.0**-10, "float32": 2.0**-23, "float64": 2.0**-52}


def _same_tail(operation: str, x: Tensor, dims: tuple[int, ...], *others: Any) -> None:
    tail = x.node.meta.shape[dims[0] :]
    for other in others:
        shape = getattr(other, "shape", None)
        if shape is not None and tuple(shape) != tail:
            raise shapes.mismatch(
                operation,
                x.shape,
                tuple(shape),
                f"weight and bias have the normalized shape, {x.shape[dims[0] :]} here.",
                "Give one number for each element of the last dimensions.",
            )


def _per_channel(operation: str, value: Any, x: Tensor) -> Any:
    """One number for each channel, reshaped to broadcast along dimension 1."""
    if value is None:
        return None
    made = canon.beside(operation, value, x)
    channels = x.shape[1]
    if made.shape != (channels,):
        raise shapes.mismatch(
            operation,
            x.shape,
            made.shape,
            f"channels stand in dimension 1: there are {channels}.",
            "Give one number for each channel.",
        )
    return functions.reshape(made, (1, -1, *(1,) * (x.ndim - 2)))


def _with_channels(operation: str, input: Any, least: int) -> Tensor:
    x = canon.tensor(operation, input)
    if x.ndim < least:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"needs a tensor of at least {least} dimensions, not {x.ndim}",
            facts=(("operation", operation), ("shape", str(x.shape))),
            advice="Give a tensor of shape (batch, channels, ...).",
        )
    return x


def batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,  # noqa: ARG001 - what has it updates the statistics
    eps: float = 1e-5,
) -> Tensor:
    """Mean 0 and variance 1 of every channel over the batch, then a scale and a shift.

    Tensors never change: the running statistics are read, and updated by the module that holds
    them, such as `gv.nn.BatchNorm1d`.

    Args:
        input: shape (batch, channels, ...), float.
        running_mean: shape (channels,): the mean to use outside training, or None.
        running_var: shape (channels,): the variance to use outside training, or None.
        weight: shape (channels,): the scale, or None.
        bias: shape (channels,): the shift, or None.
        training: whether to use the batch's own statistics.
        momentum: taken as in PyTorch; see above.
        eps: what keeps the divisor from being 0.

    Raises:
        GradvizError: `shape-mismatch`, `invalid-argument` for a batch of one value a channel in
            training, or for missing statistics outside it.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([[1.0], [3.0]])
        >>> gv.batch_norm(x, None, None, training=True).numpy().round(3).tolist()
        [[-1.0], [1.0]]
    """
    name = "batch_norm"
    least = canon.scalar(name, "eps", eps)
    with CallSite():
        x = _with_channels(name, input, 2)
        if canon.flag(name, "training", training):
            return normalized_batch(x, weight, bias, least)[0]
        scale, shift = _per_channel(name, weight, x), _per_channel(name, bias, x)
        mean = _per_channel(name, running_mean, x)
        variance = _per_channel(name, running_var, x)
        if mean is None or variance is None:
            raise fail(
                "invalid-argument",
                operation=name,
                complaint="running_mean and running_var are needed outside training",
                advice="Give both, or `training=True`.",
            )
        factor = functions.rsqrt(functions.add(variance, least))
        if scale is not None:
            factor = functions.mul(factor, scale)
        centred = functions.mul(functions.sub(x, mean), factor)
        return centred if shift is None else functions.add(centred, shift)


def instance_norm(
    input: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Mean 0 and variance 1 of every channel of every example, then a scale and a shift.

    Args:
        input: shape (batch, channels, length, ...), float.
        running_mean: shape (channels,): the mean where `use_input_stats` is False, or None.
        running_var: shape (channels,): the variance where `use_input_stats` is False, or None.
        weight: shape (channels,): the scale, or None.
        bias: shape (channels,): the shift, or None.
        use_input_stats: whether to use the input's own statistics.
        momentum: taken as in PyTorch; tensors never change.
        eps: what keeps the divisor from being 0.

    Raises:
        GradvizError: `shape-mismatch`, `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.instance_norm(gv.tensor([[[1.0, 3.0]]])).numpy().round(3).tolist()
        [[[-1.0, 1.0]]]
    """
    name = "instance_norm"
    if not canon.flag(name, "use_input_stats", use_input_stats):
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    with CallSite():
        x = _with_channels(name, input, 3)
        scale, shift = _per_channel(name, weight, x), _per_channel(name, bias, x)
        if count(x.shape[2:]) == 1:
            raise fail(
                "invalid-argument",
                operation=name,
                complaint=f"an input of shape {x.shape} has one value for each channel",
                reason="a single value has no variance.",
                advice="Give more than one position.",
            )
        attrs = (tuple(range(2, x.ndim)), canon.scalar(name, "eps", eps))
        result: Tensor = general(row_of(name), [x, scale, shift], attrs)
        return result


def group_norm(
    input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Tensor:
    """Mean 0 and variance 1 of groups of channels of every example, then a scale and a shift.

    Args:
        input: shape (batch, channels, ...), float.
        num_groups: into how many groups the channels fall.
        weight: shape (channels,): the scale, or None.
        bias: shape (channels,): the shift, or None.
        eps: what keeps the divisor from being 0.

    Raises:
        GradvizError: `shape-mismatch`, `invalid-argument` for channels that don't fall into groups.

    Example:
        >>> import gradviz as gv
        >>> gv.group_norm(gv.tensor([[1.0, 3.0]]), 1).numpy().round(3).tolist()
        [[-1.0, 1.0]]
    """
    name = "group_norm"
    groups = canon.whole_number(name, "num_groups", num_groups)
    with CallSite():
        x = _with_channels(name, input, 2)
        channels = x.shape[1]
        if groups < 1 or channels % groups:
            raise fail(
                "invalid-argument",
                operation=name,
                complaint=f"{channels} channels don't fall into {groups} equal groups",
                facts=(("operation", name), ("shape", str(x.shape))),
                advice="Choose a number of groups that divides the number of channels.",
            )
        size = channels // groups
        split = (x.shape[0], groups, size, *x.shape[2:])
        inner = (groups, size, *(1,) * (x.ndim - 2))
        affine = [_per_channel(name, value, x) for value in (weight, bias)]
        scale, shift = (
            None if value is None else functions.reshape(value, inner) for value in affine
        )
        attrs = (tuple(range(2, len(split))), canon.scalar(name, "eps", eps))
        found: Tensor = general(row_of(name), [functions.reshape(x, split), scale, shift], attrs)
        return functions.reshape(found, x.shape)


def normalized_batch(
    input: Any, weight: Any, bias: Any, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """A batch normalized in training, its mean, and its unbiased variance."""
    name = "batch_norm"
    x = _with_channels(name, input, 2)
    count_each: Any = count(x.shape) // max(x.shape[1], 1)
    if count_each == 1:
        raise fail(
            "invalid-argument",
            operation=name,
            complaint=f"an input of shape {x.shape} has one value for each channel",
            reason="a single value has no variance.",
            advice="Give a larger batch, or call `eval()` on the module.",
        )
    attrs = ((0, *range(2, x.ndim)), eps)
    affine = [_per_channel(name, value, x) for value in (weight, bias)]
    out, mean, rstd = general(row_of(name), [x, *affine], attrs)
    biased = functions.sub(functions.reciprocal(functions.square(rstd)), eps)
    if isinstance(count_each, Size):
        variance = functions.div(functions.mul(biased, count_each), count_each - 1)
    else:
        variance = functions.mul(biased, count_each / max(count_each - 1, 1))
    return out, functions.flatten(mean), functions.clamp(functions.flatten(variance), min=0.0)
