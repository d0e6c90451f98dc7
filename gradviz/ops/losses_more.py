"""Further losses: probabilities, robust distances, divergences, classes in one step, alignments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.ops import shapes
from gradviz.ops.constants import LOWEST_LOG
from gradviz.ops.infer import Fact
from gradviz.ops.loss import _nll, _scale, compared, reduced
from gradviz.ops.spec import Given, Ints, Sample, op

HOW = ("mean", "sum", "none")
_EPS = 1e-12


def _equal(name: str, x: Fact, target: Fact) -> None:
    if x[0] != target[0]:
        raise shapes.mismatch(
            name,
            x[0],
            target[0],
            "the target must have the input's shape.",
            "Reshape or expand one of them: a loss that broadcasts is rarely meant.",
        )


def _weighed(name: str) -> Callable[..., Fact]:
    def rule(x: Fact, target: Fact, *rest: Any) -> Fact:
        _equal(name, x, target)
        for weight in rest[:-1]:
            if weight is not None and shapes.broadcast(name, x[0], weight[0]) != x[0]:
                raise shapes.mismatch(
                    name,
                    x[0],
                    weight[0],
                    "the weight must broadcast to the input.",
                    "Give one factor for each element, example or class.",
                )
        return reduced(x[0], rest[-1]), x[1]

    return rule


def _factor(g: Any, weight: Any, x_shape: Any, reduction: str, xp: Any) -> Any:
    g = _scale(g, x_shape, x_shape, reduction, xp)
    return g if weight is None else g * weight


op(
    "binary_cross_entropy",
    "x target weight?",
    attrs="reduction",
    checked=True,
    promote="floating",
    infer=_weighed("binary_cross_entropy"),
    vjp={
        "x": lambda g, x, target, weight, x_shape, reduction, xp: (
            _factor(g, weight, x_shape, reduction, xp)
            * (x - target)
            / xp.maximum(x * (1.0 - x), _EPS)
        ),
        "target": lambda g, x, weight, x_shape, reduction, xp: (
            _factor(g, weight, x_shape, reduction, xp)
            * (xp.clamp(xp.log1p(-x), LOWEST_LOG, None) - xp.clamp(xp.log(x), LOWEST_LOG, None))
        ),
    },
    doc="Cross-entropy between probabilities and targets in [0, 1].",
    formula="-mean(target log x + (1 - target) log(1 - x))",
    samples=tuple(
        Sample(((2, 3), (2, 3), weight), (how,), 0.1, 0.9) for weight in (None, (3,)) for how in HOW
    ),
)


def _logits_x(
    g: Any, x: Any, target: Any, weight: Any, pos_weight: Any, x_shape: Any, reduction: str, xp: Any
) -> Any:
    scale = _factor(g, weight, x_shape, reduction, xp)
    if pos_weight is None:
        return scale * (xp.sigmoid(x) - target)
    return scale * (1.0 - target - (1.0 + (pos_weight - 1.0) * target) * xp.sigmoid(-x))


def _logits_target(
    g: Any, x: Any, weight: Any, pos_weight: Any, x_shape: Any, reduction: str, xp: Any
) -> Any:
    scale = _factor(g, weight, x_shape, reduction, xp)
    if pos_weight is None:
        return scale * -x
    return scale * (-x - (pos_weight - 1.0) * xp.logsigmoid(x))


op(
    "binary_cross_entropy_with_logits",
    "x target weight? pos_weight?",
    attrs="reduction",
    checked=True,
    promote="floating",
    infer=_weighed("binary_cross_entropy_with_logits"),
    vjp={"x": _logits_x, "target": _logits_target},
    doc="Cross-entropy between scores before sigmoid and targets in [0, 1], without overflow.",
    samples=tuple(
        Sample(((2, 3), (2, 3), weight, positive), (how,), 0.1, 0.9)
        for weight, positive in ((None, None), ((2, 1), (3,)))
        for how in HOW
    ),
)


def _toward(g: Any, slope: Any, own: Any, other: Any, reduction: str, xp: Any) -> Any:
    """A loss of differences whose derivative is `slope`, for the side of shape `own`."""
    return xp.sum_to(_scale(g, own, other, reduction, xp) * slope, own)


def _bend(difference: Any, beta: float, xp: Any) -> Any:
    return xp.clamp(difference / beta, -1.0, 1.0) if beta else xp.sign(difference)


def _distances(*given: float) -> tuple[Sample, ...]:
    return tuple(
        Sample(shape, (value, how))
        for shape in (((2, 3), (2, 3)), ((3,), (2, 3)))
        for value in given
        for how in HOW
    )


op(
    "huber_loss",
    "x target",
    attrs="delta reduction",
    promote="floating",
    infer=compared("huber_loss"),
    vjp={
        "x": lambda g, x, target, x_shape, target_shape, delta, reduction, xp: _toward(
            g, xp.clamp(x - target, -delta, delta), x_shape, target_shape, reduction, xp
        ),
        "target": lambda g, x, target, x_shape, target_shape, delta, reduction, xp: _toward(
            g, xp.clamp(target - x, -delta, delta), target_shape, x_shape, reduction, xp
        ),
    },
    doc="Half the squared difference, linear beyond `delta`.",
    samples=_distances(1.0, 0.5),
)
op(
    "smooth_l1_loss",
    "x target",
    attrs="beta reduction",
    promote="floating",
    infer=compared("smooth_l1_loss"),
    vjp={
        "x": lambda g, x, target, x_shape, target_shape, beta, reduction, xp: _toward(
            g, _bend(x - target, beta, xp), x_shape, target_shape, reduction, xp
        ),
        "target": lambda g, x, target, x_shape, target_shape, beta, reduction, xp: _toward(
            g, _bend(target - x, beta, xp), target_shape, x_shape, reduction, xp
        ),
    },
    doc="The absolute difference, rounded within `beta` of 0.",
    samples=_distances(1.0, 0.5, 0.0),
)


def _kl_target(
    g: Any,
    x: Any,
    target: Any,
    x_shape: Any,
    target_shape: Any,
    log_target: bool,
    reduction: str,
    xp: Any,
) -> Any:
    scale = _scale(g, x_shape, target_shape, reduction, xp)
    if log_target:
        slope = xp.exp(target) * (target + 1.0 - x)
    else:
        positive = target > 0.0
        logs = xp.log(xp.where(positive, target, 1.0))
        slope = xp.where(positive, logs + 1.0, 0.0) - x
    return xp.sum_to(scale * slope, target_shape)


op(
    "kl_div",
    "x target",
    attrs="log_target reduction",
    promote="floating",
    infer=compared("kl_div"),
    vjp={
        "x": lambda g, target, x_shape, target_shape, log_target, reduction, xp: xp.sum_to(
            -_scale(g, x_shape, target_shape, reduction, xp)
            * (xp.exp(target) if log_target else target),
            x_shape,
        ),
        "target": _kl_target,
    },
    doc="Kullback-Leibler divergence of targets from log-probabilities.",
    formula="target (log target - x)",
    samples=tuple(
        Sample(shape, (logs, how), 0.2, 2.0)
        for shape in (((2, 3), (2, 3)), ((3,), (2, 3)))
        for logs in (False, True)
        for how in HOW
    ),
)


op(
    "cross_entropy",
    "x target weight?",
    attrs="ignore_index reduction",
    fixed="target weight",
    checked=True,
    promote="floating",
    infer=_nll,
    kept="lse",
    vjp={
        "x": lambda g, x, target, weight, lse, ignore_index, reduction, xp: (
            xp.cross_entropy_backward(g, x, target, weight, lse, ignore_index, reduction)
        )
    },
    doc="Cross-entropy between scores and integer classes.",
    formula="mean(log sum_c exp(x_c) - x_target)",
    onnx="SoftmaxCrossEntropyLoss",
    samples=tuple(
        Sample(
            (scores, Ints(target, scores[-1] if len(scores) == 1 else scores[1]), weight),
            (at, how),
            0.5,
            2.0,
        )
        for scores, target, weight, at in (
            ((4, 3), (4,), None, -100),
            ((4, 3), (4,), (3,), 1),
            ((2, 3, 2), (2, 2), None, 0),
            ((3,), (), None, -100),
        )
        for how in HOW
    ),
)


def _ctc_backward(
    g: Any,
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    out: Any,
    alpha: Any,
    blank: int,
    xp: Any,
) -> Any:
    return xp.ctc_loss_backward(
        g, log_probs, targets, input_lengths, target_lengths, out, alpha, blank
    )


op(
    "ctc_loss",
    "log_probs targets input_lengths target_lengths",
    attrs="blank zero_infinity",
    fixed="targets input_lengths target_lengths",
    promote="floating",
    memory_bound=False,
    infer=lambda log_probs, *_: (log_probs[0][1:2], log_probs[1]),
    kept="alpha",
    vjp={"log_probs": _ctc_backward},
    doc="Negative log-likelihood of labels without an alignment, over all ways to stretch them.",
    samples=(
        Sample(((5, 2, 4), Given([[1, 2], [3, 3]]), Given([5, 4]), Given([2, 2])), (0, False)),
        Sample(((4, 1, 3), Given([[0, 1, 0]]), Given([4]), Given([2])), (2, True)),
        Sample(((3, 2, 3), Given([[1], [2]]), Given([3, 2]), Given([0, 1])), (0, False)),
    ),
)
