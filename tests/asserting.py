"""Checks that many tests make."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import pytest

import gradviz as gv


def refused(
    call: Callable[[], Any],
    slug: str,
    *words: str,
    builtin: type[Exception] = gv.GradvizError,
) -> gv.GradvizError:
    """The error of a call, with its slug, its place and parts of its text checked.

    Args:
        call: what must fail; the error of a function has its place in the file of that function.
        slug: the slug that is meant.
        words: texts that the error must hold.
        builtin: the built-in exception that it must be as well.
    """
    with pytest.raises(builtin) as caught:
        call()
    error = caught.value
    assert isinstance(error, gv.GradvizError)
    text = str(error)
    assert error.slug == slug, text
    for word in words:
        assert word in text
    assert text.split("\n", 1)[0] == error.problem.message
    assert error.problem.where is not None
    file = call.__code__.co_filename if isinstance(call, FunctionType) else __file__
    assert error.problem.where.filename == file
    return error
