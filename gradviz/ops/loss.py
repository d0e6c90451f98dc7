"""Losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.ops import shapes
from gradviz.ops.infer import Fact
from gradviz.ops.size import Size
from gradviz.ops.spec import Given, Ints, Sample, op


def reduced(shape: tuple[int, ...], reduction: str) -> tuple[int, ...]:
    """The shape a loss has after its reduction."""
    return shape if reduction == "none" else ()


def compared(name: str) -> Callable[..., Fact]:
    """The shape rule of a loss of two tensors that broadcast; the reduction comes last."""

    def rule(x: Fact, target: Fact, *attrs: Any) -> Fact:
        return reduced(shapes.broadcast(name, x[0], target[0]), attrs[-1]), x[1]

    return rule


def _nll(
    log_probs: Fact, target: Fact, weight: Fact | None, ignore_index: int, reduction: str
) -> Fact:
    shape = log_probs[0]
    expected = shape[:1] + shape[2:] if len(shape) > 1 else ()
    if not shape or target[0] != expected:
        raise shapes.mismatch(
            "nll_loss",
            shape,
            target[0],
            f"classes stand in dimension {1 if len(shape) > 1 else 0} of the scores; the target "
            f"must be {expected}.",
            "Give one class index for each row of scores.",
        )
    classes = shape[1] if len(shape) > 1 else shape[0]
    if weight is not None and weight[0] != (classes,):
        raise shapes.mismatch(
            "nll_loss",
            shape,
            weight[0],
            f"the weight needs one number for each of {classes} classes.",
            "Give a weight of shape (classes,).",
        )
    return reduced(target[0], reduction), log_probs[1]


def _scale(g: Any, x_shape: Any, target_shape: Any, reduction: str, xp: Any) -> Any:
    if reduction != "mean":
        return g
    size: Any = shapes.count(shapes.broadcast("loss", x_shape, target_shape))
    if isinstance(size, Size):
        return g / xp.amount(size, g)
    return g / size if size else g


def _mse(
    g: Any, x: Any, target: Any, x_shape: Any, target_shape: Any, reduction: str, xp: Any
) -> Any:
    return xp.sum_to(
        _scale(g, x_shape, target_shape, reduction, xp) * (2.0 * (x - target)), x_shape
    )


op(
    "nll_loss",
    "log_probs target weight?",
    checked=True,
    attrs="ignore_index reduction",
    fixed="target weight",
    promote="floating",
    infer=_nll,
    vjp={
        "log_probs": lambda g, target, weight, log_probs_shape, ignore_index, reduction, xp: (
            xp.nll_loss_backward(g, target, weight, log_probs_shape, ignore_index, reduction)
        )
    },
    doc="Negative log-likelihood of target classes, given log-probabilities.",
    onnx="NegativeLogLikelihoodLoss",
    samples=tuple(
        Sample(
            (scores, Ints(target, scores[-1] if len(scores) == 1 else scores[1]), weight),
            (at, how),
            0.5,
            2.0,
        )
        for scores, target, weight, at in (
            ((4, 3), (4,), None, -100),
            ((4, 3), (4,), (3,), -100),
            ((4, 3), (4,), (3,), 1),
            ((2, 3, 2), (2, 2), None, 0),
            ((3,), (), None, -100),
        )
        for how in ("mean", "sum", "none")
    ),
)
op(
    "nll_loss_backward",
    "g target weight?",
    attrs="shape ignore_index reduction",
    fixed="target weight",
    infer=lambda g, target, weight, shape, ignore_index, reduction: (shape, g[1]),
    vjp={
        "g": lambda g, target, weight, ignore_index, reduction, xp: xp.nll_loss(
            g, target, weight, ignore_index, reduction
        )
    },
    doc="The adjoint of nll_loss.",
    samples=(
        Sample(((), Given([0, 2, 1, 1]), None), ((4, 3), -100, "mean")),
        Sample(((), Given([0, 2, 1, 1]), (3,)), ((4, 3), 1, "mean"), 0.5, 2.0),
        Sample(((), Given([0, 2, 1, 1]), (3,)), ((4, 3), 1, "sum")),
        Sample(((4,), Given([0, 2, 1, 1]), None), ((4, 3), -100, "none")),
        Sample(((), Given(2), None), ((3,), -100, "mean")),
    ),
)
op(
    "mse_loss",
    "x target",
    attrs="reduction",
    promote="floating",
    infer=compared("mse_loss"),
    vjp={
        "x": _mse,
        "target": lambda g, x, target, x_shape, target_shape, reduction, xp: _mse(
            g, target, x, target_shape, x_shape, reduction, xp
        ),
    },
    doc="Mean (or sum) of squared differences.",
    formula="mean((x - target)^2)",
    samples=tuple(
        Sample(s, (r,)) for s in (((2, 3), (2, 3)), ((3,), (3,))) for r in ("mean", "sum", "none")
    ),
)
op(
    "l1_loss",
    "x target",
    attrs="reduction",
    promote="floating",
    infer=compared("l1_loss"),
    vjp={
        "x": lambda g, x, target, x_shape, target_shape, reduction, xp: xp.sum_to(
            _scale(g, x_shape, target_shape, reduction, xp) * xp.sign(x - target), x_shape
        ),
        "target": lambda g, x, target, x_shape, target_shape, reduction, xp: xp.sum_to(
            _scale(g, x_shape, target_shape, reduction, xp) * xp.sign(target - x), target_shape
        ),
    },
    doc="Mean (or sum) of absolute differences.",
    formula="mean(|x - target|)",
    samples=tuple(Sample(((2, 3), (2, 3)), (r,)) for r in ("mean", "sum", "none")),
)


def _name(dtype: Any) -> str:
    return str(getattr(dtype, "name", dtype))


op(
    "cast",
    "x",
    attrs="dtype",
    infer=lambda x, dtype: (x[0], _name(dtype)),
    vjp={"x": lambda g, x_dtype, xp: xp.cast(g, x_dtype)},
    doc="Elements in another floating point dtype.",
    onnx="Cast",
    samples=(Sample(((2, 3),), ("float64",)),),
)
op(
    "cast_discrete",
    "x",
    attrs="dtype",
    forward="cast",
    infer=lambda x, dtype: (x[0], _name(dtype)),
    doc="Elements as whole numbers or bools; no gradient passes.",
    onnx="Cast",
    samples=(Sample(((2, 3),), ("int64",)),),
)
