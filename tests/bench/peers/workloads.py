"""The same work in every library; each function returns a step to be timed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Step = Callable[[], object]
SEED = 0
BY_HAND = "NumPy by hand"


def _rng() -> Any:
    return np.random.default_rng(SEED)


def _arrays(*shapes: tuple[int, ...], scale: float = 1.0) -> list[Any]:
    rng = _rng()
    return [(rng.standard_normal(shape) * scale).astype(np.float32) for shape in shapes]


# --- chains of elementwise operations ------------------------------------------------------------
def chain(shape: tuple[int, ...], length: int) -> dict[str, Step]:
    """Multiplications and additions, one after the other."""
    start, factor = np.full(shape, 0.999, np.float32), np.full(shape, 1.0001, np.float32)

    def run(x: Any, w: Any) -> Any:
        h = x
        for _ in range(length // 2):
            h = h * w
            h = h + w
        return h

    return {
        "gradviz": lambda: _gv_chain(start, factor, run),
        "torch": lambda: _torch_chain(start, factor, run),
        "autograd": lambda: _autograd_chain(start, factor, run),
    }


def _gv_chain(start: Any, factor: Any, run: Any) -> object:
    import gradviz as gv

    x, w = gv.tensor(start, requires_grad=True), gv.tensor(factor, requires_grad=True)
    return run(x, w).sum().backward()


def _torch_chain(start: Any, factor: Any, run: Any) -> object:
    import torch

    x, w = torch.tensor(start, requires_grad=True), torch.tensor(factor, requires_grad=True)
    return run(x, w).sum().backward()


def _autograd_chain(start: Any, factor: Any, run: Any) -> object:
    import autograd
    import autograd.numpy as anp

    return autograd.grad(lambda pair: anp.sum(run(pair[0], pair[1])))((start, factor))


def leaves(count: int) -> dict[str, Step]:
    """Many leaves summed in a tree."""
    values = [np.full((1,), 0.5, np.float32) for _ in range(count)]

    def tree(items: list[Any]) -> Any:
        while len(items) > 1:
            pairs = [items[at] + items[at + 1] for at in range(0, len(items) - 1, 2)]
            items = pairs + items[len(items) - len(items) % 2 :]
        return items[0]

    def ours() -> object:
        import gradviz as gv

        return tree([gv.tensor(value, requires_grad=True) for value in values]).sum().backward()

    def theirs() -> object:
        import torch

        return tree([torch.tensor(value, requires_grad=True) for value in values]).sum().backward()

    return {"gradviz": ours, "torch": theirs}


# --- networks ------------------------------------------------------------------------------------
def mlp(
    sizes: tuple[int, ...],
    batch: int,
    *,
    steps: bool = True,
    checkpointing: str = "none",
    libraries: tuple[str, ...] = ("gradviz", "torch", "autograd", BY_HAND),
) -> dict[str, Step]:
    """A multi-layer perceptron: forward, cross-entropy, backward, SGD step.

    By hand there is no library at all: the products and sums that NumPy can't do without.
    """
    shapes = list(zip(sizes[1:], sizes[:-1], strict=True))
    weights = _arrays(*shapes, scale=0.05)
    biases = [np.zeros(out, np.float32) for out, _ in shapes]
    (x,) = _arrays((batch, sizes[0]))
    y = _rng().integers(0, sizes[-1], batch)

    def ours() -> Step:
        import gradviz as gv

        device = gv.device("ndarray").autodiff(checkpointing)  # type: ignore[arg-type]
        made = [gv.tensor(w, device=device).require_grad() for w in weights]
        offsets = [gv.tensor(b, device=device).require_grad() for b in biases]
        inputs, target = gv.tensor(x, device=device), gv.tensor(y, device=device)
        optimizer = gv.optim.SGD([*made, *offsets], lr=0.01)

        def step() -> object:
            h = inputs
            for at, (w, b) in enumerate(zip(made, offsets, strict=True)):
                h = gv.linear(h, w, b)
                if at < len(made) - 1:
                    h = gv.relu(h)
            grads = gv.cross_entropy(h, target).backward()
            if steps:
                optimizer.step(grads)
            return grads

        return step

    def torchs() -> Step:
        import torch
        from torch.nn import functional

        made = [torch.tensor(w, requires_grad=True) for w in weights]
        offsets = [torch.tensor(b, requires_grad=True) for b in biases]
        inputs, target = torch.tensor(x), torch.tensor(y)
        optimizer = torch.optim.SGD([*made, *offsets], lr=0.01)

        def step() -> object:
            h = inputs
            for at, (w, b) in enumerate(zip(made, offsets, strict=True)):
                h = functional.linear(h, w, b)
                if at < len(made) - 1:
                    h = functional.relu(h)
            optimizer.zero_grad()
            functional.cross_entropy(h, target).backward()
            if steps:
                optimizer.step()
            return None

        return step

    def autograds() -> Step:
        import autograd
        import autograd.numpy as anp
        from autograd.scipy.special import logsumexp

        rows = np.arange(batch)
        state = [w.copy() for w in weights], [b.copy() for b in biases]

        def loss(params: Any) -> Any:
            h = x
            for at, (w, b) in enumerate(zip(*params, strict=True)):
                h = anp.dot(h, w.T) + b
                if at < len(weights) - 1:
                    h = anp.maximum(h, 0)
            scores = h - logsumexp(h, axis=1, keepdims=True)
            return -anp.mean(scores[rows, y])

        gradient = autograd.grad(loss)

        def step() -> object:
            dw, db = gradient(state)
            for values, changes in zip(state, (dw, db), strict=True):
                for at, change in enumerate(changes):
                    values[at] = values[at] - 0.01 * change
            return None

        return step

    def by_hand() -> Step:
        made, offsets = [w.copy() for w in weights], [b.copy() for b in biases]
        rows, rate = np.arange(batch), np.float32(0.01)

        def step() -> object:
            inputs, h = [], x
            for at, (w, b) in enumerate(zip(made, offsets, strict=True)):
                inputs.append(h)
                h = h @ w.T
                h += b
                if at < len(made) - 1:
                    np.maximum(h, 0, out=h)
            g = np.exp(h - h.max(1, keepdims=True))
            total = g.sum(1, keepdims=True)
            loss = np.log(total).mean() - (h - h.max(1, keepdims=True))[rows, y].mean()
            g /= total
            g[rows, y] -= 1
            g /= batch
            for at in reversed(range(len(made))):
                back = (g @ made[at]) * (inputs[at] > 0) if at else None
                made[at] -= rate * (g.T @ inputs[at])
                offsets[at] -= rate * g.sum(0)
                g = back
            return loss

        return step

    makers = {"gradviz": ours, "torch": torchs, "autograd": autograds, BY_HAND: by_hand}
    return {name: makers[name]() for name in libraries}


def conv_net() -> dict[str, Step]:
    """(8,1,28,28): conv 3x3x8, relu, pool 2, conv 3x3x16, relu, pool 2, linear 10, SGD step."""
    k1, k2 = _arrays((8, 1, 3, 3), (16, 8, 3, 3), scale=0.2)
    (head,) = _arrays((10, 16 * 5 * 5), scale=0.05)
    (x,) = _arrays((8, 1, 28, 28))
    y = _rng().integers(0, 10, 8)

    def forward(api: Any, x: Any, a: Any, b: Any, w: Any) -> Any:
        h = api.max_pool2d(api.relu(api.conv2d(x, a)), 2)
        h = api.max_pool2d(api.relu(api.conv2d(h, b)), 2)
        return api.linear(h.flatten(1), w)

    def ours() -> Step:
        import gradviz as gv

        params = [gv.tensor(v, requires_grad=True) for v in (k1, k2, head)]
        inputs, target = gv.tensor(x).autodiff(), gv.tensor(y).autodiff()
        optimizer = gv.optim.SGD(params, lr=0.01)
        return lambda: optimizer.step(
            gv.cross_entropy(forward(gv, inputs, *params), target).backward()
        )

    def torchs() -> Step:
        import torch
        from torch.nn import functional

        params = [torch.tensor(v, requires_grad=True) for v in (k1, k2, head)]
        inputs, target = torch.tensor(x), torch.tensor(y)
        optimizer = torch.optim.SGD(params, lr=0.01)

        def step() -> object:
            optimizer.zero_grad()
            functional.cross_entropy(
                forward(functional_with_torch, inputs, *params), target
            ).backward()
            return optimizer.step()

        class functional_with_torch:
            conv2d = staticmethod(functional.conv2d)
            relu = staticmethod(functional.relu)
            max_pool2d = staticmethod(functional.max_pool2d)
            linear = staticmethod(functional.linear)

        return step

    def mygrads() -> Step:
        import mygrad
        from mygrad.nnet.activations import relu
        from mygrad.nnet.layers import conv_nd, max_pool
        from mygrad.nnet.losses import softmax_crossentropy

        params = [mygrad.tensor(v) for v in (k1, k2, head)]

        def step() -> object:
            a, b, w = params
            h = max_pool(relu(conv_nd(x, a, stride=1)), (2, 2), 2)
            h = relu(conv_nd(h, b, stride=1))[:, :, :10, :10]  # its pool takes whole windows only
            h = max_pool(h, (2, 2), 2)
            scores = mygrad.matmul(h.reshape(len(x), -1), w.T)
            softmax_crossentropy(scores, y).backward()
            for at, param in enumerate(params):
                params[at] = mygrad.tensor(param.data - 0.01 * param.grad)
            return None

        return step

    return {"gradviz": ours(), "torch": torchs(), "mygrad": mygrads()}


# --- larger arrays -------------------------------------------------------------------------------
def expression(count: int) -> dict[str, Step]:
    """sum(tanh(x) * sigmoid(y) + exp(-x * x) / (1 + y * y)), forward and backward."""
    x, y = _arrays((count,), (count,))

    def ours() -> Step:
        import gradviz as gv

        a, b = gv.tensor(x, requires_grad=True), gv.tensor(y, requires_grad=True)
        return lambda: (
            (gv.tanh(a) * gv.sigmoid(b) + gv.exp(-a * a) / (1.0 + b * b)).sum().backward()
        )

    def torchs() -> Step:
        import torch

        a, b = torch.tensor(x, requires_grad=True), torch.tensor(y, requires_grad=True)

        def step() -> object:
            a.grad = b.grad = None
            return (
                (torch.tanh(a) * torch.sigmoid(b) + torch.exp(-a * a) / (1.0 + b * b))
                .sum()
                .backward()
            )

        return step

    return {"gradviz": ours(), "torch": torchs()}


def layer_norm(rows: int, columns: int) -> dict[str, Step]:
    """Layer norm with affine against the same composed of PyTorch's elementary operations."""
    (x,) = _arrays((rows, columns))
    weight, bias = np.ones(columns, np.float32), np.zeros(columns, np.float32)

    def ours() -> Step:
        import gradviz as gv

        a, w, b = (gv.tensor(v, requires_grad=True) for v in (x, weight, bias))
        return lambda: gv.layer_norm(a, (columns,), w, b).sum().backward()

    def torchs() -> Step:
        import torch

        a, w, b = (torch.tensor(v, requires_grad=True) for v in (x, weight, bias))

        def step() -> object:
            a.grad = w.grad = b.grad = None
            mean = a.mean(-1, keepdim=True)
            centred = a - mean
            var = (centred * centred).mean(-1, keepdim=True)
            return (centred / (var + 1e-5).sqrt() * w + b).sum().backward()

        return step

    return {"gradviz": ours(), "torch": torchs()}


def attention(batch: int, heads: int, width: int, length: int) -> dict[str, Step]:
    """Projections, scaled dot-product attention and an output projection."""
    size = heads * width
    x, *weights = _arrays((batch, length, size), *[(size, size)] * 4, scale=0.1)

    def block(x: Any, wq: Any, wk: Any, wv: Any, wo: Any, linear: Any, attend: Any) -> Any:
        def split(t: Any) -> Any:
            return t.reshape(batch, length, heads, width).transpose(1, 2)

        mixed = attend(split(linear(x, wq)), split(linear(x, wk)), split(linear(x, wv)))
        return linear(mixed.transpose(1, 2).reshape(batch, length, size), wo)

    def ours() -> Step:
        import gradviz as gv

        params = [gv.tensor(w, requires_grad=True) for w in weights]
        inputs = gv.tensor(x, requires_grad=True)
        return lambda: (
            block(inputs, *params, gv.linear, gv.scaled_dot_product_attention).sum().backward()
        )

    def torchs() -> Step:
        import torch
        from torch.nn import functional

        params = [torch.tensor(w, requires_grad=True) for w in weights]
        inputs = torch.tensor(x, requires_grad=True)

        def step() -> object:
            for tensor in (*params, inputs):
                tensor.grad = None
            out = block(inputs, *params, functional.linear, functional.scaled_dot_product_attention)
            return out.sum().backward()

        return step

    return {"gradviz": ours(), "torch": torchs()}
