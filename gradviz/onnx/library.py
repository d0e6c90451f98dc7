"""The optional `onnx` package, and the numbers that the format gives to dtypes."""

from __future__ import annotations

import importlib
from typing import Any, Final

from gradviz.errors import missing_extra

OPSETS: Final = range(17, 25)
"""Versions of the operator set that can be written: 17 brought layer normalization."""
DEFAULT_OPSET: Final = 18
"""The oldest version that says most operations, so that most runtimes take the file."""

PARAMETERS: Final = "gradviz.parameters"
"""Where a model that was written here says which of its constants are learned."""

CODES: Final = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "uint16": 4,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "bool": 9,
    "float16": 10,
    "float64": 11,
    "uint32": 12,
    "uint64": 13,
}
"""The format's element types by dtype name."""
DTYPES: Final = {code: name for name, code in CODES.items()}
TYPE_NAMES: Final = {
    name: f"tensor({ {'float32': 'float', 'float64': 'double'}.get(name, name) })" for name in CODES
}
"""How the format's own documentation writes a dtype."""


def library(operation: str) -> Any:
    """The `onnx` package.

    Raises:
        GradvizError: `missing-extra` where it isn't installed.
    """
    try:
        return importlib.import_module("onnx")
    except ImportError as error:
        reason = "Models are checked and packed by the onnx package."
        raise missing_extra(operation, "onnx", "onnx", reason) from error
