"""Files that appear whole, or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write that takes its place when the block ends; where it fails, nothing changes.

    A file that is replaced hands its permissions on, and a link keeps pointing where it points.
    """
    target = Path(os.path.realpath(path))
    # In the same folder: only there a file can be renamed over another in one step.
    temporary = target.with_name(f".{target.name[:40]}.{os.urandom(6).hex()}")
    file = temporary.open("xb")
    try:
        with file:
            yield file
        with suppress(FileNotFoundError):
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes a file so that nobody ever sees a half of it."""
    with whole(path) as file:
        file.write(data)
