"""Recurrent networks: simple, LSTM and GRU layers, stacked and in both directions."""

from __future__ import annotations

from typing import Any, ClassVar

from gradviz.errors import fail
from gradviz.nn.cells import gru_step, lstm_step, pair, rnn_step, weights_of_step
from gradviz.nn.linear import whole
from gradviz.nn.module import Module
from gradviz.ops import shapes
from gradviz.tensor import canon, composed, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.creation import zeros

States = tuple[Tensor, ...]


class _Recurrent(Module):
    """Layers that go through a sequence step by step.

    Subclasses say how many gates and states there are, and what one step does.
    """

    gates: ClassVar[int]
    states: ClassVar[int] = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.input_size = whole(name, "input_size", input_size, 1)
        self.hidden_size = whole(name, "hidden_size", hidden_size, 1)
        self.num_layers = whole(name, "num_layers", num_layers, 1)
        self.bias = canon.flag(name, "bias", bias)
        self.batch_first = canon.flag(name, "batch_first", batch_first)
        self.bidirectional = canon.flag(name, "bidirectional", bidirectional)
        if not isinstance(dropout, int | float) or not 0.0 <= dropout <= 1.0:
            raise fail(
                "invalid-argument",
                operation=name,
                complaint=f"dropout is {dropout!r}",
                advice="Give a share from 0 to 1.",
            )
        self.dropout = float(dropout)
        rows, size = self.gates * self.hidden_size, self.hidden_size
        for layer in range(self.num_layers):
            width = self.input_size if layer == 0 else self.hidden_size * self._directions
            for ending in self._endings(layer):
                made = weights_of_step(
                    rows, width, size, bias=self.bias, device=device, dtype=dtype
                )
                for part, parameter in made.items():
                    setattr(self, part + ending, parameter)

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    def _endings(self, layer: int) -> list[str]:
        endings = [f"_l{layer}"]
        return [*endings, f"_l{layer}_reverse"] if self.bidirectional else endings

    def _weights(self, ending: str) -> tuple[Any, Any, Any, Any]:
        held = vars(self)
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        first, second, third, fourth = (held.get(name + ending) for name in names)
        return first, second, third, fourth

    def _step(self, gates: Tensor, states: States, weight: Any, bias: Any) -> States:
        """The states after one step; `gates` is what the input contributes."""
        raise NotImplementedError

    def _run(self, input: Any, start: tuple[Any, ...] | None) -> tuple[Tensor, States]:
        name = type(self).__name__
        x = canon.tensor(name, input)
        single = x.ndim == 2
        if x.ndim not in (2, 3) or x.shape[-1] != self.input_size:
            raise shapes.mismatch(
                name,
                x.shape,
                (self.input_size,),
                f"a sequence has shape (steps, batch, {self.input_size})"
                + (", batch first here." if self.batch_first else "."),
                "Give three dimensions, or two for a single sequence.",
            )
        if single:
            x = functions.unsqueeze(x, 1)
        elif self.batch_first:
            x = functions.transpose(x, 0, 1)
        begin = self._begin(x, start, single)
        steps = list(composed.unbind(x, 0))
        if not steps:
            raise shapes.mismatch(name, x.shape, x.shape, "there is no step.", "Give a sequence.")
        found: list[list[Tensor]] = [[] for _ in range(self.states)]
        for layer in range(self.num_layers):
            sides = []
            for at, ending in enumerate(self._endings(layer)):
                place = layer * self._directions + at
                states = tuple(part[place] for part in begin)
                side, last = self._through(steps, states, ending, backwards=at == 1)
                sides.append(side)
                for kept, state in zip(found, last, strict=True):
                    kept.append(state)
            steps = sides[0]
            if len(sides) > 1:
                steps = [functions.cat(list(pair), -1) for pair in zip(*sides, strict=True)]
            if self.dropout and layer + 1 < self.num_layers:
                steps = [composed.dropout(step, self.dropout, self.training) for step in steps]
        ends = tuple(functions.stack(kept) for kept in found)
        output = functions.stack(steps)
        if single:
            return functions.squeeze(output, 1), tuple(functions.squeeze(end, 1) for end in ends)
        return (functions.transpose(output, 0, 1) if self.batch_first else output), ends

    def _through(
        self, steps: list[Tensor], states: States, ending: str, *, backwards: bool
    ) -> tuple[list[Tensor], States]:
        """One layer in one direction.

        Steps stay apart: the gradient of a part of a whole sequence would be as long as the whole.
        """
        weight_ih, weight_hh, bias_ih, bias_hh = self._weights(ending)
        outputs: list[Tensor] = []
        for step in reversed(steps) if backwards else steps:
            gates = functions.linear(step, weight_ih, bias_ih)
            states = self._step(gates, states, weight_hh, bias_hh)
            outputs.append(states[0])
        return (outputs[::-1] if backwards else outputs), states

    def _begin(self, x: Tensor, start: tuple[Any, ...] | None, single: bool) -> States:
        """The states before the first step: zeros where none are given."""
        name = type(self).__name__
        shape = (self.num_layers * self._directions, x.shape[1], self.hidden_size)
        if start is None:
            like = getattr(self, "weight_hh_l0")  # noqa: B009 - made under a composed name
            return (zeros(shape, dtype=like.dtype, device=x.device),) * self.states
        ready = []
        for part in start:
            made = canon.tensor(name, part)
            if single and made.ndim == 2:
                made = functions.unsqueeze(made, 1)
            if made.shape != shape:
                raise shapes.mismatch(
                    name,
                    x.shape,
                    made.shape,
                    f"the first state has shape {shape}: layers and directions, batch, size.",
                    "Leave it out for zeros.",
                )
            ready.append(made)
        return tuple(ready)

    def extra_repr(self) -> str:
        """The arguments it was made with."""
        text = f"{self.input_size}, {self.hidden_size}"
        usual = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0}
        usual["bidirectional"] = False
        for name, value in usual.items():
            if getattr(self, name) != value:
                text += f", {name}={getattr(self, name)}"
        return text


class RNN(_Recurrent):
    """h = tanh(W_ih x + b_ih + W_hh h + b_hh), step by step.

    Args:
        input_size: the size of the last dimension of the input.
        hidden_size: the size of the state.
        num_layers: how many layers are stacked.
        nonlinearity: 'tanh' or 'relu'.
        bias: whether something is added.
        batch_first: whether the batch is the input's first dimension, and the steps its second.
        dropout: the share of each layer's output, but the last one's, that is dropped.
        bidirectional: whether a second set of layers goes from the end to the start.
        device: where the parameters live.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `shape-mismatch` for an input of another width.

    Example:
        >>> import gradviz as gv
        >>> output, h = gv.nn.RNN(3, 4)(gv.ones(5, 2, 3))
        >>> output.shape, h.shape
        ((5, 2, 4), (1, 2, 4))
    """

    gates = 1

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            input_size,
            hidden_size,
            num_layers,
            bias,
            batch_first,
            dropout,
            bidirectional,
            device,
            dtype,
        )
        self.nonlinearity = canon.choice("RNN", "nonlinearity", nonlinearity, ("tanh", "relu"))

    def _step(self, gates: Tensor, states: States, weight: Any, bias: Any) -> States:
        own = functions.linear(states[0], weight, bias)
        return (rnn_step(gates, own, self.nonlinearity),)

    def forward(self, input: Any, hx: Any = None) -> tuple[Tensor, Tensor]:
        """Shape (steps, batch, input_size) to all outputs and the last state of every layer."""
        output, states = self._run(input, None if hx is None else (hx,))
        return output, states[0]


class GRU(_Recurrent):
    """A recurrent layer whose gates decide how much of the state is kept.

    Args:
        input_size: the size of the last dimension of the input.
        hidden_size: the size of the state.
        num_layers: how many layers are stacked.
        bias: whether something is added.
        batch_first: whether the batch is the input's first dimension, and the steps its second.
        dropout: the share of each layer's output, but the last one's, that is dropped.
        bidirectional: whether a second set of layers goes from the end to the start.
        device: where the parameters live.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `shape-mismatch` for an input of another width.

    Example:
        >>> import gradviz as gv
        >>> output, h = gv.nn.GRU(3, 4, bidirectional=True)(gv.ones(5, 2, 3))
        >>> output.shape, h.shape
        ((5, 2, 8), (2, 2, 4))
    """

    gates = 3

    def _step(self, gates: Tensor, states: States, weight: Any, bias: Any) -> States:
        own = functions.linear(states[0], weight, bias)
        return (gru_step(gates, own, states[0]),)

    def forward(self, input: Any, hx: Any = None) -> tuple[Tensor, Tensor]:
        """Shape (steps, batch, input_size) to all outputs and the last state of every layer."""
        output, states = self._run(input, None if hx is None else (hx,))
        return output, states[0]


class LSTM(_Recurrent):
    """A recurrent layer with a memory that gates write, erase and read.

    Args:
        input_size: the size of the last dimension of the input.
        hidden_size: the size of the state.
        num_layers: how many layers are stacked.
        bias: whether something is added.
        batch_first: whether the batch is the input's first dimension, and the steps its second.
        dropout: the share of each layer's output, but the last one's, that is dropped.
        bidirectional: whether a second set of layers goes from the end to the start.
        device: where the parameters live.
        dtype: their floating point dtype; float32 where it is left out.

    Raises:
        GradvizError: `invalid-argument`; `shape-mismatch` for an input of another width.

    Example:
        >>> import gradviz as gv
        >>> output, (h, c) = gv.nn.LSTM(3, 4, num_layers=2)(gv.ones(5, 2, 3))
        >>> output.shape, h.shape, c.shape
        ((5, 2, 4), (2, 2, 4), (2, 2, 4))
    """

    gates = 4
    states = 2

    def _step(self, gates: Tensor, states: States, weight: Any, bias: Any) -> States:
        return lstm_step(gates, functions.linear(states[0], weight, bias), states[1])

    def forward(self, input: Any, hx: Any = None) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Shape (steps, batch, input_size) to all outputs, and the last states and memories."""
        output, (state, memory) = self._run(input, pair("LSTM", hx))
        return output, (state, memory)
