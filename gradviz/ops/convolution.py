"""Convolutions: sliding products of patches with a weight, and what they send back.

The gradient of a convolution towards its input is a transposed convolution, and the other way
round; towards the weight both share one row. So every gradient can be differentiated again.
Padding is a `(before, after)` pair for each spatial dimension.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from gradviz.ops import shapes
from gradviz.ops.infer import Fact
from gradviz.ops.spec import Sample, op

Shape = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]


def convolved(sizes: Shape, kernel: Shape, stride: Shape, padding: Pairs, dilation: Shape) -> Shape:
    """How many patches lie along each dimension; 0 or less where none fits."""
    return tuple(
        (n + lo + hi - d * (k - 1) - 1) // s + 1
        for n, k, s, (lo, hi), d in zip(sizes, kernel, stride, padding, dilation, strict=True)
    )


def spread(
    sizes: Shape, kernel: Shape, stride: Shape, padding: Pairs, extra: Shape, dilation: Shape
) -> Shape:
    """The sizes that patches cover when they are laid side by side again."""
    return tuple(
        (n - 1) * s - lo - hi + d * (k - 1) + e + 1
        for n, k, s, (lo, hi), e, d in zip(
            sizes, kernel, stride, padding, extra, dilation, strict=True
        )
    )


def rest(sizes: Shape, kernel: Shape, stride: Shape, padding: Pairs, dilation: Shape) -> Shape:
    """How much of each dimension the last patch leaves over: the output padding of the way back."""
    return tuple(
        (n + lo + hi - d * (k - 1) - 1) % s
        for n, k, s, (lo, hi), d in zip(sizes, kernel, stride, padding, dilation, strict=True)
    )


def _operands(
    name: str, x: Fact, weight: Fact, bias: Fact | None, rank: int, taken: int, made: int
) -> None:
    """Refuses operands whose ranks or channels don't fit."""
    layout = ", ".join(("length", "height, width", "depth, height, width")[rank - 1 : rank])
    if len(weight[0]) != rank + 2 or len(x[0]) not in (rank + 1, rank + 2):
        raise shapes.mismatch(
            name,
            x[0],
            weight[0],
            f"the input must be (batch, channels, {layout}), or the same without the batch, and "
            f"the weight needs {rank + 2} dimensions.",
            "Add the missing dimension with `unsqueeze`.",
        )
    channels = x[0][-rank - 1]
    if channels != taken:
        raise shapes.mismatch(
            name,
            x[0],
            weight[0],
            f"the input has {channels} channels, and the weight with these groups takes {taken}.",
            "Give an input with as many channels as the weight takes.",
        )
    if bias is not None and bias[0] != (made,):
        raise shapes.mismatch(
            name,
            weight[0],
            bias[0],
            f"the bias must have one number for each of {made} output channels.",
            f"Give a bias of shape ({made},).",
        )


def _grouped(name: str, x: Fact, weight: Fact, groups: int) -> None:
    if not weight[0] or weight[0][0] % groups:
        raise shapes.mismatch(
            name,
            x[0],
            weight[0],
            f"the weight's first dimension can't be shared out over {groups} groups.",
            f"Give a weight whose first dimension is a multiple of {groups}.",
        )


def _conv(name: str, rank: int) -> Callable[..., Fact]:
    @functools.lru_cache(maxsize=256)
    def rule(
        x: Fact,
        weight: Fact,
        bias: Fact | None,
        stride: Shape,
        padding: Pairs,
        dilation: Shape,
        groups: int,
    ) -> Fact:
        _grouped(name, x, weight, groups)
        taken = weight[0][1] * groups if len(weight[0]) > 1 else 0
        _operands(name, x, weight, bias, rank, taken, weight[0][0])
        sizes = convolved(x[0][-rank:], weight[0][2:], stride, padding, dilation)
        if any(size < 1 for size in sizes):
            raise shapes.mismatch(
                name,
                x[0],
                weight[0],
                f"the kernel {weight[0][2:]} with dilation {dilation} is larger than the input "
                f"with its padding.",
                "Give a larger input, a smaller kernel or more padding.",
            )
        return (*x[0][: -rank - 1], weight[0][0], *sizes), x[1]

    return rule


def _transposed(name: str, rank: int) -> Callable[..., Fact]:
    @functools.lru_cache(maxsize=256)
    def rule(
        x: Fact,
        weight: Fact,
        bias: Fact | None,
        stride: Shape,
        padding: Pairs,
        output_padding: Shape,
        dilation: Shape,
        groups: int,
    ) -> Fact:
        _grouped(name, x, weight, groups)
        made = weight[0][1] * groups if len(weight[0]) > 1 else 0
        _operands(name, x, weight, bias, rank, weight[0][0], made)
        sizes = spread(x[0][-rank:], weight[0][2:], stride, padding, output_padding, dilation)
        if any(size < 1 for size in sizes):
            raise shapes.mismatch(
                name,
                x[0],
                weight[0],
                f"nothing is left of the result: its sizes would be {sizes}.",
                "Give a larger input or less padding.",
            )
        return (*x[0][: -rank - 1], made, *sizes), x[1]

    return rule


def _conv_x(rank: int) -> Callable[..., Any]:
    def formula(
        g: Any,
        weight: Any,
        x_shape: Shape,
        stride: Shape,
        padding: Pairs,
        dilation: Shape,
        groups: int,
        xp: Any,
    ) -> Any:
        extra = rest(x_shape[-rank:], weight.shape[2:], stride, padding, dilation)
        back = getattr(xp, f"conv_transpose{rank}d")
        return back(g, weight, None, stride, padding, extra, dilation, groups)

    return formula


def _shorter(padding: Pairs, extra: Shape) -> Pairs:
    """Padding that makes a convolution undo a transposed one with output padding."""
    return tuple((lo, hi - e) for (lo, hi), e in zip(padding, extra, strict=True))


def _transposed_weight(
    g: Any,
    x: Any,
    weight_shape: Shape,
    stride: Shape,
    padding: Pairs,
    output_padding: Shape,
    dilation: Shape,
    groups: int,
    xp: Any,
) -> Any:
    """The convolution's formula with the roles of the two images exchanged."""
    pairs = _shorter(padding, output_padding)
    return xp.conv_weight_backward(g, x, weight_shape, stride, pairs, dilation, groups)


def _transposed_x(rank: int) -> Callable[..., Any]:
    def formula(
        g: Any,
        weight: Any,
        stride: Shape,
        padding: Pairs,
        output_padding: Shape,
        dilation: Shape,
        groups: int,
        xp: Any,
    ) -> Any:
        pairs = _shorter(padding, output_padding)
        return getattr(xp, f"conv{rank}d")(g, weight, None, stride, pairs, dilation, groups)

    return formula


def _bias(rank: int) -> Callable[..., Any]:
    def formula(g: Any, xp: Any) -> Any:
        # The spatial dimensions first: they lie together in memory.
        last = g.ndim
        d = xp.sum(g, tuple(range(last - rank, last)), False)
        return d if d.ndim == 1 else xp.sum(d, (0,), False)

    return formula


def _weight_x(
    g: Any,
    dout: Any,
    x_shape: Shape,
    shape: Shape,
    stride: Shape,
    padding: Pairs,
    dilation: Shape,
    groups: int,
    xp: Any,
) -> Any:
    rank = len(shape) - 2
    return _conv_x(rank)(dout, g, x_shape, stride, padding, dilation, groups, xp)


def _weight_dout(
    g: Any,
    x: Any,
    shape: Shape,
    stride: Shape,
    padding: Pairs,
    dilation: Shape,
    groups: int,
    xp: Any,
) -> Any:
    rank = len(shape) - 2
    return getattr(xp, f"conv{rank}d")(x, g, None, stride, padding, dilation, groups)


def _all(rank: int, value: int) -> Shape:
    return (value,) * rank


_CONV_SAMPLES = {
    1: (
        Sample(((2, 2, 7), (3, 2, 3), (3,)), ((1,), ((1, 1),), (1,), 1)),
        Sample(((2, 4, 8), (4, 2, 3), (4,)), ((3,), ((2, 0),), (2,), 2)),
        Sample(((2, 6), (1, 2, 2), None), ((2,), ((0, 0),), (1,), 1)),
        Sample(((0, 2, 5), (3, 2, 3), (3,)), ((1,), ((0, 0),), (1,), 1)),
    ),
    2: (
        Sample(((2, 2, 4, 5), (3, 2, 3, 3), (3,)), ((1, 1), ((0, 0), (0, 0)), (1, 1), 1)),
        Sample(((1, 4, 5, 6), (2, 2, 2, 3), None), ((2, 1), ((1, 0), (2, 1)), (2, 1), 2)),
        Sample(((2, 3, 3), (3, 2, 1, 1), (3,)), ((1, 1), ((0, 0), (0, 0)), (1, 1), 1)),
        Sample(((1, 3, 4, 4), (3, 1, 2, 2), (3,)), ((2, 2), ((1, 1), (-1, 0)), (1, 1), 3)),
    ),
    3: (
        Sample(
            ((1, 2, 3, 2, 4), (2, 2, 2, 1, 3), (2,)),
            (_all(3, 1), ((0, 1), (0, 0), (1, 1)), _all(3, 1), 1),
        ),
        Sample(((2, 3, 3, 3), (2, 1, 2, 2, 1), None), (_all(3, 2), ((0, 0),) * 3, _all(3, 1), 2)),
    ),
}
_TRANSPOSED_SAMPLES = {
    1: (
        Sample(((2, 2, 4), (2, 3, 3), (3,)), ((1,), ((1, 1),), (0,), (1,), 1)),
        Sample(((1, 4, 3), (4, 1, 3), (2,)), ((2,), ((1, 0),), (1,), (2,), 2)),
        Sample(((2, 3), (2, 1, 2), None), ((3,), ((0, 0),), (2,), (1,), 1)),
        Sample(((0, 2, 3), (2, 1, 2), (1,)), ((1,), ((0, 0),), (0,), (1,), 1)),
    ),
    2: (
        Sample(((2, 2, 3, 2), (2, 3, 2, 3), (3,)), ((1, 1), ((0, 0), (1, 1)), (0, 0), (1, 1), 1)),
        Sample(((1, 2, 2, 3), (2, 1, 3, 2), None), ((2, 3), ((1, 1), (0, 1)), (1, 2), (2, 1), 2)),
        Sample(((2, 3, 2), (2, 2, 1, 1), (2,)), ((1, 1), ((0, 0), (0, 0)), (0, 0), (1, 1), 1)),
    ),
    3: (
        Sample(
            ((1, 2, 2, 1, 3), (2, 2, 2, 2, 1), (2,)),
            (_all(3, 1), ((0, 0), (1, 0), (0, 0)), (1, 0, 0), _all(3, 1), 1),
        ),
        Sample(
            ((2, 2, 2, 2), (2, 1, 2, 1, 2), None),
            (_all(3, 2), ((0, 0),) * 3, (0, 1, 0), _all(3, 1), 2),
        ),
    ),
}
for _rank in (1, 2, 3):
    op(
        f"conv{_rank}d",
        "x weight bias?",
        attrs="stride padding dilation groups",
        checked=True,
        promote="numeric",
        memory_bound=False,
        infer=_conv(f"conv{_rank}d", _rank),
        vjp={
            "x": _conv_x(_rank),
            "weight": lambda g, x, weight_shape, stride, padding, dilation, groups, xp: (
                xp.conv_weight_backward(x, g, weight_shape, stride, padding, dilation, groups)
            ),
            "bias": _bias(_rank),
        },
        doc=f"Convolution over {_rank} dimension{'s' if _rank > 1 else ''}: products of every "
        "patch with the weight.",
        formula="y[o, p] = bias[o] + sum over c, k of weight[o, c, k] "
        "x[c, p stride + k dilation - padding]",
        onnx="Conv",
        samples=_CONV_SAMPLES[_rank],
    )
    op(
        f"conv_transpose{_rank}d",
        "x weight bias?",
        attrs="stride padding output_padding dilation groups",
        checked=True,
        promote="numeric",
        memory_bound=False,
        infer=_transposed(f"conv_transpose{_rank}d", _rank),
        vjp={
            "x": _transposed_x(_rank),
            "weight": _transposed_weight,
            "bias": _bias(_rank),
        },
        doc=f"Transposed convolution over {_rank} dimension{'s' if _rank > 1 else ''}: every "
        "element lays its multiple of the weight into the result.",
        formula="the adjoint of the convolution with the same weight",
        onnx="ConvTranspose",
        samples=_TRANSPOSED_SAMPLES[_rank],
    )
op(
    "conv_weight_backward",
    "x dout",
    attrs="shape stride padding dilation groups",
    memory_bound=False,
    infer=lambda x, dout, shape, stride, padding, dilation, groups: (shape, x[1]),
    vjp={"x": _weight_x, "dout": _weight_dout},
    doc="What a convolution sends back to its weight: products of patches with the gradient.",
    samples=(
        Sample(((2, 2, 7), (2, 3, 7)), ((3, 2, 3), (1,), ((1, 1),), (1,), 1)),
        Sample(((1, 4, 5, 6), (1, 2, 2, 7)), ((2, 2, 2, 3), (2, 1), ((1, 0), (2, 1)), (2, 1), 2)),
        Sample(
            ((2, 3, 3, 3), (2, 1, 1, 2)),
            ((2, 1, 2, 2, 1), _all(3, 2), ((0, 0),) * 3, _all(3, 1), 2),
        ),
        Sample(((0, 2, 5), (0, 3, 3)), ((3, 2, 3), (1,), ((0, 0),), (1,), 1)),
    ),
)
