"""The operation table: every row has samples and documentation, and contradictions are refused."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module

import pytest

import gradviz as gv
from gradviz.ops import infer
from gradviz.ops.spec import TableError, op, table
from gradviz.tensor.signatures import SIGNATURES

ROWS = list(table.values())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_row_has_samples(row):
    assert row.samples, f"give {row.name} samples, so that it is tested"
    for sample in row.samples:
        assert row.variadic or len(sample.inputs) == len(row.inputs)
        assert len(sample.attrs) == len(row.attrs)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_row_is_documented_in_one_sentence(row):
    assert row.doc[0].isupper() or not row.doc[0].isalpha() or row.doc.split()[0].islower()
    assert row.doc.endswith(".")
    assert "\n" not in row.doc


@pytest.mark.parametrize("name", sorted(SIGNATURES))
def test_public_function_is_documented(name):
    function = getattr(gv, SIGNATURES[name].name)
    text = inspect.getdoc(function)
    assert text is not None
    for part in ("Args:", "Raises:", "Example:"):
        assert part in text, f"{name} lacks {part}"
    for parameter in SIGNATURES[name].parameters:
        assert f"{parameter}:" in text, f"{name} doesn't explain {parameter}"
    example = text.partition("Example:")[2].strip().splitlines()
    assert not example[-1].lstrip().startswith(">>>"), f"{name} doesn't say what its example gives"


def test_every_signature_has_a_row():
    assert set(SIGNATURES) <= set(table)


def test_generated_files_are_up_to_date():
    done = subprocess.run(
        [sys.executable, "-m", "gradviz.tensor.generate", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_unknown_formula_parameter_is_refused():
    with pytest.raises(TableError, match="asks for"):
        op("unheard_of", "x", infer=infer.same, doc="No.", vjp={"x": lambda g, y: g * y})
    assert "unheard_of" not in table


def test_formula_for_unknown_input_is_refused():
    with pytest.raises(TableError, match="no input"):
        op("unheard_of", "x", infer=infer.same, doc="No.", vjp={"y": lambda g: g})
    assert "unheard_of" not in table


def test_second_row_of_a_name_is_refused():
    with pytest.raises(TableError, match="twice"):
        op("add", "lhs rhs", infer=infer.same, doc="No.")


def test_formulas_may_ask_for_what_they_are_promised():
    # A table of its own: the public one isn't touched.
    spec = import_module("gradviz.ops.spec")
    row = spec.op(
        "tried_for_a_moment",
        "x y?",
        infer=infer.same,
        doc="Tried.",
        attrs="size",
        extra_results="indices",
        vjp={"x": lambda g, x_shape, x_dtype, y, out, out_shape, indices, size, xp: g},
    )
    del table["tried_for_a_moment"]
    assert row.needs["x"][0] == "g"
    assert row.differentiable


def test_no_operation_takes_the_name_of_what_tensors_are():
    """`inner()` is the plain tensor, not a product; the like holds for all that isn't arithmetic."""
    methods = import_module("gradviz.tensor.methods")
    own = "autodiff backward detach device dtype from_inner grad grad_remove grad_replace inner item kind name ndim "
    own += (
        "numpy require_grad requirement retain_grad set_require_grad shape size to tolist verdict"
    )
    assert not set(own.split()) & {*methods.METHODS, *methods.COMPOSED}
    assert str(gv.ones(1, requires_grad=True).inner().kind) == "NdArray"
