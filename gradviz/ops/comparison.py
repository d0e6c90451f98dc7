"""Comparisons and logic: bool results, no gradient."""

from __future__ import annotations

from gradviz.ops.elementwise import HALF, PAIRS
from gradviz.ops.infer import broadcast, broadcast_bool
from gradviz.ops.spec import Sample, op

for _name, _forward, _words, _onnx in (
    ("eq", "equal", "equal", "Equal"),
    ("ne", "not_equal", "different", None),
    ("lt", "less", "less than on the left", "Less"),
    ("le", "less_equal", "less than or equal on the left", "LessOrEqual"),
    ("gt", "greater", "greater on the left", "Greater"),
    ("ge", "greater_equal", "greater than or equal on the left", "GreaterOrEqual"),
):
    op(
        _name,
        "lhs rhs",
        infer=broadcast_bool(_name),
        doc=f"Whether elements are {_words}.",
        forward=_forward,
        elementwise=True,
        result="bool",
        promote="common",
        onnx=_onnx,
        samples=PAIRS,
    )
for _name, _doc in (
    ("logical_and", "Whether both elements are true (not zero)."),
    ("logical_or", "Whether at least one element is true (not zero)."),
    ("logical_xor", "Whether exactly one element is true (not zero)."),
):
    op(
        _name,
        "lhs rhs",
        infer=broadcast_bool(_name),
        doc=_doc,
        elementwise=True,
        result="bool",
        promote="common",
        samples=PAIRS,
    )
for _name, _forward, _doc in (
    ("logical_not", "logical_not", "Whether an element is false (zero)."),
    ("isnan", "isnan", "Whether an element is not a number."),
    ("isinf", "isinf", "Whether an element is infinite."),
    ("isfinite", "isfinite", "Whether an element is neither infinite nor nan."),
):
    op(
        _name,
        "x",
        infer=broadcast_bool(_name),
        doc=_doc,
        forward=_forward,
        elementwise=True,
        result="bool",
        samples=HALF,
    )
for _name, _forward, _doc in (
    ("bitwise_and", "bitwise_and", "Bits set in both; logical and of bools."),
    ("bitwise_or", "bitwise_or", "Bits set in at least one; logical or of bools."),
    ("bitwise_xor", "bitwise_xor", "Bits set in exactly one; logical xor of bools."),
    ("bitwise_left_shift", "left_shift", "Bits shifted to the left."),
    ("bitwise_right_shift", "right_shift", "Bits shifted to the right."),
):
    op(
        _name,
        "lhs rhs",
        infer=broadcast(_name),
        doc=_doc,
        forward=_forward,
        elementwise=True,
        result="same",
        promote="whole" if "shift" in _name else "integral",
        samples=tuple(Sample(s.inputs, low=0.0, high=7.0, dtype="int64") for s in PAIRS),
    )
op(
    "bitwise_not",
    "x",
    infer=broadcast("bitwise_not"),
    doc="Every bit flipped; logical not of bools.",
    forward="invert",
    elementwise=True,
    result="same",
    promote="integral",
    samples=tuple(Sample(s.inputs, low=0.0, high=7.0, dtype="int64") for s in HALF),
)
