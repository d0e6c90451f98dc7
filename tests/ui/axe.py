"""Looks for accessibility failures with axe, which comes with the front end's packages."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCRIPT = Path(__file__).parents[2] / "extension/node_modules/axe-core/axe.min.js"
RUN = """async selector => {
    const {violations} = await window.axe.run(document.querySelector(selector), {resultTypes: ['violations']});
    return violations.filter(v => ['serious', 'critical'].includes(v.impact)).map(
        v => `${v.id}: ${v.help} (${v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(' | ')})`);
}"""


def load(page: Page) -> None:
    """Brings axe into a page; where it isn't there, the test is skipped, and fails in CI."""
    if not SCRIPT.exists():
        message = "axe-core isn't installed here: npm ci in extension/ brings it"
        if os.environ.get("CI", "").lower() in ("1", "true"):
            pytest.fail(message)
        pytest.skip(message)
    # Evaluated, not added as an element: a page may forbid scripts of others.
    page.evaluate(SCRIPT.read_text(encoding="utf-8"))


def serious(page: Page, selector: str = "html") -> list[str]:
    """What axe calls serious or critical inside an element."""
    load(page)
    found: list[str] = page.evaluate(RUN, selector)
    return found
