"""Recurrent layers, unrolled over their steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.onnx.read.call import Call, rows
from gradviz.onnx.read.movement import cut
from gradviz.onnx.read.refusal import UnreadableError
from gradviz.onnx.read.registry import reads
from gradviz.ops.size import Size
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation import full

MOST_STEPS = 4096
"""Longer sequences would make programs that nobody can look at."""
_USUAL = {
    "LSTM": ("Sigmoid", "Tanh", "Tanh"),
    "GRU": ("Sigmoid", "Tanh"),
    "RNN": ("Tanh",),
}
_ORDER = {"LSTM": (0, 2, 3, 1), "GRU": (1, 0, 2), "RNN": (0,)}
"""The gates in our order, by their places in the format's."""


@reads("LSTM", "GRU", "RNN")
def recurrent(c: Call) -> Any:
    layout = c.whole("layout", 0)
    x = c.x if not layout else rows.transpose(c.x, 0, 1)
    if len(x.shape) != 3:
        raise UnreadableError("its input isn't (steps, batch, features)")
    steps = x.shape[0]
    if isinstance(steps, Size) or not 1 <= steps <= MOST_STEPS:
        raise UnreadableError(f"its sequences have {steps} steps; 1 to {MOST_STEPS} are unrolled")
    if c.has(4) and set(c.ints(4)) != {steps}:
        raise UnreadableError("its sequences have different lengths")
    if c.kind == "LSTM" and c.has(7):
        raise UnreadableError("its gates look at the memory (peepholes)")
    if "clip" in c.attributes or c.whole("input_forget", 0):
        raise UnreadableError("it clips, or couples its gates")
    way = c.text("direction", "forward")
    backwards = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}.get(way)
    if backwards is None:
        raise UnreadableError(f"it has no direction {way!r}")
    usual = _USUAL[c.kind] * len(backwards)
    acts = tuple(c.attributes.get("activations", usual))
    plain_relu = c.kind == "RNN" and set(acts) == {"Relu"}
    if acts != usual and not plain_relu:
        raise UnreadableError(f"its activations are {list(acts)[:6]}")
    found = [_direction(c, x, at, reverse, plain_relu) for at, reverse in enumerate(backwards)]
    outs = rows.stack([states for states, _, _ in found], 1)
    last = rows.stack([state for _, state, _ in found], 0)
    memory = rows.stack([kept for _, _, kept in found], 0) if c.kind == "LSTM" else None
    if layout:
        outs = rows.permute(outs, (2, 0, 1, 3))
        last = rows.transpose(last, 0, 1)
        memory = None if memory is None else rows.transpose(memory, 0, 1)
    return outs, last, memory


def _direction(c: Call, x: Tensor, at: int, reverse: bool, relu: bool) -> tuple[Any, Any, Any]:
    """All states of one direction in the order of the input, the last one, and its memory."""
    order = _ORDER[c.kind]
    many = len(order)
    weight = _gates(rows.slice(c.tensor(1), (at,)), order)
    own = _gates(rows.slice(c.tensor(2), (at,)), order)
    size = own.shape[1]
    if own.shape[0] != many * size or weight.shape[0] != many * size:
        raise UnreadableError("its weights don't fit its hidden size")
    bias = own_bias = None
    if c.has(3):
        both = rows.slice(c.tensor(3), (at,))
        bias = _gates(cut(both, 0, 0, many * size), order)
        own_bias = _gates(cut(both, 0, many * size, 2 * many * size), order)
    state = _start(c, 5, at, x, size)
    memory = _start(c, 6, at, x, size) if c.kind == "LSTM" else None
    inner = rows.linear(x, weight, bias)
    step = _stepper(c, own, own_bias, size, relu)
    states = []
    turns = range(x.shape[0] - 1, -1, -1) if reverse else range(x.shape[0])
    for turn in turns:
        state, memory = step(rows.slice(inner, (turn,)), state, memory)
        states.append(state)
    if reverse:
        states.reverse()
    return rows.stack(states, 0), state, memory


def _gates(weight: Tensor, order: tuple[int, ...]) -> Any:
    """The rows of the gates in our order."""
    if order == tuple(range(len(order))):
        return weight
    size = weight.shape[0] // len(order)
    return rows.cat([cut(weight, 0, at * size, (at + 1) * size) for at in order], 0)


def _start(c: Call, at: int, direction: int, x: Tensor, size: int) -> Any:
    if c.has(at):
        given = c.tensor(at)
        if c.whole("layout", 0):
            given = rows.transpose(given, 0, 1)
        return rows.slice(given, (direction,))
    zero = full((), 0.0, dtype=x.dtype, device=x.device)
    return rows.expand(zero, (x.shape[1], size))


def _stepper(
    c: Call, own: Tensor, own_bias: Tensor | None, size: int, relu: bool
) -> Callable[..., tuple[Any, Any]]:
    def lstm(inner: Tensor, state: Tensor, memory: Tensor) -> tuple[Any, Any]:
        out = rows.lstm_cell(rows.add(inner, rows.linear(state, own, own_bias)), memory)
        both = out[0] if isinstance(out, tuple) else out
        return rows.slice(both, (0,)), rows.slice(both, (1,))

    def gru(inner: Tensor, state: Tensor, _: Any) -> tuple[Any, Any]:
        if c.whole("linear_before_reset", 0):
            out = rows.gru_cell(inner, rows.linear(state, own, own_bias), state)
            return (out[0] if isinstance(out, tuple) else out), None
        return _gru_reset_first(inner, state, own, own_bias, size), None

    def plain(inner: Tensor, state: Tensor, _: Any) -> tuple[Any, Any]:
        total = rows.add(inner, rows.linear(state, own, own_bias))
        return (rows.relu(total) if relu else rows.tanh(total)), None

    return {"LSTM": lstm, "GRU": gru, "RNN": plain}[c.kind]


def _gru_reset_first(
    inner: Tensor, state: Tensor, own: Tensor, own_bias: Tensor | None, size: int
) -> Any:
    """The cell of the original paper: the state is reset before it is multiplied."""

    def part(x: Tensor, at: int, axis: int) -> Any:
        return cut(x, axis, at * size, (at + 1) * size)

    def shift(at: int) -> Any:
        return None if own_bias is None else part(own_bias, at, 0)

    reset, keep = (
        rows.sigmoid(rows.add(part(inner, at, 1), rows.linear(state, part(own, at, 0), shift(at))))
        for at in (0, 1)
    )
    again = rows.linear(rows.mul(reset, state), part(own, 2, 0), shift(2))
    new = rows.tanh(rows.add(part(inner, 2, 1), again))
    return rows.add(rows.mul(rows.sub(state, new), keep), new)
