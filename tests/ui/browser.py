"""Finds a Chromium to test with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
INSTALL_SECONDS = 300


def find_chromium() -> str | None:
    """A browser's path: `CHROMIUM`, then the system's, then Playwright's own."""
    for candidate in (os.environ.get("CHROMIUM"), *map(shutil.which, NAMES)):
        if candidate and Path(candidate).exists():
            return candidate
    return _playwrights_own()


def _playwrights_own() -> str | None:
    """The browser Playwright keeps in the user's cache, fetched when it isn't there yet."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    if not Path(path).exists():
        try:
            subprocess.run(
                [sys.executable, "-m", "playwright", "install", "chromium"],
                check=True,
                timeout=INSTALL_SECONDS,
                capture_output=True,
            )
        except (subprocess.SubprocessError, OSError):
            return None
    return path if Path(path).exists() else None


def artifacts() -> Path:
    """Where screenshots go."""
    folder = Path(os.environ.get("GRADVIZ_SHOTS") or Path(__file__).parents[2] / "artifacts")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
