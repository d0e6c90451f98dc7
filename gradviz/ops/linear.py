"""Matrix products."""

from __future__ import annotations

from typing import Any

from gradviz.ops import shapes
from gradviz.ops.infer import Fact
from gradviz.ops.spec import Sample, op


def _lhs(g: Any, rhs: Any, lhs_shape: Any, rhs_shape: Any, xp: Any) -> Any:
    if len(rhs_shape) == 1:
        g, rhs = xp.reshape(g, (*g.shape, 1)), xp.reshape(rhs, (rhs_shape[0], 1))
    if len(lhs_shape) == 1:
        g = xp.reshape(g, (*g.shape[:-1], 1, g.shape[-1]))
    d = xp.matmul(g, xp.transpose(rhs, rhs.ndim - 2, rhs.ndim - 1))
    if len(lhs_shape) == 1:
        d = xp.reshape(d, (*d.shape[:-2], d.shape[-1]))
    return d if d.shape == lhs_shape else xp.sum_to(d, lhs_shape)


def _rhs(g: Any, lhs: Any, lhs_shape: Any, rhs_shape: Any, xp: Any) -> Any:
    if len(rhs_shape) == 1:
        g = xp.reshape(g, (*g.shape, 1))
    if len(lhs_shape) == 1:
        g, lhs = xp.reshape(g, (*g.shape[:-1], 1, g.shape[-1])), xp.reshape(lhs, (1, lhs_shape[0]))
    d = xp.matmul(xp.transpose(lhs, lhs.ndim - 2, lhs.ndim - 1), g)
    if len(rhs_shape) == 1:
        d = xp.reshape(d, d.shape[:-1])
    return d if d.shape == rhs_shape else xp.sum_to(d, rhs_shape)


def _linear(x: Fact, weight: Fact, bias: Fact | None) -> Fact:
    if len(weight[0]) not in (1, 2):
        raise shapes.mismatch(
            "linear",
            x[0],
            weight[0],
            "the weight must be (out_features, in_features).",
            "Give a weight of two dimensions.",
        )
    if not x[0] or x[0][-1] != weight[0][-1]:
        raise shapes.mismatch(
            "linear",
            x[0],
            weight[0],
            f"the input's last dimension must be in_features, {weight[0][-1]} here.",
            "Give the layer as many in_features as the input has in its last dimension.",
        )
    shape = (*x[0][:-1], *weight[0][:-1])
    if bias is not None and bias[0] != weight[0][:-1] and not _reaches(bias[0], shape):
        raise shapes.mismatch(
            "linear",
            weight[0],
            bias[0],
            "the bias must be (out_features,).",
            "Give a bias with one number for each row of the weight.",
        )
    return shape, x[1]


def _reaches(shape: shapes.Shape, target: shapes.Shape) -> bool:
    """Whether a shape broadcasts to another one."""
    return len(shape) <= len(target) and all(
        n in (1, m) for n, m in zip(reversed(shape), reversed(target), strict=False)
    )


def _flat(x: Any, xp: Any) -> Any:
    """All leading dimensions as one: (..., n) -> (rows, n)."""
    if x.ndim == 2:
        return x
    return xp.reshape(x, (shapes.count(x.shape[:-1]), x.shape[-1]))


def _linear_x(g: Any, weight: Any, x_shape: Any, xp: Any) -> Any:
    if weight.ndim == 1:
        return xp.reshape(g, (*g.shape, 1)) * weight
    if g.ndim > 2:
        # One large product is faster than one for each leading index.
        return xp.reshape(xp.matmul(_flat(g, xp), weight), x_shape)
    return xp.matmul(g, weight)


def _linear_weight(g: Any, x: Any, weight_shape: Any, xp: Any) -> Any:
    rows = _flat(x, xp)
    if len(weight_shape) == 1:
        return xp.matmul(xp.reshape(g, (shapes.count(g.shape),)), rows)
    return xp.matmul(xp.transpose(_flat(g, xp), 0, 1), rows)


op(
    "matmul",
    "lhs rhs",
    promote="numeric",
    memory_bound=False,
    redone=True,
    infer=lambda lhs, rhs: (shapes.matmul("matmul", lhs[0], rhs[0]), lhs[1]),
    vjp={"lhs": _lhs, "rhs": _rhs},
    doc="Matrix product; batch dimensions broadcast, vectors count as rows or columns.",
    formula="dL/dA = dL/dC B^T, dL/dB = A^T dL/dC for C = A B",
    onnx="MatMul",
    samples=(
        Sample(((2, 3), (3, 4))),
        Sample(((3,), (3, 4))),
        Sample(((2, 3), (3,))),
        Sample(((3,), (3,))),
        Sample(((5, 2, 3), (5, 3, 4))),
        Sample(((5, 1, 2, 3), (6, 3, 4))),
        Sample(((2, 3), (5, 3, 4))),
        Sample(((5, 2, 3), (3,))),
        Sample(((3,), (5, 3, 2))),
        Sample(((0, 3), (3, 2))),
        Sample(((2, 0), (0, 3))),
    ),
)
op(
    "linear",
    "x weight bias?",
    checked=True,
    promote="numeric",
    memory_bound=False,
    redone=True,
    infer=_linear,
    vjp={
        "x": _linear_x,
        "weight": _linear_weight,
        "bias": lambda g, bias_shape, xp: xp.sum_to(g, bias_shape),
    },
    doc="x @ weight^T + bias, with the weight laid out (out_features, in_features).",
    onnx="Gemm",
    samples=(
        Sample(((2, 3), (4, 3), (4,))),
        Sample(((2, 3), (4, 3), None)),
        Sample(((3,), (4, 3), (4,))),
        Sample(((5, 2, 3), (4, 3), (4,))),
        Sample(((0, 3), (4, 3), (4,))),
        Sample(((2, 3), (4, 3), (2, 1))),
    ),
)
