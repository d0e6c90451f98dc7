"""Norms, distances, similarities, covariances; functions of one tensor made of others."""

from __future__ import annotations

from typing import Any

from gradviz.core.context import CallSite
from gradviz.errors import fail
from gradviz.ops import shapes
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.composed.choice import where
from gradviz.tensor.composed.products import pow as power
from gradviz.tensor.general import general, row_of

_cross, _slogdet, _logit = row_of("cross"), row_of("slogdet"), row_of("logit")


def cross(input: Any, other: Any, dim: int = -1) -> Tensor:
    """Vector product along a dimension of size 3.

    Args:
        input: a tensor.
        other: a tensor that broadcasts with it.
        dim: the dimension.

    Raises:
        GradvizError: `shape-mismatch`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.cross(gv.tensor([1.0, 0.0, 0.0]), gv.tensor([0.0, 1.0, 0.0])).tolist()
        [0.0, 0.0, 1.0]
    """
    with CallSite():
        left, right = canon.tensor("cross", input), canon.tensor("cross", other)
        if left.shape != right.shape:
            shape = shapes.broadcast("cross", left.shape, right.shape)
            left, right = functions.expand(left, shape), functions.expand(right, shape)
        result: Tensor = general(_cross, [left, right], (canon.existing_dim("cross", dim, left),))
        return result


def slogdet(input: Any) -> tuple[Tensor, Tensor]:
    """Sign and logarithm of the absolute value of the determinant, without overflow.

    Raises:
        GradvizError: `shape-mismatch` for what is no square matrix.

    Example:
        >>> import gradviz as gv
        >>> sign, logs = gv.slogdet(gv.eye(3) * 2.0)
        >>> sign.item(), round(logs.item(), 4)
        (1.0, 2.0794)
    """
    logs, sign = general(_slogdet, [canon.tensor("slogdet", input)], ())
    return sign, logs


def normalize(input: Any, p: Any = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """Divided by the norm along a dimension, which counts as at least `eps`.

    Raises:
        GradvizError: `dimension-out-of-range`, `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.normalize(gv.tensor([3.0, 4.0]), dim=0).numpy().round(4).tolist()
        [0.6000000238418579, 0.800000011920929]
    """
    with CallSite():
        x = canon.tensor("normalize", input)
        size = functions.norm(x, p, dim, True)
        return functions.div(x, functions.clamp(size, min=canon.scalar("normalize", "eps", eps)))


def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Cosine of the angle between vectors along a dimension; lengths count as at least `eps`.

    Raises:
        GradvizError: `shape-mismatch`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> cosine = gv.cosine_similarity(gv.tensor([1.0, 0.0]), gv.tensor([1.0, 1.0]), dim=0)
        >>> round(cosine.item(), 4)
        0.7071
    """
    with CallSite():
        least = canon.scalar("cosine_similarity", "eps", eps)
        left, right = canon.tensor("cosine_similarity", x1), canon.tensor("cosine_similarity", x2)
        rank = max(left.ndim, right.ndim)
        at = shapes.dimension("cosine_similarity", dim, rank) - rank
        product = functions.sum(functions.mul(left, right), at)
        lengths = [functions.clamp(functions.norm(x, 2.0, at), min=least) for x in (left, right)]
        return functions.div(product, functions.mul(*lengths))


def pairwise_distance(
    x1: Any, x2: Any, p: Any = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """The norm of differences along the last dimension, with `eps` added to each.

    Example:
        >>> import gradviz as gv
        >>> gv.pairwise_distance(gv.zeros(1, 2), gv.tensor([[3.0, 4.0]])).numpy().round(3).tolist()
        [5.0]
    """
    with CallSite():
        gap = functions.sub(x1, x2) + canon.scalar("pairwise_distance", "eps", eps)
        return functions.norm(gap, p, -1, keepdim)


def cdist(x1: Any, x2: Any, p: Any = 2.0) -> Tensor:
    """Distances between all rows of two matrices, or of two batches of them.

    Args:
        x1: shape (..., n, features).
        x2: shape (..., m, features).
        p: the order of the norm.

    Raises:
        GradvizError: `shape-mismatch`, `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.cdist(gv.zeros(1, 2), gv.tensor([[3.0, 4.0], [0.0, 1.0]])).tolist()
        [[5.0, 1.0]]
    """
    with CallSite():
        left, right = canon.tensor("cdist", x1), canon.tensor("cdist", x2)
        canon.matrices("cdist", left)
        canon.matrices("cdist", right)
        if left.shape[-1] != right.shape[-1]:
            raise shapes.mismatch(
                "cdist",
                left.shape,
                right.shape,
                f"rows have {left.shape[-1]} and {right.shape[-1]} features.",
                "Give rows of equal length.",
            )
        gap = functions.sub(functions.unsqueeze(left, -2), functions.unsqueeze(right, -3))
        return functions.norm(gap, p, -1)


def dist(input: Any, other: Any, p: Any = 2.0) -> Tensor:
    """The norm of the difference of two tensors.

    Example:
        >>> import gradviz as gv
        >>> gv.dist(gv.tensor([3.0, 4.0]), gv.zeros(2)).item()
        5.0
    """
    with CallSite():
        return functions.norm(functions.sub(input, other), p)


def matrix_norm(input: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False) -> Tensor:
    """The norm of matrices: "fro", or 1, -1, inf, -inf for sums of columns or rows.

    Raises:
        GradvizError: `invalid-argument` for another order.

    Example:
        >>> import gradviz as gv
        >>> gv.matrix_norm(gv.tensor([[3.0, 0.0], [0.0, 4.0]])).item()
        5.0
    """
    name = "matrix_norm"
    with CallSite():
        x = canon.tensor(name, input)
        canon.matrices(name, x)
        places = canon.whole_numbers(name, "dim", dim)
        if len(places) != 2:
            raise fail(
                "invalid-argument",
                operation=name,
                complaint=f"a matrix has two dimensions, not {len(places)}",
                advice="Name two dimensions.",
            )
        rows, columns = (shapes.dimension(name, d, x.ndim) for d in places)
        if isinstance(ord, str) and ord == "fro":
            return functions.norm(x, 2.0, (rows, columns), keepdim)
        order = canon.scalar(name, "ord", ord)
        if abs(order) not in (1, float("inf")):
            raise fail(
                "invalid-argument",
                operation=name,
                complaint=f"ord is {ord!r}",
                advice="Use 'fro', 1, -1, inf or -inf.",
            )
        first, second = (rows, columns) if abs(order) == 1 else (columns, rows)
        sums = functions.sum(functions.abs(x), first, True)
        extreme = functions.amax if order > 0 else functions.amin
        found = extreme(sums, second, True)
        return found if keepdim else functions.squeeze(found, (rows, columns))


def cov(input: Any, *, correction: int = 1) -> Tensor:
    """Covariances of variables, one in each row, over observations, one in each column.

    Example:
        >>> import gradviz as gv
        >>> gv.cov(gv.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])).tolist()
        [[1.0, -1.0], [-1.0, 1.0]]
    """
    with CallSite():
        x = canon.tensor("cov", input)
        freedom = canon.scalar("cov", "correction", correction)
        if x.ndim > 2:
            canon.rank("cov", x, 2)
        rows = functions.reshape(x, (1, -1)) if x.ndim < 2 else x
        centred = functions.sub(rows, functions.mean(rows, 1, True))
        total = functions.matmul(centred, functions.transpose(centred, 0, 1))
        found = functions.div(total, float(rows.shape[1] - freedom))
        return functions.reshape(found, ()) if x.ndim < 2 else found


def corrcoef(input: Any) -> Tensor:
    """Correlations of variables, one in each row, over observations, one in each column.

    Example:
        >>> import gradviz as gv
        >>> gv.corrcoef(gv.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])).numpy().round(4).tolist()
        [[1.0, -1.0], [-1.0, 1.0]]
    """
    from gradviz.tensor.composed.parts import diagonal

    with CallSite():
        found = cov(input)
        if not found.ndim:
            return functions.div(found, found)
        spread = functions.sqrt(diagonal(found))
        return functions.div(
            functions.div(found, functions.unsqueeze(spread, 1)), functions.unsqueeze(spread, 0)
        )


def digamma(input: Any) -> Tensor:
    """The derivative of the logarithm of the gamma function.

    Example:
        >>> import gradviz as gv
        >>> gv.digamma(gv.tensor([1.0])).numpy().round(4).tolist()
        [-0.5771999955177307]
    """
    with CallSite():
        return functions.polygamma(input, 0)


def logit(input: Any, eps: Any = None) -> Tensor:
    """log(x / (1 - x)), with x limited to [eps, 1 - eps] where `eps` is given.

    Example:
        >>> import gradviz as gv
        >>> gv.logit(gv.tensor([0.5])).tolist()
        [0.0]
    """
    with CallSite():
        x = canon.tensor("logit", input)
        if eps is not None:
            least = canon.scalar("logit", "eps", eps)
            x = functions.clamp(x, min=least, max=1.0 - least)
        result: Tensor = general(_logit, [x], ())
        return result


def float_power(input: Any, exponent: Any) -> Tensor:
    """To a power, in float64.

    Example:
        >>> import gradviz as gv
        >>> gv.float_power(gv.tensor([2, 3]), 2).tolist()
        [4.0, 9.0]
    """
    with CallSite():
        base = canon.tensor("float_power", input).to(dtype="float64")
        if isinstance(exponent, int | float) and not isinstance(exponent, bool):
            return power(base, float(exponent))
        return power(base, canon.tensor("float_power", exponent).to(dtype="float64"))


def nansum(input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Sum of the elements that are numbers.

    Example:
        >>> import gradviz as gv
        >>> gv.nansum(gv.tensor([1.0, float("nan")])).item()
        1.0
    """
    with CallSite():
        x = canon.tensor("nansum", input)
        return functions.sum(where(functions.isnan(x), 0, x), dim, keepdim)


def nanmean(input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Mean of the elements that are numbers.

    Example:
        >>> import gradviz as gv
        >>> gv.nanmean(gv.tensor([1.0, 3.0, float("nan")])).item()
        2.0
    """
    with CallSite():
        x = canon.tensor("nanmean", input)
        canon.floating("nanmean", x)
        kept = functions.logical_not(functions.isnan(x)).to(dtype=x.dtype)
        return functions.div(nansum(x, dim, keepdim), functions.sum(kept, dim, keepdim))


def softmin(input: Any, dim: int = -1) -> Tensor:
    """Softmax of the negatives: the smallest element gets the most.

    Example:
        >>> import gradviz as gv
        >>> gv.softmin(gv.tensor([0.0, 0.0]), dim=0).tolist()
        [0.5, 0.5]
    """
    with CallSite():
        return functions.softmax(functions.neg(input), dim)


def glu(input: Any, dim: int = -1) -> Tensor:
    """The first half of a dimension times the sigmoid of the second.

    Raises:
        GradvizError: `invalid-argument` for a dimension of odd size.

    Example:
        >>> import gradviz as gv
        >>> gv.glu(gv.tensor([2.0, 0.0])).tolist()
        [1.0]
    """
    from gradviz.tensor.composed.parts import narrow

    with CallSite():
        x = canon.tensor("glu", input)
        at = canon.existing_dim("glu", dim, x)
        length = x.shape[at]
        if length % 2:
            raise fail(
                "invalid-argument",
                operation="glu",
                complaint=f"dimension {at} of size {length} has no two halves",
                facts=(("operation", "glu"), ("shape", str(x.shape))),
                advice="Give a dimension of even size.",
            )
        half = length // 2
        gate = functions.sigmoid(narrow(x, at, half, half))
        return functions.mul(narrow(x, at, 0, half), gate)


def prelu(input: Any, weight: Any) -> Tensor:
    """x where it is positive, a learned slope times x elsewhere.

    Args:
        input: shape (batch, channels, ...).
        weight: shape (1,) or (channels,): the slopes.

    Raises:
        GradvizError: `shape-mismatch`.

    Example:
        >>> import gradviz as gv
        >>> gv.prelu(gv.tensor([-2.0, 2.0]), gv.tensor([0.25])).tolist()
        [-0.5, 2.0]
    """
    with CallSite():
        x = canon.tensor("prelu", input)
        slopes = canon.beside("prelu", weight, x)
        if slopes.ndim > 1 or (slopes.size > 1 and (x.ndim < 2 or x.shape[1] != slopes.size)):
            raise shapes.mismatch(
                "prelu",
                x.shape,
                slopes.shape,
                "channels stand in dimension 1 of the input.",
                "Give one slope, or one for each channel.",
            )
        if slopes.size > 1:
            slopes = functions.reshape(slopes, (-1, *(1,) * (x.ndim - 2)))
        elif slopes.ndim:
            slopes = functions.reshape(slopes, ())
        result: Tensor = general(row_of("prelu"), [x, slopes], ())
        return result
