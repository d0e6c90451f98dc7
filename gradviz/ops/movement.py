"""Movement: elements change place, never value."""

from __future__ import annotations

from typing import Any

from gradviz.core.shape import inverse
from gradviz.ops import shapes
from gradviz.ops.infer import Fact
from gradviz.ops.spec import Ints, Mask, Sample, op


def _permuted(x: Fact, dims: tuple[int, ...]) -> Fact:
    return tuple(x[0][dim] for dim in dims), x[1]


def _swapped(x: Fact, dim0: int, dim1: int) -> Fact:
    sizes = list(x[0])
    if sizes:
        sizes[dim0], sizes[dim1] = sizes[dim1], sizes[dim0]
    return tuple(sizes), x[1]


def _reshaped(x: Fact, shape: tuple[int, ...]) -> Fact:
    return shapes.reshaped(x[0], shape), x[1]


def _expanded(x: Fact, shape: tuple[int, ...]) -> Fact:
    return shapes.broadcastable_to("expand", x[0], shape), x[1]


def _cat(*facts: Any) -> Fact:
    *tensors, dim = facts
    # PyTorch lets an empty vector stand beside tensors of any rank.
    solid = [fact for fact in tensors if fact[0] != (0,)] or tensors
    first = solid[0][0]
    for shape, _ in solid[1:]:
        if len(shape) != len(first) or any(
            a != b for at, (a, b) in enumerate(zip(first, shape, strict=True)) if at != dim
        ):
            raise shapes.mismatch(
                "cat",
                first,
                shape,
                f"all dimensions but dimension {dim} must be equal.",
                "Give tensors that differ along the joined dimension only.",
            )
    total = sum(shape[dim] for shape, _ in solid)
    return (*first[:dim], total, *first[dim + 1 :]), solid[0][1]


def _stack(*facts: Any) -> Fact:
    *tensors, dim = facts
    first = tensors[0][0]
    for shape, _ in tensors[1:]:
        if shape != first:
            raise shapes.mismatch(
                "stack",
                first,
                shape,
                "all shapes must be equal.",
                "Use `cat` to join tensors along a dimension they have.",
            )
    return (*first[:dim], len(tensors), *first[dim:]), tensors[0][1]


def _cat_gradient(g: Any, shapes: Any, index: int, dim: int, xp: Any) -> Any:
    if shapes[index] == (0,) and len(g.shape) != 1:
        return (
            xp.reshape(xp.slice(g, (slice(0, 0, 1),)), (0,))
            if g.size == 0
            else xp.slice(xp.reshape(g, (g.size,)), (slice(0, 0, 1),))
        )
    start = sum(shape[dim] for shape in shapes[:index] if shape != (0,) or len(g.shape) == 1)
    where = (slice(None),) * dim + (slice(start, start + shapes[index][dim], 1),)
    return xp.slice(g, where)


op(
    "reshape",
    "x",
    attrs="shape",
    infer=_reshaped,
    vjp={"x": lambda g, x_shape, xp: xp.reshape(g, x_shape)},
    doc="The same elements in another shape.",
    onnx="Reshape",
    samples=(
        Sample(((2, 3),), ((3, 2),)),
        Sample(((2, 3),), ((6,),)),
        Sample(((0, 3),), ((3, 0),)),
        Sample(((1,),), ((),)),
    ),
)
for _name, _doc in (
    ("flatten", "Several dimensions made one."),
    ("unflatten", "One dimension made several."),
    ("squeeze", "Dimensions of size 1 taken away."),
    ("unsqueeze", "A dimension of size 1 put in."),
):
    op(
        _name,
        "x",
        attrs="shape",
        infer=_reshaped,
        forward="reshape",
        vjp={"x": lambda g, x_shape, xp: xp.reshape(g, x_shape)},
        doc=_doc,
        onnx="Reshape",
        samples=(Sample(((2, 1, 3),), ((2, 3),)),),
    )
op(
    "detach",
    "x",
    infer=lambda x: x,
    forward="asarray",
    doc="The same values; no gradient passes.",
    onnx="Identity",
    samples=(Sample(((2, 3),)), Sample(((0, 3),)), Sample((Ints((2,), 5),)), Sample((Mask((2,)),))),
)
op(
    "own_backward",
    "x",
    attrs="function",
    infer=lambda x, function: x,
    forward="as_it_is",
    doc="The result of a function with a backward pass of its own, which a recording can't hold.",
    samples=(Sample(((2, 3),), ("Cube",)), Sample((Ints((2,), 5),), ("Cube",))),
)
op(
    "permute",
    "x",
    attrs="dims",
    infer=_permuted,
    vjp={"x": lambda g, dims, xp: xp.permute(g, inverse(dims))},
    doc="Dimensions in another order.",
    onnx="Transpose",
    samples=(
        Sample(((2, 3, 4),), ((2, 0, 1),)),
        Sample(((0, 3),), ((1, 0),)),
        Sample(((),), ((),)),
    ),
)
op(
    "transpose",
    "x",
    attrs="dim0 dim1",
    infer=_swapped,
    vjp={"x": lambda g, dim0, dim1, xp: xp.transpose(g, dim0, dim1)},
    doc="Two dimensions exchanged.",
    onnx="Transpose",
    samples=(Sample(((2, 3, 4),), (0, 2)), Sample(((2, 3),), (0, 1)), Sample(((0, 3),), (1, 0))),
)
op(
    "expand",
    "x",
    attrs="shape",
    infer=_expanded,
    vjp={"x": lambda g, x_shape, xp: xp.sum_to(g, x_shape)},
    doc="Dimensions of size 1 repeated without copying.",
    onnx="Expand",
    samples=(
        Sample(((2, 1),), ((2, 3),)),
        Sample(((3,),), ((2, 3),)),
        Sample(((),), ((2,),)),
        Sample(((1, 3),), ((0, 3),)),
    ),
)
op(
    "repeat",
    "x",
    attrs="counts",
    infer=lambda x, counts: (
        tuple(c * n for c, n in zip(counts, (1,) * (len(counts) - len(x[0])) + x[0], strict=True)),
        x[1],
    ),
    vjp={"x": lambda g, x_shape, counts, xp: xp.fold_repeats(g, x_shape, counts)},
    doc="Copies laid side by side, `counts` along each dimension.",
    onnx="Tile",
    samples=(Sample(((2, 3),), ((2, 1),)), Sample(((3,),), ((2, 2),)), Sample(((2,),), ((0,),))),
)
op(
    "flip",
    "x",
    attrs="dims",
    infer=lambda x, dims: x,
    vjp={"x": lambda g, dims, xp: xp.flip(g, dims)},
    doc="Elements in reverse order along dimensions.",
    samples=(Sample(((2, 3),), ((0,),)), Sample(((2, 3),), ((0, 1),)), Sample(((0, 3),), ((1,),))),
)
op(
    "roll",
    "x",
    attrs="shifts dims",
    infer=lambda x, shifts, dims: x,
    vjp={"x": lambda g, shifts, dims, xp: xp.roll(g, tuple(-s for s in shifts), dims)},
    doc="Elements shifted along dimensions; those that fall off come in on the other side.",
    samples=(Sample(((2, 3),), ((1,), (1,))), Sample(((2, 3),), ((1, -2), (0, 1)))),
)
op(
    "pad",
    "x",
    attrs="widths value",
    infer=lambda x, widths, value: (
        tuple(n + a + b for n, (a, b) in zip(x[0], widths, strict=True)),
        x[1],
    ),
    vjp={"x": lambda g, x_shape, widths, xp: xp.unpad(g, x_shape, widths)},
    doc="A border of `value` around the elements; a negative width cuts.",
    onnx="Pad",
    samples=(
        Sample(((2, 3),), (((0, 0), (1, 2)), 0.0)),
        Sample(((2, 3),), (((1, 0), (-1, 0)), 1.5)),
    ),
)
op(
    "unpad",
    "g",
    attrs="shape widths",
    infer=lambda g, shape, widths: (shape, g[1]),
    vjp={"g": lambda g, widths, xp: xp.pad(g, widths, 0.0)},
    doc="The elements inside a border: the adjoint of pad.",
    samples=(Sample(((2, 6),), ((2, 3), ((0, 0), (1, 2)))),),
)
op(
    "cat",
    "tensors*",
    attrs="dim",
    infer=_cat,
    promote="common",
    vjp={"tensors": _cat_gradient},
    doc="Tensors joined along a dimension they have.",
    onnx="Concat",
    samples=(
        Sample(((2, 3), (1, 3)), (0,)),
        Sample(((2, 3), (2, 1), (2, 2)), (1,)),
        Sample(((0, 3), (2, 3)), (0,)),
        Sample(((2,),), (0,)),
    ),
)
op(
    "stack",
    "tensors*",
    attrs="dim",
    infer=_stack,
    promote="common",
    vjp={"tensors": lambda g, index, dim, xp: xp.slice(g, (slice(None),) * dim + (index,))},
    doc="Tensors of one shape joined along a new dimension.",
    samples=(
        Sample(((2, 3), (2, 3)), (0,)),
        Sample(((2, 3), (2, 3)), (2,)),
        Sample(((), ()), (0,)),
    ),
)
