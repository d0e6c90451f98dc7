"""Graphs that are too large to spell out: whole from the message, whole from the kernel, or a part."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from playwright.sync_api import expect

from gradviz.graph.columns import columns_bytes
from gradviz.graph.message import message_of
from gradviz.graph.model import as_json
from gradviz.graph.view import view_of
from tests.bench.explorer import network
from tests.ui import samples
from tests.ui.bare import RENDER, draw

if TYPE_CHECKING:
    from playwright.sync_api import Page

PLACED = ("data-state", "placed")


SLOW = """() => {
    // A worker whose result waits until the test lets it through, even when nobody wants it any more.
    const Real = window.Worker;
    window.held = [];
    window.Worker = class {
        constructor(url) {
            this.real = new Real(url);
            this.real.onmessage = event => event.data.layout
                ? window.held.push(() => this.onmessage(event)) : this.onmessage(event);
        }
        postMessage(message) { this.real.postMessage(message); }
        terminate() { window.ended = (window.ended ?? 0) + 1; }
    };
}"""


def test_a_layout_is_cancelled_and_never_arrives(page: Page) -> None:
    errors = draw(page, samples.long_chain(3_000))
    stage = page.locator(".gradviz-stage")
    page.evaluate(SLOW)
    before = page.locator(".gradviz-node").count()
    page.get_by_label("Unfold everything").click()
    wait = page.locator(".gradviz-wait")
    expect(wait).to_contain_text("Placing 3,003 nodes")
    expect(stage).to_have_attribute("data-state", "placing")
    page.wait_for_function("() => window.held.length === 1")
    assert page.locator(".gradviz-wait progress").evaluate("bar => bar.value") > 0.5
    wait.get_by_role("button", name="Cancel").click()
    expect(wait).to_be_hidden()
    expect(stage).to_have_attribute(*PLACED)
    expect(page.locator(".gradviz-counts")).to_contain_text("in view")
    assert page.evaluate("() => window.ended") == 1
    page.evaluate("() => window.held.forEach(late => late())")
    expect(page.locator(".gradviz-node")).to_have_count(before)
    expect(page.locator(".gradviz-counts")).to_contain_text("in view")
    # The next one is not held against it.
    page.get_by_label("Unfold everything").click()
    page.wait_for_function("() => window.held.length === 2")
    page.evaluate("() => window.held[1]()")
    expect(stage).to_have_attribute(*PLACED)
    expect(page.locator(".gradviz-counts")).to_have_text("3,003 nodes")
    assert errors == []


def test_columns_open_folded_unfold_and_are_searched(page: Page) -> None:
    graph = network(20_000)
    errors = draw(page, message_of(graph))
    stage = page.locator(".gradviz-stage")
    expect(stage).to_have_attribute(*PLACED)
    expect(page.locator(".gradviz-counts")).to_contain_text(f"{len(graph):,} nodes")
    in_view = re.search(r"(\d+) in view", page.locator(".gradviz-counts").inner_text())
    assert in_view is not None
    assert int(in_view[1]) <= 70
    items = page.locator(".gradviz-node").count()
    # Repeated steps are one box with a number.
    expect(page.locator(".gradviz-band-times").first).to_contain_text("×")
    page.locator(".gradviz-folded .gradviz-opener").last.dispatch_event("click")
    expect(stage).to_have_attribute(*PLACED)
    assert page.locator(".gradviz-node").count() > items
    page.locator(".gradviz-search").fill("softmax")
    expect(page.locator(".gradviz-found-count")).to_contain_text("found")
    page.locator(".gradviz-search").press("Enter")
    page.locator(".gradviz-tab-details").click()
    expect(page.locator(".gradviz-details h3")).to_have_text("softmax")
    assert errors == []


def test_broken_columns_leave_the_part_that_is_spelled_out(page: Page) -> None:
    message = replace(message_of(network(3000)), columns="bm8gY29sdW1ucw==")
    errors = draw(page, message)
    expect(page.locator(".gradviz-stage")).to_have_attribute(*PLACED)
    expect(page.locator(".gradviz-counts")).to_contain_text("150 of ")
    assert errors == []


def test_the_kernel_is_asked_for_what_the_message_leaves_out(page: Page) -> None:
    graph = network(3000)
    data = columns_bytes(graph)
    assert data is not None
    view = view_of(graph, limit=100, key="key")
    page.goto("/missing-page-on-purpose.html")
    page.set_content("<!doctype html><meta charset=utf-8>")
    answering = """async ([text, packed]) => {
        const bytes = Uint8Array.from(atob(packed), c => c.charCodeAt(0));
        window.asked = [];
        window.answer = question => {
            window.asked.push(question.method);
            const result = {version: 1, id: question.id, result: {}, refusal: null};
            for (const hear of window.hearing) hear(result, [new DataView(bytes.buffer)]);
        };
        window.hearing = [];
        await (%s)(text);
    }"""
    script = RENDER.replace(
        "send: () => {},", "send: question => setTimeout(() => window.answer(question), 30),"
    ).replace(
        "on: (name, listener) =>",
        "on: (name, listener) => name === 'msg:custom' ? window.hearing.push(listener) :",
    )
    message: Any = json.dumps(as_json(view))
    page.evaluate(answering % script, [message, base64.b64encode(data).decode()])
    expect(page.locator(".gradviz-counts")).to_contain_text(f"{len(graph):,} nodes")
    expect(page.locator(".gradviz-counts")).not_to_contain_text(" of ")
    assert page.evaluate("() => window.asked")[0] == "columns"
