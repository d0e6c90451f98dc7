"""Linear algebra beyond products."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.backends.ndarray.widening import single

Array = Any


def cross(lhs: Array, rhs: Array, dim: int) -> Array:
    def part(x: Array, at: int) -> Array:
        return x[(slice(None),) * dim + (at,)]

    rows = [
        part(lhs, (at + 1) % 3) * part(rhs, (at + 2) % 3)
        - part(lhs, (at + 2) % 3) * part(rhs, (at + 1) % 3)
        for at in range(3)
    ]
    return np.stack(rows, axis=dim)


def inv(x: Array) -> Array:
    try:
        return np.linalg.inv(single(x)).astype(x.dtype, copy=False)
    except np.linalg.LinAlgError:
        raise ValueError("the matrix is singular: it has no inverse") from None


def det(x: Array) -> Array:
    return np.asarray(np.linalg.det(single(x)), x.dtype)


def det_backward(g: Array, x: Array, out: Array) -> Array:
    """The matrix of cofactors times `g`, where a matrix is singular by its singular vectors."""
    wide = single(x)
    if np.all(out != 0):
        cofactors = np.linalg.inv(wide).swapaxes(-1, -2) * out[..., None, None]
    else:
        left, sizes, right = np.linalg.svd(wide)
        flips = np.linalg.det(left) * np.linalg.det(right)
        count = sizes.shape[-1]
        others = np.stack(
            [np.prod(np.delete(sizes, at, axis=-1), axis=-1) for at in range(count)], axis=-1
        )
        cofactors = np.matmul(left * others[..., None, :], right) * flips[..., None, None]
    return (g[..., None, None] * cofactors).astype(x.dtype, copy=False)


def log_determinant(x: Array) -> tuple[Array, Array]:
    sign, logs = np.linalg.slogdet(single(x))
    return np.asarray(logs, x.dtype), np.asarray(sign, x.dtype)


def solve(x: Array, rhs: Array) -> Array:
    try:
        return np.linalg.solve(single(x), single(rhs)).astype(x.dtype, copy=False)
    except np.linalg.LinAlgError:
        raise ValueError("the matrix is singular: the system has no single solution") from None


def cholesky(x: Array) -> Array:
    try:
        return np.linalg.cholesky(single(x)).astype(x.dtype, copy=False)
    except np.linalg.LinAlgError:
        raise ValueError("the matrix is not positive definite") from None
