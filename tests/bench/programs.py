"""Small programs of lessons and notebooks beside PyTorch: `python -m tests.bench.programs [TEXT]`.

Where tensors are small, what counts is the way from one operation to the next, not the arithmetic. Each
program is a step of training, written once for both libraries: the names are the same.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402 - threads are settled before NumPy is loaded

from tests.bench.timing import medians  # noqa: E402

Step = Callable[[], object]


class Library:
    """What differs between the two."""

    def __init__(self, name: str) -> None:
        if name == "gradviz":
            import gradviz as gv

            self.root: Any = gv
            self.functions: Any = gv
        else:
            import torch
            from torch.nn import functional

            torch.set_num_threads(1)
            self.root, self.functions = torch, functional
        self.is_ours = name == "gradviz"
        self.nn = self.root.nn
        self._rng = np.random.default_rng(0)

    def normal(self, *shape: int) -> Any:
        """Numbers around 0, float32."""
        return self.root.tensor((self._rng.standard_normal(shape) * 0.2).astype(np.float32))

    def whole(self, most: int, *shape: int) -> Any:
        """Whole numbers below `most`."""
        return self.root.tensor(self._rng.integers(0, most, shape))

    def trained(self, loss: Callable[[], Any], *modules: Any) -> Step:
        """A step of Adam on the parameters of modules."""
        parameters = [parameter for module in modules for parameter in module.parameters()]
        optimizer = self.root.optim.Adam(parameters, lr=1e-3)
        if self.is_ours:
            return lambda: optimizer.step(loss().backward())

        def step() -> object:
            optimizer.zero_grad()
            loss().backward()
            return optimizer.step()

        return step


def classifier(lib: Library) -> Step:
    """Two classes of 100 points, two layers of 16."""
    nn = lib.nn
    layers = nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1)
    net = nn.Sequential(*layers)
    x, y = lib.normal(100, 2), (lib.normal(100, 1) > 0).float()
    loss = lib.functions.binary_cross_entropy_with_logits
    return lib.trained(lambda: loss(net(x), y), net)


def characters(lib: Library) -> Step:
    """A GRU that guesses the next of 30 characters, 8 texts of 20."""
    nn = lib.nn
    embedding, layer, head = (
        nn.Embedding(30, 24),
        nn.GRU(24, 32, batch_first=True),
        nn.Linear(32, 30),
    )
    x, y = lib.whole(30, 8, 20), lib.whole(30, 160)

    def loss() -> Any:
        states, _ = layer(embedding(x))
        return lib.functions.cross_entropy(head(states).reshape(160, 30), y)

    return lib.trained(loss, embedding, layer, head)


def steps(lib: Library) -> Step:
    """An LSTM cell in a loop of 30."""
    cell = lib.nn.LSTMCell(8, 16)
    xs = [lib.normal(4, 8) for _ in range(30)]

    def loss() -> Any:
        h = c = lib.root.zeros(4, 16)
        for x in xs:
            h, c = cell(x, (h, c))
        return (h * h).mean()

    return lib.trained(loss, cell)


def transformer(lib: Library) -> Step:
    """Two blocks of width 64 with four heads, 4 texts of 32."""
    nn, functions = lib.nn, lib.functions
    batch, length, width, heads, words = 4, 32, 64, 4, 65

    def split(part: Any) -> Any:
        return part.view(batch, length, heads, width // heads).transpose(1, 2)

    def block() -> tuple[Any, Callable[[Any], Any]]:
        first, second = nn.LayerNorm(width), nn.LayerNorm(width)
        qkv, out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        wide, narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(x: Any) -> Any:
            q, k, v = qkv(first(x)).split(width, dim=2)
            seen = functions.scaled_dot_product_attention(
                split(q), split(k), split(v), is_causal=True
            )
            x = x + out(seen.transpose(1, 2).reshape(batch, length, width))
            return x + narrow(functions.gelu(wide(second(x))))

        return nn.ModuleList([first, second, qkv, out, wide, narrow]), forward

    blocks = [block(), block()]
    tokens, places = nn.Embedding(words, width), nn.Embedding(length, width)
    last, head = nn.LayerNorm(width), nn.Linear(width, words)
    x, y = lib.whole(words, batch, length), lib.whole(words, batch * length)

    def loss() -> Any:
        h = tokens(x) + places(lib.root.arange(length))
        for _, forward in blocks:
            h = forward(h)
        return functions.cross_entropy(head(last(h)).view(batch * length, words), y)

    return lib.trained(loss, *[held for held, _ in blocks], tokens, places, last, head)


def images(lib: Library) -> Step:
    """Two convolutions with batch norm on 8 images of 16 by 16."""
    nn = lib.nn
    net = nn.Sequential(
        *(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU()),
        *(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10)),
    )
    x, y = lib.normal(8, 1, 16, 16), lib.whole(10, 8)
    return lib.trained(lambda: lib.functions.cross_entropy(net(x), y), net)


def autoencoder(lib: Library) -> Step:
    """A variational autoencoder, 20 numbers to 8 and back."""
    encode, decode = lib.nn.Linear(20, 16), lib.nn.Linear(8, 20)
    x = lib.normal(10, 20)

    def loss() -> Any:
        mean, log_var = encode(x).chunk(2, dim=1)
        code = mean + lib.root.randn_like(mean) * (0.5 * log_var).exp()
        away = ((decode(code) - x) ** 2).sum()
        return away - 0.5 * (1 + log_var - mean**2 - log_var.exp()).sum()

    return lib.trained(loss, encode, decode)


def policy(lib: Library) -> Step:
    """Twenty decisions one by one, and the gradient of their sum."""
    nn = lib.nn
    net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
    seen, rewards = [lib.normal(4) for _ in range(20)], lib.normal(20)

    def loss() -> Any:
        chosen = [lib.functions.log_softmax(net(x), -1)[at % 2] for at, x in enumerate(seen)]
        return -(lib.root.stack(chosen) * rewards).sum()

    return lib.trained(loss, net)


PROGRAMS = (classifier, characters, steps, transformer, images, autoencoder, policy)


def main() -> None:
    """Prints a line for each program."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    libraries = {name: Library(name) for name in ("gradviz", "torch")}
    for program in PROGRAMS:
        if wanted not in program.__name__:
            continue
        made = {name: program(lib) for name, lib in libraries.items()}
        gc.collect()
        gc.freeze()
        found = medians(made, rounds=25, steps=5)
        ratio = found["gradviz"] / found["torch"]
        doc = (program.__doc__ or "").rstrip(".")
        print(f"  {doc:68s} {found['gradviz'] * 1e3:7.2f} ms  {ratio:5.2f} x PyTorch", flush=True)


if __name__ == "__main__":
    main()
