"""Cells of recurrent networks: one step, from what goes in to the next state."""

from __future__ import annotations

from typing import Any

from gradviz.ops import shapes
from gradviz.ops.infer import Fact
from gradviz.ops.spec import Sample, op


def _gates(name: str, gates: Fact, state: Fact, count: int) -> None:
    if not state[0] or gates[0] != (*state[0][:-1], count * state[0][-1]):
        raise shapes.mismatch(
            name,
            gates[0],
            state[0],
            f"there are {count} gates for every element of the state.",
            "Give gates of shape (..., gates * size) and a state of shape (..., size).",
        )


def _lstm(gates: Fact, memory: Fact) -> Fact:
    _gates("lstm_cell", gates, memory, 4)
    return (2, *memory[0]), memory[1]


def _lstm_gates(g: Any, gates: Any, memory: Any, out: Any, acts: Any, xp: Any) -> Any:
    return xp.lstm_cell_backward(g, gates, memory, out, acts)


def _lstm_memory(g: Any, gates: Any, memory: Any, out: Any, acts: Any, xp: Any) -> Any:
    return xp.lstm_cell_backward_memory(g, gates, memory, out, acts)


op(
    "lstm_cell",
    "gates memory",
    checked=True,
    promote="floating",
    infer=_lstm,
    kept="acts",
    vjp={"gates": _lstm_gates, "memory": _lstm_memory},
    doc="One step of an LSTM: the next state and memory, stacked, of four gates and a memory.",
    formula="c = sigmoid(f) c + sigmoid(i) tanh(g), h = sigmoid(o) tanh(c)",
    samples=(Sample(((2, 12), (2, 3))), Sample(((4,), (1,))), Sample(((0, 8), (0, 2)))),
)


def _gru(inner: Fact, own: Fact, state: Fact) -> Fact:
    _gates("gru_cell", inner, state, 3)
    _gates("gru_cell", own, state, 3)
    return state


def _gru_inner(g: Any, inner: Any, own: Any, state: Any, acts: Any, xp: Any) -> Any:
    return xp.gru_cell_backward(g, inner, own, state, acts, False)


def _gru_own(g: Any, inner: Any, own: Any, state: Any, acts: Any, xp: Any) -> Any:
    return xp.gru_cell_backward(g, inner, own, state, acts, True)


def _gru_state(g: Any, inner: Any, own: Any, state: Any, acts: Any, xp: Any) -> Any:
    return xp.gru_cell_backward_state(g, inner, own, acts)


op(
    "gru_cell",
    "inner own state",
    checked=True,
    promote="floating",
    infer=_gru,
    kept="acts",
    vjp={"inner": _gru_inner, "own": _gru_own, "state": _gru_state},
    doc="One step of a GRU: the next state, of three gates of the input and of the state itself.",
    formula="n = tanh(n_x + sigmoid(r) n_h), h = (1 - sigmoid(z)) n + sigmoid(z) h",
    samples=(
        Sample(((2, 9), (2, 9), (2, 3))),
        Sample(((3,), (3,), (1,))),
        Sample(((0, 6), (0, 6), (0, 2))),
    ),
)
