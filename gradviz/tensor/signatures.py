"""How rows are called: PyTorch's names and arguments, turned into canonical form."""

# ruff: noqa: E501 - lines of source and sentences, as they will stand
from __future__ import annotations

from gradviz.tensor.signature import SIGNATURES as SIGNATURES
from gradviz.tensor.signature import Signature as Signature
from gradviz.tensor.signature import _add as _add

UNARY = [
    "neg",
    "abs",
    "exp",
    "expm1",
    "exp2",
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "square",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "erf",
    "sign",
    "floor",
    "ceil",
    "round",
    "trunc",
    "frac",
    "sigmoid",
    "relu",
    "silu",
    "logsigmoid",
    "logical_not",
    "isnan",
    "isinf",
    "isfinite",
    "bitwise_not",
]
BINARY = [
    "add",
    "sub",
    "mul",
    "div",
    "maximum",
    "minimum",
    "remainder",
    "fmod",
    "floor_divide",
    "atan2",
    "hypot",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "logical_and",
    "logical_or",
    "logical_xor",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_left_shift",
    "bitwise_right_shift",
]
_POSITIVE = ("log", "log2", "log10", "sqrt", "rsqrt", "reciprocal")
_SPECIAL = {
    "acosh": "gv.acosh(gv.tensor([1.0, 2.0])).numpy().round(4)",
    "bitwise_not": "gv.bitwise_not(gv.tensor([0, 1])).tolist()",
    "logical_not": "gv.logical_not(gv.tensor([0.0, 2.0])).tolist()",
    "isnan": "gv.isnan(gv.tensor([0.0, float('nan')])).tolist()",
    "isinf": "gv.isinf(gv.tensor([0.0, float('inf')])).tolist()",
    "isfinite": "gv.isfinite(gv.tensor([0.0, float('inf')])).tolist()",
}
_SIMPLE = ["neg", "abs", "sign", "floor", "ceil", "round", "trunc", "relu", "square"]
for _name in UNARY:
    _values = "[0.5, 4.0]" if _name in _POSITIVE else "[-0.5, 0.25]"
    _rounded = ".tolist()" if _name in _SIMPLE else ".numpy().round(4)"
    _plain = f"gv.{_name}(gv.tensor({_values})){_rounded}"
    _add(_name, "input: Any", "", _SPECIAL.get(_name, _plain))
for _name in BINARY:
    _values = "gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])"
    if "bitwise" in _name:
        _values = "gv.tensor([6, 3]), gv.tensor([2, 1])"
    _rounded = ".numpy().round(4)" if _name in ("atan2", "hypot") else ".tolist()"
    _add(_name, "input: Any, other: Any", "", f"gv.{_name}({_values}){_rounded}")

_REDUCE = "input: Any, dim: Any = None, keepdim: bool = False"
_DIMS = 'canon.dims(NAME, dim, input), canon.flag(NAME, "keepdim", keepdim)'
_ANY_DIMS = 'canon.dims_of_any(NAME, dim, input), canon.flag(NAME, "keepdim", keepdim)'
_DIM = 'canon.dim_or_none(NAME, dim, input), canon.flag(NAME, "keepdim", keepdim)'
_MATRIX = "gv.tensor([[1.0, 2.0], [3.0, 4.0]])"
for _name in ("any", "all"):
    _add(
        _name,
        _REDUCE,
        _ANY_DIMS,
        f"gv.{_name}(gv.tensor([[True, False], [True, True]]), dim=1).tolist()",
    )
for _name in ("sum", "mean", "prod"):
    _add(
        _name,
        _REDUCE + ", *, dtype: Any = None",
        _DIMS,
        f"gv.{_name}({_MATRIX}, dim=0).tolist()",
        before="if dtype is not None:\n    input = input.to(dtype=dtype)",
    )
for _name in ("amax", "amin"):
    _add(
        _name,
        _REDUCE,
        _DIMS,
        f"gv.{_name}({_MATRIX}, dim=0).tolist()",
        before="canon.nonempty(NAME, canon.dims(NAME, dim, input), input)",
    )
_add(
    "logsumexp",
    _REDUCE,
    _DIMS,
    "gv.logsumexp(gv.tensor([1.0, 1.0]), dim=0).numpy().round(4).item()",
)
_add(
    "norm",
    "input: Any, p: Any = 2.0, dim: Any = None, keepdim: bool = False",
    f"canon.norm_order(NAME, p), {_DIMS}",
    "gv.tensor([3.0, 4.0]).norm().item()",
)
for _name in ("argmax", "argmin"):
    _add(
        _name,
        _REDUCE,
        _DIM,
        f"gv.{_name}({_MATRIX}, dim=1).tolist()",
        before="canon.nonempty(NAME, canon.dim_or_none(NAME, dim, input), input)",
    )
for _name in ("var", "std"):
    _add(
        _name,
        "input: Any, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, "
        "correction: Any = None",
        "canon.dims(NAME, dim, input), canon.correction(NAME, unbiased, correction), "
        'canon.flag(NAME, "keepdim", keepdim)',
        f"gv.{_name}(gv.tensor([1.0, 2.0, 3.0])).item()",
        before="if isinstance(dim, bool):\n    dim, unbiased = None, dim",
    )

for _name, _text, _canonical, _example in (
    (
        "reshape",
        "shape: Any, *more: Any",
        "canon.new_shape(NAME, (shape, *more), input)",
        "gv.arange(4).reshape(2, 2).tolist()",
    ),
    (
        "flatten",
        "start_dim: int = 0, end_dim: int = -1",
        "canon.flattened(input, start_dim, end_dim)",
        "gv.ones(2, 3, 4).flatten(1).shape",
    ),
    (
        "unflatten",
        "dim: int, sizes: Any",
        "canon.unflattened(input, dim, sizes)",
        "gv.ones(2, 6).unflatten(1, (2, 3)).shape",
    ),
    (
        "squeeze",
        "dim: Any = None",
        "canon.squeezed(input, dim)",
        "gv.ones(2, 1, 3).squeeze(1).shape",
    ),
    ("unsqueeze", "dim: int", "canon.unsqueezed(input, dim)", "gv.ones(2, 3).unsqueeze(1).shape"),
    (
        "permute",
        "dims: Any, *more: Any",
        "canon.order(NAME, (dims, *more), input)",
        "gv.ones(2, 3, 4).permute(2, 0, 1).shape",
    ),
    (
        "transpose",
        "dim0: int, dim1: int",
        "canon.dim(NAME, dim0, input), canon.dim(NAME, dim1, input)",
        "gv.ones(2, 3).transpose(0, 1).shape",
    ),
    (
        "expand",
        "sizes: Any = (), *more: Any",
        "canon.expanded(NAME, (sizes, *more), input)",
        "gv.ones(2, 1).expand(-1, 3).shape",
    ),
    (
        "repeat",
        "repeats: Any = (), *more: Any",
        "canon.counts(NAME, (repeats, *more), input)",
        "gv.tensor([1, 2]).repeat(2).tolist()",
    ),
    (
        "flip",
        "dims: Any, *more: Any",
        "canon.listed_dims(NAME, (dims, *more) if more else dims, input)",
        "gv.tensor([1, 2, 3]).flip(0).tolist()",
    ),
    (
        "cumsum",
        "dim: int",
        "canon.dim(NAME, dim, input)",
        "gv.tensor([1.0, 2.0]).cumsum(0).tolist()",
    ),
    (
        "softmax",
        "dim: int = -1",
        "canon.dim(NAME, dim, input)",
        "gv.softmax(gv.tensor([0.0, 0.0]), dim=0).tolist()",
    ),
    (
        "log_softmax",
        "dim: int = -1",
        "canon.dim(NAME, dim, input)",
        "gv.log_softmax(gv.tensor([0.0, 0.0]), dim=0).numpy().round(4)",
    ),
    (
        "gelu",
        "approximate: str = 'none'",
        'canon.choice(NAME, "approximate", approximate, ("none", "tanh"))',
        "gv.gelu(gv.tensor([-1.0, 1.0])).numpy().round(4)",
    ),
    (
        "leaky_relu",
        "negative_slope: float = 0.01",
        'canon.scalar(NAME, "negative_slope", negative_slope)',
        "gv.leaky_relu(gv.tensor([-1.0, 1.0]), 0.5).tolist()",
    ),
    (
        "elu",
        "alpha: float = 1.0",
        'canon.scalar(NAME, "alpha", alpha)',
        "gv.elu(gv.tensor([-1.0, 1.0])).numpy().round(4)",
    ),
    (
        "softplus",
        "beta: float = 1.0, threshold: float = 20.0",
        'canon.scalar(NAME, "beta", beta), canon.scalar(NAME, "threshold", threshold)',
        "gv.softplus(gv.tensor([0.0, 1.0])).numpy().round(4)",
    ),
):
    _add(_name, f"input: Any, {_text}", _canonical, _example)

_add(
    "roll",
    "input: Any, shifts: Any, dims: Any = None",
    "*canon.shifts(input, shifts, dims)",
    "gv.tensor([1, 2, 3]).roll(1).tolist()",
    before="if dims is None:\n    return canon.rolled(input, shifts)",
)
_add(
    "pad",
    "input: Any, pad: Any, mode: str = 'constant', value: Any = None",
    "canon.widths(input, pad), canon.fill_value(NAME, 0 if value is None else value, input)",
    "gv.pad(gv.tensor([1.0]), (1, 2)).tolist()",
    before="if canon.choice(NAME, 'mode', mode, canon.PAD_MODES) != 'constant':\n    return canon.padded(input, pad, mode)",
)
for _name in ("tril", "triu"):
    _add(
        _name,
        "input: Any, diagonal: int = 0",
        'canon.whole_number(NAME, "diagonal", diagonal)',
        f"gv.ones(2, 2).{_name}().tolist()",
        before="canon.matrices(NAME, input)",
    )
_add(
    "cat",
    "tensors: Any, dim: int = 0",
    "canon.joined_dim(NAME, tensors, dim)",
    "gv.cat([gv.tensor([1]), gv.tensor([2, 3])]).tolist()",
    inputs="tensors",
    method=False,
)
_add(
    "stack",
    "tensors: Any, dim: int = 0",
    "canon.stacked_dim(tensors, dim)",
    "gv.stack([gv.tensor([1]), gv.tensor([2])]).tolist()",
    inputs="tensors",
    method=False,
)
_add(
    "clamp",
    "input: Any, min: Any = None, max: Any = None",
    "*canon.limits(NAME, min, max)",
    "gv.clamp(gv.tensor([-2.0, 0.5, 2.0]), -1.0, 1.0).tolist()",
    before='if hasattr(min, "shape") or hasattr(max, "shape"):\n    return canon.clamped(input, min, max)\n'
    "input = canon.clampable(input, min, max)",
)
_add(
    "matmul",
    "input: Any, other: Any",
    "",
    "(gv.ones(2, 3) @ gv.ones(3, 1)).tolist()",
    inputs="input other",
)
_add(
    "linear",
    "input: Any, weight: Any, bias: Any = None",
    "",
    "gv.linear(gv.ones(1, 2), gv.ones(3, 2), gv.zeros(3)).tolist()",
    inputs="input weight bias",
    method=False,
)
_add(
    "masked_fill",
    "input: Any, mask: Any, value: Any",
    "canon.fill_value(NAME, value, input)",
    "gv.tensor([1.0, 2.0]).masked_fill(gv.tensor([True, False]), 0.0).tolist()",
    inputs="input mask",
    before="input = canon.tensor(NAME, input)\nmask = canon.mask(NAME, mask, input)\n"
    "if value.__class__ in TENSORS:\n    return canon.filled(input, mask, value)",
)
INDEXED = "input = canon.tensor(NAME, input)\nindex = canon.whole(NAME, index, input, dim)"
_BY_VECTOR = INDEXED.replace("whole", "vector_index")
for _name, _example in (
    ("gather", "gv.tensor([[1, 2], [3, 4]]).gather(1, gv.tensor([[0], [1]])).tolist()"),
    ("index_select", "gv.tensor([[1, 2], [3, 4]]).index_select(1, gv.tensor([1])).tolist()"),
):
    _add(
        _name,
        "input: Any, dim: int, index: Any",
        "canon.dim(NAME, dim, input)",
        _example,
        inputs="input index",
        before=_BY_VECTOR if _name == "index_select" else INDEXED,
    )
_REDUCED = """\
if reduce is not None:
    found: Tensor = canon.reduced_scatter(input, dim, index, src, reduce)
    return found
"""
for _name, _option, _before, _example in (
    (
        "scatter",
        ", *, reduce: Any = None",
        _REDUCED,
        "gv.zeros(3).scatter(0, gv.tensor([1]), gv.tensor([5.0])).tolist()",
    ),
    (
        "scatter_add",
        "",
        "",
        "gv.zeros(2).scatter_add(0, gv.tensor([1, 1]), gv.tensor([5.0, 1.0])).tolist()",
    ),
):
    _add(
        _name,
        f"input: Any, dim: int, index: Any, src: Any{_option}",
        "canon.dim(NAME, dim, input)",
        _example,
        inputs="input index src",
        before=_before + INDEXED + "\nsrc = canon.source(NAME, src, index, input)",
    )
_add(
    "nll_loss",
    "input: Any, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = 'mean'",
    'canon.whole_number(NAME, "ignore_index", ignore_index), '
    'canon.choice(NAME, "reduction", reduction, canon.REDUCTIONS)',
    "gv.nll_loss(gv.log_softmax(gv.zeros(1, 2)), gv.tensor([1])).numpy().round(4).item()",
    inputs="input target weight",
    before="input = canon.tensor(NAME, input)\ntarget = canon.classes(NAME, target, input, ignore_index)",
    method=False,
)
for _name in ("mse_loss", "l1_loss"):
    _add(
        _name,
        "input: Any, target: Any, reduction: str = 'mean'",
        'canon.choice(NAME, "reduction", reduction, canon.REDUCTIONS)',
        f"gv.{_name}(gv.tensor([1.0, 3.0]), gv.tensor([1.0, 1.0])).item()",
        inputs="input target",
        method=False,
    )

from gradviz.tensor import signatures_more as _more  # noqa: E402, F401 - adds to the above
