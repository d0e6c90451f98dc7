"""Borders around inputs as modules."""

from __future__ import annotations

from typing import Any, ClassVar

from gradviz.errors import fail
from gradviz.nn.module import Module
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor


def _widths(operation: str, padding: Any, rank: int) -> tuple[int, ...]:
    """Two widths for each dimension, the last dimension first; one number serves all."""
    found = canon.whole_numbers(operation, "padding", padding)
    if not isinstance(padding, list | tuple):
        found *= 2 * rank
    if len(found) != 2 * rank:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"padding is {padding!r}",
            advice=f"Give one whole number, or {2 * rank}: two for each dimension, the last first.",
        )
    return found


class _Pad(Module):
    """A border around the last dimensions."""

    rank: ClassVar[int]

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = _widths(type(self).__name__, padding, self.rank)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return str(self.padding)


class _ConstantPad(_Pad):
    """A border of one number."""

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = canon.scalar(type(self).__name__, "value", value)

    def forward(self, input: Any) -> Tensor:
        """Any shape with enough dimensions to one with larger last dimensions."""
        return functions.pad(input, self.padding, value=self.value)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPad):
    """A border of zeros."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return str(self.padding)


class _OwnPad(_Pad):
    """A border of the input's own elements."""

    mode: ClassVar[str]

    def forward(self, input: Any) -> Tensor:
        """Shape (batch, channels, ...), or without the batch, to a larger one."""
        name = type(self).__name__
        x = canon.tensor(name, input)
        ranks = self.rank + 1, self.rank + 2
        canon.one_of_ranks(name, x, ranks, "Channels come first, or after a batch.")
        return functions.pad(x, self.padding, self.mode)


class _ReflectionPad(_OwnPad):
    mode = "reflect"


class _ReplicationPad(_OwnPad):
    mode = "replicate"


class _CircularPad(_OwnPad):
    mode = "circular"


class ConstantPad1d(_ConstantPad):
    """A border of one number, in the last dimension.

    Args:
        padding: one width for both sides, or (left, right); a negative width cuts.
        value: the number to put in.

    Raises:
        GradvizError: `invalid-argument` for other widths.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.ConstantPad1d((1, 2), 5.0)(gv.tensor([[1.0, 2.0]])).tolist()
        [[5.0, 1.0, 2.0, 5.0, 5.0]]
    """

    rank = 1


class ConstantPad2d(_ConstantPad):
    """A border of one number, in the last two dimensions.

    Args:
        padding: one width for all sides, or two for each dimension, the last dimension first.
        value: the number to put in.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.ConstantPad2d((1, 0, 2, 1), 5.0)(gv.ones(1, 4, 4)).shape
        (1, 7, 5)
    """

    rank = 2


class ConstantPad3d(_ConstantPad):
    """A border of one number, in the last three dimensions.

    Args:
        padding: one width for all sides, or two for each dimension, the last dimension first.
        value: the number to put in.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.ConstantPad3d(1, 5.0)(gv.ones(1, 2, 3, 4)).shape
        (1, 4, 5, 6)
    """

    rank = 3


class ZeroPad1d(_ZeroPad):
    """A border of zeros, in the last dimension.

    Args:
        padding: one width for both sides, or (left, right); a negative width cuts.

    Raises:
        GradvizError: `invalid-argument` for other widths.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.ZeroPad1d(1)(gv.tensor([[1.0, 2.0]])).tolist()
        [[0.0, 1.0, 2.0, 0.0]]
    """

    rank = 1


class ZeroPad2d(_ZeroPad):
    """A border of zeros, in the last two dimensions.

    Args:
        padding: one width for all sides, or two for each dimension, the last dimension first.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.ZeroPad2d((1, 0, 2, 1))(gv.ones(1, 4, 4)).shape
        (1, 7, 5)
    """

    rank = 2


class ZeroPad3d(_ZeroPad):
    """A border of zeros, in the last three dimensions.

    Args:
        padding: one width for all sides, or two for each dimension, the last dimension first.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.ZeroPad3d(1)(gv.ones(1, 2, 3, 4)).shape
        (1, 4, 5, 6)
    """

    rank = 3


class ReflectionPad1d(_ReflectionPad):
    """A border that mirrors what lies inside, but for the edge, in the last dimension.

    Args:
        padding: one width for both sides, or (left, right); a negative width cuts.

    Raises:
        GradvizError: `invalid-argument` for other widths or a border as wide as the input.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.ReflectionPad1d(2)(gv.tensor([[1.0, 2.0, 3.0]])).tolist()
        [[3.0, 2.0, 1.0, 2.0, 3.0, 2.0, 1.0]]
    """

    rank = 1


class ReflectionPad2d(_ReflectionPad):
    """A border that mirrors what lies inside, but for the edge, in the last two dimensions.

    Args:
        padding: one width for all sides, or two for each dimension, the last dimension first.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.ReflectionPad2d((1, 0, 2, 1))(gv.ones(1, 4, 4)).shape
        (1, 7, 5)
    """

    rank = 2


class ReflectionPad3d(_ReflectionPad):
    """A border that mirrors what lies inside, but for the edge, in the last three dimensions.

    Args:
        padding: one width for all sides, or two for each dimension, the last dimension first.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.ReflectionPad3d(1)(gv.ones(1, 2, 3, 4)).shape
        (1, 4, 5, 6)
    """

    rank = 3


class ReplicationPad1d(_ReplicationPad):
    """A border that repeats the edge, in the last dimension.

    Args:
        padding: one width for both sides, or (left, right); a negative width cuts.

    Raises:
        GradvizError: `invalid-argument` for other widths.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.ReplicationPad1d(2)(gv.tensor([[1.0, 2.0]])).tolist()
        [[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]]
    """

    rank = 1


class ReplicationPad2d(_ReplicationPad):
    """A border that repeats the edge, in the last two dimensions.

    Args:
        padding: one width for all sides, or two for each dimension, the last dimension first.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.ReplicationPad2d((1, 0, 2, 1))(gv.ones(1, 4, 4)).shape
        (1, 7, 5)
    """

    rank = 2


class ReplicationPad3d(_ReplicationPad):
    """A border that repeats the edge, in the last three dimensions.

    Args:
        padding: one width for all sides, or two for each dimension, the last dimension first.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.ReplicationPad3d(1)(gv.ones(1, 2, 3, 4)).shape
        (1, 4, 5, 6)
    """

    rank = 3


class CircularPad1d(_CircularPad):
    """A border that goes on at the other end, in the last dimension.

    Args:
        padding: one width for both sides, or (left, right); a negative width cuts.

    Raises:
        GradvizError: `invalid-argument` for other widths or a border wider than the input.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.CircularPad1d((2, 1))(gv.tensor([[1.0, 2.0, 3.0]])).tolist()
        [[2.0, 3.0, 1.0, 2.0, 3.0, 1.0]]
    """

    rank = 1


class CircularPad2d(_CircularPad):
    """A border that goes on at the other end, in the last two dimensions.

    Args:
        padding: one width for all sides, or two for each dimension, the last dimension first.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.CircularPad2d((1, 0, 2, 1))(gv.ones(1, 4, 4)).shape
        (1, 7, 5)
    """

    rank = 2


class CircularPad3d(_CircularPad):
    """A border that goes on at the other end, in the last three dimensions.

    Args:
        padding: one width for all sides, or two for each dimension, the last dimension first.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.CircularPad3d(1)(gv.ones(1, 2, 3, 4)).shape
        (1, 4, 5, 6)
    """

    rank = 3
