"""Formulas as written and as mathematics: every row's, and a few known ones to the letter."""

from __future__ import annotations

import ast
import html
import re

import pytest

import gradviz  # noqa: F401 - fills the table
from gradviz.ops.mathematics import formula_of
from gradviz.ops.mathml import TAGS, Element, markup
from gradviz.ops.spec import table
from gradviz.ops.written import written

FORMULAS = [(row.name, name) for row in table.values() for name in row.vjp]


def elements(element: Element) -> list[Element]:
    return [element, *(found for child in element.children for found in elements(child))]


def test_every_formula_is_found_as_written() -> None:
    for name, slot in FORMULAS:
        formula = table[name].vjp[slot]
        how = written(formula)
        assert how is not None, (name, slot)
        ast.parse(f"({how.text}\n)" if isinstance(how.tree, ast.expr) else how.text)
        if formula.__name__ != "<lambda>":
            assert how.text.startswith(f"def {formula.__name__}(")


def test_lambdas_on_one_line_are_told_apart() -> None:
    first, second = (lambda g, x: g * x), (lambda g, x: g / x)
    assert [written(first).text, written(second).text] == ["g * x", "g / x"]


def test_what_has_no_source_has_no_text() -> None:
    scope: dict[str, object] = {}
    exec("formula = lambda g: g", scope)  # such code has no source to be found
    assert written(scope["formula"]) is None and written(len) is None
    assert formula_of(scope["formula"], "x") is None


def test_nearly_every_formula_is_typeset() -> None:
    missing = [
        (name, slot) for name, slot in FORMULAS if formula_of(table[name].vjp[slot], slot) is None
    ]
    assert len(missing) <= 3, missing


def test_the_usual_case_comes_before_the_special_ones() -> None:
    made = formula_of(table["linear"].vjp["weight"], "weight")
    assert made is not None
    rows = [" ".join(part.text for part in elements(row)) for row in made.children[0].children]
    assert "if" not in rows[0] + rows[1] and "if" in rows[2]


def test_elements_are_well_formed() -> None:
    for name, slot in FORMULAS:
        made = formula_of(table[name].vjp[slot], slot)
        for element in elements(made) if made is not None else []:
            assert element.tag in TAGS
            assert not (element.text and element.children)
            wanted = {"mfrac": 2, "msup": 2, "msub": 2, "munder": 2, "msqrt": 1}.get(element.tag)
            assert wanted is None or len(element.children) == wanted, (name, slot, element.tag)


def said(name: str, slot: str) -> str:
    """What is left of the mathematics without its markup."""
    text = re.sub(r"<[^>]*>", "", markup(formula_of(table[name].vjp[slot], slot)))
    return html.unescape(text).replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("name", "slot", "text"),
    [
        ("mul", "lhs", "∂L∂lhs=∂L∂out·rhs"),
        ("tanh", "x", "∂L∂x=∂L∂out·(1-out2)"),
        ("div", "rhs", "∂L∂rhs=-∂L∂out·lhsrhs2"),
        ("erf", "x", "∂L∂x=∂L∂out·2π·e-x2"),
        ("sub", "rhs", "∂L∂rhs=-∂L∂out"),
        # A helper is put in where it is called.
        ("maximum", "lhs", "∂L∂lhs={∂L∂out·0.5if lhs=rhs∂L∂outif lhs>rhs0otherwise"),
    ],
)
def test_known_formulas(name: str, slot: str, text: str) -> None:
    assert said(name, slot) == text


def test_markup_escapes() -> None:
    assert markup(Element("mi", "<script>&")) == "<mi>&lt;script&gt;&amp;</mi>"


def test_no_code_of_shapes_is_left_in_formulas() -> None:
    text = said("linear", "x")
    assert "*g.shape" not in text and "(shape(∂L∂out),1)" in text
