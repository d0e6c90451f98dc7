"""Pooling: the largest element or the mean of every window."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from gradviz.ops import shapes
from gradviz.ops.infer import Fact
from gradviz.ops.spec import Ints, Sample, op

Shape = tuple[int, ...]


def pooled(
    length: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool
) -> int:
    """How many windows lie along a dimension; with `ceil_mode` the last may hang over the end."""
    room = length + 2 * padding - dilation * (kernel - 1) - 1
    count = (room + (stride - 1 if ceil_mode else 0)) // stride + 1
    # A window must start inside, or in the border before.
    return count - 1 if ceil_mode and (count - 1) * stride >= length + padding else count


@functools.lru_cache(maxsize=256)
def _pool(
    name: str,
    x: Fact,
    kernel_size: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    ceil_mode: bool,
) -> Shape:
    rank = len(kernel_size)
    if len(x[0]) not in (rank + 1, rank + 2):
        raise shapes.mismatch(
            name,
            x[0],
            kernel_size,
            f"the input needs {rank + 2} dimensions, or {rank + 1} without the batch.",
            "Add the missing dimension with `unsqueeze`.",
        )
    if any(2 * p > d * (k - 1) + 1 for p, k, d in zip(padding, kernel_size, dilation, strict=True)):
        raise shapes.mismatch(
            name,
            x[0],
            kernel_size,
            f"padding {padding} is more than half of the kernel, so that windows would lie in the "
            "border alone.",
            "Give less padding, or use `pad` before.",
        )
    sizes = tuple(
        pooled(n, k, s, p, d, ceil_mode)
        for n, k, s, p, d in zip(x[0][-rank:], kernel_size, stride, padding, dilation, strict=True)
    )
    if any(size < 1 for size in sizes):
        raise shapes.mismatch(
            name,
            x[0],
            kernel_size,
            "the window is larger than the input with its padding.",
            "Give a larger input, a smaller window or more padding.",
        )
    return (*x[0][:-rank], *sizes)


def _max(name: str) -> Callable[..., Fact]:
    return lambda x, kernel_size, stride, padding, dilation, ceil_mode: (
        _pool(name, x, kernel_size, stride, padding, dilation, ceil_mode),
        x[1],
    )


def _avg(name: str) -> Callable[..., Fact]:
    def rule(
        x: Fact,
        kernel_size: Shape,
        stride: Shape,
        padding: Shape,
        ceil_mode: bool,
        count_include_pad: bool,
        divisor_override: int | None,
    ) -> Fact:
        ones = (1,) * len(kernel_size)
        return _pool(name, x, kernel_size, stride, padding, ones, ceil_mode), x[1]

    return rule


def _adaptive(name: str) -> Callable[..., Fact]:
    def rule(x: Fact, output_size: Shape) -> Fact:
        rank = len(output_size)
        if len(x[0]) not in (rank + 1, rank + 2) or 0 in x[0][-rank:]:
            raise shapes.mismatch(
                name,
                x[0],
                output_size,
                f"the input needs {rank + 2} dimensions, or {rank + 1} without the batch, and "
                "elements to share out.",
                "Add the missing dimension with `unsqueeze`.",
            )
        return (*x[0][:-rank], *output_size), x[1]

    return rule


def _with_int(rule: Callable[..., Fact]) -> Callable[..., Fact]:
    return lambda *arguments: (rule(*arguments)[0], "int64")


def _max_x(
    g: Any,
    x: Any,
    kernel_size: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    ceil_mode: bool,
    xp: Any,
) -> Any:
    return xp.max_pool_backward(g, x, kernel_size, stride, padding, dilation, ceil_mode)


def _max_again(
    g: Any,
    x: Any,
    kernel_size: Shape,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    ceil_mode: bool,
    xp: Any,
) -> Any:
    indices = xp.max_pool_indices(x, kernel_size, stride, padding, dilation, ceil_mode)
    return xp.pool_pick(g, indices, len(kernel_size))


def _avg_x(
    g: Any,
    x_shape: Shape,
    kernel_size: Shape,
    stride: Shape,
    padding: Shape,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
    xp: Any,
) -> Any:
    facts = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    return xp.avg_pool_backward(g, x_shape, *facts)


def _avg_again(
    g: Any,
    kernel_size: Shape,
    stride: Shape,
    padding: Shape,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
    xp: Any,
) -> Any:
    pool = getattr(xp, f"avg_pool{len(kernel_size)}d")
    return pool(g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


_MAX = {
    1: (
        Sample(((2, 3, 7),), ((2,), (2,), (0,), (1,), False)),
        Sample(((2, 9),), ((3,), (2,), (1,), (2,), True)),
        Sample(((1, 1, 6),), ((1,), (2,), (0,), (1,), False)),
    ),
    2: (
        Sample(((2, 2, 4, 6),), ((2, 2), (2, 2), (0, 0), (1, 1), False)),
        Sample(((1, 2, 5, 5),), ((3, 2), (2, 1), (1, 1), (1, 2), True)),
        Sample(((2, 5, 7),), ((2, 3), (3, 2), (0, 0), (1, 1), False)),
        Sample(((0, 2, 4, 4),), ((2, 2), (2, 2), (0, 0), (1, 1), False)),
    ),
    3: (
        Sample(((1, 2, 4, 4, 5),), ((2, 2, 2), (2, 2, 2), (0, 0, 0), (1, 1, 1), True)),
        Sample(((2, 3, 4, 3),), ((2, 3, 2), (1, 1, 1), (1, 1, 0), (1, 1, 1), False)),
    ),
}
_AVG = {
    1: (
        Sample(((2, 3, 7),), ((2,), (2,), (0,), False, True, None)),
        Sample(((2, 8),), ((3,), (2,), (1,), True, False, None)),
        Sample(((2, 7),), ((3,), (2,), (1,), True, True, None)),
    ),
    2: (
        Sample(((2, 2, 4, 6),), ((2, 2), (2, 2), (0, 0), False, True, None)),
        Sample(((1, 2, 5, 5),), ((3, 2), (2, 1), (1, 1), True, False, None)),
        Sample(((2, 5, 7),), ((2, 3), (3, 2), (0, 1), True, True, 5)),
        Sample(((0, 2, 4, 4),), ((2, 2), (2, 2), (0, 0), False, True, None)),
    ),
    3: (
        Sample(((1, 2, 4, 4, 5),), ((2, 2, 2), (2, 2, 2), (0, 0, 0), True, True, None)),
        Sample(((2, 3, 4, 3),), ((2, 3, 2), (1, 1, 1), (1, 1, 0), False, False, None)),
    ),
}
_ADAPTIVE = {
    1: (Sample(((2, 3, 7),), ((3,),)), Sample(((2, 3),), ((5,),)), Sample(((1, 4),), ((1,),))),
    2: (
        Sample(((2, 2, 4, 6),), ((2, 3),)),
        Sample(((1, 2, 5, 3),), ((3, 2),)),
        Sample(((2, 3, 2),), ((5, 2),)),
        Sample(((0, 2, 4, 4),), ((2, 2),)),
    ),
    3: (Sample(((1, 2, 4, 6, 5),), ((2, 4, 3),)), Sample(((1, 2, 2, 2),), ((1, 1, 1),))),
}
for _rank in (1, 2, 3):
    _over = ("over one dimension", "over two dimensions", "over three dimensions")[_rank - 1]
    _name = f"max_pool{_rank}d"
    op(
        _name,
        "x",
        attrs="kernel_size stride padding dilation ceil_mode",
        checked=True,
        promote="numeric",
        memory_bound=False,
        infer=_max(_name),
        vjp={"x": _max_x},
        doc=f"The largest element of every window {_over}; the first gets the gradient on a tie.",
        onnx="MaxPool",
        samples=_MAX[_rank],
    )
    _name = f"avg_pool{_rank}d"
    op(
        _name,
        "x",
        attrs="kernel_size stride padding ceil_mode count_include_pad divisor_override",
        checked=True,
        promote="floating",
        memory_bound=False,
        infer=_avg(_name),
        vjp={
            "x": _avg_x,
        },
        doc=f"The mean of every window {_over}.",
        onnx="AveragePool",
        samples=_AVG[_rank],
    )
    _name = f"adaptive_avg_pool{_rank}d"
    op(
        _name,
        "x",
        attrs="output_size",
        checked=True,
        promote="floating",
        memory_bound=False,
        infer=_adaptive(_name),
        vjp={
            "x": lambda g, x_shape, output_size, xp: xp.adaptive_avg_pool_backward(
                g, x_shape, output_size
            )
        },
        doc=f"Means of windows that share out the input evenly {_over}, as many as asked for.",
        samples=_ADAPTIVE[_rank],
    )
    _name = f"adaptive_max_pool{_rank}d"
    op(
        _name,
        "x",
        attrs="output_size",
        checked=True,
        promote="numeric",
        memory_bound=False,
        infer=_adaptive(_name),
        vjp={
            "x": lambda g, x, x_shape, output_size, xp: xp.pool_put(
                g, xp.adaptive_max_indices(x, output_size), x_shape, len(output_size)
            )
        },
        doc=f"Largest elements of windows that share out the input evenly {_over}.",
        samples=_ADAPTIVE[_rank],
    )
op(
    "max_pool_backward",
    "dout x",
    attrs="kernel_size stride padding dilation ceil_mode",
    memory_bound=False,
    promote="numeric",
    infer=lambda dout, x, *_: x,
    vjp={"dout": _max_again},
    doc="What a maximum pool sends back: the gradient of every window, at its largest element.",
    samples=tuple(
        Sample((_max("max_pool")((s.inputs[0], ""), *s.attrs)[0], s.inputs[0]), s.attrs)
        for rank in _MAX
        for s in _MAX[rank]
    ),
)
op(
    "max_pool_indices",
    "x",
    attrs="kernel_size stride padding dilation ceil_mode",
    checked=True,
    promote="numeric",
    infer=_with_int(_max("max_pool_indices")),
    doc="Where the largest element of every window stands, counted through the spatial dimensions.",
    samples=tuple(sample for rank in _MAX for sample in _MAX[rank]),
)
op(
    "adaptive_max_indices",
    "x",
    attrs="output_size",
    checked=True,
    promote="numeric",
    infer=_with_int(_adaptive("adaptive_max_indices")),
    doc="Where the largest elements of windows that share out the input stand.",
    samples=tuple(sample for rank in _ADAPTIVE for sample in _ADAPTIVE[rank]),
)
op(
    "pool_put",
    "g indices",
    attrs="shape rank",
    fixed="indices",
    infer=lambda g, indices, shape, rank: (shape, g[1]),
    vjp={"g": lambda g, indices, rank, xp: xp.pool_pick(g, indices, rank)},
    doc="Zeros with values added where indices point, counted through the spatial dimensions.",
    samples=(
        Sample(((2, 2, 3), Ints((2, 2, 3), 12)), ((2, 3, 4), 2)),
        Sample(((2, 1, 3), Ints((2, 1, 3), 4)), ((2, 1, 4), 1)),
        Sample(((0, 2, 2), Ints((0, 2, 2), 4)), ((0, 4), 1)),
    ),
)
op(
    "pool_pick",
    "x indices",
    attrs="rank",
    fixed="indices",
    infer=lambda x, indices, rank: (indices[0], x[1]),
    vjp={"x": lambda g, indices, x_shape, rank, xp: xp.pool_put(g, indices, x_shape, rank)},
    doc="Elements where indices point, counted through the spatial dimensions.",
    samples=(
        Sample(((2, 3, 4), Ints((2, 2, 3), 12)), (2,)),
        Sample(((2, 1, 4), Ints((2, 1, 3), 4)), (1,)),
    ),
)
op(
    "avg_pool_backward",
    "g",
    attrs="shape kernel_size stride padding ceil_mode count_include_pad divisor_override",
    promote="floating",
    infer=lambda g, shape, *_: (shape, g[1]),
    vjp={"g": _avg_again},
    doc="Every window's gradient spread over its elements: the adjoint of the average pool.",
    samples=tuple(
        Sample((_avg("avg_pool")((s.inputs[0], ""), *s.attrs)[0],), (s.inputs[0], *s.attrs))
        for rank in _AVG
        for s in _AVG[rank]
    ),
)
op(
    "adaptive_avg_pool_backward",
    "g",
    attrs="shape output_size",
    promote="floating",
    infer=lambda g, shape, output_size: (shape, g[1]),
    vjp={
        "g": lambda g, output_size, xp: getattr(xp, f"adaptive_avg_pool{len(output_size)}d")(
            g, output_size
        )
    },
    doc="Every share's gradient spread over its elements: the adjoint of adaptive averages.",
    samples=tuple(
        Sample(((*s.inputs[0][: -len(s.attrs[0])], *s.attrs[0]),), (s.inputs[0], *s.attrs))
        for rank in _ADAPTIVE
        for s in _ADAPTIVE[rank]
    ),
)
