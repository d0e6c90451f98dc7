"""Random numbers in a capture: recorded as draws, and drawn anew in every run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused
from tests.ir.programs import same_bits

DRAWS: dict[str, Callable[[Any], Any]] = {
    "rand": lambda x: x + gv.rand(4, 3),
    "randn": lambda x: x * gv.randn(3),
    "uniform": lambda x: x + gv.uniform(4, 3, low=-1.0, high=2.0),
    "normal": lambda x: x + gv.normal(4, 1, mean=5.0, std=0.5),
    "bernoulli": lambda x: x * gv.bernoulli(4, 3, p=0.3),
    "exponential": lambda x: x + gv.exponential(3, rate=2.0),
    "randint": lambda x: x + gv.randint(2, 9, (4, 3)),
    "rand_like": lambda x: x + gv.rand_like(x),
    "randn_like": lambda x: x + gv.randn_like(x),
    "one number": lambda x: x + gv.rand(()),
    "dropout": lambda x: gv.dropout(x, 0.5),
    "dropout of channels": lambda x: gv.dropout1d(x, 0.5) + gv.dropout2d(x[None], 0.5)[0],
    "dropout of volumes": lambda x: gv.dropout3d(x[..., None, None], 0.5)[..., 0, 0],
    "alpha dropout": lambda x: gv.alpha_dropout(x, 0.5, training=True),
    "rrelu": lambda x: gv.rrelu(x, training=True),
    "gumbel": lambda x: gv.gumbel_softmax(x, 0.7) + gv.gumbel_softmax(x, hard=True, dim=0),
    "with chances": lambda x: gv.bernoulli(gv.sigmoid(x)) + gv.bernoulli(x.square().clamp(max=1.0)),
    "with means": lambda x: gv.normal(x, 2.0) - gv.normal(0.5, x.exp()),
    "with both": lambda x: gv.normal(x, x[0].abs()),
    "two draws": lambda x: gv.rand_like(x) - gv.rand_like(x),
    "unused": lambda x: ((gv.rand(7)), x + gv.rand(3))[1],
    "attention": lambda x: gv.scaled_dot_product_attention(
        x[None], x[None], x[None], dropout_p=0.2
    ),
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_run_draws_what_eager_execution_draws(name: str) -> None:
    fn = DRAWS[name]
    x = np.random.default_rng(1).normal(size=(4, 3)).astype(np.float32)
    gv.manual_seed(0)
    captured = gv.capture(fn, gv.tensor(x))
    assert any(operation.op == "random" for operation in captured.operations)
    gv.manual_seed(7)
    eager = [fn(gv.tensor(x)) for _ in range(3)]
    for program in (captured, captured.optimized(), captured.compile()):
        gv.manual_seed(7)
        for expected in eager:
            assert same_bits(program.run(x), expected)
    assert not same_bits(eager[0], eager[1])
    read = gv.CapturedGraph.from_json(captured.to_json())
    gv.manual_seed(7)
    assert same_bits(read.run(x), eager[0])


def test_recording_draws_nothing() -> None:
    gv.manual_seed(3)
    expected = gv.rand(2).tolist()
    gv.manual_seed(3)
    gv.capture(DRAWS["two draws"], gv.spec((1000, 1000)))
    assert gv.rand(2).tolist() == expected


def test_dropout_of_a_layer_with_an_open_size() -> None:
    net = gv.nn.Sequential(gv.nn.Linear(3, 5), gv.nn.Dropout(0.4), gv.nn.ReLU())
    captured = gv.capture(net, gv.spec(("batch", 3)))
    for batch in (2, 6):
        x = np.random.default_rng(batch).normal(size=(batch, 3)).astype(np.float32)
        gv.manual_seed(batch)
        eager = net(gv.tensor(x))
        gv.manual_seed(batch)
        assert same_bits(captured.run(x), eager)
    quiet = gv.capture(net.eval(), gv.spec(("batch", 3)))
    assert "random" not in {operation.op for operation in quiet.operations}


def test_a_draw_has_no_value_to_read() -> None:
    with gv.capture_scope() as scope, gv.default_device(scope.device):
        for tensor in (gv.rand(2), gv.randint(3, (2,))):
            with pytest.raises(gv.GradvizError) as caught:
                tensor.numpy()
            assert caught.value.slug == "capture-value-unavailable"
    assert gv.rand(2, device="capture").numpy().shape == (2,)  # no scope, no recording


def test_what_can_not_be_recorded_is_refused_with_a_reason() -> None:
    for fn in (
        lambda x: x[gv.randperm(4)],
        lambda x: gv.multinomial(gv.tensor([0.5, 0.5], device="capture"), 1) + x,
    ):
        error = refused(lambda fn=fn: gv.capture(fn, gv.spec((4, 3))), "capture-value-unavailable")
        assert "the same in every run" in error.problem.reason
    refused(
        lambda: gv.capture(lambda x: gv.rand(2, requires_grad=True), gv.spec((2,))),
        "capture-tensors-do-not-support-autodiff",
    )
    refused(
        lambda: gv.capture(lambda x: gv.exponential(2, rate=-1.0), gv.spec((2,))),
        "invalid-argument",
    )


def test_seeding_is_not_recorded() -> None:
    def fn(x: gv.Tensor) -> gv.Tensor:
        gv.manual_seed(0)
        return x + gv.rand(3)

    refused(lambda: gv.capture(fn, gv.spec((3,))), "invalid-argument", "Seed before `run`")
    fn(gv.ones(3))  # in eager execution it is all right, and so it is in a dry run
    slugs = {problem.slug for problem in gv.check(fn, gv.spec((3,))).problems}
    assert "invalid-argument" not in slugs


def test_layers_made_inside_of_a_capture_are_constants() -> None:
    gv.manual_seed(0)
    captured = gv.capture(lambda x: gv.nn.Linear(3, 2)(x) + 0.0, gv.spec((4, 3)))
    assert "random" not in {operation.op for operation in captured.operations}
    gv.manual_seed(0)
    layer = gv.nn.Linear(3, 2)
    x = np.ones((4, 3), np.float32)
    assert same_bits(captured.run(x), layer(gv.tensor(x)) + 0.0)
    captured.graph.validate()


def test_gradients_of_a_program_with_dropout() -> None:
    captured = gv.capture(lambda x: gv.dropout(x, 0.5).sum(), gv.spec((100,)))
    gv.manual_seed(1)
    slope = captured.backward().run(np.ones(100, np.float32)).numpy()
    assert set(slope.tolist()) == {0.0, 2.0}
