"""The operations that formulas compute with when gradients are themselves tracked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.core.shape import count, inverse
from gradviz.ops.spec import table
from gradviz.tensor.base import Tensor
from gradviz.tensor.formulas import Formulas, truths
from gradviz.tensor.general import amount, cast, general


class TensorNamespace(Formulas):
    """Rows by name, on tensors, with attributes in canonical form."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        row = table.get(name)
        if row is None:
            raise AttributeError(name)
        inputs = len(row.inputs)

        def call(*arguments: Any) -> Any:
            return general(row, list(arguments[:inputs]), arguments[inputs:])

        setattr(self, name, call)
        return call

    def amount(self, size: Any, like: Tensor) -> Any:
        """A number of elements that was left open, in the dtype of a tensor."""
        return cast(amount(size, like.device), like.dtype.name)

    def inside(self, x: Tensor, min: float | None, max: float | None) -> Any:
        """Where x lies within [min, max]."""
        if min is None:
            return x <= max
        return x >= min if max is None else (x >= min) & (x <= max)

    def gate(self, g: Tensor, out: Tensor) -> Any:
        """`g` where the result of a relu isn't 0, zeros elsewhere."""
        return self.where(out != 0.0, g, 0.0)

    def zeros_at(self, g: Tensor, index: Tensor) -> Any:
        """Zeros of the index's shape and the gradient's dtype."""
        from gradviz.tensor.creation import zeros

        return zeros(index.shape, dtype=g.dtype, device=g.device)

    def fold_repeats(self, g: Tensor, shape: tuple[int, ...], counts: tuple[int, ...]) -> Any:
        """The gradient of a repeat: the sum over all copies."""
        sizes = (1,) * (len(counts) - len(shape)) + tuple(shape)
        split = tuple(n for pair in zip(counts, sizes, strict=True) for n in pair)
        folded = self.sum(self.reshape(g, split), tuple(range(0, len(split), 2)), False)
        return self.reshape(folded, shape)

    def prod_backward(
        self, g: Tensor, x: Tensor, out: Tensor, dims: tuple[int, ...], keepdim: bool
    ) -> Any:
        """The gradient of a product: products of the other elements, differentiable everywhere."""
        kept = tuple(at for at in range(x.ndim) if at not in dims)
        order = (*kept, *dims)
        moved = self.permute(x, order)
        lead = moved.shape[: len(kept)]
        size = count(moved.shape[len(kept) :])
        flat = self.reshape(moved, (*lead, 1, size))
        square = self.expand(flat, (*lead, size, size))
        diagonal = truths(size, x)
        others = self.prod(self.where(diagonal, 1.0, square), (len(lead) + 1,), False)
        back = self.permute(self.reshape(others, moved.shape), inverse(order))
        return self.spread(g, x.shape, dims, keepdim) * back


TENSOR_NAMESPACE = TensorNamespace()
