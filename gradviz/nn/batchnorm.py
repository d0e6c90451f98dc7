"""Normalisation of channels with running statistics, as modules."""

from __future__ import annotations

from typing import Any, ClassVar

from gradviz.nn.linear import whole
from gradviz.nn.module import Module
from gradviz.nn.normalization import affine_parameters, check_channels
from gradviz.nn.parameter import Buffer, Parameter, fitting
from gradviz.tensor import canon, composed
from gradviz.tensor.base import Tensor
from gradviz.tensor.composed.normalizing import normalized_batch
from gradviz.tensor.creation import ones, zeros
from gradviz.tensor.modes import no_grad


class _Statistics(Module):
    """A normalisation of channels that keeps running statistics."""

    ranks: ClassVar[tuple[int, ...]]
    weight: Parameter | None
    bias: Parameter | None
    running_mean: Buffer | None
    running_var: Buffer | None
    num_batches_tracked: Buffer | None

    def _prepare(
        self,
        num_features: Any,
        eps: float,
        momentum: float | None,
        affine: bool,
        tracking: bool,
        device: Any,
        dtype: Any,
    ) -> None:
        self.num_features = whole(type(self).__name__, "num_features", num_features, 1)
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = tracking
        size = (self.num_features,)
        affine_parameters(self, size, affine, affine, device, dtype)
        options = {"device": device, "dtype": dtype}
        self.running_mean = Buffer(zeros(size, **options)) if tracking else None
        self.running_var = Buffer(ones(size, **options)) if tracking else None
        count = zeros((), dtype="int64", device=device) if tracking else None
        self.num_batches_tracked = None if count is None else Buffer(count)

    def _note(self, mean: Tensor, variance: Tensor, share: float) -> None:
        """Moves the running statistics towards a batch's by a share; nothing is recorded."""
        known, spread = self.running_mean, self.running_var
        if known is None or spread is None or mean.device.is_capture:
            return  # a recording holds no numbers to keep
        with no_grad():
            for buffer, value in ((known, mean), (spread, variance)):
                moved = buffer.inner() * (1.0 - share) + value.detach().inner() * share
                # The buffer stays the same object, as parameters do when they are trained.
                buffer.prim = fitting(buffer, moved, "running statistics")

    def _counted(self, x: Tensor) -> float:
        """Counts a batch; how much of the running statistics it makes up."""
        count = self.num_batches_tracked
        if count is None or x.device.is_capture:
            return 0.0
        seen = int(count.item()) + 1
        count.prim = fitting(count, seen, "num_batches_tracked")
        return 1.0 / seen if self.momentum is None else self.momentum

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_Statistics):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self._prepare(num_features, eps, momentum, affine, track_running_stats, device, dtype)

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape; in training the running statistics move."""
        x = canon.tensor(type(self).__name__, input)
        check_channels(self, x, self.num_features, self.ranks)
        if not self.training and self.running_mean is not None:
            return composed.batch_norm(
                x, self.running_mean, self.running_var, self.weight, self.bias, eps=self.eps
            )
        out, mean, variance = normalized_batch(x, self.weight, self.bias, self.eps)
        if self.training:
            self._note(mean, variance, self._counted(x))
        return out


class _InstanceNorm(_Statistics):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self._prepare(num_features, eps, momentum, affine, track_running_stats, device, dtype)

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape; in training the running statistics move."""
        x = canon.tensor(type(self).__name__, input)
        check_channels(self, x, self.num_features, self.ranks)
        own = self.training or self.running_mean is None
        out = composed.instance_norm(
            x, self.running_mean, self.running_var, self.weight, self.bias, own, eps=self.eps
        )
        if self.training and self.running_mean is not None:
            with no_grad():
                inside = tuple(range(2, x.ndim))
                plain = x.detach()
                share = 0.0 if self.momentum is None else self.momentum
                self._note(plain.mean(inside).mean(0), plain.var(inside).mean(0), share)
        return out


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of inputs of shape (batch, channels) or (batch, channels, length).

    Args:
        num_features: how many channels there are.
        eps: what keeps the divisor from being 0.
        momentum: how far the running statistics move each time; None for the mean of all batches.
        affine: whether there are a learned scale and shift.
        track_running_stats: whether running statistics are kept for evaluation.
        device: where the parameters live.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `shape-mismatch` for other channels or dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.BatchNorm1d(2)(gv.ones(3, 2, 4)).shape
        (3, 2, 4)
    """

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of inputs of shape (batch, channels, height, width).

    Args:
        num_features: how many channels there are.
        eps: what keeps the divisor from being 0.
        momentum: how far the running statistics move each time; None for the mean of all batches.
        affine: whether there are a learned scale and shift.
        track_running_stats: whether running statistics are kept for evaluation.
        device: where the parameters live.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `shape-mismatch` for other channels or dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.BatchNorm2d(2)(gv.ones(3, 2, 4, 4)).shape
        (3, 2, 4, 4)
    """

    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of inputs of shape (batch, channels, depth, height, width).

    Args:
        num_features: how many channels there are.
        eps: what keeps the divisor from being 0.
        momentum: how far the running statistics move each time; None for the mean of all batches.
        affine: whether there are a learned scale and shift.
        track_running_stats: whether running statistics are kept for evaluation.
        device: where the parameters live.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `shape-mismatch` for other channels or dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.BatchNorm3d(2)(gv.ones(3, 2, 4, 4, 4)).shape
        (3, 2, 4, 4, 4)
    """

    ranks = (5,)


class InstanceNorm1d(_InstanceNorm):
    """Normalisation of every example's channels, of shape (batch, channels, length).

    Args:
        num_features: how many channels there are.
        eps: what keeps the divisor from being 0.
        momentum: how far the running statistics move each time; None for the mean of all batches.
        affine: whether there are a learned scale and shift.
        track_running_stats: whether running statistics are kept for evaluation.
        device: where the parameters live.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `shape-mismatch` for other channels or dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.InstanceNorm1d(2)(gv.ones(3, 2, 4)).shape
        (3, 2, 4)
    """

    ranks = (3,)


class InstanceNorm2d(_InstanceNorm):
    """Normalisation of every example's channels, of shape (batch, channels, height, width).

    Args:
        num_features: how many channels there are.
        eps: what keeps the divisor from being 0.
        momentum: how far the running statistics move each time; None for the mean of all batches.
        affine: whether there are a learned scale and shift.
        track_running_stats: whether running statistics are kept for evaluation.
        device: where the parameters live.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `shape-mismatch` for other channels or dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.InstanceNorm2d(2)(gv.ones(3, 2, 4, 4)).shape
        (3, 2, 4, 4)
    """

    ranks = (4,)


class InstanceNorm3d(_InstanceNorm):
    """Normalisation of every example's channels, (batch, channels, depth, height, width).

    Args:
        num_features: how many channels there are.
        eps: what keeps the divisor from being 0.
        momentum: how far the running statistics move each time; None for the mean of all batches.
        affine: whether there are a learned scale and shift.
        track_running_stats: whether running statistics are kept for evaluation.
        device: where the parameters live.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `shape-mismatch` for other channels or dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.InstanceNorm3d(2)(gv.ones(3, 2, 4, 4, 4)).shape
        (3, 2, 4, 4, 4)
    """

    ranks = (5,)
