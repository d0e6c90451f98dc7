"""Cells of recurrent networks and their adjoints."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.backends.ndarray.kernels.elementwise import sigmoid

Array = Any


def _parts(x: Array, count: int) -> list[Array]:
    size = x.shape[-1] // count
    return [x[..., at * size : (at + 1) * size] for at in range(count)]


def lstm_cell(gates: Array, memory: Array) -> tuple[Array, Array]:
    acts = sigmoid(gates)
    write, keep, new, read = _parts(acts, 4)
    np.tanh(_parts(gates, 4)[2], out=new)
    out = np.empty((2, *memory.shape), gates.dtype)
    np.multiply(keep, memory, out=out[1])
    out[1] += write * new
    np.multiply(np.tanh(out[1]), read, out=out[0])
    return out, acts


def _to_memory(g: Array, read: Array, bent: Array) -> Array:
    """What reaches the next memory, by itself and through the state."""
    slope = 1 - bent * bent
    slope *= read
    slope *= g[0]
    slope += g[1]
    return slope


def lstm_cell_backward(g: Array, gates: Array, memory: Array, out: Array, acts: Array) -> Array:
    write, _, new, read = _parts(acts, 4)
    bent = np.tanh(out[1])
    d = _to_memory(g, read, bent)
    slope = acts * (1 - acts)
    to_write, to_keep, to_new, to_read = _parts(slope, 4)
    to_write *= d * new
    to_keep *= d * memory
    np.multiply(d * write, 1 - new * new, out=to_new)
    to_read *= g[0] * bent
    return slope


def lstm_cell_backward_memory(
    g: Array, gates: Array, memory: Array, out: Array, acts: Array
) -> Array:
    _, keep, _, read = _parts(acts, 4)
    return _to_memory(g, read, np.tanh(out[1])) * keep


def gru_cell(inner: Array, own: Array, state: Array) -> tuple[Array, Array]:
    size = state.shape[-1]
    acts = np.empty(inner.shape, inner.dtype)
    acts[..., : 2 * size] = sigmoid(inner[..., : 2 * size] + own[..., : 2 * size])
    reset, keep, new = _parts(acts, 3)
    np.tanh(inner[..., 2 * size :] + reset * own[..., 2 * size :], out=new)
    out = state - new
    out *= keep
    out += new
    return out, acts


def gru_cell_backward(
    g: Array, inner: Array, own: Array, state: Array, acts: Array, to_own: bool
) -> Array:
    reset, keep, new = _parts(acts, 3)
    slope = acts * (1 - acts)
    to_reset, to_keep, to_new = _parts(slope, 3)
    bend = g * (1 - keep)
    bend *= 1 - new * new
    to_reset *= bend * _parts(own, 3)[2]
    to_keep *= g * (state - new)
    np.multiply(bend, reset if to_own else 1, out=to_new)
    return slope


def gru_cell_backward_state(g: Array, inner: Array, own: Array, acts: Array) -> Array:
    return g * _parts(acts, 3)[1]
