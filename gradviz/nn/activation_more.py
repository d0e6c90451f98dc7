"""Further activations as modules."""

from __future__ import annotations

from typing import Any

from gradviz.nn.linear import whole
from gradviz.nn.module import Module
from gradviz.nn.parameter import Parameter
from gradviz.tensor import composed, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation import full


class Mish(Module):
    """x * tanh(softplus(x)).

    Args:
        inplace: taken as in PyTorch, without effect: tensors never change.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Mish()(gv.tensor([0.0])).tolist()
        [0.0]
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.mish(input)


class SELU(Module):
    """x where it is positive and an exponential elsewhere, scaled to keep mean and variance.

    Args:
        inplace: taken as in PyTorch, without effect: tensors never change.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.SELU()(gv.tensor([0.0])).tolist()
        [0.0]
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.selu(input)


class CELU(Module):
    """x where it is positive, `alpha` * (exp(x / `alpha`) - 1) elsewhere.

    Args:
        alpha: what is approached far below 0, with a minus sign.
        inplace: taken as in PyTorch, without effect: tensors never change.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.CELU()(gv.tensor([0.0, 2.0])).tolist()
        [0.0, 2.0]
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.celu(input, self.alpha)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"alpha={self.alpha}"


class ReLU6(Module):
    """x limited to [0, 6].

    Args:
        inplace: taken as in PyTorch, without effect: tensors never change.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.ReLU6()(gv.tensor([-1.0, 8.0])).tolist()
        [0.0, 6.0]
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.relu6(input)


class Hardtanh(Module):
    """x limited to [`min_val`, `max_val`].

    Args:
        min_val: the lower limit.
        max_val: the upper limit.
        inplace: taken as in PyTorch, without effect: tensors never change.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Hardtanh()(gv.tensor([-3.0, 0.5])).tolist()
        [-1.0, 0.5]
    """

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.min_val = min_val
        self.max_val = max_val

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.hardtanh(input, self.min_val, self.max_val)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"min_val={self.min_val}, max_val={self.max_val}"


class Hardsigmoid(Module):
    """x / 6 + 1/2, limited to [0, 1].

    Args:
        inplace: taken as in PyTorch, without effect: tensors never change.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Hardsigmoid()(gv.tensor([-4.0, 0.0])).tolist()
        [0.0, 0.5]
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.hardsigmoid(input)


class Hardswish(Module):
    """x times its hard sigmoid.

    Args:
        inplace: taken as in PyTorch, without effect: tensors never change.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Hardswish()(gv.tensor([-4.0, 3.0])).tolist()
        [-0.0, 3.0]
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.hardswish(input)


class Softsign(Module):
    """x / (1 + |x|).

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Softsign()(gv.tensor([1.0])).tolist()
        [0.5]
    """

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x).

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Tanhshrink()(gv.tensor([0.0])).tolist()
        [0.0]
    """

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.tanhshrink(input)


class Hardshrink(Module):
    """x, and 0 where |x| is at most `lambd`.

    Args:
        lambd: how far from 0 elements count as small.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Hardshrink()(gv.tensor([0.25, 2.0])).tolist()
        [0.0, 2.0]
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"lambd={self.lambd}"


class Softshrink(Module):
    """x moved towards 0 by `lambd`, and 0 on the way.

    Args:
        lambd: how far elements are moved.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Softshrink()(gv.tensor([0.25, 2.0])).tolist()
        [0.0, 1.5]
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"lambd={self.lambd}"


class Threshold(Module):
    """x where it is above a limit, a number elsewhere.

    Args:
        threshold: the limit.
        value: the number.
        inplace: taken as in PyTorch, without effect: tensors never change.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Threshold(1.0, 0.0)(gv.tensor([0.5, 2.0])).tolist()
        [0.0, 2.0]
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.threshold(input, self.threshold, self.value)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"threshold={self.threshold}, value={self.value}"


class LogSigmoid(Module):
    """log(sigmoid(x)), without overflow.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.LogSigmoid()(gv.tensor([0.0])).numpy().round(4).tolist()
        [-0.6930999755859375]
    """

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return functions.logsigmoid(input)


class Softmin(Module):
    """Softmax of the negatives along a dimension.

    Args:
        dim: the dimension, the last one where it is left out.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Softmin(dim=0)(gv.zeros(2)).tolist()
        [0.5, 0.5]
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return composed.softmin(input, -1 if self.dim is None else self.dim)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"dim={self.dim}"


class GLU(Module):
    """The first half of a dimension times the sigmoid of the second.

    Args:
        dim: the dimension, of even size.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.GLU()(gv.tensor([2.0, 0.0])).tolist()
        [1.0]
    """

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Any) -> Tensor:
        """A tensor with half of the dimension."""
        return composed.glu(input, self.dim)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"dim={self.dim}"


class PReLU(Module):
    """x where it is positive, a learned slope times x elsewhere.

    Args:
        num_parameters: 1 for one slope, or the number of channels.
        init: the first value of every slope.
        device: where the parameter lives.
        dtype: its floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `shape-mismatch` for an input with other channels.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.PReLU()(gv.tensor([-2.0, 2.0])).tolist()
        [-0.5, 2.0]
    """

    weight: Parameter

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = whole("PReLU", "num_parameters", num_parameters, 1)
        wanted = "float32" if dtype is None else dtype
        self.weight = Parameter(full((self.num_parameters,), init, dtype=wanted, device=device))

    def forward(self, input: Any) -> Tensor:
        """A tensor of the input's shape."""
        return composed.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"num_parameters={self.num_parameters}"
