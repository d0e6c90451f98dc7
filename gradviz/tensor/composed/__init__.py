"""Operations with several forms, or made of rows: one module for each theme."""

from __future__ import annotations

from gradviz.tensor.composed.casts import (
    bool_,
    clone,
    contiguous,
    cpu,
    dim,
    double,
    float_,
    half,
    int_,
    long,
    numel,
    type_as,
)
from gradviz.tensor.composed.choice import (
    allclose,
    clamp_max,
    clamp_min,
    equal,
    isclose,
    where,
    where_method,
)
from gradviz.tensor.composed.entropy import cross_entropy, dropout
from gradviz.tensor.composed.extremes import max, min, std_mean, sum_dim, var_mean, vector_norm
from gradviz.tensor.composed.layout import (
    expand_as,
    movedim,
    ravel,
    repeat_dim,
    reshape_as,
    swap_dims,
    t,
    tile,
)
from gradviz.tensor.composed.parts import chunk, diagonal, narrow, select, split, unbind
from gradviz.tensor.composed.products import (
    addmm,
    bmm,
    dot,
    mm,
    mv,
    outer,
    pow,
    reflected_matmul,
    reflected_pow,
    trace,
)
from gradviz.tensor.indexing import getitem, masked_select, slice_assign

METHODS_ONLY = (
    "bool_ clone contiguous cpu dim double expand_as float_ getitem half int_ long "
    "reflected_matmul reflected_pow reshape_as type_as where_method"
).split()
"""What only makes sense as a method of a tensor."""

__all__ = [
    "addmm",
    "allclose",
    "bmm",
    "bool_",
    "chunk",
    "clamp_max",
    "clamp_min",
    "clone",
    "contiguous",
    "cpu",
    "cross_entropy",
    "diagonal",
    "dim",
    "dot",
    "double",
    "dropout",
    "equal",
    "expand_as",
    "float_",
    "getitem",
    "half",
    "int_",
    "isclose",
    "long",
    "masked_select",
    "max",
    "min",
    "mm",
    "movedim",
    "mv",
    "narrow",
    "numel",
    "outer",
    "pow",
    "ravel",
    "reflected_matmul",
    "reflected_pow",
    "repeat_dim",
    "reshape_as",
    "select",
    "slice_assign",
    "split",
    "std_mean",
    "sum_dim",
    "swap_dims",
    "t",
    "tile",
    "trace",
    "type_as",
    "unbind",
    "var_mean",
    "vector_norm",
    "where",
    "where_method",
]
