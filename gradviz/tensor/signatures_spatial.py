"""How convolutions, pools, windows and resampling are called."""

from __future__ import annotations

from gradviz.tensor.arguments import ARGUMENTS
from gradviz.tensor.signatures import _add

LAYOUTS = {1: "length", 2: "height, width", 3: "depth, height, width"}
_EACH = "one number, or one for each spatial dimension"
ARGUMENTS.update(
    {
        "stride": f"the step from window to window: {_EACH}.",
        "padding": f"zeros around the input on both sides: {_EACH}.",
        "dilation": f"the step between elements of a window: {_EACH}.",
        "groups": "into how many groups channels are divided that don't see each other.",
        "output_padding": f"how much longer the result gets at its end: {_EACH}.",
        "kernel_size": f"the size of the window: {_EACH}.",
        "ceil_mode": "whether windows may hang over the end instead of leaving a rest out.",
        "return_indices": "whether to give `(values, indices)`.",
        "count_include_pad": "whether padding counts as elements.",
        "divisor_override": "what to divide by instead of the number of elements; None for that.",
        "output_size": "the spatial sizes of the result; None keeps one.",
        "dimension": "the dimension, counted from 0 or from -1 at the end.",
        "size": "how many elements a window has.",
        "step": "how many elements lie between the starts of two windows.",
        "upscale_factor": "how many times higher and wider.",
        "downscale_factor": "how many times lower and narrower.",
        "grid": "shape (batch, rows, columns, 2): places (x, y) between -1 and 1.",
        "padding_mode": "what lies outside: 'zeros', 'border' or 'reflection'.",
        "interpolate.size": f"the sizes of the result: {_EACH}.",
        "interpolate.mode": "'nearest', 'nearest-exact', 'area', or by the number of dimensions "
        "'linear', 'bilinear', 'bicubic' and 'trilinear'.",
        "scale_factor": f"the sizes as multiples of the input's: {_EACH}.",
        "align_corners": "whether the centres of the outermost elements keep their places.",
        "recompute_scale_factor": "whether the scale is worked out anew from the rounded sizes.",
        "grid_sample.mode": "'bilinear', 'nearest' or 'bicubic'.",
        "offset": "shape (batch, groups * 2 * kernel, rows, columns): shifts (y, x).",
        "deform_conv2d.mask": "shape (batch, groups * kernel, rows, columns): factors, or None.",
        "deform_conv2d.weight": "shape (out_channels, in_channels / groups, height, width).",
        "deform_conv2d.bias": "shape (out_channels,), or None.",
        "unfold4d.input": "shape (batch, channels, height, width), or without the batch.",
        "fold4d.input": "shape (batch, channels * kernel, patches), or without the batch.",
    }
)

_FIRST = "input: Any, weight: Any, bias: Any = None"
for _rank in (1, 2, 3):
    _image = f"gv.ones(1, 1, {', '.join('3' * _rank)})"
    _kernel = f"gv.ones(1, 1, {', '.join('2' * _rank)})"
    for _name, _shape in (
        (f"conv{_rank}d", "(out_channels, in_channels / groups"),
        (f"conv_transpose{_rank}d", "(in_channels, out_channels / groups"),
    ):
        ARGUMENTS[f"{_name}.input"] = (
            f"shape (batch, channels, {LAYOUTS[_rank]}), or without the batch."
        )
        ARGUMENTS[f"{_name}.weight"] = f"shape {_shape}, {LAYOUTS[_rank]})."
        ARGUMENTS[f"{_name}.bias"] = "shape (out_channels,), or None."
    ARGUMENTS[f"conv{_rank}d.padding"] = (
        f"zeros around the input: {_EACH}, a pair (before, after) for each, 'valid' for none, or "
        "'same' for a result of the input's size."
    )
    _add(
        f"conv{_rank}d",
        f"{_FIRST}, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1",
        f"*canon.spatial.convolution(NAME, {_rank}, weight, stride, padding, dilation, groups)",
        f"gv.conv{_rank}d({_image}, {_kernel}).shape",
        inputs="input weight bias",
        method=False,
    )
    _add(
        f"conv_transpose{_rank}d",
        f"{_FIRST}, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: int = 1, "
        "dilation: Any = 1",
        f"*canon.spatial.transposed(NAME, {_rank}, stride, padding, output_padding, groups, "
        "dilation)",
        f"gv.conv_transpose{_rank}d({_image}, {_kernel}).shape",
        inputs="input weight bias",
        method=False,
    )
    for _name in (
        f"max_pool{_rank}d",
        f"avg_pool{_rank}d",
        f"adaptive_avg_pool{_rank}d",
        f"adaptive_max_pool{_rank}d",
    ):
        ARGUMENTS[f"{_name}.input"] = (
            f"shape (batch, channels, {LAYOUTS[_rank]}), or without the batch."
        )
    _line = "gv.tensor([1.0, 3.0, 2.0, 0.0])"
    _flat = f"{_line}.reshape(1, 1, {', '.join('1' * (_rank - 1) + '4')})"
    _pair = "2" if _rank == 1 else f"({', '.join('1' * (_rank - 1) + '2')})"
    _add(
        f"max_pool{_rank}d",
        "input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, "
        "ceil_mode: bool = False, return_indices: bool = False",
        f"*canon.spatial.max_pool(NAME, {_rank}, kernel_size, stride, padding, dilation, "
        "ceil_mode)",
        f"gv.max_pool{_rank}d({_flat}, {_pair}).flatten().tolist()",
        before='if canon.flag(NAME, "return_indices", return_indices):\n'
        "    return canon.spatial.max_pool_with_indices(  # type: ignore[no-any-return]\n"
        "        NAME, input, kernel_size, stride, padding, dilation, ceil_mode\n"
        "    )",
        method=False,
    )
    _add(
        f"avg_pool{_rank}d",
        "input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, "
        "ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: Any = None",
        f"*canon.spatial.avg_pool(NAME, {_rank}, kernel_size, stride, padding, ceil_mode, "
        "count_include_pad, divisor_override)",
        f"gv.avg_pool{_rank}d({_flat}, {_pair}).flatten().tolist()",
        method=False,
    )
    _one = "2" if _rank == 1 else f"({', '.join('1' * (_rank - 1) + '2')})"
    _add(
        f"adaptive_avg_pool{_rank}d",
        "input: Any, output_size: Any",
        f"*canon.spatial.adaptive(NAME, {_rank}, output_size, input)",
        f"gv.adaptive_avg_pool{_rank}d({_flat}, {_one}).flatten().tolist()",
        method=False,
    )
    _add(
        f"adaptive_max_pool{_rank}d",
        "input: Any, output_size: Any, return_indices: bool = False",
        f"*canon.spatial.adaptive(NAME, {_rank}, output_size, input)",
        f"gv.adaptive_max_pool{_rank}d({_flat}, {_one}).flatten().tolist()",
        before='if canon.flag(NAME, "return_indices", return_indices):\n'
        "    return canon.spatial.adaptive_max_with_indices(NAME, input, output_size)"
        "  # type: ignore[no-any-return]",
        method=False,
    )
_add(
    "unfold",
    "input: Any, dimension: int, size: int, step: int",
    "*canon.spatial.window(input, dimension, size, step)",
    "gv.arange(4).unfold(0, 2, 1).tolist()",
)
_add(
    "unfold4d",
    "input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1",
    "*canon.spatial.patches(NAME, kernel_size, dilation, padding, stride)",
    "gv.unfold4d(gv.ones(1, 2, 3, 3), 2).shape",
    method=False,
)
_add(
    "fold4d",
    "input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, "
    "stride: Any = 1",
    '(canon.spatial.per_dim(NAME, "output_size", output_size, 2), '
    "*canon.spatial.patches(NAME, kernel_size, dilation, padding, stride))",
    "gv.fold4d(gv.ones(1, 4, 4), (3, 3), 2).tolist()",
    method=False,
)
_add(
    "pixel_shuffle",
    "input: Any, upscale_factor: int",
    '*canon.spatial.factor(NAME, "upscale_factor", upscale_factor)',
    "gv.pixel_shuffle(gv.arange(4).reshape(1, 4, 1, 1), 2).tolist()",
    method=False,
)
_add(
    "pixel_unshuffle",
    "input: Any, downscale_factor: int",
    '*canon.spatial.factor(NAME, "downscale_factor", downscale_factor)',
    "gv.pixel_unshuffle(gv.ones(1, 1, 4, 4), 2).shape",
    method=False,
)
_add(
    "interpolate",
    "input: Any, size: Any = None, scale_factor: Any = None, mode: str = 'nearest', "
    "align_corners: Any = None, recompute_scale_factor: Any = None",
    "*canon.spatial.resized(input, size, scale_factor, mode, align_corners, "
    "recompute_scale_factor)",
    "gv.interpolate(gv.tensor([[[1.0, 3.0]]]), scale_factor=2, mode='linear').tolist()",
    before='if mode == "area":\n'
    "    return canon.spatial.area(input, size, scale_factor)  # type: ignore[no-any-return]",
    method=False,
)
_add(
    "grid_sample",
    "input: Any, grid: Any, mode: str = 'bilinear', padding_mode: str = 'zeros', "
    "align_corners: Any = None",
    'canon.choice(NAME, "mode", mode, ("bilinear", "nearest", "bicubic")), '
    'canon.choice(NAME, "padding_mode", padding_mode, ("zeros", "border", "reflection")), '
    'align_corners is not None and canon.flag(NAME, "align_corners", align_corners)',
    "gv.grid_sample(gv.arange(4).float().reshape(1, 1, 2, 2), gv.zeros(1, 1, 1, 2)).item()",
    inputs="input grid",
    method=False,
)
_add(
    "deform_conv2d",
    "input: Any, offset: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, "
    "dilation: Any = 1, mask: Any = None",
    "*canon.spatial.deformable(stride, padding, dilation)",
    "gv.deform_conv2d(gv.ones(1, 1, 3, 3), gv.zeros(1, 8, 2, 2), gv.ones(1, 1, 2, 2)).tolist()",
    inputs="input offset weight mask bias",
    method=False,
)
