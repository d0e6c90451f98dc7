"""What a compiled program costs beside eager execution and beside NumPy written by hand.

`python -m tests.bench.replay`. The figures to reach are a third off eager execution on an
elementwise function of a million numbers, and at most 5% above NumPy on the forward pass of a
network of three layers.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import gradviz as gv
from tests.bench.timing import ratios

NUMBERS = 1_000_000
SPEEDUP, NETWORK = 1.5, 1.05


def elementwise(x: gv.Tensor, y: gv.Tensor) -> gv.Tensor:
    return (x.tanh() * y.sigmoid() + (-x * x).exp() / (1.0 + y * y)).sum()


def measure_elementwise(rounds: int = 25, numbers: int = NUMBERS) -> dict[str, float]:
    """Ratios to eager execution."""
    generator = np.random.default_rng(0)
    x, y = (gv.tensor(generator.normal(size=numbers).astype(np.float32)) for _ in range(2))
    captured = gv.capture(elementwise, x, y)
    compiled = captured.compile()
    assert captured.run(x, y).item() == elementwise(x, y).item()
    return ratios(
        {
            "eager": lambda: elementwise(x, y),
            "captured.run": lambda: captured.run(x, y),
            "compiled.run": lambda: compiled.run(x, y),
        },
        "eager",
        rounds,
    )


def network(batch: int = 64) -> dict[str, Callable[[], object]]:
    """The forward pass of an MLP, by hand and by plans."""
    gv.manual_seed(0)
    net = gv.nn.Sequential(
        gv.nn.Linear(784, 256),
        gv.nn.ReLU(),
        gv.nn.Linear(256, 128),
        gv.nn.ReLU(),
        gv.nn.Linear(128, 10),
    ).eval()
    w1, b1, w2, b2, w3, b3 = (parameter.numpy() for parameter in net.parameters())
    x = np.random.default_rng(1).normal(size=(batch, 784)).astype(np.float32)

    def by_hand() -> object:
        h = np.maximum(x @ w1.T + b1, 0.0)
        h = np.maximum(h @ w2.T + b2, 0.0)
        return h @ w3.T + b3

    plain = gv.tensor(x)
    captured = gv.capture(net, gv.spec(("batch", 784)))
    compiled = captured.compile(batch=batch)
    assert captured.run(x).numpy().tobytes() == net(plain).numpy().tobytes()
    with gv.no_grad():
        return {
            "numpy": by_hand,
            "captured.run": lambda: captured.run(x),
            "compiled.run": lambda: compiled.run(x),
            "eager": lambda: net(plain),
        }


def measure_network(rounds: int = 150) -> dict[str, float]:
    """Ratios to NumPy written by hand."""
    return ratios(network(), "numpy", rounds)


if __name__ == "__main__":
    for name, ratio in measure_elementwise().items():
        print(f"elementwise, {name:14} {ratio:6.3f} x eager")
    for name, ratio in measure_network().items():
        print(f"network,     {name:14} {ratio:6.3f} x NumPy by hand")
    print(f"to reach: {1 / SPEEDUP:.3f} x eager, {NETWORK} x NumPy by hand")
