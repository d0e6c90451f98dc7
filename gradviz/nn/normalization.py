"""Normalisation as modules."""

from __future__ import annotations

from typing import Any

from gradviz.errors import fail
from gradviz.nn.linear import whole
from gradviz.nn.module import Module
from gradviz.nn.parameter import Parameter
from gradviz.ops import shapes
from gradviz.tensor import canon, composed
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation import ones, zeros


def affine_parameters(
    module: Any, shape: tuple[int, ...], weight: bool, bias: bool, device: Any, dtype: Any
) -> None:
    """A scale of ones and a shift of zeros, or None."""
    options = {"device": device, "dtype": dtype}
    module.weight = Parameter(ones(shape, **options)) if weight else None
    module.bias = Parameter(zeros(shape, **options)) if bias else None


class _Tail(Module):
    """A normalisation over the last dimensions."""

    eps: Any
    elementwise_affine: bool

    def _prepare(self, normalized_shape: Any) -> None:
        name = type(self).__name__
        given = (
            normalized_shape if isinstance(normalized_shape, list | tuple) else (normalized_shape,)
        )
        self.normalized_shape = tuple(whole(name, "normalized_shape", n, 1) for n in given)
        if not self.normalized_shape:
            raise fail(
                "invalid-argument",
                operation=name,
                complaint="normalized_shape is empty",
                advice="Give the sizes of the input's last dimensions.",
            )

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class LayerNorm(_Tail):
    """Mean 0 and variance 1 over the last dimensions, then a learned scale and shift.

    Args:
        normalized_shape: the sizes of the last dimensions, or one number for the last one.
        eps: what keeps the divisor from being 0.
        elementwise_affine: whether there are a scale and a shift.
        bias: whether there is a shift.
        device: where the parameters live.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `shape-mismatch` for an input of other sizes.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.LayerNorm(2)(gv.tensor([[1.0, 3.0]])).numpy().round(3).tolist()
        [[-1.0, 1.0]]
    """

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self._prepare(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        shift = elementwise_affine and bias
        affine_parameters(self, self.normalized_shape, elementwise_affine, shift, device, dtype)

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return composed.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class RMSNorm(_Tail):
    """Divided by the root of the mean square over the last dimensions, then scaled.

    Args:
        normalized_shape: the sizes of the last dimensions, or one number for the last one.
        eps: what keeps the divisor from being 0; the dtype's precision where it is left out.
        elementwise_affine: whether there is a scale.
        device: where the parameter lives.
        dtype: its floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `shape-mismatch` for an input of other sizes.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.RMSNorm(2)(gv.tensor([[3.0, 3.0]])).numpy().round(3).tolist()
        [[1.0, 1.0]]
    """

    weight: Parameter | None

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self._prepare(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        made = (
            ones(self.normalized_shape, device=device, dtype=dtype) if elementwise_affine else None
        )
        self.weight = None if made is None else Parameter(made)

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return composed.rms_norm(input, self.normalized_shape, self.weight, self.eps)


class GroupNorm(Module):
    """Mean 0 and variance 1 of groups of channels of every example, then a scale and a shift.

    Args:
        num_groups: into how many groups the channels fall.
        num_channels: how many channels there are, in dimension 1 of the input.
        eps: what keeps the divisor from being 0.
        affine: whether there are a scale and a shift.
        device: where the parameters live.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument` for channels that don't fall into groups.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.GroupNorm(1, 2)(gv.tensor([[1.0, 3.0]])).numpy().round(3).tolist()
        [[-1.0, 1.0]]
    """

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_groups = whole("GroupNorm", "num_groups", num_groups, 1)
        self.num_channels = whole("GroupNorm", "num_channels", num_channels, 1)
        if self.num_channels % self.num_groups:
            raise fail(
                "invalid-argument",
                operation="GroupNorm",
                complaint=f"{num_channels} channels don't fall into {num_groups} equal groups",
                advice="Choose a number of groups that divides the number of channels.",
            )
        self.eps = eps
        self.affine = affine
        affine_parameters(self, (self.num_channels,), affine, affine, device, dtype)

    def forward(self, input: Any) -> Tensor:
        """Shape (batch, channels, ...)."""
        x = canon.tensor("GroupNorm", input)
        check_channels(self, x, self.num_channels, range(2, 32))
        return composed.group_norm(x, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}"


def check_channels(module: Module, x: Tensor, channels: int, ranks: Any) -> None:
    """Refuses an input with other channels or another number of dimensions."""
    name = type(module).__name__
    if x.ndim not in ranks or x.shape[1] != channels:
        wanted = " or ".join(str(rank) for rank in list(ranks)[:2])
        raise shapes.mismatch(
            name,
            x.shape,
            (channels,),
            f"the input has {channels} channels in dimension 1, and {wanted} dimensions"
            + (" or more." if len(ranks) > 2 else "."),
            "Give an input of shape (batch, channels, ...).",
        )


class LocalResponseNorm(Module):
    """Divided by a power of the mean square of neighbouring channels, after Krizhevsky et al. 2012.

    Args:
        size: how many channels count as neighbours.
        alpha: the factor of the mean square.
        beta: the power.
        k: what is added to it.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.LocalResponseNorm(1, alpha=3.0, beta=0.5)(gv.ones(1, 1, 1)).tolist()
        [[[0.5]]]
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = whole("LocalResponseNorm", "size", size, 1)
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Any) -> Tensor:
        """Shape (batch, channels, ...), to the same."""
        return composed.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
