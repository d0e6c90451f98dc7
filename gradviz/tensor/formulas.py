"""Adjoints that have a kernel of their own on arrays, as operations that can be differentiated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradviz.tensor.base import Tensor

Dims = tuple[int, ...]


class Formulas:
    """What formulas ask for on tensors where the kernels have it ready made on arrays."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    # --- running products and sums -------------------------------------------------------------
    def _lanes(self, x: Tensor, dim: int) -> Any:
        """The dimension last, and in front of it one more of the same size: all pairs of places."""
        moved = self._last(x, dim)
        wide = self.reshape(moved, (*moved.shape[:-1], 1, moved.shape[-1]))
        return self.expand(wide, (*moved.shape[:-1], moved.shape[-1], moved.shape[-1]))

    def _last(self, x: Tensor, dim: int) -> Any:
        order = tuple(at for at in range(x.ndim) if at != dim)
        return self.permute(x, (*order, dim))

    def _from_last(self, x: Tensor, dim: int) -> Any:
        order = tuple(range(x.ndim - 1))
        return self.permute(x, (*order[:dim], x.ndim - 1, *order[dim:]))

    def cumprod_backward(self, g: Tensor, x: Tensor, out: Tensor, dim: int) -> Any:
        """Each place's running products without it, from it on."""
        if not x.ndim:
            return g
        last = x.ndim
        pairs = self._lanes(x, dim)
        diagonal = truths(x.shape[dim], x)
        without = self.cumprod(self.where(diagonal, 1.0, pairs), last)
        total = self.sum(self.triu(without * self._lanes(g, dim), 0), (last,), False)
        return self._from_last(total, dim)

    def logcumsumexp_backward(self, g: Tensor, x: Tensor, out: Tensor, dim: int) -> Any:
        """Each place's share in the running sums from it on."""
        if not x.ndim:
            return g
        last = x.ndim
        own = self.transpose(self._lanes(x, dim), last - 1, last)
        share = self.exp(self.minimum(own - self._lanes(out, dim), 0.0))
        total = self.sum(self.triu(share * self._lanes(g, dim), 0), (last,), False)
        return self._from_last(total, dim)

    # --- normalisation -------------------------------------------------------------------------
    def _standard(self, x: Tensor, dims: Dims, eps: float) -> tuple[Any, Any]:
        centred = x - self.mean(x, dims, True)
        rstd = self.rsqrt(self.mean(centred * centred, dims, True) + eps)
        return centred * rstd, rstd

    def normalize_backward(
        self, g: Tensor, x: Tensor, weight: Any, mean: Any, rstd: Any, dims: Dims, eps: float
    ) -> Any:
        """The statistics are computed anew: they depend on the input."""
        hat, scale = self._standard(x, dims, eps)
        scaled = g if weight is None else g * weight
        along = self.mean(scaled * hat, dims, True)
        return (scaled - self.mean(scaled, dims, True) - hat * along) * scale

    def normalize_backward_weight(
        self, g: Tensor, x: Tensor, mean: Any, rstd: Any, shape: Dims, dims: Dims, eps: float
    ) -> Any:
        """The gradient of the scale."""
        return self.sum_to(g * self._standard(x, dims, eps)[0], shape)

    def rms_norm_backward(
        self, g: Tensor, x: Tensor, weight: Any, rstd: Any, dims: Dims, eps: float
    ) -> Any:
        """The statistics are computed anew: they depend on the input."""
        scale = self.rsqrt(self.mean(x * x, dims, True) + eps)
        hat = x * scale
        scaled = g if weight is None else g * weight
        return (scaled - hat * self.mean(scaled * hat, dims, True)) * scale

    def rms_norm_backward_weight(
        self, g: Tensor, x: Tensor, rstd: Any, shape: Dims, dims: Dims, eps: float
    ) -> Any:
        """The gradient of the scale."""
        scale = self.rsqrt(self.mean(x * x, dims, True) + eps)
        return self.sum_to(g * (x * scale), shape)

    # --- attention and losses ------------------------------------------------------------------
    def attention_weights_backward(self, g: Tensor, p: Tensor, scale: float) -> Any:
        """The gradient of softmax, scaled."""
        return p * (g - self.sum(g * p, (g.ndim - 1,), True)) * scale

    def cross_entropy_backward(
        self,
        g: Tensor,
        x: Tensor,
        target: Tensor,
        weight: Any,
        lse: Any,
        ignore_index: int,
        reduction: str,
    ) -> Any:
        """Through the logarithm of softmax."""
        axis = 1 if x.ndim > 1 else 0
        d = self.nll_loss_backward(g, target, weight, x.shape, ignore_index, reduction)
        return d - self.softmax(x, axis) * self.sum(d, (axis,), True)

    # --- recurrent cells -----------------------------------------------------------------------
    def _split(self, x: Tensor, count: int) -> list[Any]:
        size = x.shape[-1] // count
        before = (slice(None),) * (x.ndim - 1)
        return [self.slice(x, (*before, slice(at * size, (at + 1) * size))) for at in range(count)]

    def _lstm(self, g: Tensor, gates: Tensor, out: Tensor) -> tuple[list[Any], Any, Any, Any]:
        """Activations, the bent memory, the state's gradient and the next memory's."""
        write, keep, new, read = self._split(gates, 4)
        acts = [self.sigmoid(write), self.sigmoid(keep), self.tanh(new), self.sigmoid(read)]
        bent = self.tanh(self.slice(out, (1,)))
        to_state = self.slice(g, (0,))
        d = self.slice(g, (1,)) + to_state * acts[3] * (1.0 - bent * bent)
        return acts, bent, to_state, d

    def lstm_cell_backward(
        self, g: Tensor, gates: Tensor, memory: Tensor, out: Tensor, acts: Any
    ) -> Any:
        """The activations are computed anew: they depend on the gates."""
        (write, keep, new, read), bent, to_state, d = self._lstm(g, gates, out)
        parts = [
            d * new * write * (1.0 - write),
            d * memory * keep * (1.0 - keep),
            d * write * (1.0 - new * new),
            to_state * bent * read * (1.0 - read),
        ]
        return self.cat(parts, g.ndim - 2)

    def lstm_cell_backward_memory(
        self, g: Tensor, gates: Tensor, memory: Tensor, out: Tensor, acts: Any
    ) -> Any:
        """What of the next memory came from this one."""
        known, _, _, d = self._lstm(g, gates, out)
        return d * known[1]

    def gru_cell_backward(
        self, g: Tensor, inner: Tensor, own: Tensor, state: Tensor, acts: Any, to_own: bool
    ) -> Any:
        """The activations are computed anew: they depend on the gates."""
        ins, owns = self._split(inner, 3), self._split(own, 3)
        reset, keep = (self.sigmoid(a + b) for a, b in zip(ins[:2], owns[:2], strict=True))
        new = self.tanh(ins[2] + reset * owns[2])
        bend = g * (1.0 - keep) * (1.0 - new * new)
        parts = [
            bend * owns[2] * reset * (1.0 - reset),
            g * (state - new) * keep * (1.0 - keep),
            bend * reset if to_own else bend,
        ]
        return self.cat(parts, g.ndim - 1)

    def gru_cell_backward_state(self, g: Tensor, inner: Tensor, own: Tensor, acts: Any) -> Any:
        """What of the next state came from this one."""
        return g * self.sigmoid(self._split(inner, 3)[1] + self._split(own, 3)[1])

    def det_backward(self, g: Tensor, x: Tensor, out: Tensor) -> Any:
        """By the inverse, which a singular matrix doesn't have."""
        inverse = self.transpose(self.inv(x), x.ndim - 2, x.ndim - 1)
        return self.reshape(g * out, (*g.shape, 1, 1)) * inverse

    def ctc_loss_backward(
        self,
        g: Tensor,
        log_probs: Tensor,
        targets: Any,
        input_lengths: Any,
        target_lengths: Any,
        out: Any,
        alpha: Any,
        blank: int,
    ) -> Any:
        """The sums over alignments, step by step, as tensors."""
        from gradviz.tensor.alignment import label_shares

        share = label_shares(self, log_probs, targets, input_lengths, target_lengths, blank)
        return share * self.reshape(-g, (1, g.shape[0], 1))


def truths(size: int, like: Tensor) -> Any:
    """A diagonal of true on the device of `like`."""
    from gradviz.tensor.creation import eye

    return eye(size, dtype="bool", device=like.device)
