"""Activations as modules."""

from __future__ import annotations

from typing import Any

from gradviz.nn.module import Module
from gradviz.tensor import canon, composed, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.composed.noise import slopes


class ReLU(Module):
    """max(x, 0).

    Args:
        inplace: taken as in PyTorch, without effect: tensors never change.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.ReLU()(gv.tensor([-1.0, 2.0])).tolist()
        [0.0, 2.0]
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.relu(input)


class LeakyReLU(Module):
    """x where it is positive, `negative_slope` * x elsewhere.

    Args:
        negative_slope: the slope below 0.
        inplace: taken as in PyTorch, without effect: tensors never change.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.LeakyReLU(0.5)(gv.tensor([-1.0, 2.0])).tolist()
        [-0.5, 2.0]
    """

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.leaky_relu(input, self.negative_slope)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"negative_slope={self.negative_slope}"


class ELU(Module):
    """x where it is positive, `alpha` * (exp(x) - 1) elsewhere.

    Args:
        alpha: what is approached far below 0, with a minus sign.
        inplace: taken as in PyTorch, without effect: tensors never change.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.ELU()(gv.tensor([0.0, 2.0])).tolist()
        [0.0, 2.0]
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.elu(input, self.alpha)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"alpha={self.alpha}"


class GELU(Module):
    """x times the normal distribution function of x.

    Args:
        approximate: 'none', or 'tanh' for the usual approximation.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.GELU()(gv.tensor([0.0])).tolist()
        [0.0]
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"approximate={self.approximate!r}"


class SiLU(Module):
    """x * sigmoid(x), also called swish.

    Args:
        inplace: taken as in PyTorch, without effect: tensors never change.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.SiLU()(gv.tensor([0.0])).tolist()
        [0.0]
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.silu(input)


class Sigmoid(Module):
    """1 / (1 + exp(-x)).

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Sigmoid()(gv.tensor([0.0])).tolist()
        [0.5]
    """

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Tanh()(gv.tensor([0.0])).tolist()
        [0.0]
    """

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.tanh(input)


class Softplus(Module):
    """log(1 + exp(beta * x)) / beta, linear where beta * x is above `threshold`.

    Args:
        beta: the steepness.
        threshold: where it becomes linear.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Softplus()(gv.tensor([30.0])).tolist()
        [30.0]
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"beta={self.beta}, threshold={self.threshold}"


class Softmax(Module):
    """exp(x) divided by its sum along a dimension.

    Args:
        dim: the dimension, the last one where it is left out.

    Raises:
        GradvizError: `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Softmax(dim=0)(gv.zeros(2)).tolist()
        [0.5, 0.5]
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.softmax(input, -1 if self.dim is None else self.dim)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """The logarithm of softmax along a dimension.

    Args:
        dim: the dimension, the last one where it is left out.

    Raises:
        GradvizError: `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.LogSoftmax(dim=0)(gv.zeros(1)).tolist()
        [0.0]
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.log_softmax(input, -1 if self.dim is None else self.dim)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"dim={self.dim}"


class Softmax2d(Module):
    """Softmax over the channels at every place of an image.

    Raises:
        GradvizError: `invalid-argument` for an input that is no image.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Softmax2d()(gv.zeros(1, 2, 1, 1)).tolist()
        [[[[0.5]], [[0.5]]]]
    """

    def forward(self, input: Any) -> Tensor:
        """Shape (batch, channels, height, width) or (channels, height, width), to the same."""
        x = canon.tensor("Softmax2d", input)
        canon.one_of_ranks("Softmax2d", x, (3, 4), "Channels stand before height and width.")
        return functions.softmax(x, -3)


class RReLU(Module):
    """x where it is positive, x times a slope elsewhere: a random one while training.

    The source is "Empirical Evaluation of Rectified Activations in Convolutional Network", Xu et
    al. 2015.

    Args:
        lower: the lowest slope.
        upper: the highest slope; the middle of both counts outside training.
        inplace: taken as in PyTorch, without effect: tensors never change.

    Raises:
        GradvizError: `invalid-argument` where the lowest slope is above the highest.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.RReLU(0.25, 0.75).eval()(gv.tensor([-4.0, 2.0])).tolist()
        [-2.0, 2.0]
    """

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False
    ) -> None:
        super().__init__()
        self.lower, self.upper = slopes("RReLU", lower, upper)

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return composed.rrelu(input, self.lower, self.upper, self.training)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"lower={self.lower}, upper={self.upper}"
