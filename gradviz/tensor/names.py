"""Names beside the table's own: operators, aliases, operations made of rows."""

from __future__ import annotations

OPERATORS: dict[str, tuple[str, str]] = {
    "add": ("__add__", "__radd__"),
    "sub": ("__sub__", "__rsub__"),
    "mul": ("__mul__", "__rmul__"),
    "div": ("__truediv__", "__rtruediv__"),
    "floor_divide": ("__floordiv__", "__rfloordiv__"),
    "remainder": ("__mod__", "__rmod__"),
    "bitwise_and": ("__and__", "__rand__"),
    "bitwise_or": ("__or__", "__ror__"),
    "bitwise_xor": ("__xor__", "__rxor__"),
    "bitwise_left_shift": ("__lshift__", "__rlshift__"),
    "bitwise_right_shift": ("__rshift__", "__rrshift__"),
    "lt": ("__lt__", ""),
    "le": ("__le__", ""),
    "gt": ("__gt__", ""),
    "ge": ("__ge__", ""),
    "neg": ("__neg__", ""),
    "abs": ("__abs__", ""),
    "bitwise_not": ("__invert__", ""),
}
ALIASES = {
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "negative": "neg",
    "absolute": "abs",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "arctan2": "atan2",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
    "not_equal": "ne",
    "swapaxes": "transpose",
    "swapdims": "transpose",
    "view": "reshape",
    "clip": "clamp",
    "fix": "trunc",
    "fold": "fold4d",
}
COMPOSED_METHODS = (
    "max min split chunk unbind narrow select where t float double half int long bool cpu dot mv mm bmm outer "
    "masked_select tile movedim swap_dims isclose allclose equal diagonal trace expand_as reshape_as type_as "
    "slice_assign std_mean var_mean numel dim contiguous clone pow repeat_dim sum_dim ravel clamp_min clamp_max addmm"
).split()
