"""Further activations."""

from __future__ import annotations

from typing import Any

from gradviz.ops import shapes
from gradviz.ops.constants import SELU_ALPHA, SELU_SCALE
from gradviz.ops.elementwise import HALF, unary
from gradviz.ops.infer import Fact, same
from gradviz.ops.spec import Formula, Sample, op


def _shaped(name: str, attrs: str, doc: str, vjp: Formula, *given: tuple[Any, ...]) -> None:
    """An activation with attributes; `given` are the attributes of its samples."""
    op(
        name,
        "x",
        attrs=attrs,
        infer=same,
        doc=doc,
        vjp={"x": vjp},
        elementwise=True,
        result="same",
        promote="floating",
        samples=tuple(Sample(s.inputs, values) for s in HALF for values in given),
    )


def _mish(g: Any, x: Any, xp: Any) -> Any:
    t = xp.tanh(xp.softplus(x, 1.0, 20.0))
    return g * (t + x * xp.sigmoid(x) * (1.0 - t * t))


unary("mish", "x * tanh(softplus(x)).", _mish, promote="floating")
unary(
    "softsign",
    "x / (1 + |x|).",
    lambda g, x, xp: g / xp.square(1.0 + xp.abs(x)),
    promote="floating",
)
unary(
    "tanhshrink",
    "x - tanh(x).",
    lambda g, x, xp: g * xp.square(xp.tanh(x)),
    promote="floating",
)
unary(
    "hardsigmoid",
    "x / 6 + 1/2, limited to [0, 1].",
    lambda g, x, xp: xp.where((x > -3.0) & (x < 3.0), g * (1.0 / 6.0), 0.0),
    promote="floating",
)
unary(
    "hardswish",
    "x * hardsigmoid(x).",
    lambda g, x, xp: xp.where(x <= -3.0, 0.0, xp.where(x < 3.0, g * (x / 3.0 + 0.5), g)),
    promote="floating",
)
unary(
    "relu6",
    "x limited to [0, 6]; its gradient is 0 at the limits.",
    lambda g, x, xp: xp.where((x > 0.0) & (x < 6.0), g, 0.0),
    promote="numeric",
)
unary(
    "selu",
    "scale * x where x is positive, scale * alpha * (exp(x) - 1) elsewhere.",
    lambda g, x, xp: xp.where(
        x > 0.0,
        g * SELU_SCALE,
        g * (SELU_SCALE * SELU_ALPHA) * xp.exp(xp.minimum(x, 0.0)),
    ),
    promote="floating",
)
_shaped(
    "celu",
    "alpha",
    "x where it is positive, `alpha` * (exp(x / `alpha`) - 1) elsewhere.",
    lambda g, x, alpha, xp: xp.where(x > 0.0, g, g * xp.exp(xp.minimum(x, 0.0) / alpha)),
    (1.0,),
    (1.5,),
)
_shaped(
    "hardtanh",
    "min_val max_val",
    "x limited to [`min_val`, `max_val`]; its gradient is 0 at the limits.",
    lambda g, x, min_val, max_val, xp: xp.where((x > min_val) & (x < max_val), g, 0.0),
    (-1.0, 1.0),
    (-0.5, 1.5),
)
_shaped(
    "hardshrink",
    "lambd",
    "x, and 0 where |x| is at most `lambd`.",
    lambda g, x, lambd, xp: xp.where((x > lambd) | (x < -lambd), g, 0.0),
    (0.5,),
)
_shaped(
    "softshrink",
    "lambd",
    "x moved towards 0 by `lambd`, and 0 on the way.",
    lambda g, x, lambd, xp: xp.where((x > lambd) | (x < -lambd), g, 0.0),
    (0.5,),
)
_shaped(
    "shrink",
    "lambd bias",
    "x moved towards 0 by `bias`, and 0 where |x| is at most `lambd`.",
    lambda g, x, lambd, xp: xp.where((x > lambd) | (x < -lambd), g, 0.0),
    (0.5, 0.25),
)
_shaped(
    "threshold",
    "threshold value",
    "x where it is above `threshold`, `value` elsewhere.",
    lambda g, x, threshold, xp: xp.where(x > threshold, g, 0.0),
    (0.25, -1.0),
)


def _prelu(x: Fact, weight: Fact) -> Fact:
    if shapes.broadcast("prelu", x[0], weight[0]) != x[0]:
        raise shapes.mismatch(
            "prelu",
            x[0],
            weight[0],
            "the slopes must broadcast to the input.",
            "Give one slope, or one for each channel.",
        )
    return x


op(
    "prelu",
    "x weight",
    checked=True,
    promote="floating",
    infer=_prelu,
    vjp={
        "x": lambda g, x, weight, xp: xp.where(x > 0.0, g, g * weight),
        "weight": lambda g, x, weight_shape, xp: xp.sum_to(
            xp.where(x > 0.0, 0.0, g * x), weight_shape
        ),
    },
    doc="x where it is positive, a learned slope times x elsewhere.",
    onnx="PRelu",
    samples=(
        Sample(((2, 3), ())),
        Sample(((2, 3, 2), (3, 1))),
        Sample(((2, 3), (1,))),
        Sample(((0, 3), (3,))),
    ),
)
op(
    "quiet_softmax",
    "x",
    attrs="dim",
    infer=same,
    doc="exp(x) divided by one plus its sum along `dim`: all can be near 0.",
    vjp={"x": lambda g, out, dim, xp: out * (g - xp.sum(g * out, (dim,) if g.ndim else (), True))},
    result="same",
    promote="floating",
    samples=(
        Sample(((2, 3),), (1,)),
        Sample(((2, 3),), (0,)),
        Sample(((0, 3),), (1,)),
        Sample(((),), (0,)),
    ),
)
