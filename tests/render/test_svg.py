"""Pictures: well-formed, inert, self-contained, and honest errors where they can't be made."""

from __future__ import annotations

import stat
import subprocess
import time
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import gradviz as gv
from gradviz.errors import GradvizError
from gradviz.graph.fold import fold
from gradviz.graph.graph import Graph, GraphGroup
from gradviz.render import program, svg
from gradviz.render.boxes import boxes_of
from gradviz.render.layout import place
from gradviz.render.measure import fit, text_width
from gradviz.render.svg import to_png, to_svg
from gradviz.render.words import without_modules
from tests.asserting import refused
from tests.render import samples

# Made by the tests that draw them, not when tests are collected.
SAMPLES: dict[str, Callable[[], Graph]] = {
    "classifier": samples.classifier,
    "classifier consumed": lambda: samples.classifier(consumed=True),
    "broken": samples.broken,
    "hostile": samples.hostile,
    "recurrent": lambda: samples.recurrent(5),
    "recurrent grouped": lambda: samples.recurrent(3000, grouped=True),
    "residual": samples.residual,
    "one operation": lambda: samples.chain(1),
    "chain": lambda: samples.chain(100_000),
    "nothing": lambda: Graph((), (), (), ()),
}
ALLOWED = {"svg", "title", "desc", "g", "rect", "path", "circle", "text", "tspan"}


def elements(text: str) -> list[ET.Element]:
    return list(ET.fromstring(text).iter())


def words(text: str) -> str:
    return "\n".join(
        "".join(found.itertext()) for found in elements(text) if found.tag.endswith("text")
    )


@pytest.mark.parametrize("make", SAMPLES.values(), ids=SAMPLES)
@pytest.mark.parametrize("theme", ["auto", "dark"])
def test_well_formed_and_inert(make: Callable[[], Graph], theme: str) -> None:
    text = to_svg(make(), theme=theme)
    for found in elements(text):
        assert found.tag.removeprefix("{http://www.w3.org/2000/svg}") in ALLOWED
        for name, value in found.attrib.items():
            assert not name.startswith("on")
            assert "href" not in name
            assert "url(" not in value
    assert len(text) < 300_000
    root = ET.fromstring(text)
    assert root.get("viewBox")
    assert "max-width:100%" in root.get("style", "")


def test_says_what_is_there() -> None:
    text = words(to_svg(samples.classifier(consumed=True)))
    for wanted in (
        "hidden",
        "relu",
        "cross_entropy",
        "(32, 10) \u00b7 float32",
        "consumed",
        "root",
        "Nd",
    ):
        assert wanted in text
    assert "0: Linear(64, 32)" in text


def test_problems_have_words_and_numbers() -> None:
    text = words(to_svg(samples.broken()))
    assert "No tracked tensor feeds this root" in text
    assert "detach" in text
    assert "\u00d72" in text
    assert "cut: the gradient ends here" in text


def test_only_auto_paints_a_sheet() -> None:
    assert 'fill="#ffffff" stroke="#dfe2e8"' in to_svg(samples.chain(2))
    assert 'fill="#ffffff" stroke="#dfe2e8"' not in to_svg(samples.chain(2), theme="light")


def test_legend_can_be_left_out() -> None:
    assert "tracked leaf" in words(to_svg(samples.broken()))
    assert "tracked leaf" not in words(to_svg(samples.broken(), legend_shown=False))


def test_boxes_do_not_overlap_and_chips_stand_beside_their_box() -> None:
    folded = fold(samples.recurrent(5))
    boxes = boxes_of(folded)
    placed = place(folded, boxes, "test")
    spans = []
    for id, (x, y) in placed.boxes.items():
        spans.append((x, y, x + boxes[id].width, y + boxes[id].height))
    for at, (left, top, right, bottom) in enumerate(spans):
        for other in spans[at + 1 :]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
    assert len(placed.routes) == len(folded.links)
    for link in folded.links:
        if link.source.startswith("c:"):
            chip, box = placed.boxes[link.source], placed.boxes[link.target]
            assert box[1] - 30 < chip[1] < box[1] + 60


def test_frames_nest_but_not_for_ever() -> None:
    groups = tuple(
        GraphGroup(f"g{at}", f"level {at}", "scope", f"g{at - 1}" if at else None)
        for at in range(60)
    )
    nodes = tuple(samples.node(at, "op", group="g59" if at > 2 else "g0") for at in range(6))
    edges = tuple(samples.edge(at - 1, at) for at in range(1, 6))
    text = to_svg(Graph(nodes, edges, groups, (5,)))
    assert "level 0" in text
    assert text.count("scope: level") == 8


def test_folded_quickly() -> None:
    graph = samples.chain(100_000)
    start = time.perf_counter()
    to_svg(graph)
    assert time.perf_counter() - start < 4


def test_texts_fit_their_width() -> None:
    assert fit("short", 100, 10) == "short"
    cut = fit("m" * 10_000, 100, 10)
    assert cut.endswith("\u2026")
    assert text_width(cut, 10) <= 100
    assert fit("a\nb", 100, 10) == "a\\nb"


def test_png() -> None:
    assert to_png(samples.broken()).startswith(b"\x89PNG")


def test_a_png_says_which_signs_it_cannot_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(svg, "run", lambda *_: b"picture")
    graph = replace(
        samples.broken(),
        nodes=tuple(replace(n, name="\u4f60 \u03b1") for n in samples.broken().nodes),
    )
    monkeypatch.setattr(svg, "require", lambda _: program.Program("graphviz-pure", False))
    with pytest.warns(UserWarning, match="lack \u4f60, which"):
        assert to_png(graph) == b"picture"
    monkeypatch.setattr(svg, "require", lambda _: program.Program("dot", True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        to_png(graph)  # the system's program finds other fonts
        monkeypatch.setattr(svg, "require", lambda _: program.Program("graphviz-pure", False))
        to_png(samples.broken())


def test_no_graphviz(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "find", lambda: None)
    for write in (to_svg, to_png):
        refused(partial(write, samples.broken()), "missing-extra", builtin=ImportError)


def script(tmp_path: Path, body: str) -> program.Program:
    path = tmp_path / "dot"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return program.Program(str(path), True)


def test_a_failing_program_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = script(tmp_path, "cat > /dev/null; echo 'out of luck' >&2; exit 3")
    monkeypatch.setattr(program, "find", lambda: broken)
    with pytest.raises(GradvizError, match="Graphviz failed: out of luck"):
        to_svg(samples.broken())


def test_a_slow_program_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = script(tmp_path, "exec sleep 20")
    monkeypatch.setattr(program, "find", lambda: slow)
    monkeypatch.setattr(program, "TIMEOUT", 0.2)
    with pytest.raises(GradvizError, match="not done after"):
        to_png(samples.broken())


def test_a_program_that_does_not_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "find", lambda: program.Program(str(tmp_path / "gone"), True))
    with pytest.raises(GradvizError, match="doesn't start"):
        to_svg(samples.broken())


def test_the_system_program_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = script(tmp_path, "true")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    found = program.find()
    assert found == made


def test_drawing_needs_no_user_text_in_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = subprocess.run

    def spy(*args: object, **options: object) -> object:
        asked.append(bytes(options["input"]).decode())  # type: ignore[call-overload]
        return real(*args, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "run", spy)
    to_svg(samples.hostile())
    assert all(text.isascii() and "img" not in text and "evil" not in text for text in asked)


def test_parameters_are_called_by_what_frames_leave_unsaid() -> None:
    assert without_modules("block.up.weight", ("Net", "block")) == "up.weight"
    assert without_modules("block.up.weight", ("Net",)) == "block.up.weight"
    assert without_modules("block.", ("block",)) == "block."
    net = gv.nn.Sequential(gv.nn.Linear(3, 4), gv.nn.Linear(4, 2))
    text = words(to_svg(gv.graph(net(gv.ones(2, 3)).sum())))
    assert "weight" in text
    assert "0.weight" not in text


def test_parameters_alone_are_rows_as_wide_as_a_page() -> None:
    net = gv.nn.Sequential(*(gv.nn.Linear(3, 3) for _ in range(12)))
    folded = fold(gv.graph(net))
    boxes = boxes_of(folded)
    placed = place(folded, boxes, "to_svg")
    assert placed.width <= 720
    assert len(placed.boxes) == 24
    assert len(set(placed.boxes.values())) == 24
    for id, (x, y) in placed.boxes.items():
        for other, (left, top) in placed.boxes.items():
            if id != other:
                apart = x + boxes[id].width <= left or left + boxes[other].width <= x
                assert apart or y + boxes[id].height <= top or top + boxes[other].height <= y
