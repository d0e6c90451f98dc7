"""How rows are called: PyTorch's names and arguments, turned into canonical form."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Signature:
    """The public form of a row.

    Attributes:
        text: the parameters as written in a `def`.
        canonical: expressions for the row's attributes, separated by commas.
        name: the public name; the row's own where it is left out.
        inputs: the names of the tensor parameters in the row's order.
        before: statements to run first.
        method: whether tensors have it as a method.
    """

    name: str
    text: str = "input: Any"
    canonical: str = ""
    inputs: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    method: bool = True
    parameters: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        names = []
        for part in _split(self.text):
            name = part.partition(":")[0].strip().lstrip("*")
            if name and name != "/":
                names.append(name)
        object.__setattr__(self, "parameters", tuple(names))


def _split(text: str) -> list[str]:
    parts, depth, current = [], 0, ""
    for character in text:
        if character == "," and depth == 0:
            parts.append(current)
            current = ""
            continue
        depth += (character in "[(") - (character in "])")
        current += character
    return [*parts, current]


SIGNATURES: dict[str, Signature] = {}
EXAMPLES: dict[str, tuple[str, str]] = {}


def _add(row: str, signature: Signature, example: str) -> None:
    SIGNATURES[row] = signature
    EXAMPLES[signature.name] = (example, "")


UNARY = (
    "neg abs exp expm1 exp2 log log2 log10 log1p sqrt rsqrt reciprocal square sin cos tan asin acos atan sinh cosh "
    "tanh asinh acosh atanh erf sign floor ceil round trunc frac sigmoid relu silu logsigmoid logical_not isnan isinf "
    "isfinite bitwise_not"
).split()
BINARY = (
    "add sub mul div pow maximum minimum remainder fmod floor_divide atan2 hypot eq ne lt le gt ge logical_and "
    "logical_or logical_xor bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift"
).split()
_SPECIAL_EXAMPLES = {
    "acosh": "gv.acosh(gv.tensor([1.0, 2.0])).numpy().round(4)",
    "bitwise_not": "gv.bitwise_not(gv.tensor([0, 1])).tolist()",
    "logical_not": "gv.logical_not(gv.tensor([0.0, 2.0])).tolist()",
    "isnan": "gv.isnan(gv.tensor([0.0, float('nan')])).tolist()",
    "isinf": "gv.isinf(gv.tensor([0.0, float('inf')])).tolist()",
    "isfinite": "gv.isfinite(gv.tensor([0.0, float('inf')])).tolist()",
}
for _name in UNARY:
    _default = f"gv.{_name}(gv.tensor([-0.5, 0.25])).numpy().round(4)"
    if _name in ("log", "log2", "log10", "sqrt", "rsqrt", "reciprocal"):
        _default = f"gv.{_name}(gv.tensor([0.5, 4.0])).numpy().round(4)"
    _add(_name, Signature(_name), _SPECIAL_EXAMPLES.get(_name, _default))
for _name in BINARY:
    _values = "gv.tensor([6, 3]), gv.tensor([2, 1])" if "bitwise" in _name else "gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])"
    _add(_name, Signature(_name, "input: Any, other: Any"), f"gv.{_name}({_values}).numpy().round(4)")

_REDUCE = "input: Any, dim: Any = None, keepdim: bool = False"
for _name in ("any", "all"):
    _add(_name, Signature(_name, _REDUCE, f'canon.dims("{_name}", dim, input), bool(keepdim)'),
         f"gv.{_name}(gv.tensor([[True, False], [True, True]]), dim=1).tolist()")
for _name in ("sum", "mean", "prod"):
    _add(_name, Signature(_name, _REDUCE + ", *, dtype: Any = None", f'canon.dims("{_name}", dim, input), bool(keepdim)',
                          before=("if dtype is not None:", "    input = input.to(dtype=dtype)")),
         f"gv.{_name}(gv.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0).tolist()")
for _name in ("amax", "amin"):
    _add(_name, Signature(_name, _REDUCE, f'canon.dims("{_name}", dim, input), bool(keepdim)',
                          before=(f'canon.nonempty("{_name}", canon.dims("{_name}", dim, input), input)',)),
         f"gv.{_name}(gv.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0).tolist()")
_add("logsumexp", Signature("logsumexp", _REDUCE, 'canon.dims("logsumexp", dim, input), bool(keepdim)'),
     "gv.logsumexp(gv.tensor([1.0, 1.0]), dim=0).numpy().round(4)")
for _name in ("argmax", "argmin"):
    _add(_name, Signature(_name, _REDUCE, f'canon.dim_or_none("{_name}", dim, input), bool(keepdim)',
                          before=(f'canon.nonempty("{_name}", canon.dim_or_none("{_name}", dim, input), input)',)),
         f"gv.{_name}(gv.tensor([[1.0, 2.0], [4.0, 3.0]]), dim=1).tolist()")
for _name in ("var", "std"):
    _add(_name, Signature(_name, "input: Any, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: Any = None",
                          f'canon.dims("{_name}", dim, input), correction, bool(keepdim)',
                          before=("if isinstance(dim, bool):", "    dim, unbiased = None, dim",
                                  "if correction is None:", "    correction = 1 if unbiased else 0")),
         f"gv.{_name}(gv.tensor([1.0, 2.0, 3.0])).item()")

_add("reshape", Signature("reshape", "input: Any, *shape: Any", 'canon.new_shape("reshape", shape, input)'),
     "gv.arange(4).reshape(2, 2).tolist()")
_add("flatten", Signature("flatten", "input: Any, start_dim: int = 0, end_dim: int = -1", "canon.flattened(input, start_dim, end_dim)"),
     "gv.ones(2, 3, 4).flatten(1).shape")
_add("unflatten", Signature("unflatten", "input: Any, dim: int, sizes: Any", "canon.unflattened(input, dim, sizes)"),
     "gv.ones(2, 6).unflatten(1, (2, 3)).shape")
_add("squeeze", Signature("squeeze", "input: Any, dim: Any = None", "canon.squeezed(input, dim)"), "gv.ones(2, 1, 3).squeeze(1).shape")
_add("unsqueeze", Signature("unsqueeze", "input: Any, dim: int", "canon.unsqueezed(input, dim)"), "gv.ones(2, 3).unsqueeze(1).shape")
_add("permute", Signature("permute", "input: Any, *dims: Any", 'canon.order("permute", dims, input)'), "gv.ones(2, 3, 4).permute(2, 0, 1).shape")
_add("transpose", Signature("transpose", "input: Any, dim0: int, dim1: int",
                            'canon.dim("transpose", dim0, input), canon.dim("transpose", dim1, input)'), "gv.ones(2, 3).transpose(0, 1).shape")
_add("expand", Signature("expand", "input: Any, *sizes: Any", 'canon.expanded("expand", sizes, input)'), "gv.ones(2, 1).expand(-1, 3).shape")
_add("repeat", Signature("repeat", "input: Any, *repeats: Any", 'canon.counts("repeat", repeats, input)'), "gv.tensor([1, 2]).repeat(2).tolist()")
_add("flip", Signature("flip", "input: Any, dims: Any", 'canon.dims("flip", dims, input)'), "gv.tensor([1, 2, 3]).flip(0).tolist()")
_add("roll", Signature("roll", "input: Any, shifts: Any, dims: Any = 0", "*canon.shifts(input, shifts, dims)"), "gv.tensor([1, 2, 3]).roll(1).tolist()")
_add("pad", Signature("pad", "input: Any, pad: Any, value: float = 0.0", "canon.widths(input, pad), value"), "gv.pad(gv.tensor([1.0]), (1, 2)).tolist()")
_add("tril", Signature("tril", "input: Any, diagonal: int = 0", "int(diagonal)"), "gv.ones(2, 2).tril().tolist()")
_add("triu", Signature("triu", "input: Any, diagonal: int = 0", "int(diagonal)"), "gv.ones(2, 2).triu().tolist()")
_add("cumsum", Signature("cumsum", "input: Any, dim: int", 'canon.dim("cumsum", dim, input)'), "gv.tensor([1.0, 2.0]).cumsum(0).tolist()")
_add("cat", Signature("cat", "tensors: Any, dim: int = 0", "canon.joined_dim(\"cat\", tensors, dim)", ("tensors",), method=False),
     "gv.cat([gv.tensor([1]), gv.tensor([2, 3])]).tolist()")
_add("stack", Signature("stack", "tensors: Any, dim: int = 0", "canon.stacked_dim(tensors, dim)", ("tensors",), method=False),
     "gv.stack([gv.tensor([1]), gv.tensor([2])]).tolist()")

_add("gelu", Signature("gelu", "input: Any, approximate: str = 'none'", 'canon.choice("gelu", "approximate", approximate, ("none", "tanh"))'),
     "gv.gelu(gv.tensor([-1.0, 1.0])).numpy().round(4)")
_add("leaky_relu", Signature("leaky_relu", "input: Any, negative_slope: float = 0.01", 'canon.scalar("leaky_relu", "negative_slope", negative_slope)'),
     "gv.leaky_relu(gv.tensor([-1.0, 1.0]), 0.5).tolist()")
_add("elu", Signature("elu", "input: Any, alpha: float = 1.0", 'canon.scalar("elu", "alpha", alpha)'), "gv.elu(gv.tensor([-1.0, 1.0])).numpy().round(4)")
_add("softplus", Signature("softplus", "input: Any, beta: float = 1.0, threshold: float = 20.0",
                           'canon.scalar("softplus", "beta", beta), canon.scalar("softplus", "threshold", threshold)'),
     "gv.softplus(gv.tensor([0.0, 1.0])).numpy().round(4)")
_add("softmax", Signature("softmax", "input: Any, dim: int = -1", 'canon.dim("softmax", dim, input)'), "gv.softmax(gv.tensor([0.0, 0.0]), dim=0).tolist()")
_add("log_softmax", Signature("log_softmax", "input: Any, dim: int = -1", 'canon.dim("log_softmax", dim, input)'),
     "gv.log_softmax(gv.tensor([0.0, 0.0]), dim=0).numpy().round(4)")
_add("clamp", Signature("clamp", "input: Any, min: Any = None, max: Any = None", '*canon.limits("clamp", min, max)',
                        before=("if min.__class__ in TENSORS or max.__class__ in TENSORS:", "    return canon.clamped(input, min, max)")),
     "gv.clamp(gv.tensor([-2.0, 0.5, 2.0]), -1.0, 1.0).tolist()")
_add("matmul", Signature("matmul", "input: Any, other: Any", "", ("input", "other")), "(gv.ones(2, 3) @ gv.ones(3, 1)).tolist()")
_add("linear", Signature("linear", "input: Any, weight: Any, bias: Any = None", "", ("input", "weight", "bias"), method=False),
     "gv.linear(gv.ones(1, 2), gv.ones(3, 2), gv.zeros(3)).tolist()")
_add("masked_fill", Signature("masked_fill", "input: Any, mask: Any, value: Any", 'canon.scalar("masked_fill", "value", value)', ("input", "mask")),
     "gv.tensor([1.0, 2.0]).masked_fill(gv.tensor([True, False]), 0.0).tolist()")
_add("gather", Signature("gather", "input: Any, dim: int, index: Any", 'canon.dim("gather", dim, input)', ("input", "index"),
                         before=('input = canon.tensor("gather", input)', 'index = canon.whole("gather", index, input, dim)')),
     "gv.tensor([[1, 2], [3, 4]]).gather(1, gv.tensor([[0], [1]])).tolist()")
_add("index_select", Signature("index_select", "input: Any, dim: int, index: Any", 'canon.dim("index_select", dim, input)', ("input", "index"),
                               before=('input = canon.tensor("index_select", input)', 'index = canon.whole("index_select", index, input, dim)')),
     "gv.tensor([[1, 2], [3, 4]]).index_select(1, gv.tensor([1])).tolist()")
_add("scatter", Signature("scatter", "input: Any, dim: int, index: Any, src: Any", 'canon.dim("scatter", dim, input)', ("input", "index", "src"),
                          before=('input = canon.tensor("scatter", input)', 'index = canon.whole("scatter", index, input, dim)',
                                  'src = canon.source(src, index, input)')),
     "gv.zeros(3).scatter(0, gv.tensor([1]), gv.tensor([5.0])).tolist()")
_add("scatter_add", Signature("scatter_add", "input: Any, dim: int, index: Any, src: Any", 'canon.dim("scatter_add", dim, input)', ("input", "index", "src"),
                              before=('input = canon.tensor("scatter_add", input)', 'index = canon.whole("scatter_add", index, input, dim)',
                                      'src = canon.source(src, index, input)')),
     "gv.zeros(2).scatter_add(0, gv.tensor([1, 1]), gv.tensor([5.0, 1.0])).tolist()")
_add("nll_loss", Signature("nll_loss", "input: Any, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = 'mean'",
                           'int(ignore_index), canon.choice("nll_loss", "reduction", reduction, canon.REDUCTIONS)', ("input", "target", "weight"),
                           before=('input = canon.tensor("nll_loss", input)', 'target = canon.classes("nll_loss", target, input, ignore_index)'), method=False),
     "gv.nll_loss(gv.log_softmax(gv.zeros(1, 2)), gv.tensor([1])).numpy().round(4).item()")
for _name in ("mse_loss", "l1_loss"):
    _add(_name, Signature(_name, "input: Any, target: Any, reduction: str = 'mean'",
                          f'canon.choice("{_name}", "reduction", reduction, canon.REDUCTIONS)', ("input", "target"), method=False),
         f"gv.{_name}(gv.tensor([1.0, 3.0]), gv.tensor([1.0, 1.0])).item()")

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
    "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div", "negative": "neg", "absolute": "abs",
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
    "arctan2": "atan2", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "not_equal": "ne",
    "swapaxes": "transpose", "swapdims": "transpose", "view": "reshape", "clip": "clamp", "fix": "trunc",
}
COMPOSED_METHODS = (
    "max min split chunk unbind narrow select where t float double half int long bool cpu dot mv mm bmm outer "
    "masked_select tile movedim swap_dims isclose allclose equal diagonal trace norm expand_as reshape_as type_as "
    "slice_assign std_mean var_mean numel dim contiguous clone pow repeat_dim sum_dim ravel clamp_min clamp_max addmm"
).split()

ARGUMENTS: dict[tuple[str, str], str] = {
    ("", "input"): "a tensor of any shape (an array or a number counts as a constant).",
    ("", "other"): "the right operand: a tensor, array or number that broadcasts with `input`.",
    ("", "dim"): "the dimension, counted from 0 or from -1 at the end; where several are allowed a tuple, and None means all.",
    ("", "keepdim"): "whether reduced dimensions stay with size 1.",
    ("", "dtype"): "a dtype to convert to first.",
    ("", "unbiased"): "whether to divide by n - 1 instead of n.",
    ("", "correction"): "what to subtract from n in the divisor; overrides `unbiased`.",
    ("", "shape"): "the new sizes, whose product is the number of elements; one may be -1.",
    ("", "start_dim"): "the first dimension to join.",
    ("", "end_dim"): "the last dimension to join.",
    ("", "sizes"): "the new sizes; -1 keeps (expand) or works out (unflatten) one.",
    ("", "dims"): "dimensions, counted from 0 or from -1 at the end.",
    ("", "dim0"): "the first dimension.",
    ("", "dim1"): "the second dimension.",
    ("", "repeats"): "how often to repeat along each dimension.",
    ("", "shifts"): "by how many places, one number for each dimension.",
    ("", "pad"): "(left, right) of the last dimension, then of the one before it, and so on.",
    ("", "value"): "the number to put in.",
    ("", "diagonal"): "which diagonal: 0 is the main one, positive lies above it.",
    ("", "tensors"): "a list or tuple of tensors.",
    ("", "approximate"): "'none' uses the error function, 'tanh' its approximation.",
    ("", "negative_slope"): "the slope below 0.",
    ("", "alpha"): "the value approached far below 0, negated.",
    ("", "beta"): "how sharp the bend is.",
    ("", "threshold"): "above this `beta * x` the function is linear.",
    ("", "min"): "the lower limit, a number or a tensor; None for none.",
    ("", "max"): "the upper limit, a number or a tensor; None for none.",
    ("", "weight"): "shape (classes,): a factor for each class.",
    ("linear", "input"): "shape (..., in_features), float.",
    ("linear", "weight"): "shape (out_features, in_features), float.",
    ("linear", "bias"): "shape (out_features,), float, or None.",
    ("matmul", "input"): "shape (..., n, k) or (k,).",
    ("matmul", "other"): "shape (..., k, m) or (k,).",
    ("", "mask"): "a bool tensor that broadcasts with `input`.",
    ("", "index"): "an integer tensor of indices into `dim`.",
    ("", "src"): "the values, of the index's shape, or one number.",
    ("nll_loss", "input"): "shape (batch, classes, ...) or (classes,): log-probabilities.",
    ("nll_loss", "target"): "shape (batch, ...) or (): integer classes.",
    ("", "target"): "what `input` is compared with, of the same shape.",
    ("", "ignore_index"): "a class that counts for nothing.",
    ("", "reduction"): "'mean', 'sum' or 'none'.",
}
