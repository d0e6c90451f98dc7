"""Sums of products over named dimensions: einsum and its relatives, by matrix products."""

from __future__ import annotations

import string
from typing import Any

from gradviz.core.context import CallSite
from gradviz.core.shape import count
from gradviz.errors import GradvizError, fail
from gradviz.ops import shapes
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.composed.parts import diagonal


def einsum(equation: str, *operands: Any) -> Tensor:
    """Sums of products of elements, with a letter for each dimension.

    Dimensions that share a letter go together; a letter that isn't in the result is summed over.

    Args:
        equation: such as "ij,jk->ik"; "..." stands for any further dimensions. Without "->" the
            result has the letters that occur once, in the alphabet's order.
        operands: one tensor for each part of the left side.

    Raises:
        GradvizError: `invalid-argument` for an equation that makes no sense, `shape-mismatch`.

    Example:
        >>> import gradviz as gv
        >>> gv.einsum("ij,j->i", gv.tensor([[1.0, 2.0]]), gv.tensor([3.0, 4.0])).tolist()
        [11.0]
    """
    given = (
        operands[0] if len(operands) == 1 and isinstance(operands[0], list | tuple) else operands
    )
    with CallSite():
        tensors = [canon.tensor("einsum", operand, lists=True) for operand in given]
        inputs, output, sizes = _parsed(equation, tensors)
        terms = [_single(x, letters) for x, letters in zip(tensors, inputs, strict=True)]
        while len(terms) > 1:
            (left, a), (right, b), *rest = terms
            needed = set(output).union(*(letters for _, letters in rest)) if rest else set(output)
            terms = [_pair(left, a, right, b, needed, sizes), *rest]
        result, letters = terms[0]
        gone = tuple(at for at, letter in enumerate(letters) if letter not in output)
        if gone:
            result = functions.sum(result, gone)
            letters = "".join(letter for letter in letters if letter in output)
        if letters != output:
            result = functions.permute(result, [letters.index(letter) for letter in output])
        wanted = tuple(sizes[letter] for letter in output)
        return result if result.shape == wanted else functions.expand(result, wanted)


def _refused(complaint: str) -> GradvizError:
    return fail(
        "invalid-argument",
        operation="einsum",
        complaint=complaint,
        advice='Write an equation such as "ij,jk->ik", with one letter for each dimension.',
    )


def _parsed(equation: Any, tensors: list[Tensor]) -> tuple[list[str], str, dict[str, int]]:
    """Letters of every operand and of the result, and the size that each stands for."""
    if not isinstance(equation, str):
        raise _refused(f"the equation must be text, not {type(equation).__name__}")
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    parts = left.split(",")
    if len(parts) != len(tensors):
        raise _refused(f"{equation!r} has {len(parts)} parts for {len(tensors)} operands")
    spare = [c for c in string.ascii_letters if c not in text]
    most = max(
        (
            x.ndim - len(p.replace("...", ""))
            for p, x in zip(parts, tensors, strict=True)
            if "..." in p
        ),
        default=0,
    )
    dots = "".join(spare[: max(most, 0)])
    inputs = [_written(equation, part, x, dots) for part, x in zip(parts, tensors, strict=True)]
    joined = "".join(inputs)
    if arrow:
        output = right.replace("...", dots)
    else:
        once = [c for c in sorted(set(joined)) if joined.count(c) == 1 and c not in dots]
        output = dots + "".join(once)
    if len(set(output)) != len(output) or not set(output) <= set(joined):
        raise _refused(
            f"the result {right or output!r} of {equation!r} has a letter twice or from nowhere"
        )
    sizes: dict[str, int] = {}
    for letters, x in zip(inputs, tensors, strict=True):
        for letter, size in zip(letters, x.shape, strict=True):
            have = sizes.setdefault(letter, size)
            if have == 1:
                sizes[letter] = size
            elif size not in (1, have):
                raise shapes.mismatch(
                    "einsum",
                    tensors[0].shape,
                    x.shape,
                    f"the letter {letter!r} of {equation!r} stands for {have} and for {size}.",
                    "Give one letter to dimensions of one size only.",
                )
    return inputs, output, sizes


def _written(equation: str, part: str, x: Tensor, dots: str) -> str:
    """An operand's letters, one for each dimension."""
    plain = part.replace("...", "", 1)
    if not all(c in string.ascii_letters for c in plain):
        raise _refused(f"{part!r} in {equation!r} holds more than letters")
    hidden = x.ndim - len(plain)
    if hidden < 0 or (hidden and "..." not in part):
        raise _refused(f"{part!r} in {equation!r} doesn't name {x.ndim} dimensions")
    return part.replace("...", dots[len(dots) - hidden :])


def _single(x: Tensor, letters: str) -> tuple[Tensor, str]:
    """An operand with every letter once: letters that occur twice leave their diagonal."""
    for letter in dict.fromkeys(letters):
        while letters.count(letter) > 1:
            first = letters.index(letter)
            second = letters.index(letter, first + 1)
            x = diagonal(x, 0, first, second)
            letters = letters[:first] + letters[first + 1 : second] + letters[second + 1 :] + letter
    return x, letters


def _pair(
    left: Tensor, a: str, right: Tensor, b: str, needed: set[str], sizes: dict[str, int]
) -> tuple[Tensor, str]:
    """Two operands as one: a batch of matrix products."""
    left, a = _without(left, a, needed | set(b))
    right, b = _without(right, b, needed | set(a))
    shared = [letter for letter in a if letter in b]
    summed = [letter for letter in shared if letter not in needed]
    batch = [letter for letter in shared if letter in needed]
    rows = [letter for letter in a if letter not in b]
    columns = [letter for letter in b if letter not in a]
    if not summed:
        letters = "".join([*batch, *rows, *columns])
        return functions.mul(_aligned(left, a, letters), _aligned(right, b, letters)), letters
    lhs = _block(left, a, (batch, rows, summed), sizes)
    rhs = _block(right, b, (batch, summed, columns), sizes)
    letters = "".join([*batch, *rows, *columns])
    shape = [sizes[letter] for letter in letters]
    return functions.reshape(functions.matmul(lhs, rhs), shape), letters


def _without(x: Tensor, letters: str, kept: set[str]) -> tuple[Tensor, str]:
    gone = tuple(at for at, letter in enumerate(letters) if letter not in kept)
    if not gone:
        return x, letters
    return functions.sum(x, gone), "".join(letter for letter in letters if letter in kept)


def _aligned(x: Tensor, letters: str, wanted: str) -> Tensor:
    """Dimensions in another order, with ones where a letter is missing."""
    present = [letter for letter in wanted if letter in letters]
    order = [letters.index(letter) for letter in present]
    if order != list(range(len(order))):
        x = functions.permute(x, order)
    sizes = dict(zip(present, x.shape, strict=True))
    return functions.reshape(x, [sizes.get(letter, 1) for letter in wanted])


def _block(x: Tensor, letters: str, groups: tuple[list[str], ...], sizes: dict[str, int]) -> Tensor:
    """Three groups of dimensions, each made one."""
    flat = [letter for group in groups for letter in group]
    order = [letters.index(letter) for letter in flat]
    if order != list(range(len(order))):
        x = functions.permute(x, order)
    shape = tuple(sizes[letter] for letter in flat)
    if shape != x.shape:
        x = functions.expand(x, shape)
    return functions.reshape(x, [count(tuple(sizes[c] for c in group)) for group in groups])


def tensordot(a: Any, b: Any, dims: Any = 2) -> Tensor:
    """Products summed over dimensions of both tensors.

    Args:
        a: the left tensor.
        b: the right tensor.
        dims: how many of the last dimensions of `a` go with the first of `b`, or two lists of
            dimensions, one for each tensor.

    Raises:
        GradvizError: `shape-mismatch`, `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.tensordot(gv.ones(2, 3), gv.ones(3, 4), 1).shape
        (2, 4)
    """
    name = "tensordot"
    with CallSite():
        left, right = canon.tensor(name, a), canon.tensor(name, b)
        if isinstance(dims, list | tuple) and len(dims) == 2:
            over = [
                [canon.existing_dim(name, d, x) for d in canon.whole_numbers(name, "dims", part)]
                for part, x in zip(dims, (left, right), strict=True)
            ]
        else:
            many = canon.whole_from(name, "dims", dims, 0)
            over = [list(range(left.ndim - many, left.ndim)), list(range(many))]
            if many > min(left.ndim, right.ndim):
                raise fail(
                    "invalid-argument",
                    operation=name,
                    complaint=f"{many} dimensions of tensors with {left.ndim} and {right.ndim}",
                    advice="Sum over dimensions that both have.",
                )
        sizes = [[x.shape[d] for d in part] for part, x in zip(over, (left, right), strict=True)]
        if sizes[0] != sizes[1]:
            raise shapes.mismatch(
                name,
                left.shape,
                right.shape,
                f"the dimensions that are summed have sizes {sizes[0]} and {sizes[1]}.",
                "Name dimensions of equal sizes, in the same order.",
            )
        rows = [d for d in range(left.ndim) if d not in over[0]]
        columns = [d for d in range(right.ndim) if d not in over[1]]
        lhs_shape = (count(tuple(left.shape[d] for d in rows)), count(tuple(sizes[0])))
        rhs_shape = (lhs_shape[1], count(tuple(right.shape[d] for d in columns)))
        lhs = functions.reshape(functions.permute(left, rows + over[0]), lhs_shape)
        rhs = functions.reshape(functions.permute(right, over[1] + columns), rhs_shape)
        shape = [left.shape[d] for d in rows] + [right.shape[d] for d in columns]
        return functions.reshape(functions.matmul(lhs, rhs), shape)


def inner(input: Any, other: Any) -> Tensor:
    """Products summed over the last dimensions of both tensors.

    Example:
        >>> import gradviz as gv
        >>> gv.inner(gv.tensor([1.0, 2.0]), gv.tensor([3.0, 4.0])).item()
        11.0
    """
    with CallSite():
        left, right = canon.tensor("inner", input), canon.tensor("inner", other)
        if not left.ndim or not right.ndim:
            return functions.mul(left, right)
        return tensordot(left, right, ([-1], [-1]))


def kron(input: Any, other: Any) -> Tensor:
    """Kronecker product: `other` once for every element of `input`, times it.

    Example:
        >>> import gradviz as gv
        >>> gv.kron(gv.tensor([1.0, 2.0]), gv.tensor([1.0, 1.0])).tolist()
        [1.0, 1.0, 2.0, 2.0]
    """
    with CallSite():
        left, right = canon.tensor("kron", input), canon.tensor("kron", other)
        rank = max(left.ndim, right.ndim)
        a = (1,) * (rank - left.ndim) + left.shape
        b = (1,) * (rank - right.ndim) + right.shape
        spaced = functions.reshape(left, [n for size in a for n in (size, 1)])
        between = functions.reshape(right, [n for size in b for n in (1, size)])
        shape = [n * m for n, m in zip(a, b, strict=True)]
        return functions.reshape(functions.mul(spaced, between), shape)
