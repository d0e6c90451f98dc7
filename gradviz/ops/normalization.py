"""Normalisation: mean 0 and variance 1 over some dimensions, then a scale and a shift."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.ops import shapes
from gradviz.ops.infer import Fact
from gradviz.ops.spec import Sample, op


def _affine(name: str, x: Fact, *others: Fact | None) -> None:
    """Scale and shift must broadcast to the input."""
    for other in others:
        if other is not None and shapes.broadcast(name, x[0], other[0]) != x[0]:
            raise shapes.mismatch(
                name,
                x[0],
                other[0],
                "the scale and the shift must broadcast to the input.",
                "Give one number for each element or channel that is scaled alike.",
            )


def _normalized(name: str, statistics: bool) -> Callable[..., Any]:
    def rule(
        x: Fact, weight: Fact | None, bias: Fact | None, dims: tuple[int, ...], eps: float
    ) -> Any:
        _affine(name, x, weight, bias)
        one = (shapes.reduced(x[0], dims, True), x[1])
        return [x, one, one] if statistics else x

    return rule


_SAMPLES = {
    "layer_norm": (
        Sample(((2, 4), (4,), (4,)), ((1,), 1e-5)),
        Sample(((2, 3, 4), (3, 4), None), ((1, 2), 1e-3)),
        Sample(((2, 4), None, None), ((1,), 1e-5)),
        Sample(((0, 4), (4,), (4,)), ((1,), 1e-5)),
    ),
    "batch_norm": (
        Sample(((4, 3), (1, 3), (1, 3)), ((0,), 1e-5)),
        Sample(((2, 3, 4), (1, 3, 1), (1, 3, 1)), ((0, 2), 1e-3)),
        Sample(((4, 3), None, None), ((0,), 1e-5)),
    ),
    "instance_norm": (
        Sample(((2, 3, 4), (1, 3, 1), (1, 3, 1)), ((2,), 1e-5)),
        Sample(((2, 3, 2, 2), None, None), ((2, 3), 1e-5)),
    ),
    "group_norm": (
        Sample(((2, 2, 3, 2), (2, 3, 1), (2, 3, 1)), ((2, 3), 1e-5)),
        Sample(((2, 2, 3), None, None), ((2,), 1e-5)),
    ),
}
_OVER = {
    "layer_norm": "each example's last dimensions",
    "batch_norm": "the examples, for each channel",
    "instance_norm": "each example's channels one by one",
    "group_norm": "groups of each example's channels",
}
for _name, _samples in _SAMPLES.items():
    op(
        _name,
        "x weight? bias?",
        attrs="dims eps",
        checked=True,
        promote="floating",
        infer=_normalized(_name, _name == "batch_norm"),
        forward="normalize_affine",
        # A batch's statistics are results: modules keep running ones.
        extra_results="mean rstd" if _name == "batch_norm" else "",
        kept="" if _name == "batch_norm" else "mean rstd",
        vjp={
            "x": lambda g, x, weight, mean, rstd, dims, eps, xp: xp.normalize_backward(
                g, x, weight, mean, rstd, dims, eps
            ),
            "weight": lambda g, x, mean, rstd, weight_shape, dims, eps, xp: (
                xp.normalize_backward_weight(g, x, mean, rstd, weight_shape, dims, eps)
            ),
            "bias": lambda g, bias_shape, xp: xp.sum_to(g, bias_shape),
        },
        doc=f"Mean 0 and variance 1 over {_OVER[_name]}, then a scale and a shift.",
        formula="(x - mean) / sqrt(var + eps) * weight + bias",
        samples=_samples,
    )


def _rms(x: Fact, weight: Fact | None, dims: tuple[int, ...], eps: float) -> Fact:
    _affine("rms_norm", x, weight)
    return x


def _rms_x(g: Any, x: Any, weight: Any, rstd: Any, dims: Any, eps: Any, xp: Any) -> Any:
    return xp.rms_norm_backward(g, x, weight, rstd, dims, eps)


op(
    "rms_norm",
    "x weight?",
    attrs="dims eps",
    checked=True,
    promote="floating",
    infer=_rms,
    kept="rstd",
    vjp={
        "x": _rms_x,
        "weight": lambda g, x, rstd, weight_shape, dims, eps, xp: xp.rms_norm_backward_weight(
            g, x, rstd, weight_shape, dims, eps
        ),
    },
    doc="Elements divided by the root of their mean square over the last dimensions, then scaled.",
    formula="x / sqrt(mean(x^2) + eps) * weight",
    samples=(
        Sample(((2, 4), (4,)), ((1,), 1e-5)),
        Sample(((2, 3, 4), (3, 4)), ((1, 2), 1e-3)),
        Sample(((2, 4), None), ((1,), 1e-5)),
    ),
)
