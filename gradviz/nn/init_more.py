"""Further initial values: identities, orthogonal matrices, sparse ones, normal ones with limits.

`gv.nn.init` has all of them.
"""

from __future__ import annotations

import math
from typing import Any

from gradviz.backends.ndarray import initial
from gradviz.errors import fail
from gradviz.nn.initializing import set_values
from gradviz.nn.parameter import Parameter
from gradviz.tensor import canon, creation
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation.make import created, sizes
from gradviz.tensor.creation.recorded import refuse_recording
from gradviz.tensor.data import dtype_of


def _shape(operation: str, size: tuple[Any, ...], ranks: range, wanted: str) -> tuple[int, ...]:
    """The shape, of a number of dimensions that the values have a meaning for."""
    shape = sizes(operation, size)
    if len(shape) not in ranks:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"needs {wanted}, not the shape {shape}",
            advice="Give a shape (out, in, ...), or use `normal` for another.",
        )
    return shape


def _drawn(
    operation: str, draw: Any, shape: tuple[int, ...], numbers: tuple[float, ...], dtype: Any
) -> Tensor:
    """Random values of a shape."""
    refuse_recording(operation, None)
    wanted = dtype_of("float32" if dtype is None else dtype)
    arguments = (shape, *numbers, wanted)
    return created(operation, draw, arguments, shape, wanted, None, False, None, random=True)


def eye(*size: Any, dtype: Any = None) -> Tensor:
    """Ones on the diagonal of a matrix: a linear layer passes its input on.

    Args:
        *size: the shape, (out, in).
        dtype: the dtype.

    Raises:
        GradvizError: `invalid-argument` for other than 2 dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.init.eye(2, 3).tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    return creation.eye(*_shape("eye", size, range(2, 3), "2 dimensions"), dtype=dtype)


def dirac(*size: Any, groups: int = 1, dtype: Any = None) -> Tensor:
    """Ones in the middle of windows: a convolution passes its channels on, as many as fit.

    Args:
        *size: the shape, (out, in, width), (out, in, height, width) or one with a depth.
        groups: the number of the convolution's groups; each passes its own channels on.
        dtype: the dtype.

    Raises:
        GradvizError: `invalid-argument` for other than 3 to 5 dimensions, and for groups into which
            `out` doesn't divide.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.init.dirac(2, 2, 3).tolist()
        [[[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]
    """
    shape = _shape("dirac", size, range(3, 6), "3, 4 or 5 dimensions")
    groups = canon.positive_whole("dirac", "groups", groups)
    if shape[0] % groups:
        raise fail(
            "invalid-argument",
            operation="dirac",
            complaint=f"{shape[0]} channels can't be divided into {groups} groups",
            advice="Give the number of groups that the convolution has.",
        )
    wanted = dtype_of("float32" if dtype is None else dtype)
    return created(
        "dirac", initial.dirac, (shape, groups, wanted), shape, wanted, None, False, None
    )


def orthogonal(*size: Any, gain: float = 1.0, dtype: Any = None) -> Tensor:
    """A random matrix whose rows, or columns where they are fewer, are orthonormal.

    Signals keep their length through it. The method is that of Saxe, McClelland and Ganguli, "Exact
    Solutions to the Nonlinear Dynamics of Learning in Deep Linear Neural Networks" (2014).

    Args:
        *size: the shape, (out, in, ...); the matrix is (out, all the rest).
        gain: a factor; see `calculate_gain`.
        dtype: the floating point dtype.

    Raises:
        GradvizError: `invalid-argument` for fewer than 2 dimensions.

    Example:
        >>> import gradviz as gv
        >>> q = gv.nn.init.orthogonal(2, 3, dtype="float64")
        >>> gv.allclose(q @ q.T, gv.eye(2, dtype="float64"))
        True
    """
    shape = _shape("orthogonal", size, range(2, 65), "at least 2 dimensions")
    gain = canon.scalar("orthogonal", "gain", gain)
    return _drawn("orthogonal", initial.orthogonal, shape, (gain,), dtype)


def sparse(*size: Any, sparsity: float, std: float = 0.01, dtype: Any = None) -> Tensor:
    """Normal numbers around 0, of which a share in every column is 0.

    The method is that of Martens, "Deep Learning via Hessian-Free Optimization" (2010).

    Args:
        *size: the shape, (out, in).
        sparsity: the share of zeros in a column, from 0 to 1; rounded up to whole elements.
        std: the deviation of the other numbers.
        dtype: the floating point dtype.

    Raises:
        GradvizError: `invalid-argument` for other than 2 dimensions, or another share.

    Example:
        >>> import gradviz as gv
        >>> (gv.nn.init.sparse(4, 2, sparsity=0.75) == 0.0).sum(0).tolist()
        [3, 3]
    """
    shape = _shape("sparse", size, range(2, 3), "2 dimensions")
    sparsity = canon.at_least("sparse", "sparsity", sparsity, 0.0)
    if sparsity > 1.0:
        raise fail(
            "invalid-argument",
            operation="sparse",
            complaint=f"sparsity is {sparsity}",
            advice="Give the share of zeros in a column, from 0 to 1.",
        )
    std = canon.at_least("sparse", "std", std, 0.0)
    zeros = math.ceil(sparsity * shape[0])
    return _drawn("sparse", initial.sparse, shape, (zeros, std), dtype)


def trunc_normal(
    *size: Any,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    dtype: Any = None,
) -> Tensor:
    """Numbers of a normal distribution, drawn anew until they lie within [a, b].

    Args:
        *size: the shape.
        mean: the mean of the distribution without limits.
        std: its deviation, above 0.
        a: the lower limit, in the units of the numbers.
        b: the upper limit.
        dtype: the floating point dtype.

    Raises:
        GradvizError: `invalid-argument` for a distribution that there isn't, or limits that are
            crossed.

    Example:
        >>> import gradviz as gv
        >>> bool((gv.nn.init.trunc_normal(100, std=0.02, a=-0.01, b=0.01).abs() <= 0.01).all())
        True
    """
    name = "trunc_normal"
    shape = sizes(name, size)
    mean = canon.scalar(name, "mean", mean)
    std = canon.positive(name, "std", std)
    a, b = canon.scalar(name, "a", a), canon.scalar(name, "b", b)
    if not a <= b or not math.isfinite(mean) or math.isinf(std):
        raise fail(
            "invalid-argument",
            operation=name,
            complaint=f"nothing can be drawn with mean {mean}, std {std}, a {a} and b {b}",
            advice="Give a finite mean and std, and an `a` of at most `b`.",
        )
    return _drawn(name, initial.trunc_normal, shape, (mean, std, a, b), dtype)


def eye_(tensor: Parameter) -> Parameter:
    """Gives a parameter the values of `eye`, and returns it."""
    return set_values(tensor, "eye_", eye)  # type: ignore[no-any-return]


def dirac_(tensor: Parameter, groups: int = 1) -> Parameter:
    """Gives a parameter the values of `dirac`, and returns it."""
    return set_values(tensor, "dirac_", dirac, groups=groups)  # type: ignore[no-any-return]


def orthogonal_(tensor: Parameter, gain: float = 1.0) -> Parameter:
    """Gives a parameter the values of `orthogonal`, and returns it."""
    return set_values(tensor, "orthogonal_", orthogonal, gain=gain)  # type: ignore[no-any-return]


def sparse_(tensor: Parameter, sparsity: float, std: float = 0.01) -> Parameter:
    """Gives a parameter the values of `sparse`, and returns it."""
    options = {"sparsity": sparsity, "std": std}
    return set_values(tensor, "sparse_", sparse, **options)  # type: ignore[no-any-return]


def trunc_normal_(
    tensor: Parameter, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0
) -> Parameter:
    """Gives a parameter the values of `trunc_normal`, and returns it."""
    options = {"mean": mean, "std": std, "a": a, "b": b}
    return set_values(tensor, "trunc_normal_", trunc_normal, **options)  # type: ignore[no-any-return]
