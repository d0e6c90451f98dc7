"""Operations as methods of tensors.

Generated from the operation table by `gradviz.tensor.generate`: do not edit.
"""


from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradviz.tensor import autodiff, backward, composed, functions, hooks, values


class TableMethods:  # noqa: PLW1641 - tensors hash by identity
    """Every operation of the table; filled in by `gradviz.tensor.attach`."""

    __slots__ = ()

    if TYPE_CHECKING:
        add = functions.add
        sub = functions.sub
        mul = functions.mul
        div = functions.div
        maximum = functions.maximum
        minimum = functions.minimum
        remainder = functions.remainder
        fmod = functions.fmod
        floor_divide = functions.floor_divide
        atan2 = functions.atan2
        hypot = functions.hypot
        neg = functions.neg
        abs = functions.abs
        exp = functions.exp
        expm1 = functions.expm1
        exp2 = functions.exp2
        log = functions.log
        log2 = functions.log2
        log10 = functions.log10
        log1p = functions.log1p
        sqrt = functions.sqrt
        rsqrt = functions.rsqrt
        reciprocal = functions.reciprocal
        square = functions.square
        sin = functions.sin
        cos = functions.cos
        tan = functions.tan
        asin = functions.asin
        acos = functions.acos
        atan = functions.atan
        sinh = functions.sinh
        cosh = functions.cosh
        tanh = functions.tanh
        asinh = functions.asinh
        acosh = functions.acosh
        atanh = functions.atanh
        erf = functions.erf
        sign = functions.sign
        floor = functions.floor
        ceil = functions.ceil
        round = functions.round
        trunc = functions.trunc
        frac = functions.frac
        sigmoid = functions.sigmoid
        relu = functions.relu
        silu = functions.silu
        logsigmoid = functions.logsigmoid
        gelu = functions.gelu
        leaky_relu = functions.leaky_relu
        elu = functions.elu
        softplus = functions.softplus
        softmax = functions.softmax
        log_softmax = functions.log_softmax
        mish = functions.mish
        softsign = functions.softsign
        tanhshrink = functions.tanhshrink
        hardsigmoid = functions.hardsigmoid
        hardswish = functions.hardswish
        relu6 = functions.relu6
        selu = functions.selu
        hardshrink = functions.hardshrink
        eq = functions.eq
        ne = functions.ne
        lt = functions.lt
        le = functions.le
        gt = functions.gt
        ge = functions.ge
        logical_and = functions.logical_and
        logical_or = functions.logical_or
        logical_xor = functions.logical_xor
        logical_not = functions.logical_not
        isnan = functions.isnan
        isinf = functions.isinf
        isfinite = functions.isfinite
        bitwise_and = functions.bitwise_and
        bitwise_or = functions.bitwise_or
        bitwise_xor = functions.bitwise_xor
        bitwise_left_shift = functions.bitwise_left_shift
        bitwise_right_shift = functions.bitwise_right_shift
        bitwise_not = functions.bitwise_not
        cumprod = functions.cumprod
        cummax = functions.cummax
        cummin = functions.cummin
        logcumsumexp = functions.logcumsumexp
        gather = functions.gather
        index_select = functions.index_select
        scatter = functions.scatter
        scatter_add = functions.scatter_add
        masked_fill = functions.masked_fill
        clamp = functions.clamp
        tril = functions.tril
        triu = functions.triu
        cumsum = functions.cumsum
        inv = functions.inv
        det = functions.det
        cholesky = functions.cholesky
        matmul = functions.matmul
        reshape = functions.reshape
        flatten = functions.flatten
        unflatten = functions.unflatten
        squeeze = functions.squeeze
        unsqueeze = functions.unsqueeze
        permute = functions.permute
        transpose = functions.transpose
        expand = functions.expand
        repeat = functions.repeat
        flip = functions.flip
        roll = functions.roll
        pad = functions.pad
        sum = functions.sum
        mean = functions.mean
        prod = functions.prod
        amax = functions.amax
        amin = functions.amin
        var = functions.var
        std = functions.std
        logsumexp = functions.logsumexp
        norm = functions.norm
        any = functions.any
        all = functions.all
        argmax = functions.argmax
        argmin = functions.argmin
        index_copy = functions.index_copy
        masked_scatter = functions.masked_scatter
        scatter_reduce = functions.scatter_reduce
        gather_nd = functions.gather_nd
        scatter_nd = functions.scatter_nd
        sort = functions.sort
        argsort = functions.argsort
        topk = functions.topk
        kthvalue = functions.kthvalue
        logaddexp = functions.logaddexp
        logaddexp2 = functions.logaddexp2
        xlogy = functions.xlogy
        copysign = functions.copysign
        heaviside = functions.heaviside
        fmax = functions.fmax
        fmin = functions.fmin
        gcd = functions.gcd
        lcm = functions.lcm
        signbit = functions.signbit
        deg2rad = functions.deg2rad
        rad2deg = functions.rad2deg
        sinc = functions.sinc
        erfc = functions.erfc
        erfinv = functions.erfinv
        lgamma = functions.lgamma
        polygamma = functions.polygamma
        nan_to_num = functions.nan_to_num
        lerp = functions.lerp
        addcmul = functions.addcmul
        addcdiv = functions.addcdiv
        unfold = functions.unfold
        subtract = functions.sub
        multiply = functions.mul
        divide = functions.div
        true_divide = functions.div
        negative = functions.neg
        absolute = functions.abs
        arcsin = functions.asin
        arccos = functions.acos
        arctan = functions.atan
        arcsinh = functions.asinh
        arccosh = functions.acosh
        arctanh = functions.atanh
        arctan2 = functions.atan2
        concat = functions.cat
        concatenate = functions.cat
        less = functions.lt
        less_equal = functions.le
        greater = functions.gt
        greater_equal = functions.ge
        not_equal = functions.ne
        swapaxes = functions.transpose
        swapdims = functions.transpose
        view = functions.reshape
        clip = functions.clamp
        fix = functions.trunc
        fold = functions.fold4d
        log_sigmoid = functions.logsigmoid
        inverse = functions.inv
        hard_swish = functions.hardswish
        max = composed.max
        min = composed.min
        split = composed.split
        chunk = composed.chunk
        unbind = composed.unbind
        narrow = composed.narrow
        select = composed.select
        where = composed.where_method
        t = composed.t
        float = composed.float_
        double = composed.double
        half = composed.half
        int = composed.int_
        long = composed.long
        bool = composed.bool_
        cpu = composed.cpu
        dot = composed.dot
        mv = composed.mv
        mm = composed.mm
        bmm = composed.bmm
        outer = composed.outer
        masked_select = composed.masked_select
        tile = composed.tile
        movedim = composed.movedim
        swap_dims = composed.swap_dims
        isclose = composed.isclose
        allclose = composed.allclose
        equal = composed.equal
        diagonal = composed.diagonal
        trace = composed.trace
        expand_as = composed.expand_as
        reshape_as = composed.reshape_as
        type_as = composed.type_as
        slice_assign = composed.slice_assign
        std_mean = composed.std_mean
        var_mean = composed.var_mean
        numel = composed.numel
        dim = composed.dim
        contiguous = composed.contiguous
        clone = composed.clone
        pow = composed.pow
        repeat_dim = composed.repeat_dim
        sum_dim = composed.sum_dim
        ravel = composed.ravel
        clamp_min = composed.clamp_min
        clamp_max = composed.clamp_max
        addmm = composed.addmm
        view_as = composed.view_as
        is_floating_point = composed.is_floating_point
        is_same_size = composed.is_same_size
        nelement = composed.nelement
        element_size = composed.element_size
        new_zeros = composed.new_zeros
        new_ones = composed.new_ones
        new_empty = composed.new_empty
        new_full = composed.new_full
        new_tensor = composed.new_tensor
        tensor_split = composed.tensor_split
        matrix_power = composed.matrix_power
        quantile = composed.quantile
        median = composed.median
        argtopk = composed.argtopk
        nonzero = composed.nonzero
        argwhere = composed.argwhere
        unique = composed.unique
        index_add = composed.index_add
        index_fill = composed.index_fill
        take_along_dim = composed.take_along_dim
        diff = composed.diff
        diag = composed.diag
        diag_embed = composed.diag_embed
        kron = composed.kron
        cross = composed.cross
        count_nonzero = composed.count_nonzero
        aminmax = composed.aminmax
        max_abs = composed.max_abs
        digamma = composed.digamma
        float_power = composed.float_power
        logit = composed.logit
        repeat_interleave = composed.repeat_interleave
        take = composed.take
        fliplr = composed.fliplr
        flipud = composed.flipud
        rot90 = composed.rot90
        nansum = composed.nansum
        nanmean = composed.nanmean
        broadcast_to = composed.broadcast_to
        slogdet = composed.slogdet
        bincount = composed.bincount
        multinomial = composed.multinomial
        dist = composed.dist
        cov = composed.cov
        corrcoef = composed.corrcoef
        prelu = composed.prelu
        require_grad = autodiff.require_grad
        set_require_grad = autodiff.set_require_grad
        detach = autodiff.detach
        retain_grad = autodiff.retain_grad
        inner = autodiff.inner
        to = autodiff.to
        grad = backward.grad
        grad_remove = backward.grad_remove
        grad_replace = backward.grad_replace
        register_hook = hooks.register_hook
        from_inner = staticmethod(autodiff.from_inner)
        autodiff = autodiff.autodiff
        numpy = values.numpy
        item = values.item
        tolist = values.tolist
        __array__ = values.as_array
        __float__ = values.as_float
        __int__ = values.as_int
        __index__ = values.as_index
        __bool__ = values.as_bool
        __add__ = functions.add
        __radd__ = functions.reflected_add
        __sub__ = functions.sub
        __rsub__ = functions.reflected_sub
        __mul__ = functions.mul
        __rmul__ = functions.reflected_mul
        __truediv__ = functions.div
        __rtruediv__ = functions.reflected_div
        __floordiv__ = functions.floor_divide
        __rfloordiv__ = functions.reflected_floor_divide
        __mod__ = functions.remainder
        __rmod__ = functions.reflected_remainder
        __and__ = functions.bitwise_and
        __rand__ = functions.reflected_bitwise_and
        __or__ = functions.bitwise_or
        __ror__ = functions.reflected_bitwise_or
        __xor__ = functions.bitwise_xor
        __rxor__ = functions.reflected_bitwise_xor
        __lshift__ = functions.bitwise_left_shift
        __rlshift__ = functions.reflected_bitwise_left_shift
        __rshift__ = functions.bitwise_right_shift
        __rrshift__ = functions.reflected_bitwise_right_shift
        __lt__ = functions.lt
        __le__ = functions.le
        __gt__ = functions.gt
        __ge__ = functions.ge
        __neg__ = functions.neg
        __abs__ = functions.abs
        __invert__ = functions.bitwise_not
        __getitem__ = composed.getitem
        __eq__ = functions.eq  # type: ignore[assignment]
        __ne__ = functions.ne  # type: ignore[assignment]

METHODS: tuple[str, ...] = (
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
    "gelu",
    "leaky_relu",
    "elu",
    "softplus",
    "softmax",
    "log_softmax",
    "mish",
    "softsign",
    "tanhshrink",
    "hardsigmoid",
    "hardswish",
    "relu6",
    "selu",
    "hardshrink",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "logical_and",
    "logical_or",
    "logical_xor",
    "logical_not",
    "isnan",
    "isinf",
    "isfinite",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "bitwise_left_shift",
    "bitwise_right_shift",
    "bitwise_not",
    "cumprod",
    "cummax",
    "cummin",
    "logcumsumexp",
    "gather",
    "index_select",
    "scatter",
    "scatter_add",
    "masked_fill",
    "clamp",
    "tril",
    "triu",
    "cumsum",
    "inv",
    "det",
    "cholesky",
    "matmul",
    "reshape",
    "flatten",
    "unflatten",
    "squeeze",
    "unsqueeze",
    "permute",
    "transpose",
    "expand",
    "repeat",
    "flip",
    "roll",
    "pad",
    "sum",
    "mean",
    "prod",
    "amax",
    "amin",
    "var",
    "std",
    "logsumexp",
    "norm",
    "any",
    "all",
    "argmax",
    "argmin",
    "index_copy",
    "masked_scatter",
    "scatter_reduce",
    "gather_nd",
    "scatter_nd",
    "sort",
    "argsort",
    "topk",
    "kthvalue",
    "logaddexp",
    "logaddexp2",
    "xlogy",
    "copysign",
    "heaviside",
    "fmax",
    "fmin",
    "gcd",
    "lcm",
    "signbit",
    "deg2rad",
    "rad2deg",
    "sinc",
    "erfc",
    "erfinv",
    "lgamma",
    "polygamma",
    "nan_to_num",
    "lerp",
    "addcmul",
    "addcdiv",
    "unfold",
    "subtract",
    "multiply",
    "divide",
    "true_divide",
    "negative",
    "absolute",
    "arcsin",
    "arccos",
    "arctan",
    "arcsinh",
    "arccosh",
    "arctanh",
    "arctan2",
    "concat",
    "concatenate",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "not_equal",
    "swapaxes",
    "swapdims",
    "view",
    "clip",
    "fix",
    "fold",
    "log_sigmoid",
    "inverse",
    "hard_swish",
)
COMPOSED: tuple[str, ...] = (
    "max",
    "min",
    "split",
    "chunk",
    "unbind",
    "narrow",
    "select",
    "where",
    "t",
    "float",
    "double",
    "half",
    "int",
    "long",
    "bool",
    "cpu",
    "dot",
    "mv",
    "mm",
    "bmm",
    "outer",
    "masked_select",
    "tile",
    "movedim",
    "swap_dims",
    "isclose",
    "allclose",
    "equal",
    "diagonal",
    "trace",
    "expand_as",
    "reshape_as",
    "type_as",
    "slice_assign",
    "std_mean",
    "var_mean",
    "numel",
    "dim",
    "contiguous",
    "clone",
    "pow",
    "repeat_dim",
    "sum_dim",
    "ravel",
    "clamp_min",
    "clamp_max",
    "addmm",
    "view_as",
    "is_floating_point",
    "is_same_size",
    "nelement",
    "element_size",
    "new_zeros",
    "new_ones",
    "new_empty",
    "new_full",
    "new_tensor",
    "tensor_split",
    "matrix_power",
    "quantile",
    "median",
    "argtopk",
    "nonzero",
    "argwhere",
    "unique",
    "index_add",
    "index_fill",
    "take_along_dim",
    "diff",
    "diag",
    "diag_embed",
    "kron",
    "cross",
    "count_nonzero",
    "aminmax",
    "max_abs",
    "digamma",
    "float_power",
    "logit",
    "repeat_interleave",
    "take",
    "fliplr",
    "flipud",
    "rot90",
    "nansum",
    "nanmean",
    "broadcast_to",
    "slogdet",
    "bincount",
    "multinomial",
    "dist",
    "cov",
    "corrcoef",
    "prelu",
)
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
