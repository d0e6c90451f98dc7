"""Steps that travel with a message: played without any kernel, whatever their names are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from playwright.sync_api import expect

import gradviz as gv
from gradviz.graph.answers import ChangeView, DifferenceView, HistoryView, MathView
from gradviz.graph.model import PairView, as_json
from gradviz.graph.steps import extras_view
from gradviz.graph.view import view_of
from tests.ui.bare import draw

if TYPE_CHECKING:
    from playwright.sync_api import Page

HOSTILE = "<img src=x onerror=window.hurt=1>\u202e\x00" + "y" * 10_000


def message(name: str = "x"):
    x = gv.tensor([1.0, 2.0], requires_grad=True, name=name)
    y = x.tanh() * x
    loss = y.sum()
    graph = gv.graph(loss, steps=gv.trace_backward(loss))
    return view_of(graph, extras=extras_view(graph))


def test_played_without_a_kernel(page: Page) -> None:
    errors = draw(page, message())
    page.locator(".gradviz-tab-steps").click()
    expect(page.locator(".gradviz-step-count")).to_contain_text("Step 1 of 3")
    page.get_by_label("To the last step").click()
    expect(page.locator(".gradviz-step-count")).to_have_text("Step 3 of 3: tanh")
    expect(page.locator(".gradviz-formula pre")).to_contain_text("g * (1.0 - out * out)")
    assert page.evaluate(
        "() => document.querySelector('math msup').namespaceURI.endsWith('MathML')"
    )
    page.locator(".gradviz-tab-gradients").click()
    expect(page.locator(".gradviz-not-here")).to_contain_text("Run the cell again")
    assert errors == []


def test_recomputation_is_shown(page: Page) -> None:
    device = gv.device("ndarray").autodiff(checkpointing="balanced")
    x = gv.tensor([[1.0, 2.0], [3.0, 4.0]], device=device, requires_grad=True, name="x")
    e = x.exp()
    loss = (e @ e).sum()
    graph = gv.graph(loss, steps=gv.trace_backward(loss))
    errors = draw(page, view_of(graph, extras=extras_view(graph)))
    page.locator(".gradviz-tab-steps").click()
    page.get_by_label("One step on").click()
    expect(page.locator(".gradviz-step-count")).to_contain_text("matmul")
    expect(page.locator(".gradviz-recomputed")).to_have_text("Computed again for this step: e")
    expect(page.locator(".gradviz-saved")).to_contain_text("not kept: recomputed")
    assert errors == []


def test_hostile_names_stay_text(page: Page) -> None:
    errors = draw(page, message(HOSTILE))
    page.locator(".gradviz-tab-steps").click()
    page.get_by_label("To the last step").click()
    expect(page.locator(".gradviz-parts")).to_contain_text("<img src=x")
    assert page.locator(".gradviz img").count() == 0
    assert page.evaluate("() => window.hurt") is None
    assert page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth") <= 0
    assert errors == []


def test_formulas_that_are_no_mathematics_are_left_out(page: Page) -> None:
    good = message()
    steps = good.extras.steps
    bad = (
        (MathView("math", "", 1), MathView("script", "window.hurt=1", 0)),
        (MathView("math", "", 1), *(MathView("mrow", "", 1) for _ in range(300))),
        (MathView("mi", "x", 0), MathView("mi", "y", 0)),
    )
    formulas = tuple(
        replace(formula, math=bad[at % 3]) for at, formula in enumerate(steps.formulas)
    )
    extras = replace(good.extras, steps=replace(steps, formulas=formulas))
    errors = draw(page, replace(good, extras=extras))
    page.locator(".gradviz-tab-steps").click()
    for _ in range(3):
        expect(page.locator(".gradviz-formula pre").first).to_be_visible()
        expect(page.locator(".gradviz math")).to_have_count(0)
        page.get_by_label("One step on").click()
    assert page.evaluate("() => window.hurt") is None and errors == []


def test_history_and_changes_with_hostile_names(page: Page) -> None:
    good = message()
    history = HistoryView(
        total=9,
        steps=(0, 4, 8),
        roots=(2.0, "nan", 1.0),
        changed=(False, True, False),
        leaves=(HOSTILE,),
        values=((1.0, 1.0, None),),
        gradients=(("inf", None, 0.5),),
    )
    change = ChangeView("changed", "n1", good.nodes[0].id, HOSTILE, (("shape", HOSTILE, "()"),))
    difference = DifferenceView("a", "b", 3, 1, (change,))
    extras = replace(good.extras, history=history, difference=difference)
    errors = draw(page, replace(good, extras=extras))
    page.locator(".gradviz-tab-history").click()
    page.get_by_label("Step of the run").fill("1")
    expect(page.locator(".gradviz-step-count")).to_have_text("Step 4: NaN; here the graph changed")
    page.locator(".gradviz-tab-changes").click()
    expect(page.locator(".gradviz-change")).to_contain_text("<img src=x")
    pair = PairView(1, "pair", good, good, difference)
    page.evaluate("data => window.model.set('graph', data)", as_json(pair))
    expect(page.locator(".gradviz-pair-side")).to_have_count(2)
    page.locator(".gradviz-change button").click()
    assert page.locator(".gradviz img").count() == 0 and page.evaluate("() => window.hurt") is None
    assert page.evaluate("() => document.documentElement.scrollWidth - window.innerWidth") <= 0
    page.evaluate("() => window.unmount()")
    expect(page.locator(".gradviz")).to_have_count(0)
    assert errors == []


def test_every_control_has_a_name(page: Page) -> None:
    errors = draw(page, message())
    page.locator(".gradviz-tab-steps").click()
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll('.gradviz-steps :is(button, input, select, [tabindex])')]
            .filter(e => !(e.getAttribute('aria-label') || e.textContent.trim())).length"""
    )
    assert unnamed == 0
    assert page.locator(".gradviz-player [role=toolbar] [tabindex='0']").count() == 1
    assert errors == []
