"""Which dtypes an operation of the format takes, and the nearest one it does where it refuses.

The format's own schemas are asked. Where ONNX Runtime has kernels for fewer dtypes than the format
allows, the smaller choice counts: a file that nobody can run helps nobody. Some of what is float64
here is computed as float32 for that reason.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Final

from gradviz.onnx.library import TYPE_NAMES, library

WIDER: Final = {
    "bool": ("int32", "int64", "uint8", "float32"),
    "uint8": ("int32", "int64", "float32"),
    "int8": ("int32", "int64", "float32"),
    "uint16": ("int32", "int64", "float32"),
    "int16": ("int32", "int64", "float32"),
    "uint32": ("int64", "float64"),
    "int32": ("int64", "float64", "float32"),
    "uint64": ("int64", "float64"),
    "int64": ("float64", "float32"),
    "float16": ("float32",),
    "float32": ("float64",),
    "float64": ("float32",),
}
"""Where else a dtype's numbers may be computed, the best choice first."""

_REALS = ("float16", "float32", "float64")
_NARROW = ("float16", "float32")
_SOLID = (*_REALS, "int32", "int64")
RUNTIME: Final = {
    "Acos": _NARROW,
    "Acosh": _NARROW,
    "Asin": _NARROW,
    "Asinh": _NARROW,
    "Atan": _NARROW,
    "Atanh": _NARROW,
    "AveragePool": _NARROW,
    "Cosh": _NARROW,
    "Det": _NARROW,
    "Erf": _NARROW,
    "Sinh": _NARROW,
    "Tan": _NARROW,
    "Abs": (*_SOLID, "int8", "int16", "uint8"),
    "Add": _SOLID,
    "ArgMax": (*_REALS, "int32", "int8", "uint8"),
    "ArgMin": (*_REALS, "int32", "int8", "uint8"),
    "BitShift": ("uint8", "uint32", "uint64"),
    "Clip": (*_SOLID, "int8", "uint8"),
    "Col2Im": _NARROW,
    "Conv": _NARROW,
    "ConvTranspose": _NARROW,
    "CumSum": _SOLID,
    "DepthToSpace": ("float16", "float32", "float64", "uint8"),
    "Div": _SOLID,
    "Equal": (*_SOLID, "bool"),
    "Gemm": _REALS,
    "Greater": _SOLID,
    "GreaterOrEqual": _SOLID,
    "Less": _SOLID,
    "LessOrEqual": _SOLID,
    "MatMul": (*_SOLID, "uint32", "uint64"),
    "Max": _SOLID,
    "MaxPool": (*_REALS, "int8", "uint8"),
    "Min": _SOLID,
    "Mul": _SOLID,
    "Neg": (*_SOLID, "int8"),
    "Pad": (*_SOLID, "bool", "int8", "uint8"),
    "Pow": ("float32", "float64", "int32", "int64"),
    "Range": ("float32", "float64", "int16", "int32", "int64"),
    "ReduceL1": ("float16", "float32", "float64", "int32"),
    "ReduceL2": ("float16", "float32", "float64", "int32"),
    "ReduceMax": (*_SOLID, "int8", "uint8"),
    "ReduceMin": (*_SOLID, "int8", "uint8"),
    "ReduceProd": ("float16", "float32", "float64", "int32", "int64"),
    "ReduceSum": _SOLID,
    "Relu": (*_REALS, "int32"),
    "ScatterND": (*_SOLID, "bool", "int8", "int16", "uint8", "uint16", "uint32", "uint64"),
    "Sub": _SOLID,
    "TopK": ("float16", "float32", "float64", "int32", "int64"),
    "Trilu": ("float16", "float32", "float64", "int64", "bool"),
    "Where": ("float16", "float32", "float64", "int32", "int64", "uint8"),
}
"""What ONNX Runtime computes on a processor, where that is less than the format allows."""
REDUCED: Final = frozenset((*_SOLID, "int8", "int16", "uint8", "uint16", "uint32", "uint64")) - {
    "float16"
}
"""What it adds up or multiplies at chosen places."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The dtypes of one operation at one version of the operator set.

    Attributes:
        inputs: the type variable of every input; the last one repeats where `variadic`.
        outputs: the type variable, or the one dtype, of every output.
        allowed: dtypes by type variable.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    allowed: dict[str, frozenset[str]]

    def variable(self, at: int) -> str:
        """The type variable of an input."""
        return self.inputs[min(at, len(self.inputs) - 1)]


@functools.lru_cache(maxsize=1024)
def signature(kind: str, opset: int) -> Signature:
    """The dtypes an operation takes.

    Raises:
        LookupError: where the operator set of this version hasn't got it.
    """
    defs = library("to_onnx").defs
    try:
        schema: Any = defs.get_schema(kind, opset, "")
    except Exception as error:  # the package's own error class moved between versions
        raise LookupError(kind) from error
    if schema.since_version > opset:
        raise LookupError(kind)
    names = {text: name for name, text in TYPE_NAMES.items()}
    allowed = {
        item.type_param_str: frozenset(
            names[text] for text in item.allowed_type_strs if text in names
        )
        for item in schema.type_constraints
    }
    # The numbers of these operations have one type variable, and it is called T.
    runtime = RUNTIME.get(kind)
    if runtime is not None:
        allowed["T" if "T" in allowed else "T1"] &= frozenset(runtime)
        if kind == "Pow":
            allowed["T1"] &= frozenset(runtime)
    for text, name in names.items():
        allowed[text] = frozenset((name,))
    return Signature(
        tuple(item.type_str for item in schema.inputs),
        tuple(item.type_str for item in schema.outputs),
        allowed,
    )


def fitting(dtype: str, allowed: frozenset[str]) -> str | None:
    """The dtype itself where it is allowed, else the best one for its numbers."""
    if dtype in allowed:
        return dtype
    return next((name for name in WIDER[dtype] if name in allowed), None)
