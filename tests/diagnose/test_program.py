"""Source as a tree, and edits of it: columns in characters, expressions over lines, decorators."""

from __future__ import annotations

import ast

import pytest

from gradviz.core.source import SourceSpan
from gradviz.diagnose.program import Program, called_name
from gradviz.diagnose.search import _whole_edit
from gradviz.errors.problem import Fix, SourceEdit


def program(text: str) -> Program:
    return Program("cell.py", text)


def after(text: str, *edits: SourceEdit) -> str:
    return Fix("", "", edits).apply_to(text)


def call(p: Program, name: str) -> ast.Call:
    return p.calls(name)[0]


# --- finding -----------------------------------------------------------------------------------
def test_positions_count_characters_not_bytes() -> None:
    p = program("größe = 'äöü'; y = größe.detach()")
    node = call(p, "detach")
    assert p.position(node) == (1, 19, 1, 33)
    assert p.source(node) == "größe.detach()"
    span = p.span(node)
    assert (span.line, span.col, span.end_col, span.text) == (1, 19, 33, "größe.detach()")
    assert p.at(span) is node


def test_emoji_and_combining_characters() -> None:
    text = 's = "🦊é"; loss = f(s).inner()'
    p = program(text)
    node = call(p, "inner")
    assert after(text, p.delete_between(node.func.value, node)) == 's = "🦊é"; loss = f(s)'


def test_at_finds_the_exact_expression_or_the_smallest_around() -> None:
    p = program("y = (a + b) * c\n")
    assert ast.unparse(p.at(SourceSpan("cell.py", 1, 5, 1, 10, "a + b"))) == "a + b"
    assert ast.unparse(p.at(SourceSpan("cell.py", 1, 7, 1, 8, "+"))) == "a + b"
    assert p.at(SourceSpan("other.py", 1, 5, 1, 10, "a + b")) is None
    assert p.at(SourceSpan("cell.py", 9, 0, 9, 1, "")) is None
    assert p.at(None) is None


def test_what_is_around_a_node() -> None:
    p = program("class A:\n    def f(self):\n        with g():\n            return h(1)\n")
    node = call(p, "h")
    assert isinstance(p.statement(node), ast.Return)
    assert p.within(node, ast.With) and p.within(node, ast.FunctionDef).name == "f"
    assert p.within(node, ast.For) is None
    kinds = [type(item).__name__ for item in p.ancestors(node)]
    assert kinds == ["Return", "With", "FunctionDef", "ClassDef", "Module"]


def test_calls_and_assignments_come_in_source_order() -> None:
    p = program("x = a.f()\ny = f(b)\nx = b.f().f()\nz: int = 3\n")
    assert [(c.lineno, c.col_offset) for c in p.calls("f")] == [(1, 4), (2, 4), (3, 4), (3, 4)]
    assert [c.lineno for c in p.method_calls("f")] == [1, 3, 3]
    assert [s.lineno for s in p.assignments("x")] == [1, 3]
    assert [called_name(c) for c in p.calls("f")] == ["f"] * 4
    assert called_name(ast.parse("f[0](x)").body[0].value) == ""


@pytest.mark.parametrize("text", ["def f(:\n", "x = '\0'\n", "(" * 500 + ")" * 500])
def test_what_cannot_be_parsed_is_no_program(text: str, tmp_path) -> None:
    path = tmp_path / "broken.py"
    path.write_text(text)
    assert Program.of(str(path)) is None
    assert Program.of(str(tmp_path / "missing.py")) is None


# --- editing -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = x.detach()", "y = x"),
        ("y = (a + b).detach() * 2", "y = (a + b) * 2"),
        ("y = ((a + b)).detach()", "y = ((a + b))"),
        ("y = f(x).detach().sum()", "y = f(x).sum()"),
        ("y = (\n    a\n    + b\n).detach()\n", "y = (\n    a\n    + b\n)\n"),
        ("y = (\n    x  # kept\n    .detach()\n)\n", "y = (\n    x\n)\n"),
        ("ü = ä.detach()", "ü = ä"),
    ],
)
def test_taking_a_method_call_away(text: str, expected: str) -> None:
    p = program(text)
    node = call(p, "detach")
    assert after(text, p.delete_between(node.func.value, node)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x.mark()", "x.lift().mark()"),
        ("(a * b).mark()", "(a * b).lift().mark()"),
        ("f(\n    a,\n    b\n).mark()", "f(\n    a,\n    b\n).lift().mark()"),
    ],
)
def test_putting_a_method_call_in(text: str, expected: str) -> None:
    p = program(text)
    node = call(p, "mark")
    assert after(text, p.insert_after(node.func.value, ".lift()", inside=node)) == expected
    ast.parse(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("t(1)", "t(1, grad=True)"),
        ("t()", "t(grad=True)"),
        ("t(1, grad=False)", "t(1, grad=True)"),
        ("t((a + b))", "t((a + b), grad=True)"),
        ("t((1, 2))", "t((1, 2), grad=True)"),
        ("t([1,\n   2],\n  device=d)", "t([1,\n   2],\n  device=d, grad=True)"),
        ("t(\n    1,\n)", "t(\n    1, grad=True,\n)"),
        ('t("ß", dtype="f")', 't("ß", dtype="f", grad=True)'),
        ("t(*parts)", "t(*parts, grad=True)"),
    ],
)
def test_keyword_arguments(text: str, expected: str) -> None:
    p = program(text)
    assert after(text, p.keyword(call(p, "t"), "grad", "True")) == expected
    ast.parse(expected)


def test_deleting_statements() -> None:
    text = "a = 1\nif a:\n    b = 2\nc = (\n    3\n)\nd = 4"
    p = program(text)
    first, branch, third, last = p.tree.body
    assert after(text, p.delete(first)) == "if a:\n    b = 2\nc = (\n    3\n)\nd = 4"
    assert after(text, p.delete(branch.body[0])) == "a = 1\nif a:\n    pass\nc = (\n    3\n)\nd = 4"
    assert after(text, p.delete(third)) == "a = 1\nif a:\n    b = 2\nd = 4"
    assert after(text, p.delete(last)) == "a = 1\nif a:\n    b = 2\nc = (\n    3\n)\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("with q():\n    a = 1\n    b = 2\nc = 3\n", "a = 1\nb = 2\nc = 3\n"),
        ("if x:\n  with q():\n    a = 1\n", "if x:\n  a = 1\n"),
        ("with q():\n    a = (1,\n        2)\n", "a = (1,\n    2)\n"),
        ("with q(): a = 1\n", "a = 1\n"),
        ("with q():\n\n    # says why\n    a = 1\n", "a = 1\n"),
        (
            "with q():\n    if a:\n        b = 1\n    else:\n        b = 2\n",
            "if a:\n    b = 1\nelse:\n    b = 2\n",
        ),
    ],
)
def test_dissolving_a_block(text: str, expected: str) -> None:
    p = program(text)
    block = next(node for node in ast.walk(p.tree) if isinstance(node, ast.With))
    got = after(text, p.dedented(block))
    assert got == expected
    ast.parse(got)


def test_replacing_over_lines() -> None:
    text = "y = f(\n    größe,  # ä\n    2,\n)\n"
    p = program(text)
    assert after(text, p.replace(call(p, "f"), "g()")) == "y = g()\n"
    assert p.between(1, 4, 4, 1) == text[4:-1]


def test_decorators_are_expressions_like_others() -> None:
    text = "@gv.no_grad()\ndef f(x):\n    return x.detach()\n"
    p = program(text)
    assert p.source(p.at(p.span(call(p, "no_grad")))) == "gv.no_grad()"
    assert after(text, p.replace(call(p, "no_grad"), "gv.enable_grad()")).startswith(
        "@gv.enable_grad()\n"
    )


# --- edits land in the text they were made for, or nowhere ---------------------------------------
def test_an_edit_of_changed_source_is_refused() -> None:
    text = "y = x.detach()\n"
    p = program(text)
    node = call(p, "detach")
    fix = Fix("", "", (p.delete_between(node.func.value, node),))
    for changed in ("\ny = x.detach()\n", "", "y = x.detac()\n", "yy = x.detach()\n"):
        with pytest.raises(ValueError, match=r"line|run"):
            fix.apply_to(changed)
    assert fix.apply_to("y = x.detach()  # and more\n") == "y = x  # and more\n"


def test_several_edits_land_together() -> None:
    text = "a = t(1)\nb = t(2); c = t(3)\n"
    p = program(text)
    edits = [p.keyword(node, "g", "1") for node in p.calls("t")]
    assert after(text, *edits) == "a = t(1, g=1)\nb = t(2, g=1); c = t(3, g=1)\n"
    assert after(text, *edits[::-1]) == after(text, *edits)


@pytest.mark.parametrize(
    ("before", "later"),
    [
        ("a\nb\nc", "a\nB\nc"),
        ("a\nb\nc", "a\nc"),
        ("a\nb\nc", "a\nb\nb2\nc"),
        ("a", "b"),
        ("a\nb", "x\na\nb"),
        ("a\nb\n", "a\nb\nc\n"),
        ("ä\nb\nb\nb", "ä\nb"),
    ],
)
def test_one_edit_for_two_texts(before: str, later: str) -> None:
    edit = _whole_edit(program(before), later)
    assert after(before, edit) == later
