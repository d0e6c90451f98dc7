"""Operations with several forms, or made of rows."""

from __future__ import annotations

from builtins import max as builtin_max
from builtins import min as builtin_min
from typing import Any

from gradviz.core.context import CallSite
from gradviz.errors import GradvizTypeError, fail
from gradviz.ops import shapes
from gradviz.tensor import canon, functions
from gradviz.tensor.autodiff import to_dtype
from gradviz.tensor.base import Tensor
from gradviz.tensor.general import general, row_of
from gradviz.tensor.indexing import getitem as getitem
from gradviz.tensor.indexing import masked_select as masked_select
from gradviz.tensor.indexing import slice_assign as slice_assign

_where_row, _pow_row, _power_row = row_of("where"), row_of("pow"), row_of("pow_scalar")
_matmul_row = row_of("matmul")


def _extreme(operation: str, input: Any, dim: Any, keepdim: bool) -> Any:
    x = canon.tensor(operation, input)
    if dim is None:
        canon.nonempty(operation, None, x)
        return getattr(functions, f"a{operation}")(x)
    if isinstance(dim, Tensor):
        return getattr(functions, f"{operation}imum")(x, dim)
    at = canon.dim(operation, dim, x)
    canon.nonempty(operation, at, x)
    return general(row_of(f"{operation}_dim"), [x], (at, bool(keepdim)))


def max(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The largest element; with `dim` the largest along it, and where it is.

    Args:
        input: a tensor.
        dim: None for the largest of all (ties share the gradient), a dimension for
            `(values, indices)` (the first one gets the gradient), or a tensor for `maximum`.
        keepdim: whether the reduced dimension stays with size 1.

    Raises:
        GradvizError: `invalid-argument` without elements, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> values, indices = gv.tensor([[1.0, 3.0]]).max(dim=1)
        >>> values.tolist(), indices.tolist()
        ([3.0], [1])
    """
    return _extreme("max", input, dim, keepdim)


def min(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The smallest element; with `dim` the smallest along it, and where it is.

    Args:
        input: a tensor.
        dim: None for the smallest of all (ties share the gradient), a dimension for
            `(values, indices)` (the first one gets the gradient), or a tensor for `minimum`.
        keepdim: whether the reduced dimension stays with size 1.

    Raises:
        GradvizError: `invalid-argument` without elements, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([4.0, 3.0]).min().item()
        3.0
    """
    return _extreme("min", input, dim, keepdim)


def split(input: Any, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of a tensor along one dimension.

    Args:
        input: a tensor.
        split_size: the size of each part (the last may be smaller), or a list of sizes.
        dim: the dimension.

    Raises:
        GradvizError: `invalid-argument` where the sizes don't add up.

    Example:
        >>> import gradviz as gv
        >>> [part.tolist() for part in gv.arange(3).split(2)]
        [[0, 1], [2]]
    """
    x = canon.tensor("split", input)
    at = canon.dim("split", dim, x)
    length = x.shape[at] if x.shape else 1
    if isinstance(split_size, int):
        if split_size <= 0 and length:
            raise fail("invalid-argument", operation="split", complaint=f"parts of size {split_size} never end",
                       advice="Give a size of at least 1.")
        step = split_size or 1
        sizes = [step] * (length // step) + ([length % step] if length % step or not length else [])
    else:
        sizes = [int(size) for size in split_size]
        if sum(sizes) != length or any(size < 0 for size in sizes):
            raise fail("invalid-argument", operation="split", complaint=f"sizes {sizes} don't add up to {length}",
                       advice="Give sizes whose sum is the dimension's.")
    parts, start = [], 0
    with CallSite():
        for size in sizes:
            parts.append(narrow(x, at, start, size))
            start += size
    return tuple(parts)


def chunk(input: Any, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` parts of equal size along one dimension (the last may be smaller).

    Example:
        >>> import gradviz as gv
        >>> [part.tolist() for part in gv.arange(5).chunk(2)]
        [[0, 1, 2], [3, 4]]
    """
    x = canon.tensor("chunk", input)
    at = canon.dim("chunk", dim, x)
    if chunks < 1:
        raise fail("invalid-argument", operation="chunk", complaint=f"{chunks} chunks can't be made",
                   advice="Ask for at least one.")
    with CallSite():
        return split(x, -(-x.shape[at] // chunks) or 1, at)


def unbind(input: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along one dimension, without it.

    Example:
        >>> import gradviz as gv
        >>> [row.tolist() for row in gv.ones(2, 1).unbind()]
        [[1.0], [1.0]]
    """
    x = canon.tensor("unbind", input)
    at = canon.dim("unbind", dim, x)
    with CallSite():
        return tuple(select(x, at, index) for index in range(x.shape[at]))


def narrow(input: Any, dim: int, start: int, length: int) -> Tensor:
    """`length` elements of one dimension from `start` on.

    Example:
        >>> import gradviz as gv
        >>> gv.arange(5).narrow(0, 1, 2).tolist()
        [1, 2]
    """
    x = canon.tensor("narrow", input)
    at = canon.dim("narrow", dim, x)
    size = x.shape[at]
    first = start + size if start < 0 else start
    if length < 0 or first < 0 or first + length > size:
        raise fail("index-out-of-range", operation="narrow",
                   complaint=f"start {start} and length {length} don't lie in dimension {at} of size {size}",
                   advice="Choose a part inside the dimension.")
    with CallSite():
        return getitem(x, (slice(None),) * at + (slice(first, first + length),))


def select(input: Any, dim: int, index: int) -> Tensor:
    """One slice of a dimension, without it.

    Example:
        >>> import gradviz as gv
        >>> gv.arange(4).reshape(2, 2).select(1, 0).tolist()
        [0, 2]
    """
    x = canon.tensor("select", input)
    at = canon.dim("select", dim, x)
    with CallSite():
        return getitem(x, (slice(None),) * at + (index,))


def where(condition: Any, input: Any = None, other: Any = None) -> Tensor:
    """Elements of `input` where the condition is true, of `other` elsewhere.

    Args:
        condition: a bool tensor.
        input: a tensor, array or number.
        other: a tensor, array or number; all three broadcast.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`, `invalid-dtype`.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([-1.0, 2.0])
        >>> gv.where(x > 0.0, x, 0.0).tolist()
        [0.0, 2.0]
    """
    if input is None or other is None:
        raise fail("invalid-argument", operation="where", complaint="needs a condition and two values",
                   advice="Write `gv.where(condition, x, y)`.", error=GradvizTypeError)
    dtype = getattr(condition, "dtype", None)
    if dtype is not None and dtype.kind != "b":
        raise fail("invalid-dtype", operation="where", complaint=f"the condition is {dtype}, not bool",
                   advice="Compare it with something, or convert it with `.bool()`.")
    return general(_where_row, [condition, input, other], ())  # type: ignore[no-any-return]


def _where_method(self: Tensor, condition: Any, other: Any) -> Tensor:
    """The tensor's elements where the condition is true, `other`'s elsewhere."""
    return where(condition, self, other)


def pow(input: Any, exponent: Any) -> Tensor:
    """`input` to the power of `exponent`, a number or a tensor.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> (gv.tensor([2.0, 3.0]) ** 2).tolist()
        [4.0, 9.0]
    """
    if isinstance(input, Tensor) and isinstance(exponent, int | float) and not isinstance(exponent, bool):
        category = input.node.meta.category
        if category == "float" or (category == "int" and isinstance(exponent, int) and exponent >= 0):
            value = float(exponent) if isinstance(exponent, float) else int(exponent)
            try:
                return input.node.meta.table.pow_scalar(input.node.meta, input, value)  # type: ignore[no-any-return]
            except Exception as error:
                from gradviz.tensor.general import explain

                raise explain(error, _power_row, (input,), (value,)) from None
    return general(_pow_row, [input, exponent], ())  # type: ignore[no-any-return]


def _reflected_pow(input: Tensor, other: Any) -> Tensor:
    """`other ** input`."""
    return general(_pow_row, [other, input], ())  # type: ignore[no-any-return]


def _reflected_matmul(input: Tensor, other: Any) -> Tensor:
    """`other @ input`."""
    return general(_matmul_row, [other, input], ())  # type: ignore[no-any-return]


def t(input: Any) -> Tensor:
    """A matrix transposed; a vector or a single number as it is.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2, 3).t().shape
        (3, 2)
    """
    x = canon.tensor("t", input)
    if x.ndim > 2:
        raise fail("invalid-argument", operation="t", complaint=f"needs at most 2 dimensions, not {x.ndim}",
                   facts=(("operation", "t"), ("shape", str(x.shape))), advice="Use `.mT` to exchange the last two dimensions.")
    if x.ndim < 2:
        return x
    with CallSite():
        return functions.transpose(x, 0, 1)


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Cross-entropy between scores and classes, or class probabilities.

    Args:
        input: shape (batch, classes, ...) or (classes,), float: scores before softmax.
        target: integer classes of shape (batch, ...) or (), or probabilities of the input's shape.
        weight: shape (classes,): a factor for each class, or None.
        ignore_index: a class that counts for nothing.
        reduction: "mean", "sum" or "none".
        label_smoothing: how much of each target is spread over all classes, in [0, 1].

    Raises:
        GradvizError: `shape-mismatch`, `invalid-dtype`, `index-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> loss = gv.cross_entropy(gv.tensor([[2.0, 0.0]]), gv.tensor([0]))
        >>> round(loss.item(), 4)
        0.1269
    """
    scores = canon.tensor("cross_entropy", input)
    canon.choice("cross_entropy", "reduction", reduction, canon.REDUCTIONS)
    if not 0.0 <= label_smoothing <= 1.0:
        raise fail("invalid-argument", operation="cross_entropy", complaint=f"label_smoothing is {label_smoothing}",
                   advice="Give a number from 0 to 1.")
    if not scores.shape:
        raise fail("shape-mismatch", operation="cross_entropy", lhs=scores.shape, rhs=getattr(target, "shape", ()),
                   advice="Give scores of shape (batch, classes).")
    axis = 1 if scores.ndim > 1 else 0
    with CallSite():
        log_probs = functions.log_softmax(scores, axis)
        kind = getattr(target, "dtype", None)
        if kind is not None and kind.kind == "f":
            return _soft_cross_entropy(log_probs, target, weight, reduction, label_smoothing, axis)
        loss = functions.nll_loss(log_probs, target, weight, ignore_index, reduction)
        if not label_smoothing:
            return loss
        smooth = _smooth_loss(log_probs, target, weight, ignore_index, reduction, axis)
        classes = log_probs.shape[axis]
        return (1.0 - label_smoothing) * loss + (label_smoothing / classes) * smooth


def _smooth_loss(
    log_probs: Tensor, target: Any, weight: Any, ignore_index: int, reduction: str, axis: int
) -> Tensor:
    """The loss against all classes alike, over the targets that count."""
    goal: Tensor = target if isinstance(target, Tensor) else canon.tensor("cross_entropy", target)
    each = -log_probs
    shape = [1] * each.ndim
    shape[axis] = -1
    if weight is not None:
        each = each * weight.reshape(shape)
    each = each.sum(axis)
    kept = goal != ignore_index
    each = where(kept, each, 0.0)
    if reduction == "none":
        return each
    if reduction == "sum":
        return each.sum()
    if weight is None:
        return each.sum() / kept.sum()
    share = weight[where(kept, goal, 0)]
    return each.sum() / where(kept, share, 0.0).sum()


def _soft_cross_entropy(
    log_probs: Tensor, target: Any, weight: Any, reduction: str, label_smoothing: float, axis: int
) -> Tensor:
    goal: Tensor = canon.tensor("cross_entropy", target)
    if goal.shape != log_probs.shape:
        raise shapes.mismatch("cross_entropy", log_probs.shape, goal.shape,
                              "class probabilities must have the shape of the scores.",
                              "Give one probability for each class, or integer classes.")
    classes = log_probs.shape[axis]
    if label_smoothing:
        goal = goal * (1.0 - label_smoothing) + label_smoothing / classes
    each = goal * log_probs
    if weight is not None:
        shape = [1] * each.ndim
        shape[axis] = -1
        each = each * weight.reshape(shape)
    losses = -each.sum(axis)
    if reduction == "none":
        return losses
    total = losses.sum()
    rows = losses.size
    return total if reduction == "sum" else total / float(rows)


def dropout(input: Any, p: float = 0.5, training: bool = True) -> Tensor:
    """Zeros a random share `p` of the elements and scales the others by 1 / (1 - p).

    Args:
        input: a tensor.
        p: the share, in [0, 1].
        training: False returns the input as it is.

    Example:
        >>> import gradviz as gv
        >>> gv.dropout(gv.ones(3), training=False).tolist()
        [1.0, 1.0, 1.0]
    """
    from gradviz.tensor.creation import bernoulli

    x = canon.tensor("dropout", input)
    if not 0.0 <= p <= 1.0:
        raise fail("invalid-argument", operation="dropout", complaint=f"p is {p}", advice="Give a share from 0 to 1.")
    if not training or p == 0.0:
        return x
    with CallSite():
        if p == 1.0:
            return x * 0.0
        mask = bernoulli(x.shape, p=1.0 - p, dtype=x.dtype, device=x.device)
        return x * mask * (1.0 / (1.0 - p))


def float_(input: Any) -> Tensor:
    """The tensor as float32."""
    return to_dtype(input, "float32")


def double(input: Any) -> Tensor:
    """The tensor as float64."""
    return to_dtype(input, "float64")


def half(input: Any) -> Tensor:
    """The tensor as float16."""
    return to_dtype(input, "float16")


def int_(input: Any) -> Tensor:
    """The tensor as int32."""
    return to_dtype(input, "int32")


def long(input: Any) -> Tensor:
    """The tensor as int64."""
    return to_dtype(input, "int64")


def bool_(input: Any) -> Tensor:
    """The tensor as bool: whether elements differ from 0."""
    return to_dtype(input, "bool")


def dot(input: Any, other: Any) -> Tensor:
    """Inner product of two vectors.

    Example:
        >>> import gradviz as gv
        >>> gv.dot(gv.tensor([1.0, 2.0]), gv.tensor([3.0, 4.0])).item()
        11.0
    """
    _ranks("dot", (input, 1), (other, 1))
    with CallSite():
        return functions.matmul(input, other)


def mv(input: Any, vec: Any) -> Tensor:
    """Matrix times vector."""
    _ranks("mv", (input, 2), (vec, 1))
    with CallSite():
        return functions.matmul(input, vec)


def mm(input: Any, mat2: Any) -> Tensor:
    """Product of two matrices."""
    _ranks("mm", (input, 2), (mat2, 2))
    with CallSite():
        return functions.matmul(input, mat2)


def bmm(input: Any, mat2: Any) -> Tensor:
    """Products of two batches of matrices."""
    _ranks("bmm", (input, 3), (mat2, 3))
    with CallSite():
        return functions.matmul(input, mat2)


def _ranks(operation: str, *expected: tuple[Any, int]) -> None:
    for value, rank in expected:
        shape = getattr(value, "shape", ())
        if len(shape) != rank:
            raise fail("invalid-argument", operation=operation, complaint=f"needs a tensor of {rank} dimensions, not {len(shape)}",
                       facts=(("operation", operation), ("shape", str(tuple(shape)))), advice="`matmul` takes any.")


def addmm(input: Any, mat1: Any, mat2: Any) -> Tensor:
    """input + mat1 @ mat2."""
    with CallSite():
        return functions.add(input, functions.matmul(mat1, mat2))


def outer(input: Any, vec2: Any) -> Tensor:
    """All products of two vectors' elements, shape (n, m).

    Example:
        >>> import gradviz as gv
        >>> gv.outer(gv.tensor([1.0, 2.0]), gv.tensor([3.0])).tolist()
        [[3.0], [6.0]]
    """
    _ranks("outer", (input, 1), (vec2, 1))
    with CallSite():
        return functions.mul(functions.reshape(input, -1, 1), functions.reshape(vec2, 1, -1))


def tile(input: Any, *dims: Any) -> Tensor:
    """Copies side by side; fewer counts than dimensions count from the end."""
    x = canon.tensor("tile", input)
    sizes = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
    counts = (1,) * builtin_max(x.ndim - len(sizes), 0) + tuple(sizes)
    with CallSite():
        return functions.repeat(x, *counts)


def repeat_dim(input: Any, dim: int, times: int) -> Tensor:
    """Copies along one dimension, of any size (Burn asks for size 1)."""
    x = canon.tensor("repeat_dim", input)
    at = canon.dim("repeat_dim", dim, x)
    with CallSite():
        return functions.repeat(x, *(times if place == at else 1 for place in range(x.ndim)))


def movedim(input: Any, source: Any, destination: Any) -> Tensor:
    """Dimensions moved to other places; the rest keeps its order."""
    x = canon.tensor("movedim", input)
    start = (source,) if isinstance(source, int) else tuple(source)
    end = (destination,) if isinstance(destination, int) else tuple(destination)
    moved = [shapes.dimension("movedim", d, x.ndim) for d in start]
    places = [shapes.dimension("movedim", d, x.ndim) for d in end]
    if len(moved) != len(places) or len(set(moved)) != len(moved) or len(set(places)) != len(places):
        raise fail("invalid-argument", operation="movedim", complaint=f"{source} can't be moved to {destination}",
                   advice="Name every dimension once, as many in the source as in the destination.")
    rest = [d for d in range(x.ndim) if d not in moved]
    order = dict(zip(places, moved, strict=True))
    filler = iter(rest)
    with CallSite():
        return functions.permute(x, *(order[d] if d in order else next(filler) for d in range(x.ndim)))


def swap_dims(input: Any, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged: `transpose` under Burn's name."""
    with CallSite():
        return functions.transpose(input, dim0, dim1)


def isclose(input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Tensor:
    """Whether elements differ by at most `atol + rtol * |other|`."""
    with CallSite():
        near = functions.le(functions.abs(functions.sub(input, other)), functions.add(functions.mul(functions.abs(other), rtol), atol))
        near = near | functions.eq(input, other)
        if equal_nan:
            near = near | (functions.isnan(input) & functions.isnan(other))
        return near


def allclose(input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all elements differ by at most `atol + rtol * |other|`."""
    with CallSite():
        return bool(isclose(input, other, rtol, atol, equal_nan).all())


def equal(input: Any, other: Any) -> bool:
    """Whether two tensors have the same shape and elements."""
    left, right = canon.tensor("equal", input), canon.tensor("equal", other)
    if left.shape != right.shape:
        return False
    with CallSite():
        return bool(functions.eq(left, right).all())


def diagonal(input: Any, offset: int = 0) -> Tensor:
    """The diagonal of a matrix."""
    x = canon.tensor("diagonal", input)
    _ranks("diagonal", (x, 2))
    rows, columns = x.shape
    length = builtin_max(builtin_min(rows + builtin_min(offset, 0), columns - builtin_max(offset, 0)), 0)
    at = range(length)
    with CallSite():
        return getitem(x, ([n - builtin_min(offset, 0) for n in at], [n + builtin_max(offset, 0) for n in at]))


def trace(input: Any) -> Tensor:
    """The sum of a matrix's diagonal."""
    with CallSite():
        return functions.sum(diagonal(input))


def norm(input: Any, p: Any = 2.0, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The p-norm of a tensor's elements, or along dimensions.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([3.0, 4.0]).norm().item()
        5.0
    """
    x = canon.tensor("norm", input)
    with CallSite():
        size = functions.abs(x)
        if p == float("inf"):
            return functions.amax(size, dim, keepdim)
        if p == float("-inf"):
            return functions.amin(size, dim, keepdim)
        if p == 1:
            return functions.sum(size, dim, keepdim)
        if p == 0:
            return functions.sum(
                to_dtype(functions.ne(x, 0.0), x.dtype), dim, keepdim)
        if p == 2:
            return functions.sqrt(functions.sum(functions.square(x), dim, keepdim))
        return pow(functions.sum(pow(size, float(p)), dim, keepdim), 1.0 / float(p))


def expand_as(input: Any, other: Tensor) -> Tensor:
    """Expanded to another tensor's shape."""
    with CallSite():
        return functions.expand(input, *other.shape)


def reshape_as(input: Any, other: Tensor) -> Tensor:
    """Reshaped to another tensor's shape."""
    with CallSite():
        return functions.reshape(input, *other.shape)


def type_as(input: Any, other: Tensor) -> Tensor:
    """In another tensor's dtype."""
    return to_dtype(input, other.dtype)


def std_mean(input: Any, dim: Any = None, *, correction: int = 1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """Standard deviation and mean."""
    with CallSite():
        return functions.std(input, dim, correction=correction, keepdim=keepdim), functions.mean(input, dim, keepdim)


def var_mean(input: Any, dim: Any = None, *, correction: int = 1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """Variance and mean."""
    with CallSite():
        return functions.var(input, dim, correction=correction, keepdim=keepdim), functions.mean(input, dim, keepdim)


def numel(input: Any) -> int:
    """Number of elements."""
    return canon.tensor("numel", input).size


def dim(input: Any) -> int:
    """Number of dimensions."""
    return canon.tensor("dim", input).ndim


def contiguous(input: Any) -> Tensor:
    """The tensor itself: how it lies in memory never shows."""
    return canon.tensor("contiguous", input)


def clone(input: Any) -> Tensor:
    """The tensor itself: tensors never change, so a copy is never needed."""
    return canon.tensor("clone", input)


def cpu(input: Any) -> Tensor:
    """The tensor itself: it is there already."""
    return canon.tensor("cpu", input)


def ravel(input: Any) -> Tensor:
    """All dimensions made one."""
    with CallSite():
        return functions.flatten(input)


def sum_dim(input: Any, dim: Any) -> Tensor:
    """The sum along a dimension, which stays with size 1: Burn's name."""
    with CallSite():
        return functions.sum(input, dim, True)


def clamp_min(input: Any, min: Any) -> Tensor:
    """Elements raised to at least `min`."""
    with CallSite():
        return functions.clamp(input, min=min)


def clamp_max(input: Any, max: Any) -> Tensor:
    """Elements lowered to at most `max`."""
    with CallSite():
        return functions.clamp(input, max=max)
