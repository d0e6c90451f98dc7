"""Drives a JupyterLab page: commands through `window.jupyterapp`, clicks through the DOM."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


@dataclass(frozen=True)
class LabServer:
    """A running JupyterLab: where it listens, what it serves."""

    url: str
    token: str
    root: Path


def code_cell(
    source: str, outputs: list[dict[str, Any]] | None = None, id: str = ""
) -> dict[str, Any]:
    """A code cell, with outputs as if it had been run."""
    return {
        "cell_type": "code",
        "id": id or f"cell-{abs(hash(source)) % 10**8}",
        "metadata": {},
        "source": source,
        "outputs": outputs or [],
        "execution_count": 1 if outputs else None,
    }


def bundle_output(data: dict[str, Any]) -> dict[str, Any]:
    """A `display_data` output."""
    return {"output_type": "display_data", "data": data, "metadata": {}}


def write_notebook(path: Path, cells: list[dict[str, Any]], kernel: bool = True) -> None:
    """A notebook file; without a kernel name Lab would ask for one."""
    metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}} if kernel else {}
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook), encoding="utf-8")


class LabPage:
    """One JupyterLab page. `errors` collects what the page itself complained about."""

    def __init__(self, page: Page, server: LabServer) -> None:
        self.page = page
        self.server = server
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def start(self) -> None:
        """Loads JupyterLab with an empty workspace."""
        url = f"{self.server.url}lab?token={self.server.token}&reset"
        self.page.goto(url, wait_until="domcontentloaded")
        self.page.wait_for_function(
            "() => !!(window.jupyterapp && window.jupyterapp.restored)", timeout=60_000
        )
        self.page.evaluate("() => window.jupyterapp.restored.then(() => null)")

    def open(self, path: str, *, kernel: bool = True) -> None:
        """Opens a notebook and, unless told otherwise, waits for its kernel."""
        if not self.page.url.startswith(self.server.url):
            self.start()
        self.page.evaluate(
            """async ([path, kernel]) => {
                const app = window.jupyterapp;
                const options = kernel ? {} : {kernelPreference: {shouldStart: false, canStart: false, autoStartDefault: false}};
                const panel = await app.commands.execute(
                    'docmanager:open', {path, factory: 'Notebook', ...(kernel ? {} : {kernel: null, options})});
                await panel.context.ready;
                if (kernel) {
                    await panel.sessionContext.ready;
                    await panel.sessionContext.session.kernel.info;
                }
                window.gradvizTestPanel = panel;
            }""",
            [path, kernel],
        )

    def run_all(self) -> bool:
        """Runs every cell; False where one of them failed."""
        ok: bool = self.page.evaluate(
            """async () => {
                const app = window.jupyterapp;
                app.shell.activateById(window.gradvizTestPanel.id);
                return await app.commands.execute('notebook:run-all-cells');
            }"""
        )
        return bool(ok)

    def run_cell(self, index: int) -> None:
        """Runs one cell and waits for it."""
        self.page.evaluate(
            """async index => {
                const {content} = window.gradvizTestPanel;
                content.deselectAll();
                content.activeCellIndex = index;
                await window.jupyterapp.commands.execute('notebook:run-cell');
            }""",
            index,
        )

    def begin_cell(self, index: int) -> None:
        """Runs one cell without waiting for its end."""
        self.page.evaluate(
            """index => {
                const {content} = window.gradvizTestPanel;
                content.deselectAll();
                content.activeCellIndex = index;
                void window.jupyterapp.commands.execute('notebook:run-cell');
            }""",
            index,
        )

    def execute(self, command: str) -> None:
        """Executes a command of JupyterLab."""
        self.page.evaluate("id => window.jupyterapp.commands.execute(id)", command)

    @property
    def panel(self) -> Locator:
        """The side panel."""
        return self.page.locator("#gradviz-panel")

    def outputs(self, index: int) -> list[dict[str, Any]]:
        """A cell's outputs as they would be saved."""
        found: list[dict[str, Any]] = self.page.evaluate(
            "i => window.gradvizTestPanel.content.model.cells.get(i).outputs.toJSON()", index
        )
        return found

    def source(self, index: int) -> str:
        """A cell's present text."""
        text: str = self.page.evaluate(
            "i => window.gradvizTestPanel.content.model.cells.get(i).sharedModel.getSource()", index
        )
        return text

    def set_source(self, index: int, text: str) -> None:
        """Replaces a cell's text, as a person typing would."""
        self.page.evaluate(
            "([i, text]) => window.gradvizTestPanel.content.model.cells.get(i).sharedModel.setSource(text)",
            [index, text],
        )

    def cell(self, index: int) -> Locator:
        """The drawn cell."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(index)

    def explorer(self, index: int) -> Locator:
        """The gradviz output of a cell."""
        return self.cell(index).locator(".gradviz").first

    def save(self) -> None:
        """Writes the notebook to disk."""
        self.page.evaluate("() => window.gradvizTestPanel.context.save()")

    def set_theme(self, name: str) -> None:
        """Changes the theme: "JupyterLab Dark", "JupyterLab Light"."""
        self.page.evaluate(
            "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", name
        )
        dark = "Dark" in name
        self.page.wait_for_function(
            "light => document.body.dataset.jpThemeLight === light", arg=str(not dark).lower()
        )
        self.page.wait_for_timeout(600)

    def close(self) -> None:
        """Shuts the notebook's kernel down."""
        self.page.evaluate(
            """async () => {
                const panel = window.gradvizTestPanel;
                if (panel?.sessionContext?.session) await panel.sessionContext.shutdown();
            }"""
        )
