"""No module: functions are found in the package itself, and importing this one says so."""

from __future__ import annotations

from gradviz.errors import GradvizImportError, fail

raise fail(
    "name-from-elsewhere",
    owner="package 'gradviz.nn'",
    name="'functional'",
    reason="functions are found in the package itself: there is no second place for them.",
    facts=(("name", "functional"),),
    advice="Write `import gradviz as F`, and go on with `F.relu`, `F.cross_entropy` ...",
    error=GradvizImportError,
)
