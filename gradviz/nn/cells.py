"""One step of a recurrent layer, for loops of one's own."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from gradviz.errors import fail
from gradviz.nn.linear import whole
from gradviz.nn.module import Module
from gradviz.nn.parameter import Parameter
from gradviz.ops import shapes
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation import uniform, zeros
from gradviz.tensor.general import general, row_of

_lstm_cell, _gru_cell = row_of("lstm_cell"), row_of("gru_cell")


def weights_of_step(
    rows: int, width: int, hidden: int, *, bias: bool, device: Any, dtype: Any
) -> dict[str, Parameter]:
    """The parameters of one step by name, drawn from PyTorch's range.

    Args:
        rows: how many numbers all gates have together.
        width: the size of the input.
        hidden: the size of the state.
        bias: whether something is added.
        device: where they live.
        dtype: their floating point dtype; float32 for None.
    """
    bound = 1.0 / math.sqrt(hidden)
    wanted: dict[str, tuple[int, ...]] = {"weight_ih": (rows, width), "weight_hh": (rows, hidden)}
    if bias:
        wanted |= {"bias_ih": (rows,), "bias_hh": (rows,)}
    return {
        name: Parameter(uniform(*shape, low=-bound, high=bound, device=device, dtype=dtype))
        for name, shape in wanted.items()
    }


def pair(operation: str, states: Any) -> tuple[Any, ...] | None:
    """State and memory of an LSTM; None where none are given."""
    if states is None:
        return None
    if not isinstance(states, list | tuple) or len(states) != 2:
        raise fail(
            "invalid-argument",
            operation=operation,
            complaint=f"hx is a {type(states).__name__}, not a pair",
            advice="Give the first state and the first memory: `(h, c)`.",
        )
    return tuple(states)


def rnn_step(gates: Tensor, own: Tensor, nonlinearity: str) -> Tensor:
    """The state after a step, from what the input and the state before contribute."""
    total = functions.add(gates, own)
    return functions.relu(total) if nonlinearity == "relu" else functions.tanh(total)


def gru_step(gates: Tensor, own: Tensor, state: Tensor) -> Tensor:
    """The state after a step of a GRU."""
    after: Tensor = general(_gru_cell, [gates, own, state], ())
    return after


def lstm_step(gates: Tensor, own: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
    """State and memory after a step of an LSTM."""
    both: Tensor = general(_lstm_cell, [functions.add(gates, own), memory], ())
    return both[0], both[1]


class _Cell(Module):
    """Weights of one step; subclasses say how many gates and states there are."""

    gates: ClassVar[int]
    weight_ih: Parameter
    weight_hh: Parameter
    bias_ih: Parameter | None = None
    bias_hh: Parameter | None = None

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.input_size = whole(name, "input_size", input_size, 1)
        self.hidden_size = whole(name, "hidden_size", hidden_size, 1)
        self.bias = canon.flag(name, "bias", bias)
        rows = self.gates * self.hidden_size
        made = weights_of_step(
            rows, self.input_size, self.hidden_size, bias=self.bias, device=device, dtype=dtype
        )
        for part, parameter in made.items():
            setattr(self, part, parameter)

    def _ready(self, input: Any, states: tuple[Any, ...] | None, count: int) -> list[Tensor]:
        """The input and the states as tensors of fitting shapes; zeros where none are given."""
        name = type(self).__name__
        x = canon.tensor(name, input)
        if x.ndim not in (1, 2) or x.shape[-1] != self.input_size:
            raise shapes.mismatch(
                name,
                x.shape,
                (self.input_size,),
                f"one step has shape (batch, {self.input_size}).",
                "Give two dimensions, or one for a single sequence; a whole sequence goes to "
                f"`{name.removesuffix('Cell')}`.",
            )
        shape = (*x.shape[:-1], self.hidden_size)
        if states is None:
            return [x, *[zeros(shape, dtype=self.weight_hh.dtype, device=x.device)] * count]
        ready = [canon.tensor(name, state) for state in states]
        for state in ready:
            if state.shape != shape:
                raise shapes.mismatch(
                    name,
                    x.shape,
                    state.shape,
                    f"the state beside this input has shape {shape}.",
                    "Leave it out for zeros.",
                )
        return [x, *ready]

    def _gates(self, x: Tensor) -> Tensor:
        return functions.linear(x, self.weight_ih, self.bias_ih)

    def _own(self, state: Tensor) -> Tensor:
        return functions.linear(state, self.weight_hh, self.bias_hh)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class RNNCell(_Cell):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh).

    Args:
        input_size: the size of the last dimension of the input.
        hidden_size: the size of the state.
        bias: whether something is added.
        nonlinearity: 'tanh' or 'relu'.
        device: where the parameters live.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `shape-mismatch` for an input of another width.

    Example:
        >>> import gradviz as gv
        >>> cell = gv.nn.RNNCell(3, 4)
        >>> h = cell(gv.ones(2, 3))
        >>> cell(gv.ones(2, 3), h).shape
        (2, 4)
    """

    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = canon.choice("RNNCell", "nonlinearity", nonlinearity, ("tanh", "relu"))

    def forward(self, input: Any, hx: Any = None) -> Tensor:
        """Shapes (batch, input_size) and (batch, hidden_size) to the next state."""
        x, state = self._ready(input, None if hx is None else (hx,), 1)
        return rnn_step(self._gates(x), self._own(state), self.nonlinearity)


class GRUCell(_Cell):
    """One step of a `GRU`: gates decide how much of the state is kept.

    Args:
        input_size: the size of the last dimension of the input.
        hidden_size: the size of the state.
        bias: whether something is added.
        device: where the parameters live.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `shape-mismatch` for an input of another width.

    Example:
        >>> import gradviz as gv
        >>> gv.nn.GRUCell(3, 4)(gv.ones(2, 3)).shape
        (2, 4)
    """

    gates = 3

    def forward(self, input: Any, hx: Any = None) -> Tensor:
        """Shapes (batch, input_size) and (batch, hidden_size) to the next state."""
        x, state = self._ready(input, None if hx is None else (hx,), 1)
        return gru_step(self._gates(x), self._own(state), state)


class LSTMCell(_Cell):
    """One step of an `LSTM`: gates write, erase and read a memory.

    Args:
        input_size: the size of the last dimension of the input.
        hidden_size: the size of the state.
        bias: whether something is added.
        device: where the parameters live.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `shape-mismatch` for an input of another width.

    Example:
        >>> import gradviz as gv
        >>> h, c = gv.nn.LSTMCell(3, 4)(gv.ones(2, 3))
        >>> h.shape, c.shape
        ((2, 4), (2, 4))
    """

    gates = 4

    def forward(self, input: Any, hx: Any = None) -> tuple[Tensor, Tensor]:
        """The input and the pair of state and memory to the next pair."""
        x, state, memory = self._ready(input, pair("LSTMCell", hx), 2)
        return lstm_step(self._gates(x), self._own(state), memory)
