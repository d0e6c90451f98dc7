"""Arrays in `.npz` files: a zip with one `.npy` member each, as `np.savez` writes them."""

from __future__ import annotations

import os
import threading
import zipfile
from pathlib import Path
from typing import Any

import numpy as np


class UnreadableError(Exception):
    """A file that isn't what it should be."""


def copied(value: Any) -> Any:
    """A fresh array."""
    return np.array(value)


def write(path: str, arrays: dict[str, Any]) -> None:
    """Writes arrays to a file, which appears when it is complete and replaces an older one.

    Not `np.savez`: names of arrays would be names of its arguments there, and `file` is one.
    """
    target = Path(path)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
        unfinished.replace(target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def read(path: str) -> dict[str, Any]:
    """The arrays of a file by name; nothing in it is executed.

    Raises:
        UnreadableError: for a file of another kind, or a damaged one.
        OSError: where the file can't be opened.
    """
    try:
        loaded = np.load(path, allow_pickle=False)
        if not isinstance(loaded, np.lib.npyio.NpzFile):
            raise UnreadableError("it holds one array without a name")
        with loaded:
            return {name: loaded[name] for name in loaded.files}
    except (ValueError, zipfile.BadZipFile, EOFError, KeyError) as error:
        text = str(error).splitlines()
        raise UnreadableError(text[0].rstrip(".") if text else type(error).__name__) from None
