"""Powers and products."""

from __future__ import annotations

from typing import Any

from gradviz.core.context import CallSite
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.composed.parts import diagonal
from gradviz.tensor.general import explain, general, row_of

_pow, _pow_scalar, _matmul = row_of("pow"), row_of("pow_scalar"), row_of("matmul")


def pow(input: Any, exponent: Any) -> Tensor:
    """`input` to the power of `exponent`, a number or a tensor.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`; `invalid-argument` for integers to
            negative powers.

    Example:
        >>> import gradviz as gv
        >>> (gv.tensor([2.0, 3.0]) ** 2).tolist()
        [4.0, 9.0]
    """
    number = exponent.__class__
    if isinstance(input, Tensor) and (number is int or number is float):
        meta = input.node.meta
        if meta.category == "float" or (meta.category == "int" and number is int):
            try:
                result: Tensor = meta.table.pow_scalar(meta, input, exponent)
            except Exception as error:
                raise explain(error, _pow_scalar, (input,), (exponent,)) from None
            return result
    found: Tensor = general(_pow, [input, exponent], ())
    return found


def reflected_pow(input: Tensor, other: Any) -> Tensor:
    """`other ** input`."""
    result: Tensor = general(_pow, [other, input], ())
    return result


def reflected_matmul(input: Tensor, other: Any) -> Tensor:
    """`other @ input`."""
    result: Tensor = general(_matmul, [other, input], ())
    return result


def _product(operation: str, left: Any, left_rank: int, right: Any, right_rank: int) -> Tensor:
    """A matrix product of operands of fixed ranks."""
    with CallSite():
        lhs, rhs = canon.tensor(operation, left), canon.tensor(operation, right)
        canon.rank(operation, lhs, left_rank)
        canon.rank(operation, rhs, right_rank)
        if operation == "bmm":
            canon.equal_batches(lhs, rhs)
        return functions.matmul(lhs, rhs)


def dot(input: Any, other: Any) -> Tensor:
    """Inner product of two vectors.

    Example:
        >>> import gradviz as gv
        >>> gv.dot(gv.tensor([1.0, 2.0]), gv.tensor([3.0, 4.0])).item()
        11.0
    """
    return _product("dot", input, 1, other, 1)


def mv(input: Any, vec: Any) -> Tensor:
    """Matrix times vector.

    Example:
        >>> import gradviz as gv
        >>> gv.mv(gv.ones(2, 3), gv.ones(3)).tolist()
        [3.0, 3.0]
    """
    return _product("mv", input, 2, vec, 1)


def mm(input: Any, mat2: Any) -> Tensor:
    """Product of two matrices.

    Example:
        >>> import gradviz as gv
        >>> gv.mm(gv.ones(1, 2), gv.ones(2, 1)).tolist()
        [[2.0]]
    """
    return _product("mm", input, 2, mat2, 2)


def bmm(input: Any, mat2: Any) -> Tensor:
    """Products of two batches of matrices.

    Example:
        >>> import gradviz as gv
        >>> gv.bmm(gv.ones(5, 1, 2), gv.ones(5, 2, 3)).shape
        (5, 1, 3)
    """
    return _product("bmm", input, 3, mat2, 3)


def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2).

    Example:
        >>> import gradviz as gv
        >>> gv.addmm(gv.ones(1), gv.ones(1, 2), gv.ones(2, 1), alpha=10.0).tolist()
        [[21.0]]
    """
    scales = canon.scalar("addmm", "beta", beta), canon.scalar("addmm", "alpha", alpha)
    with CallSite():
        product = _product("addmm", mat1, 2, mat2, 2)
        if scales[1] != 1:
            product = functions.mul(product, scales[1])
        added = canon.tensor("addmm", input)
        if scales[0] != 1:
            added = functions.mul(added, scales[0])
        canon.fits("addmm", added, product.shape)
        return functions.add(added, product)


def outer(input: Any, vec2: Any) -> Tensor:
    """All products of two vectors' elements, shape (n, m).

    Example:
        >>> import gradviz as gv
        >>> gv.outer(gv.tensor([1.0, 2.0]), gv.tensor([3.0])).tolist()
        [[3.0], [6.0]]
    """
    with CallSite():
        left, right = canon.tensor("outer", input), canon.tensor("outer", vec2)
        canon.rank("outer", left, 1)
        canon.rank("outer", right, 1)
        return functions.mul(functions.unsqueeze(left, 1), functions.unsqueeze(right, 0))


def trace(input: Any) -> Tensor:
    """The sum of a matrix's diagonal.

    Example:
        >>> import gradviz as gv
        >>> gv.trace(gv.eye(3)).item()
        3.0
    """
    with CallSite():
        x = canon.tensor("trace", input)
        canon.rank("trace", x, 2)
        return functions.sum(diagonal(x))
