"""One JupyterLab server, one browser and one plain web server for each test process."""

from __future__ import annotations

import contextlib
import functools
import http.server
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from extension.front_end import is_built, is_fresh
from tests.ui.browser import ARGUMENTS, artifacts, find_chromium
from tests.ui.lab import LabPage, LabServer

if TYPE_CHECKING:
    from gradviz.graph.graph import Graph
    from gradviz.widgets.compare import Comparison
    from gradviz.widgets.live import Live

sync_api = pytest.importorskip("playwright.sync_api")
Open = Callable[..., "sync_api.Page"]
"""Opens a graph as an exported page."""
REPOSITORY = Path(__file__).parents[2]
LABEXTENSION = REPOSITORY / "gradviz" / "labextension"
STATIC = REPOSITORY / "gradviz" / "static"
UP_SECONDS = 90


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks everything here; tests that need JupyterLab stay on one worker and share its server."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)
            needs_lab = "lab_server" in getattr(item, "fixturenames", ())
            item.add_marker(pytest.mark.xdist_group("lab" if needs_lab else "page"))


@pytest.fixture(scope="session")
def browser() -> Iterator[sync_api.Browser]:
    """A headless Chromium. In CI its absence is a failure, elsewhere a skip that says so."""
    path = find_chromium()
    if path is None:
        message = "no Chromium was found or could be fetched: install one, or set CHROMIUM"
        if os.environ.get("CI", "").lower() in ("1", "true"):
            pytest.fail(message)
        pytest.skip(message)
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def front_end() -> Path:
    """The folder of the built bundles; tests of a stale build would test nothing."""
    hint = "build the front end: pip install -e . (or npm run build in extension/)"
    if not is_built(REPOSITORY):
        pytest.fail(f"the front end isn't built: {hint}")
    if not is_fresh(REPOSITORY):
        pytest.fail(f"the built front end is older than its sources: {hint}")
    return STATIC


@pytest.fixture(scope="session")
def lab_server(tmp_path_factory: pytest.TempPathFactory, front_end: Path) -> Iterator[LabServer]:
    """JupyterLab on a free loopback port, without a trace of the user's own settings."""
    base = tmp_path_factory.mktemp("lab")
    root = base / "root"
    root.mkdir()
    (base / "config" / "labconfig").mkdir(parents=True)
    page_config = {
        "disabledExtensions": {
            "@jupyterlab/apputils-extension:announcements": True,
            "@jupyterlab/extensionmanager-extension:plugin": True,
        }
    }
    (base / "config/labconfig/page_config.json").write_text(json.dumps(page_config))
    token = secrets.token_hex(16)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("JUPYTER")}
    environment |= {
        "JUPYTER_CONFIG_DIR": str(base / "config"),
        "JUPYTER_DATA_DIR": str(base / "data"),
        "JUPYTER_RUNTIME_DIR": str(base / "runtime"),
        "IPYTHONDIR": str(base / "ipython"),
        "JUPYTER_PREFER_ENV_PATH": "1",
        # The kernels import the package under test, wherever another copy may be installed.
        "PYTHONPATH": os.pathsep.join(
            filter(None, [str(REPOSITORY), os.environ.get("PYTHONPATH")])
        ),
        "OPENBLAS_NUM_THREADS": "1",
    }
    extensions = base / "labextensions"
    extensions.mkdir()
    (extensions / "gradviz").symlink_to(LABEXTENSION, target_is_directory=True)
    log_path = base / "lab.log"
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root",
        "--ServerApp.ip=127.0.0.1", "--ServerApp.port=0", f"--ServerApp.root_dir={root}",
        f"--IdentityProvider.token={token}", "--ServerApp.terminals_enabled=False",
        "--LabApp.expose_app_in_browser=True", "--LabApp.extension_manager=readonly",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate", "--LabApp.news_url=",
        f"--LabApp.extra_labextensions_path={extensions}",
        # Where Notebook 7 is installed, this server serves it as well.
        "--JupyterNotebookApp.expose_app_in_browser=True",
        f"--JupyterNotebookApp.extra_labextensions_path={extensions}",
        f"--LabApp.workspaces_dir={base / 'workspaces'}",
        f"--LabApp.user_settings_dir={base / 'settings'}",
    ]  # fmt: skip
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            command,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=root,
            start_new_session=True,
        )
        try:
            url = _wait_until_up(process, base / "runtime", token, log_path)
            yield LabServer(url, token, root)
        finally:
            process.terminate()  # SIGTERM: the server shuts its kernels down as well
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def _wait_until_up(process: subprocess.Popen[bytes], runtime: Path, token: str, log: Path) -> str:
    deadline = time.monotonic() + UP_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"JupyterLab ended early:\n{log.read_text()}")
        for info in runtime.glob("jpserver-*.json"):
            with contextlib.suppress(ValueError, KeyError, OSError):  # half-written, or not up yet
                url: str = json.loads(info.read_text())["url"]
                request = urllib.request.Request(
                    f"{url}api/status", headers={"Authorization": f"token {token}"}
                )
                urllib.request.urlopen(request, timeout=2).read()
                return url
        time.sleep(0.1)
    raise RuntimeError(f"JupyterLab was not up after {UP_SECONDS} s:\n{log.read_text()}")


@pytest.fixture
def lab(
    lab_server: LabServer, browser: sync_api.Browser, request: pytest.FixtureRequest
) -> Iterator[LabPage]:
    """A fresh JupyterLab page; a failing test leaves a screenshot."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(30_000)
    driver = LabPage(page, lab_server)
    failed_before = request.session.testsfailed
    yield driver
    if request.session.testsfailed > failed_before:
        page.screenshot(path=artifacts() / f"failed-{request.node.name}.png")
    with contextlib.suppress(sync_api.Error):
        driver.close()
    context.close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Tests have nothing to say on the terminal."""


@pytest.fixture(scope="session")
def plain_server(front_end: Path) -> Iterator[str]:
    """The widget bundle on a bare web server: a host that is no JupyterLab."""
    handler = functools.partial(_Quiet, directory=str(front_end))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


@pytest.fixture
def page(browser: sync_api.Browser, plain_server: str) -> Iterator[sync_api.Page]:
    """An empty page of the plain server."""
    context = browser.new_context(viewport={"width": 1200, "height": 800}, base_url=plain_server)
    made = context.new_page()
    made.set_default_timeout(10_000)
    yield made
    context.close()


@pytest.fixture
def opened(browser: sync_api.Browser, front_end: Path, tmp_path: Path) -> Iterator[Open]:
    """Saves a graph, a comparison or a run and opens the file; at the end nothing may have failed, or left the page."""
    contexts, complaints = [], []

    def open_page(graph: Graph | Comparison | Live, **options: object) -> sync_api.Page:
        path = tmp_path / f"{len(contexts)}.html"
        graph.save(path)
        context = browser.new_context(**options)
        contexts.append(context)
        context.on("request", lambda request: complaints.append(request.url))
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(path.as_uri())
        complaints.remove(path.as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [said for said in complaints if not said.startswith("blob:")] == []
