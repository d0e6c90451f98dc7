"""Draws a message with the widget bundle on an otherwise empty page, with a model that isn't one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from gradviz.graph.model import as_json

if TYPE_CHECKING:
    from playwright.sync_api import Page

RENDER = """async text => {
    const data = JSON.parse(text);
    const listeners = new Map();
    const values = {graph: data};
    window.model = {
        get: name => values[name],
        set: (name, value) => {
            values[name] = value;
            for (const listener of listeners.get('change:' + name) ?? []) listener();
        },
        on: (name, listener) => listeners.set(name, [...(listeners.get(name) ?? []), listener]),
        off: (name, listener) => listeners.set(name, (listeners.get(name) ?? []).filter(l => l !== listener)),
        save_changes: () => {},
        send: () => {},
    };
    const {default: widget} = await import('/widget.js');
    const el = document.createElement('div');
    document.body.append(el);
    const start = performance.now();
    window.unmount = await widget.render({model: window.model, el});
    window.renderMs = performance.now() - start;
}"""


def draw(page: Page, view: Any, *, css: str = "", width: int | None = None) -> list[str]:
    """Opens the page and draws; returns a list that collects the page's errors."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto("/missing-page-on-purpose.html")
    page.set_content(f"<!doctype html><meta charset=utf-8><style>body{{margin:12px}}{css}</style>")
    if width is not None:
        page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(RENDER, json.dumps(as_json(view)))  # as text: large objects travel slowly
    return errors
