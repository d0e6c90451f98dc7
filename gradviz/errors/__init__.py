"""Failures: as data (`Problem`), as exceptions (`GradvizError` and its classes), as text."""

from gradviz.errors.exceptions import (
    GradvizAttributeError,
    GradvizError,
    GradvizImportError,
    GradvizIndexError,
    GradvizKeyError,
    GradvizRuntimeError,
    GradvizTypeError,
    GradvizValueError,
    fail,
    missing_extra,
)
from gradviz.errors.problem import Fix, Problem, SourceEdit
from gradviz.errors.text import render

__all__ = [
    "Fix",
    "GradvizAttributeError",
    "GradvizError",
    "GradvizImportError",
    "GradvizIndexError",
    "GradvizKeyError",
    "GradvizRuntimeError",
    "GradvizTypeError",
    "GradvizValueError",
    "Problem",
    "SourceEdit",
    "fail",
    "missing_extra",
    "render",
]
