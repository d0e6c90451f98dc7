"""Running a recording gives what eager computation gives, to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradviz as gv

A, B, C = (2, 3), (3, 4), (2, 3)

FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    "arithmetic": (lambda a, c: (a + c) * a / (c * c + 1.0) - 2.0 * a, (A, C)),
    "powers": (lambda a: a**2 + (a * a + 0.1) ** 0.5 + 2.0**a, (A,)),
    "elementary": (lambda a: a.exp().log1p() + a.sin() * a.cos() + a.tanh() + a.erf(), (A,)),
    "activations": (
        lambda a: gv.gelu(a) + gv.silu(a) + gv.softplus(a) + gv.elu(a) + a.sigmoid(),
        (A,),
    ),
    "softmax": (lambda a: gv.log_softmax(a, dim=-1) + gv.softmax(a, dim=0), (A,)),
    "matmul": (lambda a, b: a @ b, (A, B)),
    "linear": (lambda a, b: gv.linear(a, b.T, b[0]), (A, B)),
    "reductions": (
        lambda a: (a.sum(), a.mean(dim=0), a.std(), a.var(dim=1, keepdim=True), a.prod()),
        (A,),
    ),
    "extremes": (lambda a: (a.max(), a.amin(dim=1), a.max(dim=1)[0], a.argmin()), (A,)),
    "cumulative": (
        lambda a: a.cumsum(dim=0) + a.cumprod(dim=1) + a.logcumsumexp(dim=1),
        (A,),
    ),
    "shapes": (lambda a: a.reshape(3, 2).T.unsqueeze(0).expand(4, 2, 3).flatten(), (A,)),
    "indexing": (lambda a: (a[0], a[:, ::2], a[..., -1], a[None, 1:, [0, 2]]), (A,)),
    "masks": (lambda a: gv.where(a > 0.0, a, a * 0.1).masked_fill(a > 1.0, 1.0), (A,)),
    "joining": (lambda a, c: (gv.cat([a, c], dim=1), gv.stack([a, c]), a.repeat(2, 1)), (A, C)),
    "splitting": (lambda a: a.split(1, dim=1) + a.chunk(2, dim=0), (A,)),
    "sorting": (lambda a: (*a.sort(dim=1), *a.topk(2, dim=1)), (A,)),
    "gathering": (lambda a: a.gather(1, a.argsort(dim=1)) + a.flip(0).roll(1, 1), (A,)),
    "comparison": (lambda a, c: (a < c, (a == c).any(), (a >= c).all(dim=0), a.isfinite()), (A, C)),
    "casting": (lambda a: (a.long() + 1, a.double() / 3.0, a.bool(), a.half()), (A,)),
    "rounding": (
        lambda a: a.round() + a.floor() * a.ceil() - a.trunc() + a.sign() + a.frac(),
        (A,),
    ),
    "clamping": (lambda a, c: a.clamp(-0.5, 0.5) + gv.maximum(a, c) - gv.minimum(a, 0.0), (A, C)),
    "triangles": (lambda a: a.tril() + a.triu(1) + a.diagonal().sum(), (A,)),
    "layer norm": (lambda a, c: gv.layer_norm(a, (3,), c[0], c[1]), (A, C)),
    "norms": (lambda a: (gv.vector_norm(a, dim=1), a.norm(), gv.normalize(a, dim=1)), (A,)),
    "einsum": (lambda a, b: gv.einsum("ij,jk->ik", a, b), (A, B)),
    "losses": (lambda a, c: gv.mse_loss(a, c) + gv.l1_loss(a, c) + gv.huber_loss(a, c), (A, C)),
    "cross entropy": (lambda a: gv.cross_entropy(a, gv.tensor([0, 2])), (A,)),
    "convolution": (lambda x, w: gv.conv2d(x, w, padding=1).relu(), ((2, 3, 6, 6), (4, 3, 3, 3))),
    "pooling": (lambda x: (gv.max_pool2d(x, 2), gv.avg_pool2d(x, 3, stride=1)), ((2, 3, 6, 6),)),
    "attention": (
        lambda q, k, v: gv.scaled_dot_product_attention(q, k, v, is_causal=True),
        ((2, 4, 8),) * 3,
    ),
    "embedding": (lambda w: gv.embedding(gv.tensor([[0, 2], [1, 1]]), w), ((4, 3),)),
    "assignment": (lambda a: a.slice_assign((0, slice(1, None)), 5.0), (A,)),
    "creation": (
        lambda a: a + gv.zeros_like(a) + gv.arange(3.0) + gv.eye(2, 3) + gv.full((2, 1), 2.0),
        (A,),
    ),
}


def values(shapes: tuple[tuple[int, ...], ...]) -> list[np.ndarray]:
    generator = np.random.default_rng(11)
    return [generator.normal(size=shape).astype(np.float32) for shape in shapes]


def flat(result: Any) -> list[Any]:
    return list(result) if isinstance(result, tuple | list) else [result]


@pytest.mark.parametrize("tracked", [False, True], ids=["plain", "tracked"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_run_is_eager_to_the_last_bit(name: str, tracked: bool) -> None:
    fn, shapes = FUNCTIONS[name]
    arrays = values(shapes)
    examples = [gv.tensor(array, requires_grad=tracked) for array in arrays]
    captured = gv.capture(fn, *examples)
    eager = flat(fn(*examples))
    for _ in range(2):  # a run leaves the program as it is
        got = flat(captured.run(*arrays))
        assert len(got) == len(eager)
        for one, other in zip(got, eager, strict=True):
            assert one.dtype == other.dtype and one.shape == other.shape
            np.testing.assert_array_equal(one.numpy(), other.numpy(), strict=True)
    for recorded, other in zip(captured.outputs, eager, strict=True):
        assert (recorded.shape, recorded.dtype) == (other.shape, other.dtype.name)


def test_a_network_of_every_common_layer() -> None:
    gv.manual_seed(2)
    net = gv.nn.Sequential(
        gv.nn.Conv2d(1, 4, 3, padding=1),
        gv.nn.BatchNorm2d(4),
        gv.nn.ReLU(),
        gv.nn.MaxPool2d(2),
        gv.nn.Flatten(),
        gv.nn.Linear(36, 8),
        gv.nn.LayerNorm(8),
        gv.nn.GELU(),
        gv.nn.Linear(8, 3),
        gv.nn.Softmax(dim=-1),
    ).eval()
    (x,) = values(((5, 1, 6, 6),))
    captured = gv.capture(net, gv.spec(x.shape))
    np.testing.assert_array_equal(captured.run(x).numpy(), net(gv.tensor(x)).numpy())
