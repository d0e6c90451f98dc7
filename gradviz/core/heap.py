"""Handing freed memory back to the system.

The C library keeps freed blocks for later requests, and a block of 256 KiB that is put into a freed
one of 512 KiB leaves a rest that may fit nothing else. Its pages count as the process's until they
are handed back.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Final

WORTHWHILE: Final = 16 << 20
"""Bytes freed after which handing back is worth a system call for each hole in the heap."""


def hand_back() -> None:
    """Hands the unused pages of the heap back to the system, where the C library can (glibc).

    They are faulted in again when they are needed; nothing else changes.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@lru_cache(maxsize=1)
def _trim() -> Callable[[int], int] | None:
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    found: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return found
