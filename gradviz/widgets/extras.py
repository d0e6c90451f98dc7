"""Optional packages: one clear error that says how to get them."""

from __future__ import annotations

from gradviz.errors import GradvizError, fail


def missing_lab(operation: str, package: str) -> GradvizError:
    """The error for a notebook feature whose packages aren't installed; the caller raises it."""
    return fail(
        "missing-extra",
        operation=operation,
        complaint=f"the package {package} isn't installed: pip install 'gradviz-lab[lab]'",
        reason=f"{operation} works in notebooks and needs {package}.",
        advice="Run pip install 'gradviz-lab[lab]', then restart the kernel.",
    )
