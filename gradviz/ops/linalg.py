"""Linear algebra beyond products: cross products, inverses, determinants, linear systems."""

from __future__ import annotations

from typing import Any

from gradviz.ops import shapes
from gradviz.ops.infer import Fact
from gradviz.ops.spec import Given, Sample, op

_REGULAR = Given([[2.0, 0.5, -0.3], [0.1, 1.5, 0.4], [-0.2, 0.3, 1.2]], "float64")
_PAIR = Given([[[2.0, 0.5], [0.3, 1.0]], [[-1.0, 0.2], [0.4, 1.5]]], "float64")
_POSITIVE = Given([[2.0, 0.5, -0.3], [0.5, 1.5, 0.4], [-0.3, 0.4, 1.2]], "float64")


def _square(name: str, x: Fact) -> None:
    if len(x[0]) < 2 or x[0][-1] != x[0][-2]:
        raise shapes.mismatch(
            name,
            x[0],
            x[0],
            "the last two dimensions must be equal: a square matrix, or a batch of them.",
            "Give square matrices.",
        )


def _squared(name: str) -> Any:
    def rule(x: Fact) -> Fact:
        _square(name, x)
        return x

    return rule


def _determinant(x: Fact) -> Fact:
    _square("det", x)
    return x[0][:-2], x[1]


def _turned(x: Any, xp: Any) -> Any:
    return xp.transpose(x, x.ndim - 2, x.ndim - 1)


def _cross(lhs: Fact, rhs: Fact, dim: int) -> Fact:
    for side in (lhs, rhs):
        if not side[0] or side[0][dim] != 3:
            raise shapes.mismatch(
                "cross",
                lhs[0],
                rhs[0],
                f"dimension {dim} must have size 3.",
                "Give vectors of three elements along it.",
            )
    if lhs[0] != rhs[0]:
        raise shapes.mismatch(
            "cross", lhs[0], rhs[0], "the shapes differ.", "Expand one of them first."
        )
    return lhs


op(
    "cross",
    "lhs rhs",
    attrs="dim",
    checked=True,
    promote="numeric",
    infer=_cross,
    vjp={
        "lhs": lambda g, rhs, dim, xp: xp.cross(rhs, g, dim),
        "rhs": lambda g, lhs, dim, xp: xp.cross(g, lhs, dim),
    },
    doc="Vector product along a dimension of size 3.",
    samples=(
        Sample(((2, 3), (2, 3)), (1,)),
        Sample(((3, 2), (3, 2)), (0,)),
        Sample(((0, 3), (0, 3)), (1,)),
    ),
)
op(
    "inv",
    "x",
    checked=True,
    promote="floating",
    memory_bound=False,
    infer=_squared("inv"),
    vjp={"x": lambda g, out, xp: -xp.matmul(xp.matmul(_turned(out, xp), g), _turned(out, xp))},
    doc="Inverse of a square matrix, or of each of a batch.",
    formula="dL/dA = -A^-T dL/dA^-1 A^-T",
    samples=(Sample((_REGULAR,)), Sample((_PAIR,))),
)
op(
    "det",
    "x",
    checked=True,
    promote="floating",
    memory_bound=False,
    infer=_determinant,
    vjp={"x": lambda g, x, out, x_shape, xp: xp.det_backward(g, x, out)},
    doc="Determinant of a square matrix, or of each of a batch.",
    formula="dL/dA = dL/d det(A) det(A) A^-T",
    samples=(Sample((_REGULAR,)), Sample((_PAIR,)), Sample(((1, 1),), (), 0.5, 2.0)),
)


def _slogdet(x: Fact) -> list[Fact]:
    _square("slogdet", x)
    return [(x[0][:-2], x[1]), (x[0][:-2], x[1])]


op(
    "slogdet",
    "x",
    checked=True,
    promote="floating",
    memory_bound=False,
    infer=_slogdet,
    forward="log_determinant",
    extra_results="sign",
    vjp={"x": lambda g, x, xp: xp.reshape(g, (*g.shape, 1, 1)) * _turned(xp.inv(x), xp)},
    doc="Logarithm of the absolute determinant, and the determinant's sign.",
    samples=(Sample((_REGULAR,)), Sample((_PAIR,))),
)


def _solved(x: Fact, rhs: Fact) -> Fact:
    _square("solve", x)
    if len(rhs[0]) < 2 or rhs[0][-2] != x[0][-1]:
        raise shapes.mismatch(
            "solve",
            x[0],
            rhs[0],
            f"the right side needs {x[0][-1]} rows.",
            "Give one row for each row of the matrix; `unsqueeze(-1)` makes a column of a vector.",
        )
    batch = shapes.broadcast("solve", x[0][:-2], rhs[0][:-2])
    return (*batch, *rhs[0][-2:]), x[1]


def _solve_rhs(g: Any, x: Any, xp: Any) -> Any:
    return xp.solve(_turned(x, xp), g)


op(
    "solve",
    "x rhs",
    checked=True,
    promote="floating",
    memory_bound=False,
    infer=_solved,
    vjp={
        "x": lambda g, x, out, x_shape, xp: xp.sum_to(
            -xp.matmul(_solve_rhs(g, x, xp), _turned(out, xp)), x_shape
        ),
        "rhs": lambda g, x, rhs_shape, xp: xp.sum_to(_solve_rhs(g, x, xp), rhs_shape),
    },
    doc="The solution of A X = B for square A.",
    samples=(
        Sample((_REGULAR, (3, 2))),
        Sample((_PAIR, (2, 2, 3))),
        Sample((_REGULAR, (2, 3, 1))),
    ),
)


def _cholesky(g: Any, out: Any, xp: Any) -> Any:
    # Murray, "Differentiation of the Cholesky decomposition": Phi halves the diagonal.
    inner = xp.matmul(_turned(out, xp), g)
    phi = xp.tril(inner, 0) - 0.5 * xp.tril(xp.triu(inner, 0), 0)
    inverse = xp.inv(out)
    d = xp.matmul(xp.matmul(_turned(inverse, xp), phi), inverse)
    return 0.5 * (d + _turned(d, xp))


op(
    "cholesky",
    "x",
    checked=True,
    promote="floating",
    memory_bound=False,
    infer=_squared("cholesky"),
    vjp={"x": _cholesky},
    doc="The lower triangle L with L L^T = A, for symmetric positive definite A.",
    # Only the symmetric part of a matrix counts, which single differences don't respect.
    samples=(Sample((_POSITIVE,), differentiable=False),),
)
