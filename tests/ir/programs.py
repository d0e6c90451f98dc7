"""Programs that tests of the recorded form share."""

from __future__ import annotations

from typing import Any

import numpy as np

import gradviz as gv


def network() -> tuple[gv.CapturedGraph, list[np.ndarray[Any, Any]]]:
    """A program with scopes, parameters, several results, slices, masks and an absent input."""
    gv.manual_seed(3)
    body = gv.nn.Sequential(gv.nn.Linear(6, 4, bias=False), gv.nn.GELU(), gv.nn.LayerNorm(4))

    def forward(x: gv.Tensor, mask: gv.Tensor) -> Any:
        with gv.scope("encoder"):
            hidden = body(x[:, 1:7])
        values, indices = hidden.sort(dim=-1)
        top = gv.where(mask, values, -1.5).clamp(max=float("inf"))
        picked = hidden[gv.tensor([0, 2]).numpy()]
        return top, indices, picked.mean(), gv.cat([x, x], dim=1)

    captured = gv.capture(forward, gv.spec((3, 8)), gv.spec((3, 4), "bool"))
    generator = np.random.default_rng(4)
    x = generator.normal(size=(3, 8)).astype(np.float32)
    return captured, [x, generator.random((3, 4)) < 0.5]


def same_bits(one: Any, other: Any) -> bool:
    """Whether two results (a tensor or a tuple) are equal to the last bit."""
    left = one if isinstance(one, tuple) else (one,)
    right = other if isinstance(other, tuple) else (other,)
    return len(left) == len(right) and all(
        a.shape == b.shape and a.dtype == b.dtype and a.numpy().tobytes() == b.numpy().tobytes()
        for a, b in zip(left, right, strict=True)
    )
