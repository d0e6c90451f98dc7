"""Order and counting: medians, places, distinct values."""

from __future__ import annotations

from typing import Any

from gradviz.backends.ndarray import counting
from gradviz.core.context import CallSite
from gradviz.errors import fail
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation.make import make
from gradviz.tensor.general import general, row_of
from gradviz.tensor.values import read

_median_all, _median_dim = row_of("median_all"), row_of("median_dim")


def median(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The middle element, the lower of two; with `dim` along it, and where it is.

    Args:
        input: a tensor.
        dim: None for the median of all (equal ones share the gradient), or a dimension for
            `(values, indices)`.
        keepdim: whether the reduced dimension stays with size 1.

    Raises:
        GradvizError: `invalid-argument` without elements, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> values, indices = gv.tensor([[3.0, 1.0, 2.0]]).median(dim=1)
        >>> values.tolist(), indices.tolist()
        ([2.0], [2])
    """
    x = canon.tensor("median", input)
    if dim is None:
        canon.nonempty("median", None, x)
        return general(_median_all, [x], ())
    at = canon.dim("median", dim, x)
    canon.nonempty("median", at, x)
    return general(_median_dim, [x], (at, canon.flag("median", "keepdim", keepdim)))


def argtopk(input: Any, k: int, dim: int = -1) -> Tensor:
    """Where the largest `k` elements stand along one dimension: Burn's name.

    Example:
        >>> import gradviz as gv
        >>> gv.argtopk(gv.tensor([3.0, 1.0, 2.0]), 2).tolist()
        [0, 2]
    """
    with CallSite():
        indices: Tensor = functions.topk(input, k, dim)[1]
    return indices


def bucketize(input: Any, boundaries: Any, *, right: bool = False) -> Tensor:
    """Which interval between ascending boundaries each value lies in.

    Example:
        >>> import gradviz as gv
        >>> gv.bucketize(gv.tensor([0.5, 2.0]), gv.tensor([1.0, 2.0, 3.0])).tolist()
        [0, 1]
    """
    with CallSite():
        return functions.searchsorted(boundaries, input, right)


def _positions(operation: str, input: Any) -> tuple[Tensor, Any]:
    x = canon.tensor(operation, input, lists=True)
    return x, counting.positions(read(x, operation))


def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """Where elements aren't 0.

    Args:
        input: a tensor.
        as_tuple: False for one row of indices for each such element; True for one vector of
            indices for each dimension, as `x[...]` takes them.

    Raises:
        GradvizError: `capture-value-unavailable` for a captured tensor, whose result would have
            no known shape.

    Example:
        >>> import gradviz as gv
        >>> gv.nonzero(gv.tensor([0, 3, 5])).tolist()
        [[1], [2]]
    """
    x, places = _positions("nonzero", input)
    if not canon.flag("nonzero", "as_tuple", as_tuple):
        return make(places, "nonzero", x.device, False, None)
    columns = places if x.ndim else counting.positions(read(x, "nonzero").reshape(1))
    return tuple(
        make(column, "nonzero", x.device, False, None) for column in counting.columns(columns)
    )


def argwhere(input: Any) -> Tensor:
    """One row of indices for each element that isn't 0.

    Example:
        >>> import gradviz as gv
        >>> gv.argwhere(gv.tensor([[0.0, 1.0]])).tolist()
        [[0, 1]]
    """
    x, places = _positions("argwhere", input)
    return make(places, "argwhere", x.device, False, None)


def unique(
    input: Any,
    sorted: bool = True,  # noqa: ARG001 - they always are
    return_inverse: bool = False,
    return_counts: bool = False,
) -> Any:
    """The distinct elements in ascending order; no gradient passes.

    Args:
        input: a tensor, taken as one row.
        sorted: taken as in PyTorch; the elements always come in order.
        return_inverse: whether to tell, too, which of them each element is.
        return_counts: whether to tell, too, how often each of them occurs.

    Raises:
        GradvizError: `capture-value-unavailable` for a captured tensor.

    Example:
        >>> import gradviz as gv
        >>> [part.tolist() for part in gv.unique(gv.tensor([3, 1, 3]), return_counts=True)]
        [[1, 3], [1, 2]]
    """
    x = canon.tensor("unique", input, lists=True)
    values, inverse, counts = counting.distinct(read(x, "unique"))
    parts = [values]
    if canon.flag("unique", "return_inverse", return_inverse):
        parts.append(inverse)
    if canon.flag("unique", "return_counts", return_counts):
        parts.append(counts)
    made = tuple(make(part, "unique", x.device, False, None) for part in parts)
    return made[0] if len(made) == 1 else made


def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Tensor:
    """How often each whole number occurs, or the sum of the weights of its occurrences.

    Args:
        input: a vector of whole numbers of at least 0.
        weights: a vector of the same length, or None.
        minlength: the least number of counts.

    Raises:
        GradvizError: `invalid-argument`, `invalid-dtype`, `shape-mismatch`.

    Example:
        >>> import gradviz as gv
        >>> gv.bincount(gv.tensor([0, 2, 2])).tolist()
        [1, 0, 2]
    """
    x = canon.tensor("bincount", input, lists=True)
    canon.rank("bincount", x, 1)
    least = canon.whole_number("bincount", "minlength", minlength)
    if x.dtype.kind not in "iu":
        raise fail(
            "invalid-dtype",
            operation="bincount",
            complaint=f"needs whole numbers, not {x.dtype.name}",
            advice="Convert it with `.long()`.",
        )
    numbers = read(x, "bincount")
    if least < 0 or (numbers.size and int(numbers.min()) < 0):
        raise fail(
            "invalid-argument",
            operation="bincount",
            complaint="numbers and minlength must not be negative",
            advice="Shift the numbers, so that they start from 0.",
        )
    if weights is None:
        return make(counting.counts(numbers, least), "bincount", x.device, False, None)
    with CallSite():
        length = max(int(numbers.max()) + 1 if numbers.size else 0, least)
        factors = canon.tensor("bincount", weights, lists=True)
        zeros = make(
            counting.zeros(length, read(factors, "bincount")), "bincount", x.device, False, None
        )
        return functions.scatter_add(zeros, 0, x.to(dtype="int64"), factors)


def count_nonzero(input: Any, dim: Any = None) -> Tensor:
    """How many elements aren't 0, of all or along dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.count_nonzero(gv.tensor([0.0, 3.0, 5.0])).item()
        2
    """
    with CallSite():
        return functions.sum(functions.ne(canon.tensor("count_nonzero", input), 0), dim)


def aminmax(input: Any, *, dim: Any = None, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The smallest and the largest element, of all or along a dimension.

    Example:
        >>> import gradviz as gv
        >>> [part.item() for part in gv.aminmax(gv.tensor([3.0, 1.0, 2.0]))]
        [1.0, 3.0]
    """
    with CallSite():
        x = canon.tensor("aminmax", input)
        return functions.amin(x, dim, keepdim), functions.amax(x, dim, keepdim)


def max_abs(input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The largest absolute value, of all or along dimensions: Burn's name.

    Example:
        >>> import gradviz as gv
        >>> gv.max_abs(gv.tensor([3.0, -4.0])).item()
        4.0
    """
    with CallSite():
        return functions.amax(functions.abs(input), dim, keepdim)
