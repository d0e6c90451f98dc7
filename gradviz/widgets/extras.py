"""Optional packages: one clear error that says how to get them."""

from __future__ import annotations

from gradviz.errors import GradvizError, missing_extra


def missing_lab(operation: str, package: str) -> GradvizError:
    """The error for a notebook feature whose packages aren't installed; the caller raises it."""
    reason = f"{operation} works in notebooks and needs {package}."
    return missing_extra(operation, package, "lab", reason, ", then restart the kernel")
