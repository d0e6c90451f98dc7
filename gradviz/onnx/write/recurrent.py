"""Cells of recurrent networks."""

from __future__ import annotations

from typing import Any

from gradviz.onnx.builder import Builder
from gradviz.onnx.registry import writes
from gradviz.onnx.value import Value


def _parts(b: Builder, x: Any, rank: int, size: int, count: int) -> Any:
    return b.Split(x, [size] * count, outputs=count, axis=rank - 1)


@writes("lstm_cell")
def lstm_cell(b: Builder, gates: Value, memory: Value) -> Any:
    (size,) = b.fixed(memory.dims[-1:])
    write, keep, new, read = _parts(b, gates, gates.rank, size, 4)
    carried = b.Sigmoid(keep) * memory + b.Sigmoid(write) * b.Tanh(new)
    state = b.Tanh(carried) * b.Sigmoid(read)
    return b.Concat(b.Unsqueeze(state, [0]), b.Unsqueeze(carried, [0]), axis=0)


@writes("gru_cell")
def gru_cell(b: Builder, inner: Value, own: Value, state: Value) -> Any:
    (size,) = b.fixed(state.dims[-1:])
    reset, keep, new = _parts(b, inner, inner.rank, size, 3)
    own_reset, own_keep, own_new = _parts(b, own, own.rank, size, 3)
    fresh = b.Tanh(new + b.Sigmoid(reset + own_reset) * own_new)
    return (state - fresh) * b.Sigmoid(keep + own_keep) + fresh
