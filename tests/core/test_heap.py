"""Freed arrays stay with the process, unless whoever started it has said otherwise."""

import os
import platform
import subprocess
import sys

import pytest

glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")

ROUNDS = """
import resource
import gradviz
import numpy as np

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    arrays = [np.ones(1 << 20, np.float32) for _ in range(8)]
    del arrays
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults()
print(min(faults() for _ in range(3)))
"""
BYTES = 8 << 22


def _faulted_share(**variables: str) -> float:
    """How much of the arrays was faulted in anew, in pages of usual size."""
    done = subprocess.run(
        [sys.executable, "-c", ROUNDS],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **variables},
    )
    return int(done.stdout) * os.sysconf("SC_PAGE_SIZE") / BYTES


@glibc
def test_arrays_that_are_freed_are_used_again_without_being_faulted_in() -> None:
    assert _faulted_share() < 0.1


@glibc
def test_who_has_set_the_threshold_is_obeyed() -> None:
    assert _faulted_share(MALLOC_TRIM_THRESHOLD_="131072") > 0.1


@glibc
def test_where_addresses_are_limited_all_stays_as_it_is() -> None:
    limited = (
        "from gradviz.core.heap import keep_freed\n"
        "def refuse(size): raise MemoryError(size)\n"
        "keep_freed(refuse)\n"
    )
    subprocess.run([sys.executable, "-c", limited], check=True)
