"""Transformers beyond PyTorch's numbers in `layers_more.json`: names, masks, initial values."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused

TRUTHS = json.loads(Path(__file__).with_name("layers_more.json").read_text(encoding="utf-8"))
SQUARE = gv.nn.Transformer.generate_square_subsequent_mask


def tiny(**options):
    """A model with one layer on each side."""
    given = {"dim_feedforward": 6, "dropout": 0.0, "batch_first": True, **options}
    return gv.nn.Transformer(4, 2, 1, 1, **given)


def test_state_has_pytorch_s_names_in_pytorch_s_order():
    made = "Transformer(4, 2, 2, 1, 6, dropout=0.0)"
    names = [n for n in TRUTHS[f"{made} m(x, y)"]["grads"] if n not in ("x", "y")]
    model = gv.nn.Transformer(4, 2, 2, 1, 6, dropout=0.0)
    assert list(model.state_dict()) == names
    assert "decoder.layers.0.multihead_attn.in_proj_weight" in names


def test_state_can_be_saved_and_loaded(tmp_path):
    first, second = tiny(), tiny()
    x, y = gv.randn(2, 5, 4), gv.randn(2, 3, 4)
    assert not gv.allclose(first(x, y), second(x, y))
    first.save(tmp_path / "model")
    second.load(tmp_path / "model")
    np.testing.assert_array_equal(first(x, y).numpy(), second(x, y).numpy())


def test_the_causal_mask_is_what_is_causal_means():
    x, y = gv.randn(2, 4, 4), gv.randn(2, 4, 4)
    model, mask = tiny(), SQUARE(4)
    assert mask.dtype == gv.float32
    assert SQUARE(1, dtype="float64").dtype == gv.float64
    for side in ("src", "tgt", "memory"):
        masked = model(x, y, **{f"{side}_mask": mask})
        np.testing.assert_allclose(
            masked.numpy(), model(x, y, **{f"{side}_is_causal": True}).numpy(), rtol=1e-6, atol=1e-6
        )
        assert not gv.allclose(masked, model(x, y))
        # Beside a mask the hint changes nothing.
        free = {f"{side}_mask": gv.zeros(4, 4), f"{side}_is_causal": True}
        np.testing.assert_allclose(
            model(x, y, **free).numpy(), model(x, y).numpy(), rtol=1e-6, atol=1e-6
        )


def test_a_position_gets_no_gradient_from_earlier_ones():
    y = gv.randn(1, 4, 4, requires_grad=True)
    out = tiny()(gv.randn(1, 5, 4), y, tgt_mask=SQUARE(4))
    gradient = y.grad((out[0, 1] * gv.arange(4)).sum().backward()).numpy()
    assert np.abs(gradient[0, :2]).min() > 0 and not gradient[0, 2:].any()


@pytest.mark.parametrize("shape", [(0, 3, 4), (2, 0, 4)])
def test_nothing_is_decoded_to_nothing(shape):
    assert tiny()(gv.ones(shape[0], 5, 4), gv.ones(*shape)).shape == shape


def test_weights_are_drawn_as_glorot_has_it():
    gv.manual_seed(3)
    model = gv.nn.Transformer(32, 2, 1, 1, 64)
    for path, parameter in model.named_parameters():
        if parameter.ndim > 1:
            bound = math.sqrt(6.0 / sum(parameter.shape))
            largest = np.abs(parameter.numpy()).max()
            assert 0.98 * bound < largest <= bound * (1 + 1e-6), path


def test_dropout_only_in_training():
    model = tiny(dropout=0.5)
    x = gv.ones(2, 3, 4)
    assert not gv.allclose(model(x, x), model(x, x))
    model.eval()
    assert gv.allclose(model(x, x), model(x, x))


def test_a_decoder_s_layers_have_parameters_of_their_own():
    layer = gv.nn.TransformerDecoderLayer(4, 2, 6)
    decoder = gv.nn.TransformerDecoder(layer, 3)
    parameters = list(decoder.parameters())
    assert len({id(p) for p in parameters}) == len(parameters) == 3 * len(list(layer.parameters()))
    assert decoder.num_layers == 3
    assert (
        gv.nn.TransformerDecoder(layer, 0)(gv.ones(2, 4), gv.ones(3, 4)).tolist() == [[1] * 4] * 2
    )


def test_custom_parts_stand_where_they_are_put():
    class Summed(gv.nn.Module):
        def forward(self, tgt, memory, **options):
            return tgt + memory

    class Doubled(gv.nn.Module):
        def forward(self, src, **options):
            return src * 2.0

    model = tiny(custom_encoder=Doubled(), custom_decoder=Summed())
    assert model(gv.ones(1, 1, 4), gv.ones(1, 1, 4)).tolist() == [[[3.0] * 4]]
    assert list(model.parameters()) == []


@pytest.mark.parametrize("name", ["norm_first", "bias"])
def test_options_reach_both_sides(name):
    model = tiny(**{name: name == "norm_first"})
    for side in (model.encoder, model.decoder):
        if name == "bias":
            assert side.norm.bias is None and side.layers[0].linear1.bias is None
        else:
            assert side.layers[0].norm_first


@pytest.mark.parametrize(
    ("call", "slug", "words"),
    [
        (
            lambda: gv.nn.TransformerDecoderLayer(4, 2, activation="sin"),
            "invalid-argument",
            "TransformerDecoderLayer: activation is 'sin'",
        ),
        (
            lambda: gv.nn.TransformerDecoder(4, 2),
            "invalid-argument",
            "Give a `gv.nn.TransformerDecoderLayer`",
        ),
        (
            lambda: gv.nn.TransformerDecoder(gv.nn.Identity(), -1),
            "invalid-argument",
            "num_layers is -1",
        ),
        (lambda: gv.nn.Transformer(5, 2), "invalid-argument", "2 heads can't share 5 features"),
        (lambda: tiny()(gv.ones(2, 3, 4), gv.ones(3, 3, 4)), "shape-mismatch", "2 and 3 samples"),
        (
            lambda: tiny(batch_first=False)(gv.ones(2, 3, 4), gv.ones(2, 2, 4)),
            "shape-mismatch",
            "dimension 1, has 3 and 2 samples",
        ),
        (lambda: tiny()(gv.ones(2, 3, 4), gv.ones(2, 3, 5)), "shape-mismatch", "4 features"),
        (lambda: tiny()(gv.ones(2, 3, 4), gv.ones(3, 4)), "shape-mismatch", "or neither"),
        (
            lambda: gv.nn.TransformerDecoderLayer(4, 2, 6)(gv.ones(3, 4), gv.ones(3, 5)),
            "shape-mismatch",
            "Keys have 4 features",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(call, slug, words):
    refused(call, slug, words)
