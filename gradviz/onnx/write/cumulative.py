"""Running products, extremes and sums of exponentials, doubling the reach at each step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.backends.ndarray import exchange
from gradviz.onnx.builder import Builder
from gradviz.onnx.registry import writes
from gradviz.onnx.value import Value
from gradviz.onnx.write.special import logaddexp


def running(b: Builder, x: Any, length: int, dim: int, join: Callable[[Any, Any], Any]) -> Any:
    """At each place what joining all elements up to it gives; `join` is associative."""
    reach = 1
    out = x
    while reach < length:
        head = b.slice(out, dim, 0, reach)
        late, early = b.slice(out, dim, reach, length), b.slice(out, dim, 0, length - reach)
        out = b.Concat(head, join(early, late), axis=dim)
        reach *= 2
    return out


@writes("cumprod")
def cumprod(b: Builder, x: Value, dim: int) -> Any:
    wide = b.cast(x, b.out[0].dtype)
    if not x.rank:
        return wide
    (length,) = b.fixed((x.dims[dim],))
    return running(b, wide, length, dim, lambda early, late: early * late)


@writes("logcumsumexp")
def logcumsumexp(b: Builder, x: Value, dim: int) -> Any:
    if not x.rank:
        return x
    (length,) = b.fixed((x.dims[dim],))
    return running(b, x, length, dim, lambda early, late: logaddexp(b, early, late))


@writes("cummax", "cummin")
def extreme(b: Builder, x: Value, dim: int) -> Any:
    if not x.rank:
        return x, b.constant(0, "int64")
    kind = "Max" if b.row.name == "cummax" else "Min"
    (length,) = b.fixed((x.dims[dim],))
    values = running(b, x, length, dim, lambda early, late: b.op(kind, early, late))
    hits: Any = b.Equal(x, values)
    if x.is_float:
        hits = hits | b.IsNaN(x)
    line = [-1 if axis == dim else 1 for axis in range(x.rank)]
    steps = b.Reshape(b.array(exchange.numbers_up_to(length)), line)
    places = b.Where(hits, steps, b.constant(0, "int64"))
    return values, running(b, places, length, dim, b.Max)
