"""Linear maps."""

from __future__ import annotations

import math
from typing import Any

from gradviz.errors import GradvizTypeError, GradvizValueError, fail
from gradviz.nn.module import Module
from gradviz.nn.parameter import Parameter
from gradviz.tensor import functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation import uniform


def whole(operation: str, name: str, value: Any, least: int = 0) -> int:
    """A number of features and the like.

    Raises:
        GradvizError: `invalid-argument`.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < least:
        is_number = isinstance(value, int) and not isinstance(value, bool)
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"{name} is {value!r}",
            advice=f"Give a whole number of at least {least}.",
            error=GradvizValueError if is_number else GradvizTypeError,
        )
    return int(value.__index__())


class Linear(Module):
    """y = x @ weight^T + bias.

    Weight and bias are drawn evenly from within 1 / sqrt(in_features) around 0, as in PyTorch.

    Args:
        in_features: the size of the last dimension of the input.
        out_features: the size of the last dimension of the output.
        bias: whether something is added.
        device: where the parameters live; the default device's autodiff form where it is left out.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument` for sizes that are no whole numbers; `shape-mismatch` for
            an input of another width.

    Example:
        >>> import gradviz as gv
        >>> layer = gv.nn.Linear(3, 2)
        >>> layer(gv.ones(4, 3)).shape, layer.weight.shape, layer.bias.shape
        ((4, 2), (2, 3), (2,))
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_features = whole("Linear", "in_features", in_features)
        self.out_features = whole("Linear", "out_features", out_features)
        # Kaiming's rule with a = sqrt(5) comes down to this bound.
        bound = 1.0 / math.sqrt(self.in_features) if self.in_features else 0.0
        options = {"low": -bound, "high": bound, "device": device, "dtype": dtype}
        self.weight = Parameter(uniform(self.out_features, self.in_features, **options))
        self.bias = Parameter(uniform(self.out_features, **options)) if bias else None

    def forward(self, input: Any) -> Tensor:
        """Shape (..., in_features) to (..., out_features)."""
        return functions.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        has_bias = self.bias is not None
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={has_bias}"


class Identity(Module):
    """Gives back what it gets.

    Args:
        *args: not looked at, so that it can stand in the place of any module.
        **kwargs: not looked at.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.Identity()(gv.ones(1)).tolist()
        [1.0]
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """The input."""
        return input
