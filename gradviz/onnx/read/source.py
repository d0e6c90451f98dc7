"""Where models come from: bytes, paths, open files."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any, Final

from gradviz.errors import GradvizTypeError, fail
from gradviz.onnx.read.refusal import unreadable

LARGEST_BYTES: Final = 2**31 - 1
"""The format's container can't hold more."""


def data_of(source: Any) -> tuple[bytes, str]:
    """A model's bytes and what to call it in messages.

    Raises:
        GradvizError: `onnx-unreadable` for a file that is none, or too large; `invalid-argument`
            for something that is no source.
    """
    if isinstance(source, bytes | bytearray | memoryview):
        return _limited(bytes(source), "the data")
    if isinstance(source, str | os.PathLike):
        path = Path(os.fsdecode(os.fspath(source)))
        return _file(path), path.name
    read = getattr(source, "read", None)
    if read is not None:
        data = read(LARGEST_BYTES + 1)
        if isinstance(data, bytes):
            return _limited(data, str(getattr(source, "name", "the file")))
    raise fail(
        "invalid-argument",
        operation="from_onnx",
        complaint=f"a {type(source).__name__} is no model",
        advice='Give a path, bytes, or a file opened with "rb".',
        error=GradvizTypeError,
    )


def _limited(data: bytes, name: str) -> tuple[bytes, str]:
    if len(data) > LARGEST_BYTES:
        raise unreadable(name, f"it is larger than {LARGEST_BYTES} bytes")
    return data, name


def _file(path: Path) -> bytes:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise unreadable(path.name, "it is no file")
        if status.st_size > LARGEST_BYTES:
            raise unreadable(path.name, f"it is larger than {LARGEST_BYTES} bytes")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError):
            raise  # as from any function that opens files
        text = getattr(error, "strerror", None) or str(error)
        raise unreadable(path.name, str(text).lower()) from error
