"""How the rows beyond arithmetic, movement, reduction and products are called."""

from __future__ import annotations

from gradviz.tensor.arguments import ARGUMENTS
from gradviz.tensor.names import ALIASES, COMPOSED_METHODS
from gradviz.tensor.signatures import INDEXED, _add

_FLAG = 'canon.flag(NAME, "{0}", {0})'
_SCALAR = 'canon.scalar(NAME, "{0}", {0})'
_MATRIX = "gv.tensor([[1.0, 2.0], [3.0, 4.0]])"

ARGUMENTS.update(
    {
        "descending": "whether the largest comes first.",
        "stable": "taken as in PyTorch; equal elements always keep their order.",
        "k": "how many elements; for `kthvalue` which one, counted from 1.",
        "largest": "the largest elements, or the smallest.",
        "sorted": "taken as in PyTorch; the elements always come in order.",
        "sorted_sequence": "ascending values: a vector, or one row for each row of values.",
        "right": "where equal values stand: after them, or before.",
        "source": "the values that are put in.",
        "indices": "an integer tensor; its last axis addresses the leading dimensions of `input`.",
        "values": "the values, of the shape that `gather_nd` would give.",
        "scatter_nd.reduce": "'assign', 'add', 'mul', 'min' or 'max'.",
        "scatter_reduce.reduce": "'sum', 'prod', 'mean', 'amax' or 'amin'.",
        "include_self": "whether the tensor's own elements take part.",
        "end": "the values for weight 1.",
        "lerp.weight": "the weights, a tensor or a number.",
        "tensor1": "the first factor, or the dividend.",
        "tensor2": "the second factor, or the divisor.",
        "addcmul.value": "a factor for the product.",
        "addcdiv.value": "a factor for the quotient.",
        "nan": "what takes the place of nan.",
        "posinf": "what takes the place of infinity; None for the largest number.",
        "neginf": "what takes the place of minus infinity; None for the lowest number.",
        "n": "which derivative, at least 0.",
        "celu.alpha": "the value approached far below 0, negated.",
        "min_val": "the lower limit.",
        "max_val": "the upper limit.",
        "lambd": "how far from 0 elements count as small.",
        "shrink.bias": "by how much the others are moved towards 0.",
        "threshold.threshold": "the limit.",
        "threshold.value": "what stands where the input isn't above the limit.",
        "prelu.weight": "shape (1,) or (channels,): the slopes below 0.",
        "delta": "where the loss becomes linear.",
        "smooth_l1_loss.beta": "how far from 0 the bend is rounded.",
        "log_target": "whether the targets are logarithms.",
    }
)

_add(
    "sort",
    "input: Any, dim: int = -1, descending: bool = False, stable: bool = False",
    "canon.dim(NAME, dim, input), " + _FLAG.format("descending"),
    "[part.tolist() for part in gv.tensor([3.0, 1.0, 2.0]).sort()]",
    before=_FLAG.format("stable"),
)
_add(
    "argsort",
    "input: Any, dim: int = -1, descending: bool = False, stable: bool = False",
    "canon.dim(NAME, dim, input), " + _FLAG.format("descending"),
    "gv.argsort(gv.tensor([3.0, 1.0, 2.0])).tolist()",
    before=_FLAG.format("stable"),
)
_add(
    "topk",
    "input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True",
    "canon.top(NAME, k, dim, input), canon.dim(NAME, dim, input), " + _FLAG.format("largest"),
    "[part.tolist() for part in gv.topk(gv.tensor([3.0, 1.0, 2.0]), 2)]",
    before=_FLAG.format("sorted"),
)
_add(
    "kthvalue",
    "input: Any, k: int, dim: int = -1, keepdim: bool = False",
    "canon.kth(NAME, k, dim, input), canon.dim(NAME, dim, input), " + _FLAG.format("keepdim"),
    "[part.item() for part in gv.kthvalue(gv.tensor([3.0, 1.0, 2.0]), 2)]",
)
_add(
    "searchsorted",
    "sorted_sequence: Any, input: Any, right: bool = False",
    _FLAG.format("right"),
    "gv.searchsorted(gv.tensor([1.0, 3.0]), gv.tensor([0.0, 2.0, 3.0])).tolist()",
    inputs="sorted_sequence input",
    method=False,
)
for _name, _example in (
    ("cumprod", "gv.tensor([2.0, 3.0]).cumprod(0).tolist()"),
    ("cummax", "[part.tolist() for part in gv.tensor([1.0, 3.0, 2.0]).cummax(0)]"),
    ("cummin", "[part.tolist() for part in gv.tensor([2.0, 1.0, 3.0]).cummin(0)]"),
    ("logcumsumexp", "gv.tensor([0.0, 0.0]).logcumsumexp(0).numpy().round(4)"),
):
    _add(_name, "input: Any, dim: int", "canon.dim(NAME, dim, input)", _example)

_add(
    "index_copy",
    "input: Any, dim: int, index: Any, source: Any",
    "canon.dim(NAME, dim, input)",
    "gv.zeros(3).index_copy(0, gv.tensor([2]), gv.tensor([5.0])).tolist()",
    inputs="input index source",
    before=INDEXED,
)
_add(
    "scatter_reduce",
    "input: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool = True",
    'canon.dim(NAME, dim, input), canon.choice(NAME, "reduce", reduce, '
    '("sum", "prod", "mean", "amax", "amin")), ' + _FLAG.format("include_self"),
    "gv.ones(2).scatter_reduce(0, gv.tensor([1, 1]), gv.tensor([5.0, 3.0]), 'amax').tolist()",
    inputs="input index src",
    before=INDEXED + "\nsrc = canon.source(NAME, src, index, input)",
)
_add(
    "masked_scatter",
    "input: Any, mask: Any, source: Any",
    "",
    "gv.zeros(3).masked_scatter(gv.tensor([True, False, True]), gv.tensor([1.0, 2.0])).tolist()",
    inputs="input mask source",
    before="input = canon.tensor(NAME, input)\nmask = canon.expanded_mask(NAME, mask, input)\n"
    "source = canon.masked_source(source, mask, input)",
)
_VECTORS = "input = canon.tensor(NAME, input)\nindices = canon.index_vectors(NAME, indices, input)"
_add(
    "gather_nd",
    "input: Any, indices: Any",
    "",
    f"{_MATRIX}.gather_nd(gv.tensor([[0, 1], [1, 0]])).tolist()",
    inputs="input indices",
    before=_VECTORS,
)
_add(
    "scatter_nd",
    "input: Any, indices: Any, values: Any, reduce: str = 'assign'",
    'canon.choice(NAME, "reduce", reduce, ("assign", "add", "mul", "min", "max"))',
    "gv.zeros(3).scatter_nd(gv.tensor([[1], [1]]), gv.tensor([2.0, 3.0]), 'add').tolist()",
    inputs="input indices values",
    before=_VECTORS,
)

for _name, _values in (
    ("deg2rad", "[180.0]"),
    ("rad2deg", "[1.0]"),
    ("sinc", "[0.0, 0.5]"),
    ("erfc", "[0.0, 2.0]"),
    ("erfinv", "[0.0, 0.5]"),
    ("lgamma", "[1.0, 4.0]"),
    ("mish", "[-1.0, 1.0]"),
    ("softsign", "[-1.0, 1.0]"),
    ("tanhshrink", "[-1.0, 1.0]"),
    ("hardsigmoid", "[-1.0, 4.0]"),
    ("hardswish", "[-1.0, 4.0]"),
    ("relu6", "[-1.0, 8.0]"),
    ("selu", "[-1.0, 1.0]"),
):
    _add(_name, "input: Any", "", f"gv.{_name}(gv.tensor({_values})).numpy().round(4)")
_add("signbit", "input: Any", "", "gv.signbit(gv.tensor([-0.5, 0.25])).tolist()")
for _name, _left, _right in (
    ("logaddexp", "[0.0]", "[0.0]"),
    ("logaddexp2", "[0.0]", "[0.0]"),
    ("xlogy", "[0.0, 2.0]", "[0.0, 3.0]"),
    ("copysign", "[1.0, 2.0]", "[-1.0, 0.0]"),
    ("heaviside", "[-1.0, 0.0, 2.0]", "[0.5]"),
    ("fmax", "[1.0, 3.0]", "[2.0, 2.0]"),
    ("fmin", "[1.0, 3.0]", "[2.0, 2.0]"),
    ("gcd", "[12]", "[8]"),
    ("lcm", "[4]", "[6]"),
):
    _add(
        _name,
        "input: Any, other: Any",
        "",
        f"gv.{_name}(gv.tensor({_left}), gv.tensor({_right})).numpy().round(4).tolist()",
    )
_add(
    "polygamma",
    "input: Any, n: int",
    'canon.whole_from(NAME, "n", n, 0)',
    "gv.polygamma(gv.tensor([1.0]), 1).numpy().round(4)",
)
_add(
    "nan_to_num",
    "input: Any, nan: float = 0.0, posinf: Any = None, neginf: Any = None",
    _SCALAR.format("nan")
    + ', None if posinf is None else canon.scalar(NAME, "posinf", posinf), '
    + 'None if neginf is None else canon.scalar(NAME, "neginf", neginf)',
    "gv.nan_to_num(gv.tensor([1.0, float('nan')])).tolist()",
)
_add(
    "lerp",
    "input: Any, end: Any, weight: Any",
    "",
    "gv.lerp(gv.tensor([0.0, 2.0]), gv.tensor([4.0, 4.0]), 0.5).tolist()",
    inputs="input end weight",
)
for _name in ("addcmul", "addcdiv"):
    _add(
        _name,
        "input: Any, tensor1: Any, tensor2: Any, *, value: float = 1",
        'canon.number_for(NAME, "value", value, input)',
        f"gv.{_name}(gv.tensor([1.0]), gv.tensor([4.0]), gv.tensor([2.0]), value=0.5).tolist()",
        inputs="input tensor1 tensor2",
        before="input = canon.tensor(NAME, input)",
    )

for _name, _text, _attrs, _example in (
    ("celu", "alpha: float = 1.0", "alpha", "gv.celu(gv.tensor([-1.0, 1.0])).numpy().round(4)"),
    (
        "hardtanh",
        "min_val: float = -1.0, max_val: float = 1.0",
        "min_val max_val",
        "gv.hardtanh(gv.tensor([-2.0, 0.5])).tolist()",
    ),
    ("hardshrink", "lambd: float = 0.5", "lambd", "gv.hardshrink(gv.tensor([0.25, 2.0])).tolist()"),
    ("softshrink", "lambd: float = 0.5", "lambd", "gv.softshrink(gv.tensor([0.25, 2.0])).tolist()"),
    (
        "shrink",
        "lambd: float = 0.5, bias: float = 0.0",
        "lambd bias",
        "gv.shrink(gv.tensor([0.25, 2.0]), 0.5, 0.5).tolist()",
    ),
    (
        "threshold",
        "threshold: float, value: float",
        "threshold value",
        "gv.threshold(gv.tensor([0.5, 2.0]), 1.0, -1.0).tolist()",
    ),
):
    _add(
        _name,
        f"input: Any, {_text}",
        ", ".join(_SCALAR.format(attr) for attr in _attrs.split()),
        _example,
        method=_name == "hardshrink",
    )
_add(
    "quiet_softmax",
    "input: Any, dim: int = -1",
    "canon.dim(NAME, dim, input)",
    "gv.quiet_softmax(gv.tensor([0.0, 0.0]), dim=0).numpy().round(4)",
    method=False,
)

_REDUCTION = 'canon.choice(NAME, "reduction", reduction, canon.REDUCTIONS)'
for _name, _attr, _check in (
    ("huber_loss", "delta", 'canon.positive(NAME, "delta", delta)'),
    ("smooth_l1_loss", "beta", 'canon.at_least(NAME, "beta", beta, 0.0)'),
):
    _order = f"reduction: str = 'mean', {_attr}: float = 1.0"
    _add(
        _name,
        f"input: Any, target: Any, {_order}",
        f"{_check}, {_REDUCTION}",
        f"gv.{_name}(gv.tensor([1.0, 3.0]), gv.tensor([1.0, 1.0])).item()",
        inputs="input target",
        method=False,
    )

_SQUARE = "gv.tensor([[2.0, 0.0], [0.0, 4.0]])"
for _name, _example in (
    ("inv", f"gv.inv({_SQUARE}).tolist()"),
    ("det", f"round(gv.det({_SQUARE}).item(), 4)"),
    ("cholesky", f"gv.cholesky({_SQUARE}).numpy().round(4)"),
):
    _add(_name, "input: Any", "", _example, before="canon.matrices(NAME, input)")
_add(
    "solve",
    "input: Any, other: Any",
    "",
    f"gv.solve({_SQUARE}, gv.ones(2, 1)).tolist()",
    inputs="input other",
    method=False,
)
ARGUMENTS["solve.other"] = "the right side, one column for each system."

ALIASES.update({"log_sigmoid": "logsigmoid", "inverse": "inv", "hard_swish": "hardswish"})
COMPOSED_METHODS.extend(
    (
        "median argtopk nonzero argwhere unique index_add index_fill take_along_dim diff diag "
        "diag_embed kron cross count_nonzero aminmax max_abs digamma float_power logit "
        "repeat_interleave take fliplr flipud rot90 nansum nanmean broadcast_to slogdet bincount "
        "multinomial dist cov corrcoef prelu"
    ).split()
)
