"""The text of a problem: exact where all is well, and never a second failure where it isn't."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gradviz.core.source import SourceSpan
from gradviz.errors.excerpt import excerpt
from gradviz.errors.printable import columns, printable
from gradviz.errors.problem import Fix, Problem, SourceEdit
from gradviz.errors.text import render

PROGRAM = """\
import gradviz as gv

weight = gv.tensor([1.0, 2.0])
loss = (weight * weight).sum()
grads = loss.backward()
"""


def span_of(path: Path, line: int, text: str) -> SourceSpan:
    source = path.read_text(encoding="utf-8").splitlines()[line - 1]
    col = source.index(text)
    return SourceSpan(str(path), line, col, line, col + len(text), text)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "train.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


@pytest.fixture
def problem(program: Path) -> Problem:
    return Problem(
        slug="requires-autodiff-tensor",
        severity="error",
        message="Requires autodiff tensor.",
        reason="`loss` is of kind NdArray, which records nothing.",
        facts=(("operation", "backward"), ("kind", "NdArray"), ("shape", "()")),
        advice="Create `weight` with requires_grad=True.",
        where=span_of(program, 5, "loss.backward()"),
        cause=span_of(program, 3, "gv.tensor([1.0, 2.0])"),
        fixes=(
            Fix(
                "Ask for the gradient of weight",
                "A leaf is marked where it is created.",
                (SourceEdit(str(program), 3, 29, 3, 29, "", ", requires_grad=True"),),
                verified=True,
            ),
        ),
    )


def test_the_whole_page(problem: Problem) -> None:
    assert (
        render(problem)
        == """\
Requires autodiff tensor.

  --> train.py:3:10
   |
 3 | weight = gv.tensor([1.0, 2.0])
   |          ^^^^^^^^^^^^^^^^^^^^^ because of this

  --> train.py:5:9
   |
 5 | grads = loss.backward()
   |         ^^^^^^^^^^^^^^^ fails here

  operation  backward
  kind       NdArray
  shape      ()

why: `loss` is of kind NdArray, which records nothing.

do:  Create `weight` with requires_grad=True.

fix 1: Ask for the gradient of weight (checked)
       A leaf is marked where it is created.
       import gradviz as gv
       \n\
     - weight = gv.tensor([1.0, 2.0])
     + weight = gv.tensor([1.0, 2.0], requires_grad=True)
       loss = (weight * weight).sum()
       grads = loss.backward()

slug: requires-autodiff-tensor; see gv.explain("requires-autodiff-tensor")""".replace(
            "       \n     -", "\n     -"
        )
    )


def test_one_place_is_shown_once(problem: Problem) -> None:
    text = render(replace(problem, cause=problem.where, fixes=()))
    assert text.count("-->") == 1 and "because of this" not in text
    warned = render(replace(problem, cause=None, severity="warning", fixes=()))
    assert "^ shows here" in warned and "fails here" not in warned
    assert "^ would fail here" in render(replace(problem, predicted=True, fixes=()))


def test_a_bare_problem_is_message_and_slug() -> None:
    text = render(
        Problem("shape-mismatch", "error", "add: shapes (2,) and (3,) don't fit together")
    )
    assert text == (
        "add: shapes (2,) and (3,) don't fit together\n\n"
        'slug: shape-mismatch; see gv.explain("shape-mismatch")'
    )


def test_colour_changes_nothing_but_colour(problem: Problem) -> None:
    coloured = render(problem, color=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == render(problem)


@pytest.mark.parametrize("width", [-1, 0, 40, 60, 100])
def test_prose_is_wrapped(problem: Problem, width: int) -> None:
    long = replace(problem, reason="word " * 100, advice="word " * 50, fixes=())
    lines = [line for line in render(long, width=width).splitlines() if "word" in line]
    assert len(lines) > 5 and max(map(len, lines)) <= max(width, 40)


def test_an_expression_over_several_lines(tmp_path: Path) -> None:
    path = tmp_path / "long.py"
    rows = [f"    part_{n} +" for n in range(12)]
    path.write_text("\n".join(["total = (", *rows, "    0)"]) + "\n")
    short = SourceSpan(str(path), 1, 8, 3, 12, "(\n    part_0 +\n    part_1 +")
    text = render(Problem("s", "error", "m", where=short))
    assert [line for line in text.splitlines() if "^" in line or "part" in line] == [
        "   |         ^",
        " 2 |     part_0 +",
        "   |     ^^^^^^^^",
        " 3 |     part_1 +",
        "   |     ^^^^^^^^ fails here",
    ]
    whole = SourceSpan(str(path), 1, 8, 14, 6, "")
    text = render(Problem("s", "error", "m", where=whole))
    assert [line for line in text.splitlines() if "|" in line or ":" in line][3:-1] == [
        "    |         ^",
        "  2 |     part_0 +",
        "    |     ^^^^^^^^",
        "  3 |     part_1 +",
        "    |     ^^^^^^^^",
        "    : ...",
        " 14 |     0)",
        "    |     ^^ fails here",
    ]


def test_wide_characters_and_tabs_keep_the_underline_in_place(tmp_path: Path) -> None:
    path = tmp_path / "wide.py"
    path.write_text('\tname = "重み" + boom()\n', encoding="utf-8")
    text = render(Problem("s", "error", "m", where=span_of(path, 1, "boom()")))
    source, underline = [line for line in text.splitlines() if "boom" in line or "^" in line]
    assert columns(source[: source.index("boom")]) == underline.index("^")
    assert underline.count("^") == len("boom()")


def test_a_long_line_is_cut_around_the_expression(tmp_path: Path) -> None:
    path = tmp_path / "wide.py"
    path.write_text("x = [" + "1, " * 5000 + "boom(), " + "2, " * 5000 + "]\n")
    where = span_of(path, 1, "boom()")
    text = render(Problem("s", "error", "m", where=where))
    source, underline = [line for line in text.splitlines() if "boom" in line or "^" in line]
    assert len(source) <= 88 and source.endswith(" ...")
    assert source[underline.index("^") :].startswith("boom()")


def test_a_file_that_is_gone_or_changed_shows_what_was_run(tmp_path: Path) -> None:
    gone = SourceSpan(str(tmp_path / "gone.py"), 7, 4, 7, 12, "x.grad()")
    text = render(Problem("s", "error", "m", where=gone))
    assert "gone.py:7:5" in text and "x.grad()" in text and "^^^^^^^^ fails here" in text
    changed = tmp_path / "changed.py"
    changed.write_text("nothing of the kind\n")
    text = render(Problem("s", "error", "m", where=replace(gone, filename=str(changed), line=1)))
    assert "x.grad()" in text and "nothing" not in text
    unknown = SourceSpan("<string>", 3, 0, 3, 5, "")
    text = render(Problem("s", "error", "m", where=unknown))
    assert "<string>:3:1" in text and "fails here" in text


def test_control_characters_are_escaped() -> None:
    nasty = "a\x1b[31mb\x00c\u202ed\r\ne\ud800\u2028"
    span = SourceSpan(f"f{nasty}.py", 1, 0, 1, 3, nasty)
    fix = Fix(nasty, nasty, ())
    text = render(
        Problem("s", "error", nasty, nasty, ((nasty, nasty),), nasty, span, span, (), fixes=(fix,))
    )
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e\u2028\ud800]", text)
    assert text.splitlines()[0] == r"a\x1b[31mb\x00c\u202ed\r\ne\ud800\u2028"
    text.encode("utf-8")


def test_giant_text_is_cut(problem: Problem) -> None:
    giant = "word " * 10**6
    facts = tuple((f"fact {n}", giant) for n in range(1000))
    fixes = tuple(Fix(giant, giant, ()) for _ in range(50))
    text = render(replace(problem, reason=giant, facts=facts, advice=giant, fixes=fixes))
    assert len(text) < 40_000 and "... and 976 more" in text
    long_message = render(replace(problem, message="x" * 10**6)).split("\n", 1)[0]
    assert len(long_message) < 5000


def test_a_fix_whose_text_was_changed_is_told_without_its_diff(problem: Problem) -> None:
    edit = SourceEdit("nowhere.py", 9, 0, 9, 4, "gone", "new")
    text = render(replace(problem, fixes=(Fix("Change it", "Because.", (edit,)),)))
    assert "fix 1: Change it (not checked)\n       Because.\n\nslug:" in text


def test_a_long_diff_is_cut(program: Path, problem: Problem) -> None:
    new = "\n".join(f"line_{n} = {n}" for n in range(40)) + "\n"
    edit = SourceEdit(str(program), 3, 0, 3, 0, "", new)
    text = render(replace(problem, fixes=(Fix("Insert", "", (edit,)),)))
    assert re.search(r"\n {7}\.\.\. \d+ more lines\n", text) and "line_39" not in text


class Hostile:
    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


@pytest.mark.parametrize(
    "field", ["slug", "message", "reason", "advice", "severity", "facts", "where", "cause", "fixes"]
)
@pytest.mark.parametrize("value", [Hostile(), None, 7, ("x",), ((),)])
def test_render_never_raises(problem: Problem, field: str, value: Any) -> None:
    changes: dict[str, Any] = {field: value}
    text = render(replace(problem, **changes))
    assert "slug:" in text.splitlines()[-1]
    if field != "message":
        assert text.splitlines()[0] == problem.message


@pytest.mark.parametrize(
    "numbers", [(0, 0, 0, 0), (-5, -5, -9, -9), (3, 99, 3, 1), (5, 3, 1, 0), (10**9, 0, 10**9, 5)]
)
def test_positions_outside_the_file_are_harmless(
    problem: Problem, program: Path, numbers: tuple[int, int, int, int]
) -> None:
    span = SourceSpan(str(program), *numbers, "loss")
    text = render(replace(problem, where=span))
    assert text.startswith(problem.message) and "train.py" in text


def test_the_working_folder_may_be_gone(
    problem: Problem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = tmp_path / "lost"
    lost.mkdir()
    monkeypatch.chdir(lost)
    lost.rmdir()
    assert "train.py:5:9" in render(problem)


def test_printable_keeps_ordinary_text_in_any_script() -> None:
    for text in ("Überprüfung", "重み", "\u2211 x\u00b2", "👩\u200d🔬", "e\u0301"):
        assert printable(text) == text
    assert printable("a\nb", keep_lines=True) == "a\nb"
    assert printable("x" * 50, limit=10) == "x" * 10 + " ..."
    assert printable(Hostile()) == "<unprintable Hostile>"
    assert columns("重み") == 4 and columns("e\u0301") == 1


@pytest.mark.parametrize("seed", range(40))
def test_any_stretch_of_any_line_is_underlined_within_the_width(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    pieces = ["a", "bc ", "\t", "重", "e\u0301", "\x1b", "(", "👩\u200d🔬", " " * 20, "x" * 60]
    path = tmp_path / "any.py"
    line = "".join(random.choice(pieces) for _ in range(random.randrange(1, 400)))
    path.write_text(line + "\n", encoding="utf-8")
    start = random.randrange(len(line))
    while columns(line[start]) == 0:
        start -= 1
    end = random.randrange(start, len(line)) + 1
    span = SourceSpan(str(path), 1, start, 1, end, line[start:end])
    width = random.randrange(40, 200)
    lines = excerpt(span, "", width)
    assert max(map(columns, lines[1:])) <= width
    source, underline = lines[2], lines[3]
    at = max(n for n in range(len(source)) if columns(source[:n]) == underline.index("^"))
    assert source[at] == ("\\" if line[start] == "\x1b" else line[start].replace("\t", " "))
