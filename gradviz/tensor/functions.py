"""Operations as functions.

Generated from the operation table by `gradviz.tensor.generate`: do not edit.
"""

# ruff: noqa: E501, Q000, RUF021, RUF022
from __future__ import annotations

from typing import Any

from gradviz.tensor import canon
from gradviz.tensor.base import TENSORS, Tensor
from gradviz.tensor.general import explain, general, number, row_of

_max_pool1d_row = row_of("max_pool1d")
_avg_pool1d_row = row_of("avg_pool1d")
_adaptive_avg_pool1d_row = row_of("adaptive_avg_pool1d")
_adaptive_max_pool1d_row = row_of("adaptive_max_pool1d")
_max_pool2d_row = row_of("max_pool2d")
_avg_pool2d_row = row_of("avg_pool2d")
_adaptive_avg_pool2d_row = row_of("adaptive_avg_pool2d")
_adaptive_max_pool2d_row = row_of("adaptive_max_pool2d")
_max_pool3d_row = row_of("max_pool3d")
_avg_pool3d_row = row_of("avg_pool3d")
_adaptive_avg_pool3d_row = row_of("adaptive_avg_pool3d")
_adaptive_max_pool3d_row = row_of("adaptive_max_pool3d")
_interpolate_row = row_of("interpolate")
_grid_sample_row = row_of("grid_sample")
_add_row = row_of("add")
_sub_row = row_of("sub")
_mul_row = row_of("mul")
_div_row = row_of("div")
_maximum_row = row_of("maximum")
_minimum_row = row_of("minimum")
_remainder_row = row_of("remainder")
_fmod_row = row_of("fmod")
_floor_divide_row = row_of("floor_divide")
_atan2_row = row_of("atan2")
_hypot_row = row_of("hypot")
_neg_row = row_of("neg")
_abs_row = row_of("abs")
_exp_row = row_of("exp")
_expm1_row = row_of("expm1")
_exp2_row = row_of("exp2")
_log_row = row_of("log")
_log2_row = row_of("log2")
_log10_row = row_of("log10")
_log1p_row = row_of("log1p")
_sqrt_row = row_of("sqrt")
_rsqrt_row = row_of("rsqrt")
_reciprocal_row = row_of("reciprocal")
_square_row = row_of("square")
_sin_row = row_of("sin")
_cos_row = row_of("cos")
_tan_row = row_of("tan")
_asin_row = row_of("asin")
_acos_row = row_of("acos")
_atan_row = row_of("atan")
_sinh_row = row_of("sinh")
_cosh_row = row_of("cosh")
_tanh_row = row_of("tanh")
_asinh_row = row_of("asinh")
_acosh_row = row_of("acosh")
_atanh_row = row_of("atanh")
_erf_row = row_of("erf")
_sign_row = row_of("sign")
_floor_row = row_of("floor")
_ceil_row = row_of("ceil")
_round_row = row_of("round")
_trunc_row = row_of("trunc")
_frac_row = row_of("frac")
_sigmoid_row = row_of("sigmoid")
_relu_row = row_of("relu")
_silu_row = row_of("silu")
_logsigmoid_row = row_of("logsigmoid")
_gelu_row = row_of("gelu")
_leaky_relu_row = row_of("leaky_relu")
_elu_row = row_of("elu")
_softplus_row = row_of("softplus")
_softmax_row = row_of("softmax")
_log_softmax_row = row_of("log_softmax")
_mish_row = row_of("mish")
_softsign_row = row_of("softsign")
_tanhshrink_row = row_of("tanhshrink")
_hardsigmoid_row = row_of("hardsigmoid")
_hardswish_row = row_of("hardswish")
_relu6_row = row_of("relu6")
_selu_row = row_of("selu")
_celu_row = row_of("celu")
_hardtanh_row = row_of("hardtanh")
_hardshrink_row = row_of("hardshrink")
_softshrink_row = row_of("softshrink")
_shrink_row = row_of("shrink")
_threshold_row = row_of("threshold")
_quiet_softmax_row = row_of("quiet_softmax")
_eq_row = row_of("eq")
_ne_row = row_of("ne")
_lt_row = row_of("lt")
_le_row = row_of("le")
_gt_row = row_of("gt")
_ge_row = row_of("ge")
_logical_and_row = row_of("logical_and")
_logical_or_row = row_of("logical_or")
_logical_xor_row = row_of("logical_xor")
_logical_not_row = row_of("logical_not")
_isnan_row = row_of("isnan")
_isinf_row = row_of("isinf")
_isfinite_row = row_of("isfinite")
_bitwise_and_row = row_of("bitwise_and")
_bitwise_or_row = row_of("bitwise_or")
_bitwise_xor_row = row_of("bitwise_xor")
_bitwise_left_shift_row = row_of("bitwise_left_shift")
_bitwise_right_shift_row = row_of("bitwise_right_shift")
_bitwise_not_row = row_of("bitwise_not")
_conv1d_row = row_of("conv1d")
_conv_transpose1d_row = row_of("conv_transpose1d")
_conv2d_row = row_of("conv2d")
_conv_transpose2d_row = row_of("conv_transpose2d")
_conv3d_row = row_of("conv3d")
_conv_transpose3d_row = row_of("conv_transpose3d")
_cumprod_row = row_of("cumprod")
_cummax_row = row_of("cummax")
_cummin_row = row_of("cummin")
_logcumsumexp_row = row_of("logcumsumexp")
_deform_conv2d_row = row_of("deform_conv2d")
_gather_row = row_of("gather")
_index_select_row = row_of("index_select")
_scatter_row = row_of("scatter")
_scatter_add_row = row_of("scatter_add")
_masked_fill_row = row_of("masked_fill")
_clamp_row = row_of("clamp")
_tril_row = row_of("tril")
_triu_row = row_of("triu")
_cumsum_row = row_of("cumsum")
_inv_row = row_of("inv")
_det_row = row_of("det")
_solve_row = row_of("solve")
_cholesky_row = row_of("cholesky")
_matmul_row = row_of("matmul")
_linear_row = row_of("linear")
_nll_loss_row = row_of("nll_loss")
_mse_loss_row = row_of("mse_loss")
_l1_loss_row = row_of("l1_loss")
_huber_loss_row = row_of("huber_loss")
_smooth_l1_loss_row = row_of("smooth_l1_loss")
_reshape_row = row_of("reshape")
_flatten_row = row_of("flatten")
_unflatten_row = row_of("unflatten")
_squeeze_row = row_of("squeeze")
_unsqueeze_row = row_of("unsqueeze")
_permute_row = row_of("permute")
_transpose_row = row_of("transpose")
_expand_row = row_of("expand")
_repeat_row = row_of("repeat")
_flip_row = row_of("flip")
_roll_row = row_of("roll")
_pad_row = row_of("pad")
_cat_row = row_of("cat")
_stack_row = row_of("stack")
_sum_row = row_of("sum")
_mean_row = row_of("mean")
_prod_row = row_of("prod")
_amax_row = row_of("amax")
_amin_row = row_of("amin")
_var_row = row_of("var")
_std_row = row_of("std")
_logsumexp_row = row_of("logsumexp")
_norm_row = row_of("norm")
_any_row = row_of("any")
_all_row = row_of("all")
_argmax_row = row_of("argmax")
_argmin_row = row_of("argmin")
_index_copy_row = row_of("index_copy")
_masked_scatter_row = row_of("masked_scatter")
_scatter_reduce_row = row_of("scatter_reduce")
_gather_nd_row = row_of("gather_nd")
_scatter_nd_row = row_of("scatter_nd")
_sort_row = row_of("sort")
_argsort_row = row_of("argsort")
_topk_row = row_of("topk")
_kthvalue_row = row_of("kthvalue")
_searchsorted_row = row_of("searchsorted")
_logaddexp_row = row_of("logaddexp")
_logaddexp2_row = row_of("logaddexp2")
_xlogy_row = row_of("xlogy")
_copysign_row = row_of("copysign")
_heaviside_row = row_of("heaviside")
_fmax_row = row_of("fmax")
_fmin_row = row_of("fmin")
_gcd_row = row_of("gcd")
_lcm_row = row_of("lcm")
_signbit_row = row_of("signbit")
_deg2rad_row = row_of("deg2rad")
_rad2deg_row = row_of("rad2deg")
_sinc_row = row_of("sinc")
_erfc_row = row_of("erfc")
_erfinv_row = row_of("erfinv")
_lgamma_row = row_of("lgamma")
_polygamma_row = row_of("polygamma")
_nan_to_num_row = row_of("nan_to_num")
_lerp_row = row_of("lerp")
_addcmul_row = row_of("addcmul")
_addcdiv_row = row_of("addcdiv")
_unfold_row = row_of("unfold")
_unfold4d_row = row_of("unfold4d")
_fold4d_row = row_of("fold4d")
_pixel_shuffle_row = row_of("pixel_shuffle")
_pixel_unshuffle_row = row_of("pixel_unshuffle")


def max_pool1d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False) -> Tensor:
    """The largest element of every window over one dimension; the first gets the gradient on a tie.

    Args:
        input: shape (batch, channels, length), or without the batch.
        kernel_size: the size of the window: one number, or one for each spatial dimension.
        stride: the step from window to window: one number, or one for each spatial dimension.
        padding: zeros around the input on both sides: one number, or one for each spatial
            dimension.
        dilation: the step between elements of a window: one number, or one for each spatial
            dimension.
        ceil_mode: whether windows may hang over the end instead of leaving a rest out.
        return_indices: whether to give `(values, indices)`.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.max_pool1d(gv.tensor([1.0, 3.0, 2.0, 0.0]).reshape(1, 1, 4), 2).flatten().tolist()
        [3.0, 2.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("max_pool1d", input)
    if canon.flag("max_pool1d", "return_indices", return_indices):
        return canon.spatial.max_pool_with_indices(  # type: ignore[no-any-return]
            "max_pool1d", input, kernel_size, stride, padding, dilation, ceil_mode
        )
    a0, a1, a2, a3, a4 = canon.spatial.max_pool("max_pool1d", 1, kernel_size, stride, padding, dilation, ceil_mode)
    meta = input.node.meta
    try:
        canon.agree(_max_pool1d_row, (input,), a0, a1, a2, a3, a4)
        return meta.table.max_pool1d(input, a0, a1, a2, a3, a4)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _max_pool1d_row, (input,), (a0, a1, a2, a3, a4)) from None


def avg_pool1d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: Any = None) -> Tensor:
    """The mean of every window over one dimension.

    Args:
        input: shape (batch, channels, length), or without the batch.
        kernel_size: the size of the window: one number, or one for each spatial dimension.
        stride: the step from window to window: one number, or one for each spatial dimension.
        padding: zeros around the input on both sides: one number, or one for each spatial
            dimension.
        ceil_mode: whether windows may hang over the end instead of leaving a rest out.
        count_include_pad: whether padding counts as elements.
        divisor_override: what to divide by instead of the number of elements; None for that.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.avg_pool1d(gv.tensor([1.0, 3.0, 2.0, 0.0]).reshape(1, 1, 4), 2).flatten().tolist()
        [2.0, 1.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("avg_pool1d", input)
    a0, a1, a2, a3, a4, a5 = canon.spatial.avg_pool("avg_pool1d", 1, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    meta = input.node.meta
    try:
        canon.agree(_avg_pool1d_row, (input,), a0, a1, a2, a3, a4, a5)
        return meta.table.avg_pool1d(input, a0, a1, a2, a3, a4, a5)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _avg_pool1d_row, (input,), (a0, a1, a2, a3, a4, a5)) from None


def adaptive_avg_pool1d(input: Any, output_size: Any) -> Tensor:
    """Means of windows that share out the input evenly over one dimension, as many as asked for.

    Args:
        input: shape (batch, channels, length), or without the batch.
        output_size: the spatial sizes of the result; None keeps one.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.adaptive_avg_pool1d(gv.tensor([1.0, 3.0, 2.0, 0.0]).reshape(1, 1, 4), 2).flatten().tolist()
        [2.0, 1.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("adaptive_avg_pool1d", input)
    a0, = canon.spatial.adaptive("adaptive_avg_pool1d", 1, output_size, input)
    meta = input.node.meta
    try:
        canon.agree(_adaptive_avg_pool1d_row, (input,), a0)
        return meta.table.adaptive_avg_pool1d(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _adaptive_avg_pool1d_row, (input,), (a0,)) from None


def adaptive_max_pool1d(input: Any, output_size: Any, return_indices: bool = False) -> Tensor:
    """Largest elements of windows that share out the input evenly over one dimension.

    Args:
        input: shape (batch, channels, length), or without the batch.
        output_size: the spatial sizes of the result; None keeps one.
        return_indices: whether to give `(values, indices)`.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.adaptive_max_pool1d(gv.tensor([1.0, 3.0, 2.0, 0.0]).reshape(1, 1, 4), 2).flatten().tolist()
        [3.0, 2.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("adaptive_max_pool1d", input)
    if canon.flag("adaptive_max_pool1d", "return_indices", return_indices):
        return canon.spatial.adaptive_max_with_indices("adaptive_max_pool1d", input, output_size)  # type: ignore[no-any-return]
    a0, = canon.spatial.adaptive("adaptive_max_pool1d", 1, output_size, input)
    meta = input.node.meta
    try:
        canon.agree(_adaptive_max_pool1d_row, (input,), a0)
        return meta.table.adaptive_max_pool1d(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _adaptive_max_pool1d_row, (input,), (a0,)) from None


def max_pool2d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False) -> Tensor:
    """The largest element of every window over two dimensions; the first gets the gradient on a tie.

    Args:
        input: shape (batch, channels, height, width), or without the batch.
        kernel_size: the size of the window: one number, or one for each spatial dimension.
        stride: the step from window to window: one number, or one for each spatial dimension.
        padding: zeros around the input on both sides: one number, or one for each spatial
            dimension.
        dilation: the step between elements of a window: one number, or one for each spatial
            dimension.
        ceil_mode: whether windows may hang over the end instead of leaving a rest out.
        return_indices: whether to give `(values, indices)`.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.max_pool2d(gv.tensor([1.0, 3.0, 2.0, 0.0]).reshape(1, 1, 1, 4), (1, 2)).flatten().tolist()
        [3.0, 2.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("max_pool2d", input)
    if canon.flag("max_pool2d", "return_indices", return_indices):
        return canon.spatial.max_pool_with_indices(  # type: ignore[no-any-return]
            "max_pool2d", input, kernel_size, stride, padding, dilation, ceil_mode
        )
    a0, a1, a2, a3, a4 = canon.spatial.max_pool("max_pool2d", 2, kernel_size, stride, padding, dilation, ceil_mode)
    meta = input.node.meta
    try:
        canon.agree(_max_pool2d_row, (input,), a0, a1, a2, a3, a4)
        return meta.table.max_pool2d(input, a0, a1, a2, a3, a4)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _max_pool2d_row, (input,), (a0, a1, a2, a3, a4)) from None


def avg_pool2d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: Any = None) -> Tensor:
    """The mean of every window over two dimensions.

    Args:
        input: shape (batch, channels, height, width), or without the batch.
        kernel_size: the size of the window: one number, or one for each spatial dimension.
        stride: the step from window to window: one number, or one for each spatial dimension.
        padding: zeros around the input on both sides: one number, or one for each spatial
            dimension.
        ceil_mode: whether windows may hang over the end instead of leaving a rest out.
        count_include_pad: whether padding counts as elements.
        divisor_override: what to divide by instead of the number of elements; None for that.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.avg_pool2d(gv.tensor([1.0, 3.0, 2.0, 0.0]).reshape(1, 1, 1, 4), (1, 2)).flatten().tolist()
        [2.0, 1.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("avg_pool2d", input)
    a0, a1, a2, a3, a4, a5 = canon.spatial.avg_pool("avg_pool2d", 2, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    meta = input.node.meta
    try:
        canon.agree(_avg_pool2d_row, (input,), a0, a1, a2, a3, a4, a5)
        return meta.table.avg_pool2d(input, a0, a1, a2, a3, a4, a5)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _avg_pool2d_row, (input,), (a0, a1, a2, a3, a4, a5)) from None


def adaptive_avg_pool2d(input: Any, output_size: Any) -> Tensor:
    """Means of windows that share out the input evenly over two dimensions, as many as asked for.

    Args:
        input: shape (batch, channels, height, width), or without the batch.
        output_size: the spatial sizes of the result; None keeps one.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.adaptive_avg_pool2d(gv.tensor([1.0, 3.0, 2.0, 0.0]).reshape(1, 1, 1, 4), (1, 2)).flatten().tolist()
        [2.0, 1.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("adaptive_avg_pool2d", input)
    a0, = canon.spatial.adaptive("adaptive_avg_pool2d", 2, output_size, input)
    meta = input.node.meta
    try:
        canon.agree(_adaptive_avg_pool2d_row, (input,), a0)
        return meta.table.adaptive_avg_pool2d(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _adaptive_avg_pool2d_row, (input,), (a0,)) from None


def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: bool = False) -> Tensor:
    """Largest elements of windows that share out the input evenly over two dimensions.

    Args:
        input: shape (batch, channels, height, width), or without the batch.
        output_size: the spatial sizes of the result; None keeps one.
        return_indices: whether to give `(values, indices)`.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.adaptive_max_pool2d(gv.tensor([1.0, 3.0, 2.0, 0.0]).reshape(1, 1, 1, 4), (1, 2)).flatten().tolist()
        [3.0, 2.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("adaptive_max_pool2d", input)
    if canon.flag("adaptive_max_pool2d", "return_indices", return_indices):
        return canon.spatial.adaptive_max_with_indices("adaptive_max_pool2d", input, output_size)  # type: ignore[no-any-return]
    a0, = canon.spatial.adaptive("adaptive_max_pool2d", 2, output_size, input)
    meta = input.node.meta
    try:
        canon.agree(_adaptive_max_pool2d_row, (input,), a0)
        return meta.table.adaptive_max_pool2d(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _adaptive_max_pool2d_row, (input,), (a0,)) from None


def max_pool3d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False) -> Tensor:
    """The largest element of every window over three dimensions; the first gets the gradient on a tie.

    Args:
        input: shape (batch, channels, depth, height, width), or without the batch.
        kernel_size: the size of the window: one number, or one for each spatial dimension.
        stride: the step from window to window: one number, or one for each spatial dimension.
        padding: zeros around the input on both sides: one number, or one for each spatial
            dimension.
        dilation: the step between elements of a window: one number, or one for each spatial
            dimension.
        ceil_mode: whether windows may hang over the end instead of leaving a rest out.
        return_indices: whether to give `(values, indices)`.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.max_pool3d(gv.tensor([1.0, 3.0, 2.0, 0.0]).reshape(1, 1, 1, 1, 4), (1, 1, 2)).flatten().tolist()
        [3.0, 2.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("max_pool3d", input)
    if canon.flag("max_pool3d", "return_indices", return_indices):
        return canon.spatial.max_pool_with_indices(  # type: ignore[no-any-return]
            "max_pool3d", input, kernel_size, stride, padding, dilation, ceil_mode
        )
    a0, a1, a2, a3, a4 = canon.spatial.max_pool("max_pool3d", 3, kernel_size, stride, padding, dilation, ceil_mode)
    meta = input.node.meta
    try:
        canon.agree(_max_pool3d_row, (input,), a0, a1, a2, a3, a4)
        return meta.table.max_pool3d(input, a0, a1, a2, a3, a4)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _max_pool3d_row, (input,), (a0, a1, a2, a3, a4)) from None


def avg_pool3d(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: Any = None) -> Tensor:
    """The mean of every window over three dimensions.

    Args:
        input: shape (batch, channels, depth, height, width), or without the batch.
        kernel_size: the size of the window: one number, or one for each spatial dimension.
        stride: the step from window to window: one number, or one for each spatial dimension.
        padding: zeros around the input on both sides: one number, or one for each spatial
            dimension.
        ceil_mode: whether windows may hang over the end instead of leaving a rest out.
        count_include_pad: whether padding counts as elements.
        divisor_override: what to divide by instead of the number of elements; None for that.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.avg_pool3d(gv.tensor([1.0, 3.0, 2.0, 0.0]).reshape(1, 1, 1, 1, 4), (1, 1, 2)).flatten().tolist()
        [2.0, 1.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("avg_pool3d", input)
    a0, a1, a2, a3, a4, a5 = canon.spatial.avg_pool("avg_pool3d", 3, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    meta = input.node.meta
    try:
        canon.agree(_avg_pool3d_row, (input,), a0, a1, a2, a3, a4, a5)
        return meta.table.avg_pool3d(input, a0, a1, a2, a3, a4, a5)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _avg_pool3d_row, (input,), (a0, a1, a2, a3, a4, a5)) from None


def adaptive_avg_pool3d(input: Any, output_size: Any) -> Tensor:
    """Means of windows that share out the input evenly over three dimensions, as many as asked for.

    Args:
        input: shape (batch, channels, depth, height, width), or without the batch.
        output_size: the spatial sizes of the result; None keeps one.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.adaptive_avg_pool3d(gv.tensor([1.0, 3.0, 2.0, 0.0]).reshape(1, 1, 1, 1, 4), (1, 1, 2)).flatten().tolist()
        [2.0, 1.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("adaptive_avg_pool3d", input)
    a0, = canon.spatial.adaptive("adaptive_avg_pool3d", 3, output_size, input)
    meta = input.node.meta
    try:
        canon.agree(_adaptive_avg_pool3d_row, (input,), a0)
        return meta.table.adaptive_avg_pool3d(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _adaptive_avg_pool3d_row, (input,), (a0,)) from None


def adaptive_max_pool3d(input: Any, output_size: Any, return_indices: bool = False) -> Tensor:
    """Largest elements of windows that share out the input evenly over three dimensions.

    Args:
        input: shape (batch, channels, depth, height, width), or without the batch.
        output_size: the spatial sizes of the result; None keeps one.
        return_indices: whether to give `(values, indices)`.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.adaptive_max_pool3d(gv.tensor([1.0, 3.0, 2.0, 0.0]).reshape(1, 1, 1, 1, 4), (1, 1, 2)).flatten().tolist()
        [3.0, 2.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("adaptive_max_pool3d", input)
    if canon.flag("adaptive_max_pool3d", "return_indices", return_indices):
        return canon.spatial.adaptive_max_with_indices("adaptive_max_pool3d", input, output_size)  # type: ignore[no-any-return]
    a0, = canon.spatial.adaptive("adaptive_max_pool3d", 3, output_size, input)
    meta = input.node.meta
    try:
        canon.agree(_adaptive_max_pool3d_row, (input,), a0)
        return meta.table.adaptive_max_pool3d(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _adaptive_max_pool3d_row, (input,), (a0,)) from None


def interpolate(input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: Any = None, recompute_scale_factor: Any = None) -> Tensor:
    """The input resized: elements between the given ones are worked out from their neighbours.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        size: the sizes of the result: one number, or one for each spatial dimension.
        scale_factor: the sizes as multiples of the input's: one number, or one for each spatial
            dimension.
        mode: 'nearest', 'nearest-exact', 'area', or by the number of dimensions 'linear',
            'bilinear', 'bicubic' and 'trilinear'.
        align_corners: whether the centres of the outermost elements keep their places.
        recompute_scale_factor: whether the scale is worked out anew from the rounded sizes.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.interpolate(gv.tensor([[[1.0, 3.0]]]), scale_factor=2, mode='linear').tolist()
        [[[1.0, 1.5, 2.5, 3.0]]]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("interpolate", input)
    if mode == "area":
        return canon.spatial.area(input, size, scale_factor)  # type: ignore[no-any-return]
    a0, a1, a2, a3 = canon.spatial.resized(input, size, scale_factor, mode, align_corners, recompute_scale_factor)
    meta = input.node.meta
    try:
        canon.agree(_interpolate_row, (input,), a0, a1, a2, a3)
        return meta.table.interpolate(input, a0, a1, a2, a3)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _interpolate_row, (input,), (a0, a1, a2, a3)) from None


def grid_sample(input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: Any = None) -> Tensor:
    """The input read at places: -1 and 1 are its edges, and a grid holds (x, y) or (x, y, z).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        grid: shape (batch, rows, columns, 2): places (x, y) between -1 and 1.
        mode: 'bilinear', 'nearest' or 'bicubic'.
        padding_mode: what lies outside: 'zeros', 'border' or 'reflection'.
        align_corners: whether the centres of the outermost elements keep their places.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.grid_sample(gv.arange(4).float().reshape(1, 1, 2, 2), gv.zeros(1, 1, 1, 2)).item()
        1.5
    """
    return general(_grid_sample_row, [input, grid], (canon.choice("grid_sample", "mode", mode, ("bilinear", "nearest", "bicubic")), canon.choice("grid_sample", "padding_mode", padding_mode, ("zeros", "border", "reflection")), align_corners is not None and canon.flag("grid_sample", "align_corners", align_corners)))  # type: ignore[no-any-return]


def add(input: Any, other: Any) -> Tensor:
    """Sum of two tensors, element by element.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.add(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).tolist()
        [5.0, 4.0]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.add(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.add_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.add(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _add_row, (input, other), ()) from None
    return general(_add_row, [input, other], ())  # type: ignore[no-any-return]


def reflected_add(input: Tensor, other: Any) -> Tensor:
    """`add` with the tensor on the right."""
    cls = other.__class__
    if cls is float or cls is int:
        meta = input.node.meta
        scalar = (meta.floats if cls is float else meta.ints).get(other)
        if scalar is None:
            scalar = number(meta, other)
        if scalar is not None:
            try:
                return meta.table.add(meta, scalar, input)  # type: ignore[no-any-return]
            except Exception as error:
                raise explain(error, _add_row, (scalar, input), ()) from None
    return general(_add_row, [other, input], ())  # type: ignore[no-any-return]


def sub(input: Any, other: Any) -> Tensor:
    """Difference of two tensors, element by element.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.sub(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).tolist()
        [1.0, 0.0]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.sub(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.sub_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.sub(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _sub_row, (input, other), ()) from None
    return general(_sub_row, [input, other], ())  # type: ignore[no-any-return]


def reflected_sub(input: Tensor, other: Any) -> Tensor:
    """`sub` with the tensor on the right."""
    cls = other.__class__
    if cls is float or cls is int:
        meta = input.node.meta
        scalar = (meta.floats if cls is float else meta.ints).get(other)
        if scalar is None:
            scalar = number(meta, other)
        if scalar is not None:
            try:
                return meta.table.sub(meta, scalar, input)  # type: ignore[no-any-return]
            except Exception as error:
                raise explain(error, _sub_row, (scalar, input), ()) from None
    return general(_sub_row, [other, input], ())  # type: ignore[no-any-return]


def mul(input: Any, other: Any) -> Tensor:
    """Product of two tensors, element by element.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.mul(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).tolist()
        [6.0, 4.0]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.mul(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.mul_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.mul(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _mul_row, (input, other), ()) from None
    return general(_mul_row, [input, other], ())  # type: ignore[no-any-return]


def reflected_mul(input: Tensor, other: Any) -> Tensor:
    """`mul` with the tensor on the right."""
    cls = other.__class__
    if cls is float or cls is int:
        meta = input.node.meta
        scalar = (meta.floats if cls is float else meta.ints).get(other)
        if scalar is None:
            scalar = number(meta, other)
        if scalar is not None:
            try:
                return meta.table.mul(meta, scalar, input)  # type: ignore[no-any-return]
            except Exception as error:
                raise explain(error, _mul_row, (scalar, input), ()) from None
    return general(_mul_row, [other, input], ())  # type: ignore[no-any-return]


def div(input: Any, other: Any) -> Tensor:
    """Quotient of two tensors, element by element; integers are divided as float32.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.div(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).tolist()
        [1.5, 1.0]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.div(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.div_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.div(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _div_row, (input, other), ()) from None
    return general(_div_row, [input, other], ())  # type: ignore[no-any-return]


def reflected_div(input: Tensor, other: Any) -> Tensor:
    """`div` with the tensor on the right."""
    cls = other.__class__
    if cls is float or cls is int:
        meta = input.node.meta
        scalar = (meta.floats if cls is float else meta.ints).get(other)
        if scalar is None:
            scalar = number(meta, other)
        if scalar is not None:
            try:
                return meta.table.div(meta, scalar, input)  # type: ignore[no-any-return]
            except Exception as error:
                raise explain(error, _div_row, (scalar, input), ()) from None
    return general(_div_row, [other, input], ())  # type: ignore[no-any-return]


def maximum(input: Any, other: Any) -> Tensor:
    """The larger of two elements; on a tie both get half of the gradient.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.maximum(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).tolist()
        [3.0, 2.0]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.maximum(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.maximum_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.maximum(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _maximum_row, (input, other), ()) from None
    return general(_maximum_row, [input, other], ())  # type: ignore[no-any-return]


def minimum(input: Any, other: Any) -> Tensor:
    """The smaller of two elements; on a tie both get half of the gradient.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.minimum(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).tolist()
        [2.0, 2.0]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.minimum(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.minimum_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.minimum(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _minimum_row, (input, other), ()) from None
    return general(_minimum_row, [input, other], ())  # type: ignore[no-any-return]


def remainder(input: Any, other: Any) -> Tensor:
    """Remainder of a division, with the sign of the divisor (Python's `%`).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.remainder(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).tolist()
        [1.0, 0.0]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.remainder(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.remainder_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.remainder(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _remainder_row, (input, other), ()) from None
    return general(_remainder_row, [input, other], ())  # type: ignore[no-any-return]


def reflected_remainder(input: Tensor, other: Any) -> Tensor:
    """`remainder` with the tensor on the right."""
    cls = other.__class__
    if cls is float or cls is int:
        meta = input.node.meta
        scalar = (meta.floats if cls is float else meta.ints).get(other)
        if scalar is None:
            scalar = number(meta, other)
        if scalar is not None:
            try:
                return meta.table.remainder(meta, scalar, input)  # type: ignore[no-any-return]
            except Exception as error:
                raise explain(error, _remainder_row, (scalar, input), ()) from None
    return general(_remainder_row, [other, input], ())  # type: ignore[no-any-return]


def fmod(input: Any, other: Any) -> Tensor:
    """Remainder of a division, with the sign of the dividend (C's `fmod`).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.fmod(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).tolist()
        [1.0, 0.0]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.fmod(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.fmod_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.fmod(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _fmod_row, (input, other), ()) from None
    return general(_fmod_row, [input, other], ())  # type: ignore[no-any-return]


def floor_divide(input: Any, other: Any) -> Tensor:
    """Quotient rounded down.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.floor_divide(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).tolist()
        [1.0, 1.0]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.floor_divide(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.floor_divide_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.floor_divide(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _floor_divide_row, (input, other), ()) from None
    return general(_floor_divide_row, [input, other], ())  # type: ignore[no-any-return]


def reflected_floor_divide(input: Tensor, other: Any) -> Tensor:
    """`floor_divide` with the tensor on the right."""
    cls = other.__class__
    if cls is float or cls is int:
        meta = input.node.meta
        scalar = (meta.floats if cls is float else meta.ints).get(other)
        if scalar is None:
            scalar = number(meta, other)
        if scalar is not None:
            try:
                return meta.table.floor_divide(meta, scalar, input)  # type: ignore[no-any-return]
            except Exception as error:
                raise explain(error, _floor_divide_row, (scalar, input), ()) from None
    return general(_floor_divide_row, [other, input], ())  # type: ignore[no-any-return]


def atan2(input: Any, other: Any) -> Tensor:
    """Angle of the point (rhs, lhs) in radians.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.atan2(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).numpy().round(4)
        array([0.9828, 0.7854], dtype=float32)
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.atan2(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.atan2_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.atan2(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _atan2_row, (input, other), ()) from None
    return general(_atan2_row, [input, other], ())  # type: ignore[no-any-return]


def hypot(input: Any, other: Any) -> Tensor:
    """Length of the hypotenuse: sqrt(lhs^2 + rhs^2).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.hypot(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).numpy().round(4)
        array([3.6056, 2.8284], dtype=float32)
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.hypot(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.hypot_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.hypot(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _hypot_row, (input, other), ()) from None
    return general(_hypot_row, [input, other], ())  # type: ignore[no-any-return]


def neg(input: Any) -> Tensor:
    """Negative of every element.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.neg(gv.tensor([-0.5, 0.25])).tolist()
        [0.5, -0.25]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("neg", input)
    meta = input.node.meta
    try:
        return meta.table.neg(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _neg_row, (input,), ()) from None


def abs(input: Any) -> Tensor:
    """Absolute value of every element; its gradient at 0 is 0.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.abs(gv.tensor([-0.5, 0.25])).tolist()
        [0.5, 0.25]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("abs", input)
    meta = input.node.meta
    try:
        return meta.table.abs(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _abs_row, (input,), ()) from None


def exp(input: Any) -> Tensor:
    """e to the power of every element.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.exp(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([0.6065, 1.284 ], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("exp", input)
    meta = input.node.meta
    try:
        return meta.table.exp(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _exp_row, (input,), ()) from None


def expm1(input: Any) -> Tensor:
    """exp(x) - 1, exact near 0.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.expm1(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([-0.3935,  0.284 ], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("expm1", input)
    meta = input.node.meta
    try:
        return meta.table.expm1(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _expm1_row, (input,), ()) from None


def exp2(input: Any) -> Tensor:
    """2 to the power of every element.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.exp2(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([0.7071, 1.1892], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("exp2", input)
    meta = input.node.meta
    try:
        return meta.table.exp2(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _exp2_row, (input,), ()) from None


def log(input: Any) -> Tensor:
    """Natural logarithm of every element.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.log(gv.tensor([0.5, 4.0])).numpy().round(4)
        array([-0.6931,  1.3863], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("log", input)
    meta = input.node.meta
    try:
        return meta.table.log(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _log_row, (input,), ()) from None


def log2(input: Any) -> Tensor:
    """Logarithm to base 2.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.log2(gv.tensor([0.5, 4.0])).numpy().round(4)
        array([-1.,  2.], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("log2", input)
    meta = input.node.meta
    try:
        return meta.table.log2(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _log2_row, (input,), ()) from None


def log10(input: Any) -> Tensor:
    """Logarithm to base 10.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.log10(gv.tensor([0.5, 4.0])).numpy().round(4)
        array([-0.301 ,  0.6021], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("log10", input)
    meta = input.node.meta
    try:
        return meta.table.log10(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _log10_row, (input,), ()) from None


def log1p(input: Any) -> Tensor:
    """log(1 + x), exact near 0.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.log1p(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([-0.6931,  0.2231], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("log1p", input)
    meta = input.node.meta
    try:
        return meta.table.log1p(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _log1p_row, (input,), ()) from None


def sqrt(input: Any) -> Tensor:
    """Square root of every element.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.sqrt(gv.tensor([0.5, 4.0])).numpy().round(4)
        array([0.7071, 2.    ], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("sqrt", input)
    meta = input.node.meta
    try:
        return meta.table.sqrt(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _sqrt_row, (input,), ()) from None


def rsqrt(input: Any) -> Tensor:
    """1 / sqrt(x).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.rsqrt(gv.tensor([0.5, 4.0])).numpy().round(4)
        array([1.4142, 0.5   ], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("rsqrt", input)
    meta = input.node.meta
    try:
        return meta.table.rsqrt(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _rsqrt_row, (input,), ()) from None


def reciprocal(input: Any) -> Tensor:
    """1 / x.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.reciprocal(gv.tensor([0.5, 4.0])).numpy().round(4)
        array([2.  , 0.25], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("reciprocal", input)
    meta = input.node.meta
    try:
        return meta.table.reciprocal(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _reciprocal_row, (input,), ()) from None


def square(input: Any) -> Tensor:
    """x * x.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.square(gv.tensor([-0.5, 0.25])).tolist()
        [0.25, 0.0625]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("square", input)
    meta = input.node.meta
    try:
        return meta.table.square(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _square_row, (input,), ()) from None


def sin(input: Any) -> Tensor:
    """Sine, of radians.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.sin(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([-0.4794,  0.2474], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("sin", input)
    meta = input.node.meta
    try:
        return meta.table.sin(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _sin_row, (input,), ()) from None


def cos(input: Any) -> Tensor:
    """Cosine, of radians.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.cos(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([0.8776, 0.9689], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("cos", input)
    meta = input.node.meta
    try:
        return meta.table.cos(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _cos_row, (input,), ()) from None


def tan(input: Any) -> Tensor:
    """Tangent, of radians.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.tan(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([-0.5463,  0.2553], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("tan", input)
    meta = input.node.meta
    try:
        return meta.table.tan(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _tan_row, (input,), ()) from None


def asin(input: Any) -> Tensor:
    """Inverse sine, in radians.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.asin(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([-0.5236,  0.2527], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("asin", input)
    meta = input.node.meta
    try:
        return meta.table.asin(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _asin_row, (input,), ()) from None


def acos(input: Any) -> Tensor:
    """Inverse cosine, in radians.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.acos(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([2.0944, 1.3181], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("acos", input)
    meta = input.node.meta
    try:
        return meta.table.acos(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _acos_row, (input,), ()) from None


def atan(input: Any) -> Tensor:
    """Inverse tangent, in radians.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.atan(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([-0.4636,  0.245 ], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("atan", input)
    meta = input.node.meta
    try:
        return meta.table.atan(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _atan_row, (input,), ()) from None


def sinh(input: Any) -> Tensor:
    """Hyperbolic sine.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.sinh(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([-0.5211,  0.2526], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("sinh", input)
    meta = input.node.meta
    try:
        return meta.table.sinh(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _sinh_row, (input,), ()) from None


def cosh(input: Any) -> Tensor:
    """Hyperbolic cosine.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.cosh(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([1.1276, 1.0314], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("cosh", input)
    meta = input.node.meta
    try:
        return meta.table.cosh(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _cosh_row, (input,), ()) from None


def tanh(input: Any) -> Tensor:
    """Hyperbolic tangent.

    Gradient: d tanh(x)/dx = 1 - tanh(x)^2.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.tanh(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([-0.4621,  0.2449], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("tanh", input)
    meta = input.node.meta
    try:
        return meta.table.tanh(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _tanh_row, (input,), ()) from None


def asinh(input: Any) -> Tensor:
    """Inverse hyperbolic sine.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.asinh(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([-0.4812,  0.2475], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("asinh", input)
    meta = input.node.meta
    try:
        return meta.table.asinh(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _asinh_row, (input,), ()) from None


def acosh(input: Any) -> Tensor:
    """Inverse hyperbolic cosine.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.acosh(gv.tensor([1.0, 2.0])).numpy().round(4)
        array([0.   , 1.317], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("acosh", input)
    meta = input.node.meta
    try:
        return meta.table.acosh(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _acosh_row, (input,), ()) from None


def atanh(input: Any) -> Tensor:
    """Inverse hyperbolic tangent.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.atanh(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([-0.5493,  0.2554], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("atanh", input)
    meta = input.node.meta
    try:
        return meta.table.atanh(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _atanh_row, (input,), ()) from None


def erf(input: Any) -> Tensor:
    """Error function.

    Gradient: d erf(x)/dx = 2/sqrt(pi) exp(-x^2).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.erf(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([-0.5205,  0.2763], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("erf", input)
    meta = input.node.meta
    try:
        return meta.table.erf(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _erf_row, (input,), ()) from None


def sign(input: Any) -> Tensor:
    """-1, 0 or 1 by the sign; its gradient is zero everywhere.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.sign(gv.tensor([-0.5, 0.25])).tolist()
        [-1.0, 1.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("sign", input)
    meta = input.node.meta
    try:
        return meta.table.sign(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _sign_row, (input,), ()) from None


def floor(input: Any) -> Tensor:
    """The next lower whole number; its gradient is zero everywhere.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.floor(gv.tensor([-0.5, 0.25])).tolist()
        [-1.0, 0.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("floor", input)
    meta = input.node.meta
    try:
        return meta.table.floor(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _floor_row, (input,), ()) from None


def ceil(input: Any) -> Tensor:
    """The next higher whole number; its gradient is zero everywhere.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.ceil(gv.tensor([-0.5, 0.25])).tolist()
        [-0.0, 1.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("ceil", input)
    meta = input.node.meta
    try:
        return meta.table.ceil(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _ceil_row, (input,), ()) from None


def round(input: Any) -> Tensor:
    """The nearest whole number, halves to even; its gradient is zero everywhere.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.round(gv.tensor([-0.5, 0.25])).tolist()
        [-0.0, 0.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("round", input)
    meta = input.node.meta
    try:
        return meta.table.round(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _round_row, (input,), ()) from None


def trunc(input: Any) -> Tensor:
    """The whole part; its gradient is zero everywhere.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.trunc(gv.tensor([-0.5, 0.25])).tolist()
        [-0.0, 0.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("trunc", input)
    meta = input.node.meta
    try:
        return meta.table.trunc(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _trunc_row, (input,), ()) from None


def frac(input: Any) -> Tensor:
    """The part after the decimal point.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.frac(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([-0.5 ,  0.25], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("frac", input)
    meta = input.node.meta
    try:
        return meta.table.frac(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _frac_row, (input,), ()) from None


def sigmoid(input: Any) -> Tensor:
    """1 / (1 + exp(-x)), without overflow.

    Gradient: d sigmoid(x)/dx = sigmoid(x) (1 - sigmoid(x)).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.sigmoid(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([0.3775, 0.5622], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("sigmoid", input)
    meta = input.node.meta
    try:
        return meta.table.sigmoid(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _sigmoid_row, (input,), ()) from None


def relu(input: Any) -> Tensor:
    """max(x, 0); its gradient at 0 is 0.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.relu(gv.tensor([-0.5, 0.25])).tolist()
        [0.0, 0.25]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("relu", input)
    meta = input.node.meta
    try:
        return meta.table.relu(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _relu_row, (input,), ()) from None


def silu(input: Any) -> Tensor:
    """x * sigmoid(x), also called swish.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.silu(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([-0.1888,  0.1405], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("silu", input)
    meta = input.node.meta
    try:
        return meta.table.silu(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _silu_row, (input,), ()) from None


def logsigmoid(input: Any) -> Tensor:
    """log(sigmoid(x)), without overflow.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.logsigmoid(gv.tensor([-0.5, 0.25])).numpy().round(4)
        array([-0.9741, -0.5759], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("logsigmoid", input)
    meta = input.node.meta
    try:
        return meta.table.logsigmoid(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _logsigmoid_row, (input,), ()) from None


def gelu(input: Any, approximate: str = "none") -> Tensor:
    """x times the normal distribution function of x; `approximate` is 'none' or 'tanh'.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        approximate: 'none' uses the error function, 'tanh' its approximation.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.gelu(gv.tensor([-1.0, 1.0])).numpy().round(4)
        array([-0.1587,  0.8413], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("gelu", input)
    a0, = (canon.choice("gelu", "approximate", approximate, ("none", "tanh")),)
    meta = input.node.meta
    try:
        return meta.table.gelu(meta, input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _gelu_row, (input,), (a0,)) from None


def leaky_relu(input: Any, negative_slope: float = 0.01) -> Tensor:
    """x where it is positive, `negative_slope` * x elsewhere.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        negative_slope: the slope below 0.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.leaky_relu(gv.tensor([-1.0, 1.0]), 0.5).tolist()
        [-0.5, 1.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("leaky_relu", input)
    a0, = (canon.scalar("leaky_relu", "negative_slope", negative_slope),)
    meta = input.node.meta
    try:
        return meta.table.leaky_relu(meta, input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _leaky_relu_row, (input,), (a0,)) from None


def elu(input: Any, alpha: float = 1.0) -> Tensor:
    """x where it is positive, `alpha` * (exp(x) - 1) elsewhere.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        alpha: the value approached far below 0, negated.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.elu(gv.tensor([-1.0, 1.0])).numpy().round(4)
        array([-0.6321,  1.    ], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("elu", input)
    a0, = (canon.scalar("elu", "alpha", alpha),)
    meta = input.node.meta
    try:
        return meta.table.elu(meta, input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _elu_row, (input,), (a0,)) from None


def softplus(input: Any, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta x)) / beta, without overflow; linear above `threshold`.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        beta: how sharp the bend is.
        threshold: above this `beta * x` the function is linear.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.softplus(gv.tensor([0.0, 1.0])).numpy().round(4)
        array([0.6931, 1.3133], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("softplus", input)
    a0, a1 = (canon.scalar("softplus", "beta", beta), canon.scalar("softplus", "threshold", threshold))
    meta = input.node.meta
    try:
        return meta.table.softplus(meta, input, a0, a1)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _softplus_row, (input,), (a0, a1)) from None


def softmax(input: Any, dim: int = -1) -> Tensor:
    """exp(x) divided by its sum along `dim`, without overflow.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.softmax(gv.tensor([0.0, 0.0]), dim=0).tolist()
        [0.5, 0.5]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("softmax", input)
    a0, = (canon.dim("softmax", dim, input),)
    meta = input.node.meta
    try:
        return meta.table.softmax(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _softmax_row, (input,), (a0,)) from None


def log_softmax(input: Any, dim: int = -1) -> Tensor:
    """Logarithm of softmax along `dim`, without overflow.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.log_softmax(gv.tensor([0.0, 0.0]), dim=0).numpy().round(4)
        array([-0.6931, -0.6931], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("log_softmax", input)
    a0, = (canon.dim("log_softmax", dim, input),)
    meta = input.node.meta
    try:
        return meta.table.log_softmax(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _log_softmax_row, (input,), (a0,)) from None


def mish(input: Any) -> Tensor:
    """x * tanh(softplus(x)).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.mish(gv.tensor([-1.0, 1.0])).numpy().round(4)
        array([-0.3034,  0.8651], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("mish", input)
    meta = input.node.meta
    try:
        return meta.table.mish(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _mish_row, (input,), ()) from None


def softsign(input: Any) -> Tensor:
    """x / (1 + |x|).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.softsign(gv.tensor([-1.0, 1.0])).numpy().round(4)
        array([-0.5,  0.5], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("softsign", input)
    meta = input.node.meta
    try:
        return meta.table.softsign(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _softsign_row, (input,), ()) from None


def tanhshrink(input: Any) -> Tensor:
    """x - tanh(x).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.tanhshrink(gv.tensor([-1.0, 1.0])).numpy().round(4)
        array([-0.2384,  0.2384], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("tanhshrink", input)
    meta = input.node.meta
    try:
        return meta.table.tanhshrink(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _tanhshrink_row, (input,), ()) from None


def hardsigmoid(input: Any) -> Tensor:
    """x / 6 + 1/2, limited to [0, 1].

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.hardsigmoid(gv.tensor([-1.0, 4.0])).numpy().round(4)
        array([0.3333, 1.    ], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("hardsigmoid", input)
    meta = input.node.meta
    try:
        return meta.table.hardsigmoid(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _hardsigmoid_row, (input,), ()) from None


def hardswish(input: Any) -> Tensor:
    """x * hardsigmoid(x).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.hardswish(gv.tensor([-1.0, 4.0])).numpy().round(4)
        array([-0.3333,  4.    ], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("hardswish", input)
    meta = input.node.meta
    try:
        return meta.table.hardswish(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _hardswish_row, (input,), ()) from None


def relu6(input: Any) -> Tensor:
    """x limited to [0, 6]; its gradient is 0 at the limits.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.relu6(gv.tensor([-1.0, 8.0])).numpy().round(4)
        array([0., 6.], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("relu6", input)
    meta = input.node.meta
    try:
        return meta.table.relu6(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _relu6_row, (input,), ()) from None


def selu(input: Any) -> Tensor:
    """scale * x where x is positive, scale * alpha * (exp(x) - 1) elsewhere.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.selu(gv.tensor([-1.0, 1.0])).numpy().round(4)
        array([-1.1113,  1.0507], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("selu", input)
    meta = input.node.meta
    try:
        return meta.table.selu(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _selu_row, (input,), ()) from None


def celu(input: Any, alpha: float = 1.0) -> Tensor:
    """x where it is positive, `alpha` * (exp(x / `alpha`) - 1) elsewhere.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        alpha: the value approached far below 0, negated.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.celu(gv.tensor([-1.0, 1.0])).numpy().round(4)
        array([-0.6321,  1.    ], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("celu", input)
    a0, = (canon.scalar("celu", "alpha", alpha),)
    meta = input.node.meta
    try:
        return meta.table.celu(meta, input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _celu_row, (input,), (a0,)) from None


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """x limited to [`min_val`, `max_val`]; its gradient is 0 at the limits.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        min_val: the lower limit.
        max_val: the upper limit.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.hardtanh(gv.tensor([-2.0, 0.5])).tolist()
        [-1.0, 0.5]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("hardtanh", input)
    a0, a1 = (canon.scalar("hardtanh", "min_val", min_val), canon.scalar("hardtanh", "max_val", max_val))
    meta = input.node.meta
    try:
        return meta.table.hardtanh(meta, input, a0, a1)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _hardtanh_row, (input,), (a0, a1)) from None


def hardshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """x, and 0 where |x| is at most `lambd`.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        lambd: how far from 0 elements count as small.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.hardshrink(gv.tensor([0.25, 2.0])).tolist()
        [0.0, 2.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("hardshrink", input)
    a0, = (canon.scalar("hardshrink", "lambd", lambd),)
    meta = input.node.meta
    try:
        return meta.table.hardshrink(meta, input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _hardshrink_row, (input,), (a0,)) from None


def softshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """x moved towards 0 by `lambd`, and 0 on the way.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        lambd: how far from 0 elements count as small.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.softshrink(gv.tensor([0.25, 2.0])).tolist()
        [0.0, 1.5]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("softshrink", input)
    a0, = (canon.scalar("softshrink", "lambd", lambd),)
    meta = input.node.meta
    try:
        return meta.table.softshrink(meta, input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _softshrink_row, (input,), (a0,)) from None


def shrink(input: Any, lambd: float = 0.5, bias: float = 0.0) -> Tensor:
    """x moved towards 0 by `bias`, and 0 where |x| is at most `lambd`.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        lambd: how far from 0 elements count as small.
        bias: by how much the others are moved towards 0.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.shrink(gv.tensor([0.25, 2.0]), 0.5, 0.5).tolist()
        [0.0, 1.5]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("shrink", input)
    a0, a1 = (canon.scalar("shrink", "lambd", lambd), canon.scalar("shrink", "bias", bias))
    meta = input.node.meta
    try:
        return meta.table.shrink(meta, input, a0, a1)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _shrink_row, (input,), (a0, a1)) from None


def threshold(input: Any, threshold: float, value: float) -> Tensor:
    """x where it is above `threshold`, `value` elsewhere.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        threshold: the limit.
        value: what stands where the input isn't above the limit.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.threshold(gv.tensor([0.5, 2.0]), 1.0, -1.0).tolist()
        [-1.0, 2.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("threshold", input)
    a0, a1 = (canon.scalar("threshold", "threshold", threshold), canon.scalar("threshold", "value", value))
    meta = input.node.meta
    try:
        return meta.table.threshold(meta, input, a0, a1)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _threshold_row, (input,), (a0, a1)) from None


def quiet_softmax(input: Any, dim: int = -1) -> Tensor:
    """exp(x) divided by one plus its sum along `dim`: all can be near 0.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.quiet_softmax(gv.tensor([0.0, 0.0]), dim=0).numpy().round(4)
        array([0.3333, 0.3333], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("quiet_softmax", input)
    a0, = (canon.dim("quiet_softmax", dim, input),)
    meta = input.node.meta
    try:
        return meta.table.quiet_softmax(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _quiet_softmax_row, (input,), (a0,)) from None


def eq(input: Any, other: Any) -> Tensor:
    """Whether elements are equal.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.eq(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).tolist()
        [False, True]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.eq(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.eq_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.eq(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _eq_row, (input, other), ()) from None
    return general(_eq_row, [input, other], ())  # type: ignore[no-any-return]


def ne(input: Any, other: Any) -> Tensor:
    """Whether elements are different.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.ne(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).tolist()
        [True, False]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.ne(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.ne_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.ne(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _ne_row, (input, other), ()) from None
    return general(_ne_row, [input, other], ())  # type: ignore[no-any-return]


def lt(input: Any, other: Any) -> Tensor:
    """Whether elements are less than on the left.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.lt(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).tolist()
        [False, False]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.lt(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.lt_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.lt(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _lt_row, (input, other), ()) from None
    return general(_lt_row, [input, other], ())  # type: ignore[no-any-return]


def le(input: Any, other: Any) -> Tensor:
    """Whether elements are less than or equal on the left.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.le(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).tolist()
        [False, True]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.le(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.le_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.le(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _le_row, (input, other), ()) from None
    return general(_le_row, [input, other], ())  # type: ignore[no-any-return]


def gt(input: Any, other: Any) -> Tensor:
    """Whether elements are greater on the left.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.gt(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).tolist()
        [True, False]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.gt(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.gt_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.gt(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _gt_row, (input, other), ()) from None
    return general(_gt_row, [input, other], ())  # type: ignore[no-any-return]


def ge(input: Any, other: Any) -> Tensor:
    """Whether elements are greater than or equal on the left.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.ge(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).tolist()
        [True, True]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.ge(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.ge_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.ge(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _ge_row, (input, other), ()) from None
    return general(_ge_row, [input, other], ())  # type: ignore[no-any-return]


def logical_and(input: Any, other: Any) -> Tensor:
    """Whether both elements are true (not zero).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.logical_and(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).tolist()
        [True, True]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.logical_and(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.logical_and_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.logical_and(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _logical_and_row, (input, other), ()) from None
    return general(_logical_and_row, [input, other], ())  # type: ignore[no-any-return]


def logical_or(input: Any, other: Any) -> Tensor:
    """Whether at least one element is true (not zero).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.logical_or(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).tolist()
        [True, True]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.logical_or(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.logical_or_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.logical_or(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _logical_or_row, (input, other), ()) from None
    return general(_logical_or_row, [input, other], ())  # type: ignore[no-any-return]


def logical_xor(input: Any, other: Any) -> Tensor:
    """Whether exactly one element is true (not zero).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.logical_xor(gv.tensor([3.0, 2.0]), gv.tensor([2.0, 2.0])).tolist()
        [False, False]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.logical_xor(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.logical_xor_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.logical_xor(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _logical_xor_row, (input, other), ()) from None
    return general(_logical_xor_row, [input, other], ())  # type: ignore[no-any-return]


def logical_not(input: Any) -> Tensor:
    """Whether an element is false (zero).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.logical_not(gv.tensor([0.0, 2.0])).tolist()
        [True, False]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("logical_not", input)
    meta = input.node.meta
    try:
        return meta.table.logical_not(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _logical_not_row, (input,), ()) from None


def isnan(input: Any) -> Tensor:
    """Whether an element is not a number.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.isnan(gv.tensor([0.0, float('nan')])).tolist()
        [False, True]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("isnan", input)
    meta = input.node.meta
    try:
        return meta.table.isnan(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _isnan_row, (input,), ()) from None


def isinf(input: Any) -> Tensor:
    """Whether an element is infinite.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.isinf(gv.tensor([0.0, float('inf')])).tolist()
        [False, True]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("isinf", input)
    meta = input.node.meta
    try:
        return meta.table.isinf(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _isinf_row, (input,), ()) from None


def isfinite(input: Any) -> Tensor:
    """Whether an element is neither infinite nor nan.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.isfinite(gv.tensor([0.0, float('inf')])).tolist()
        [True, False]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("isfinite", input)
    meta = input.node.meta
    try:
        return meta.table.isfinite(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _isfinite_row, (input,), ()) from None


def bitwise_and(input: Any, other: Any) -> Tensor:
    """Bits set in both; logical and of bools.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.bitwise_and(gv.tensor([6, 3]), gv.tensor([2, 1])).tolist()
        [2, 1]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.bitwise_and(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.bitwise_and_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.bitwise_and(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _bitwise_and_row, (input, other), ()) from None
    return general(_bitwise_and_row, [input, other], ())  # type: ignore[no-any-return]


def reflected_bitwise_and(input: Tensor, other: Any) -> Tensor:
    """`bitwise_and` with the tensor on the right."""
    cls = other.__class__
    if cls is float or cls is int:
        meta = input.node.meta
        scalar = (meta.floats if cls is float else meta.ints).get(other)
        if scalar is None:
            scalar = number(meta, other)
        if scalar is not None:
            try:
                return meta.table.bitwise_and(meta, scalar, input)  # type: ignore[no-any-return]
            except Exception as error:
                raise explain(error, _bitwise_and_row, (scalar, input), ()) from None
    return general(_bitwise_and_row, [other, input], ())  # type: ignore[no-any-return]


def bitwise_or(input: Any, other: Any) -> Tensor:
    """Bits set in at least one; logical or of bools.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.bitwise_or(gv.tensor([6, 3]), gv.tensor([2, 1])).tolist()
        [6, 3]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.bitwise_or(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.bitwise_or_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.bitwise_or(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _bitwise_or_row, (input, other), ()) from None
    return general(_bitwise_or_row, [input, other], ())  # type: ignore[no-any-return]


def reflected_bitwise_or(input: Tensor, other: Any) -> Tensor:
    """`bitwise_or` with the tensor on the right."""
    cls = other.__class__
    if cls is float or cls is int:
        meta = input.node.meta
        scalar = (meta.floats if cls is float else meta.ints).get(other)
        if scalar is None:
            scalar = number(meta, other)
        if scalar is not None:
            try:
                return meta.table.bitwise_or(meta, scalar, input)  # type: ignore[no-any-return]
            except Exception as error:
                raise explain(error, _bitwise_or_row, (scalar, input), ()) from None
    return general(_bitwise_or_row, [other, input], ())  # type: ignore[no-any-return]


def bitwise_xor(input: Any, other: Any) -> Tensor:
    """Bits set in exactly one; logical xor of bools.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.bitwise_xor(gv.tensor([6, 3]), gv.tensor([2, 1])).tolist()
        [4, 2]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.bitwise_xor(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.bitwise_xor_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.bitwise_xor(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _bitwise_xor_row, (input, other), ()) from None
    return general(_bitwise_xor_row, [input, other], ())  # type: ignore[no-any-return]


def reflected_bitwise_xor(input: Tensor, other: Any) -> Tensor:
    """`bitwise_xor` with the tensor on the right."""
    cls = other.__class__
    if cls is float or cls is int:
        meta = input.node.meta
        scalar = (meta.floats if cls is float else meta.ints).get(other)
        if scalar is None:
            scalar = number(meta, other)
        if scalar is not None:
            try:
                return meta.table.bitwise_xor(meta, scalar, input)  # type: ignore[no-any-return]
            except Exception as error:
                raise explain(error, _bitwise_xor_row, (scalar, input), ()) from None
    return general(_bitwise_xor_row, [other, input], ())  # type: ignore[no-any-return]


def bitwise_left_shift(input: Any, other: Any) -> Tensor:
    """Bits shifted to the left.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.bitwise_left_shift(gv.tensor([6, 3]), gv.tensor([2, 1])).tolist()
        [24, 6]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.bitwise_left_shift(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.bitwise_left_shift_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.bitwise_left_shift(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _bitwise_left_shift_row, (input, other), ()) from None
    return general(_bitwise_left_shift_row, [input, other], ())  # type: ignore[no-any-return]


def reflected_bitwise_left_shift(input: Tensor, other: Any) -> Tensor:
    """`bitwise_left_shift` with the tensor on the right."""
    cls = other.__class__
    if cls is float or cls is int:
        meta = input.node.meta
        scalar = (meta.floats if cls is float else meta.ints).get(other)
        if scalar is None:
            scalar = number(meta, other)
        if scalar is not None:
            try:
                return meta.table.bitwise_left_shift(meta, scalar, input)  # type: ignore[no-any-return]
            except Exception as error:
                raise explain(error, _bitwise_left_shift_row, (scalar, input), ()) from None
    return general(_bitwise_left_shift_row, [other, input], ())  # type: ignore[no-any-return]


def bitwise_right_shift(input: Any, other: Any) -> Tensor:
    """Bits shifted to the right.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.bitwise_right_shift(gv.tensor([6, 3]), gv.tensor([2, 1])).tolist()
        [1, 1]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.bitwise_right_shift(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.bitwise_right_shift_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.bitwise_right_shift(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _bitwise_right_shift_row, (input, other), ()) from None
    return general(_bitwise_right_shift_row, [input, other], ())  # type: ignore[no-any-return]


def reflected_bitwise_right_shift(input: Tensor, other: Any) -> Tensor:
    """`bitwise_right_shift` with the tensor on the right."""
    cls = other.__class__
    if cls is float or cls is int:
        meta = input.node.meta
        scalar = (meta.floats if cls is float else meta.ints).get(other)
        if scalar is None:
            scalar = number(meta, other)
        if scalar is not None:
            try:
                return meta.table.bitwise_right_shift(meta, scalar, input)  # type: ignore[no-any-return]
            except Exception as error:
                raise explain(error, _bitwise_right_shift_row, (scalar, input), ()) from None
    return general(_bitwise_right_shift_row, [other, input], ())  # type: ignore[no-any-return]


def bitwise_not(input: Any) -> Tensor:
    """Every bit flipped; logical not of bools.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.bitwise_not(gv.tensor([0, 1])).tolist()
        [-1, -2]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("bitwise_not", input)
    meta = input.node.meta
    try:
        return meta.table.bitwise_not(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _bitwise_not_row, (input,), ()) from None


def conv1d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Tensor:
    """Convolution over 1 dimension: products of every patch with the weight.

    Formula: y[o, p] = bias[o] + sum over c, k of weight[o, c, k] x[c, p stride + k dilation - padding].

    Args:
        input: shape (batch, channels, length), or without the batch.
        weight: shape (out_channels, in_channels / groups, length).
        bias: shape (out_channels,), or None.
        stride: the step from window to window: one number, or one for each spatial dimension.
        padding: zeros around the input: one number, or one for each spatial dimension, a pair
            (before, after) for each, 'valid' for none, or 'same' for a result of the input's
            size.
        dilation: the step between elements of a window: one number, or one for each spatial
            dimension.
        groups: into how many groups channels are divided that don't see each other.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.conv1d(gv.ones(1, 1, 3), gv.ones(1, 1, 2)).shape
        (1, 1, 2)
    """
    attrs = canon.spatial.convolution("conv1d", 1, weight, stride, padding, dilation, groups)
    if input.__class__ in TENSORS and weight.__class__ in TENSORS and (bias is None or bias.__class__ in TENSORS):
        meta = input.node.meta
        if weight.node.meta.dtype is meta.dtype and weight.node.meta.table is meta.table and (bias is None or bias.node.meta.dtype is meta.dtype and bias.node.meta.table is meta.table):
            try:
                canon.agree(_conv1d_row, (input, weight, bias,), *attrs)
                return meta.table.conv1d(input, weight, bias, *attrs)  # type: ignore[no-any-return]
            except Exception as error:
                raise explain(error, _conv1d_row, (input, weight, bias,), attrs) from None
    return general(_conv1d_row, [input, weight, bias], attrs)  # type: ignore[no-any-return]


def conv_transpose1d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: int = 1, dilation: Any = 1) -> Tensor:
    """Transposed convolution over 1 dimension: every element lays its multiple of the weight into the result.

    Formula: the adjoint of the convolution with the same weight.

    Args:
        input: shape (batch, channels, length), or without the batch.
        weight: shape (in_channels, out_channels / groups, length).
        bias: shape (out_channels,), or None.
        stride: the step from window to window: one number, or one for each spatial dimension.
        padding: zeros around the input on both sides: one number, or one for each spatial
            dimension.
        output_padding: how much longer the result gets at its end: one number, or one for each
            spatial dimension.
        groups: into how many groups channels are divided that don't see each other.
        dilation: the step between elements of a window: one number, or one for each spatial
            dimension.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.conv_transpose1d(gv.ones(1, 1, 3), gv.ones(1, 1, 2)).shape
        (1, 1, 4)
    """
    attrs = canon.spatial.transposed("conv_transpose1d", 1, stride, padding, output_padding, groups, dilation)
    if input.__class__ in TENSORS and weight.__class__ in TENSORS and (bias is None or bias.__class__ in TENSORS):
        meta = input.node.meta
        if weight.node.meta.dtype is meta.dtype and weight.node.meta.table is meta.table and (bias is None or bias.node.meta.dtype is meta.dtype and bias.node.meta.table is meta.table):
            try:
                canon.agree(_conv_transpose1d_row, (input, weight, bias,), *attrs)
                return meta.table.conv_transpose1d(input, weight, bias, *attrs)  # type: ignore[no-any-return]
            except Exception as error:
                raise explain(error, _conv_transpose1d_row, (input, weight, bias,), attrs) from None
    return general(_conv_transpose1d_row, [input, weight, bias], attrs)  # type: ignore[no-any-return]


def conv2d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Tensor:
    """Convolution over 2 dimensions: products of every patch with the weight.

    Formula: y[o, p] = bias[o] + sum over c, k of weight[o, c, k] x[c, p stride + k dilation - padding].

    Args:
        input: shape (batch, channels, height, width), or without the batch.
        weight: shape (out_channels, in_channels / groups, height, width).
        bias: shape (out_channels,), or None.
        stride: the step from window to window: one number, or one for each spatial dimension.
        padding: zeros around the input: one number, or one for each spatial dimension, a pair
            (before, after) for each, 'valid' for none, or 'same' for a result of the input's
            size.
        dilation: the step between elements of a window: one number, or one for each spatial
            dimension.
        groups: into how many groups channels are divided that don't see each other.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.conv2d(gv.ones(1, 1, 3, 3), gv.ones(1, 1, 2, 2)).shape
        (1, 1, 2, 2)
    """
    attrs = canon.spatial.convolution("conv2d", 2, weight, stride, padding, dilation, groups)
    if input.__class__ in TENSORS and weight.__class__ in TENSORS and (bias is None or bias.__class__ in TENSORS):
        meta = input.node.meta
        if weight.node.meta.dtype is meta.dtype and weight.node.meta.table is meta.table and (bias is None or bias.node.meta.dtype is meta.dtype and bias.node.meta.table is meta.table):
            try:
                canon.agree(_conv2d_row, (input, weight, bias,), *attrs)
                return meta.table.conv2d(input, weight, bias, *attrs)  # type: ignore[no-any-return]
            except Exception as error:
                raise explain(error, _conv2d_row, (input, weight, bias,), attrs) from None
    return general(_conv2d_row, [input, weight, bias], attrs)  # type: ignore[no-any-return]


def conv_transpose2d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: int = 1, dilation: Any = 1) -> Tensor:
    """Transposed convolution over 2 dimensions: every element lays its multiple of the weight into the result.

    Formula: the adjoint of the convolution with the same weight.

    Args:
        input: shape (batch, channels, height, width), or without the batch.
        weight: shape (in_channels, out_channels / groups, height, width).
        bias: shape (out_channels,), or None.
        stride: the step from window to window: one number, or one for each spatial dimension.
        padding: zeros around the input on both sides: one number, or one for each spatial
            dimension.
        output_padding: how much longer the result gets at its end: one number, or one for each
            spatial dimension.
        groups: into how many groups channels are divided that don't see each other.
        dilation: the step between elements of a window: one number, or one for each spatial
            dimension.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.conv_transpose2d(gv.ones(1, 1, 3, 3), gv.ones(1, 1, 2, 2)).shape
        (1, 1, 4, 4)
    """
    attrs = canon.spatial.transposed("conv_transpose2d", 2, stride, padding, output_padding, groups, dilation)
    if input.__class__ in TENSORS and weight.__class__ in TENSORS and (bias is None or bias.__class__ in TENSORS):
        meta = input.node.meta
        if weight.node.meta.dtype is meta.dtype and weight.node.meta.table is meta.table and (bias is None or bias.node.meta.dtype is meta.dtype and bias.node.meta.table is meta.table):
            try:
                canon.agree(_conv_transpose2d_row, (input, weight, bias,), *attrs)
                return meta.table.conv_transpose2d(input, weight, bias, *attrs)  # type: ignore[no-any-return]
            except Exception as error:
                raise explain(error, _conv_transpose2d_row, (input, weight, bias,), attrs) from None
    return general(_conv_transpose2d_row, [input, weight, bias], attrs)  # type: ignore[no-any-return]


def conv3d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Tensor:
    """Convolution over 3 dimensions: products of every patch with the weight.

    Formula: y[o, p] = bias[o] + sum over c, k of weight[o, c, k] x[c, p stride + k dilation - padding].

    Args:
        input: shape (batch, channels, depth, height, width), or without the batch.
        weight: shape (out_channels, in_channels / groups, depth, height, width).
        bias: shape (out_channels,), or None.
        stride: the step from window to window: one number, or one for each spatial dimension.
        padding: zeros around the input: one number, or one for each spatial dimension, a pair
            (before, after) for each, 'valid' for none, or 'same' for a result of the input's
            size.
        dilation: the step between elements of a window: one number, or one for each spatial
            dimension.
        groups: into how many groups channels are divided that don't see each other.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.conv3d(gv.ones(1, 1, 3, 3, 3), gv.ones(1, 1, 2, 2, 2)).shape
        (1, 1, 2, 2, 2)
    """
    attrs = canon.spatial.convolution("conv3d", 3, weight, stride, padding, dilation, groups)
    if input.__class__ in TENSORS and weight.__class__ in TENSORS and (bias is None or bias.__class__ in TENSORS):
        meta = input.node.meta
        if weight.node.meta.dtype is meta.dtype and weight.node.meta.table is meta.table and (bias is None or bias.node.meta.dtype is meta.dtype and bias.node.meta.table is meta.table):
            try:
                canon.agree(_conv3d_row, (input, weight, bias,), *attrs)
                return meta.table.conv3d(input, weight, bias, *attrs)  # type: ignore[no-any-return]
            except Exception as error:
                raise explain(error, _conv3d_row, (input, weight, bias,), attrs) from None
    return general(_conv3d_row, [input, weight, bias], attrs)  # type: ignore[no-any-return]


def conv_transpose3d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: int = 1, dilation: Any = 1) -> Tensor:
    """Transposed convolution over 3 dimensions: every element lays its multiple of the weight into the result.

    Formula: the adjoint of the convolution with the same weight.

    Args:
        input: shape (batch, channels, depth, height, width), or without the batch.
        weight: shape (in_channels, out_channels / groups, depth, height, width).
        bias: shape (out_channels,), or None.
        stride: the step from window to window: one number, or one for each spatial dimension.
        padding: zeros around the input on both sides: one number, or one for each spatial
            dimension.
        output_padding: how much longer the result gets at its end: one number, or one for each
            spatial dimension.
        groups: into how many groups channels are divided that don't see each other.
        dilation: the step between elements of a window: one number, or one for each spatial
            dimension.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.conv_transpose3d(gv.ones(1, 1, 3, 3, 3), gv.ones(1, 1, 2, 2, 2)).shape
        (1, 1, 4, 4, 4)
    """
    attrs = canon.spatial.transposed("conv_transpose3d", 3, stride, padding, output_padding, groups, dilation)
    if input.__class__ in TENSORS and weight.__class__ in TENSORS and (bias is None or bias.__class__ in TENSORS):
        meta = input.node.meta
        if weight.node.meta.dtype is meta.dtype and weight.node.meta.table is meta.table and (bias is None or bias.node.meta.dtype is meta.dtype and bias.node.meta.table is meta.table):
            try:
                canon.agree(_conv_transpose3d_row, (input, weight, bias,), *attrs)
                return meta.table.conv_transpose3d(input, weight, bias, *attrs)  # type: ignore[no-any-return]
            except Exception as error:
                raise explain(error, _conv_transpose3d_row, (input, weight, bias,), attrs) from None
    return general(_conv_transpose3d_row, [input, weight, bias], attrs)  # type: ignore[no-any-return]


def cumprod(input: Any, dim: int) -> Tensor:
    """Running product along one dimension; the gradient is exact where elements are 0.

    Formula: out_j = prod_{i <= j} x_i.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([2.0, 3.0]).cumprod(0).tolist()
        [2.0, 6.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("cumprod", input)
    a0, = (canon.dim("cumprod", dim, input),)
    meta = input.node.meta
    try:
        return meta.table.cumprod(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _cumprod_row, (input,), (a0,)) from None


def cummax(input: Any, dim: int) -> Any:
    """Largest element so far along one dimension and where it stands, the last of equals.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> [part.tolist() for part in gv.tensor([1.0, 3.0, 2.0]).cummax(0)]
        [[1.0, 3.0, 3.0], [0, 1, 1]]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("cummax", input)
    a0, = (canon.dim("cummax", dim, input),)
    meta = input.node.meta
    try:
        return meta.table.cummax(input, a0)
    except Exception as error:
        raise explain(error, _cummax_row, (input,), (a0,)) from None


def cummin(input: Any, dim: int) -> Any:
    """Smallest element so far along one dimension and where it stands, the last of equals.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> [part.tolist() for part in gv.tensor([2.0, 1.0, 3.0]).cummin(0)]
        [[2.0, 1.0, 1.0], [0, 1, 1]]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("cummin", input)
    a0, = (canon.dim("cummin", dim, input),)
    meta = input.node.meta
    try:
        return meta.table.cummin(input, a0)
    except Exception as error:
        raise explain(error, _cummin_row, (input,), (a0,)) from None


def logcumsumexp(input: Any, dim: int) -> Tensor:
    """Logarithm of the running sum of exponentials along one dimension, without overflow.

    Formula: out_j = log sum_{i <= j} exp(x_i).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([0.0, 0.0]).logcumsumexp(0).numpy().round(4)
        array([0.    , 0.6931], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("logcumsumexp", input)
    a0, = (canon.dim("logcumsumexp", dim, input),)
    meta = input.node.meta
    try:
        return meta.table.logcumsumexp(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _logcumsumexp_row, (input,), (a0,)) from None


def deform_conv2d(input: Any, offset: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, mask: Any = None) -> Tensor:
    """Convolution whose patches are read at shifted places, one shift for each of their elements.

    Formula: y[p] = sum over k of weight[k] mask[k, p] x(p stride + k dilation - padding + offset[k, p]).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        offset: shape (batch, groups * 2 * kernel, rows, columns): shifts (y, x).
        weight: shape (out_channels, in_channels / groups, height, width).
        bias: shape (out_channels,), or None.
        stride: the step from window to window: one number, or one for each spatial dimension.
        padding: zeros around the input on both sides: one number, or one for each spatial
            dimension.
        dilation: the step between elements of a window: one number, or one for each spatial
            dimension.
        mask: shape (batch, groups * kernel, rows, columns): factors, or None.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.deform_conv2d(gv.ones(1, 1, 3, 3), gv.zeros(1, 8, 2, 2), gv.ones(1, 1, 2, 2)).tolist()
        [[[[4.0, 4.0], [4.0, 4.0]]]]
    """
    return general(_deform_conv2d_row, [input, offset, weight, mask, bias], canon.spatial.deformable(stride, padding, dilation))  # type: ignore[no-any-return]


def gather(input: Any, dim: int, index: Any) -> Tensor:
    """Elements chosen along one dimension: `out[i][j] = x[index[i][j]][j]` for dimension 0.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        index: an integer tensor of indices into `dim`.

    Raises:
        GradvizError: `shape-mismatch`, `dimension-out-of-range`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([[1, 2], [3, 4]]).gather(1, gv.tensor([[0], [1]])).tolist()
        [[1], [4]]
    """
    input = canon.tensor("gather", input)
    index = canon.whole("gather", index, input, dim)
    return general(_gather_row, [input, index], (canon.dim("gather", dim, input),))  # type: ignore[no-any-return]


def index_select(input: Any, dim: int, index: Any) -> Tensor:
    """Slices chosen along one dimension by a vector of indices.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        index: an integer tensor of indices into `dim`.

    Raises:
        GradvizError: `shape-mismatch`, `dimension-out-of-range`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([[1, 2], [3, 4]]).index_select(1, gv.tensor([1])).tolist()
        [[2], [4]]
    """
    input = canon.tensor("index_select", input)
    index = canon.vector_index("index_select", index, input, dim)
    return general(_index_select_row, [input, index], (canon.dim("index_select", dim, input),))  # type: ignore[no-any-return]


def scatter(input: Any, dim: int, index: Any, src: Any, *, reduce: Any = None) -> Tensor:
    """A new tensor that is `x` with `values` put where gather would take them.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        index: an integer tensor of indices into `dim`.
        src: the values, of the index's shape, or one number.
        reduce: None, 'add' or 'multiply'.

    Raises:
        GradvizError: `shape-mismatch`, `dimension-out-of-range`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.zeros(3).scatter(0, gv.tensor([1]), gv.tensor([5.0])).tolist()
        [0.0, 5.0, 0.0]
    """
    if reduce is not None:
        found: Tensor = canon.reduced_scatter(input, dim, index, src, reduce)
        return found
    input = canon.tensor("scatter", input)
    index = canon.whole("scatter", index, input, dim)
    src = canon.source("scatter", src, index, input)
    return general(_scatter_row, [input, index, src], (canon.dim("scatter", dim, input),))  # type: ignore[no-any-return]


def scatter_add(input: Any, dim: int, index: Any, src: Any) -> Tensor:
    """A new tensor that is `x` with `values` added where gather would take them.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        index: an integer tensor of indices into `dim`.
        src: the values, of the index's shape, or one number.

    Raises:
        GradvizError: `shape-mismatch`, `dimension-out-of-range`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.zeros(2).scatter_add(0, gv.tensor([1, 1]), gv.tensor([5.0, 1.0])).tolist()
        [0.0, 6.0]
    """
    input = canon.tensor("scatter_add", input)
    index = canon.whole("scatter_add", index, input, dim)
    src = canon.source("scatter_add", src, index, input)
    return general(_scatter_add_row, [input, index, src], (canon.dim("scatter_add", dim, input),))  # type: ignore[no-any-return]


def masked_fill(input: Any, mask: Any, value: Any) -> Tensor:
    """`value` where the mask is true, `x` elsewhere.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        mask: a bool tensor that broadcasts with `input`.
        value: the number to put in.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([1.0, 2.0]).masked_fill(gv.tensor([True, False]), 0.0).tolist()
        [0.0, 2.0]
    """
    input = canon.tensor("masked_fill", input)
    mask = canon.mask("masked_fill", mask, input)
    if value.__class__ in TENSORS:
        return canon.filled(input, mask, value)
    return general(_masked_fill_row, [input, mask], (canon.fill_value("masked_fill", value, input),))  # type: ignore[no-any-return]


def clamp(input: Any, min: Any = None, max: Any = None) -> Tensor:
    """Elements limited to [min, max]; the gradient is 1 inside and at the limits, 0 outside.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        min: the lower limit, a number or a tensor; None for none.
        max: the upper limit, a number or a tensor; None for none.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.clamp(gv.tensor([-2.0, 0.5, 2.0]), -1.0, 1.0).tolist()
        [-1.0, 0.5, 1.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("clamp", input)
    if hasattr(min, "shape") or hasattr(max, "shape"):
        return canon.clamped(input, min, max)
    input = canon.clampable(input, min, max)
    a0, a1 = canon.limits("clamp", min, max)
    meta = input.node.meta
    try:
        return meta.table.clamp(meta, input, a0, a1)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _clamp_row, (input,), (a0, a1)) from None


def tril(input: Any, diagonal: int = 0) -> Tensor:
    """The lower triangle; zeros above `diagonal`.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        diagonal: which diagonal: 0 is the main one, positive lies above it.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2, 2).tril().tolist()
        [[1.0, 0.0], [1.0, 1.0]]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("tril", input)
    canon.matrices("tril", input)
    a0, = (canon.whole_number("tril", "diagonal", diagonal),)
    meta = input.node.meta
    try:
        return meta.table.tril(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _tril_row, (input,), (a0,)) from None


def triu(input: Any, diagonal: int = 0) -> Tensor:
    """The upper triangle; zeros below `diagonal`.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        diagonal: which diagonal: 0 is the main one, positive lies above it.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2, 2).triu().tolist()
        [[1.0, 1.0], [0.0, 1.0]]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("triu", input)
    canon.matrices("triu", input)
    a0, = (canon.whole_number("triu", "diagonal", diagonal),)
    meta = input.node.meta
    try:
        return meta.table.triu(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _triu_row, (input,), (a0,)) from None


def cumsum(input: Any, dim: int) -> Tensor:
    """Running sum along one dimension.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([1.0, 2.0]).cumsum(0).tolist()
        [1.0, 3.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("cumsum", input)
    a0, = (canon.dim("cumsum", dim, input),)
    meta = input.node.meta
    try:
        return meta.table.cumsum(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _cumsum_row, (input,), (a0,)) from None


def inv(input: Any) -> Tensor:
    """Inverse of a square matrix, or of each of a batch.

    Gradient: dL/dA = -A^-T dL/dA^-1 A^-T.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.inv(gv.tensor([[2.0, 0.0], [0.0, 4.0]])).tolist()
        [[0.5, 0.0], [0.0, 0.25]]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("inv", input)
    canon.matrices("inv", input)
    meta = input.node.meta
    try:
        canon.agree(_inv_row, (input,), )
        return meta.table.inv(input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _inv_row, (input,), ()) from None


def det(input: Any) -> Tensor:
    """Determinant of a square matrix, or of each of a batch.

    Gradient: dL/dA = dL/d det(A) det(A) A^-T.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> round(gv.det(gv.tensor([[2.0, 0.0], [0.0, 4.0]])).item(), 4)
        8.0
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("det", input)
    canon.matrices("det", input)
    meta = input.node.meta
    try:
        canon.agree(_det_row, (input,), )
        return meta.table.det(input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _det_row, (input,), ()) from None


def solve(input: Any, other: Any) -> Tensor:
    """The solution of A X = B for square A.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right side, one column for each system.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.solve(gv.tensor([[2.0, 0.0], [0.0, 4.0]]), gv.ones(2, 1)).tolist()
        [[0.5], [0.25]]
    """
    return general(_solve_row, [input, other], ())  # type: ignore[no-any-return]


def cholesky(input: Any) -> Tensor:
    """The lower triangle L with L L^T = A, for symmetric positive definite A.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.cholesky(gv.tensor([[2.0, 0.0], [0.0, 4.0]])).numpy().round(4)
        array([[1.4142, 0.    ],
               [0.    , 2.    ]], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("cholesky", input)
    canon.matrices("cholesky", input)
    meta = input.node.meta
    try:
        canon.agree(_cholesky_row, (input,), )
        return meta.table.cholesky(input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _cholesky_row, (input,), ()) from None


def matmul(input: Any, other: Any) -> Tensor:
    """Matrix product; batch dimensions broadcast, vectors count as rows or columns.

    Gradient: dL/dA = dL/dC B^T, dL/dB = A^T dL/dC for C = A B.

    Args:
        input: shape (..., n, k) or (k,).
        other: shape (..., k, m) or (k,).

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> (gv.ones(2, 3) @ gv.ones(3, 1)).tolist()
        [[3.0], [3.0]]
    """
    if input.__class__ in TENSORS and other.__class__ in TENSORS:
        meta = input.node.meta
        if other.node.meta.dtype is meta.dtype and other.node.meta.table is meta.table:
            try:
                return meta.table.matmul(input, other)  # type: ignore[no-any-return]
            except Exception as error:
                raise explain(error, _matmul_row, (input, other,), ()) from None
    return general(_matmul_row, [input, other], ())  # type: ignore[no-any-return]


def linear(input: Any, weight: Any, bias: Any = None) -> Tensor:
    """x @ weight^T + bias, with the weight laid out (out_features, in_features).

    Args:
        input: shape (..., in_features), float.
        weight: shape (out_features, in_features), float.
        bias: shape (out_features,), float, or None.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.linear(gv.ones(1, 2), gv.ones(3, 2), gv.zeros(3)).tolist()
        [[2.0, 2.0, 2.0]]
    """
    if input.__class__ in TENSORS and weight.__class__ in TENSORS and (bias is None or bias.__class__ in TENSORS):
        meta = input.node.meta
        if weight.node.meta.dtype is meta.dtype and weight.node.meta.table is meta.table and (bias is None or bias.node.meta.dtype is meta.dtype and bias.node.meta.table is meta.table):
            try:
                canon.agree(_linear_row, (input, weight, bias,))
                return meta.table.linear(input, weight, bias)  # type: ignore[no-any-return]
            except Exception as error:
                raise explain(error, _linear_row, (input, weight, bias,), ()) from None
    return general(_linear_row, [input, weight, bias], ())  # type: ignore[no-any-return]


def nll_loss(input: Any, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean") -> Tensor:
    """Negative log-likelihood of target classes, given log-probabilities.

    Args:
        input: shape (batch, classes, ...) or (classes,): log-probabilities.
        target: shape (batch, ...) or (): integer classes.
        weight: shape (classes,): a factor for each class.
        ignore_index: a class that counts for nothing.
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.nll_loss(gv.log_softmax(gv.zeros(1, 2)), gv.tensor([1])).numpy().round(4).item()
        0.6930999755859375
    """
    input = canon.tensor("nll_loss", input)
    target = canon.classes("nll_loss", target, input, ignore_index)
    return general(_nll_loss_row, [input, target, weight], (canon.whole_number("nll_loss", "ignore_index", ignore_index), canon.choice("nll_loss", "reduction", reduction, canon.REDUCTIONS)))  # type: ignore[no-any-return]


def mse_loss(input: Any, target: Any, reduction: str = "mean") -> Tensor:
    """Mean (or sum) of squared differences.

    Formula: mean((x - target)^2).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        target: what `input` is compared with, of the same shape.
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.mse_loss(gv.tensor([1.0, 3.0]), gv.tensor([1.0, 1.0])).item()
        2.0
    """
    return general(_mse_loss_row, [input, target], (canon.choice("mse_loss", "reduction", reduction, canon.REDUCTIONS),))  # type: ignore[no-any-return]


def l1_loss(input: Any, target: Any, reduction: str = "mean") -> Tensor:
    """Mean (or sum) of absolute differences.

    Formula: mean(|x - target|).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        target: what `input` is compared with, of the same shape.
        reduction: 'mean', 'sum' or 'none'.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.l1_loss(gv.tensor([1.0, 3.0]), gv.tensor([1.0, 1.0])).item()
        1.0
    """
    return general(_l1_loss_row, [input, target], (canon.choice("l1_loss", "reduction", reduction, canon.REDUCTIONS),))  # type: ignore[no-any-return]


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    """Half the squared difference, linear beyond `delta`.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        target: what `input` is compared with, of the same shape.
        reduction: 'mean', 'sum' or 'none'.
        delta: where the loss becomes linear.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.huber_loss(gv.tensor([1.0, 3.0]), gv.tensor([1.0, 1.0])).item()
        0.75
    """
    return general(_huber_loss_row, [input, target], (canon.positive("huber_loss", "delta", delta), canon.choice("huber_loss", "reduction", reduction, canon.REDUCTIONS)))  # type: ignore[no-any-return]


def smooth_l1_loss(input: Any, target: Any, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """The absolute difference, rounded within `beta` of 0.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        target: what `input` is compared with, of the same shape.
        reduction: 'mean', 'sum' or 'none'.
        beta: how far from 0 the bend is rounded.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.smooth_l1_loss(gv.tensor([1.0, 3.0]), gv.tensor([1.0, 1.0])).item()
        0.75
    """
    return general(_smooth_l1_loss_row, [input, target], (canon.at_least("smooth_l1_loss", "beta", beta, 0.0), canon.choice("smooth_l1_loss", "reduction", reduction, canon.REDUCTIONS)))  # type: ignore[no-any-return]


def reshape(input: Any, shape: Any, *more: Any) -> Tensor:
    """The same elements in another shape.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        shape: the new sizes, whose product is the number of elements; one may be -1.
        more: the others, where they are not given as one tuple.

    Raises:
        GradvizError: `shape-mismatch`.

    Example:
        >>> import gradviz as gv
        >>> gv.arange(4).reshape(2, 2).tolist()
        [[0, 1], [2, 3]]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("reshape", input)
    a0, = (canon.new_shape("reshape", (shape, *more), input),)
    meta = input.node.meta
    try:
        return meta.table.reshape(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _reshape_row, (input,), (a0,)) from None


def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Several dimensions made one.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        start_dim: the first dimension to join.
        end_dim: the last dimension to join.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2, 3, 4).flatten(1).shape
        (2, 12)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("flatten", input)
    a0, = (canon.flattened(input, start_dim, end_dim),)
    meta = input.node.meta
    try:
        return meta.table.flatten(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _flatten_row, (input,), (a0,)) from None


def unflatten(input: Any, dim: int, sizes: Any) -> Tensor:
    """One dimension made several.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        sizes: the new sizes; -1 keeps (expand) or works out (unflatten) one.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2, 6).unflatten(1, (2, 3)).shape
        (2, 2, 3)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("unflatten", input)
    a0, = (canon.unflattened(input, dim, sizes),)
    meta = input.node.meta
    try:
        return meta.table.unflatten(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _unflatten_row, (input,), (a0,)) from None


def squeeze(input: Any, dim: Any = None) -> Tensor:
    """Dimensions of size 1 taken away.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2, 1, 3).squeeze(1).shape
        (2, 3)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("squeeze", input)
    a0, = (canon.squeezed(input, dim),)
    meta = input.node.meta
    try:
        return meta.table.squeeze(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _squeeze_row, (input,), (a0,)) from None


def unsqueeze(input: Any, dim: int) -> Tensor:
    """A dimension of size 1 put in.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2, 3).unsqueeze(1).shape
        (2, 1, 3)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("unsqueeze", input)
    a0, = (canon.unsqueezed(input, dim),)
    meta = input.node.meta
    try:
        return meta.table.unsqueeze(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _unsqueeze_row, (input,), (a0,)) from None


def permute(input: Any, dims: Any, *more: Any) -> Tensor:
    """Dimensions in another order.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dims: dimensions, counted from 0 or from -1 at the end.
        more: the others, where they are not given as one tuple.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2, 3, 4).permute(2, 0, 1).shape
        (4, 2, 3)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("permute", input)
    a0, = (canon.order("permute", (dims, *more), input),)
    meta = input.node.meta
    try:
        return meta.table.permute(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _permute_row, (input,), (a0,)) from None


def transpose(input: Any, dim0: int, dim1: int) -> Tensor:
    """Two dimensions exchanged.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim0: the first dimension.
        dim1: the second dimension.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2, 3).transpose(0, 1).shape
        (3, 2)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("transpose", input)
    a0, a1 = (canon.dim("transpose", dim0, input), canon.dim("transpose", dim1, input))
    meta = input.node.meta
    try:
        return meta.table.transpose(input, a0, a1)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _transpose_row, (input,), (a0, a1)) from None


def expand(input: Any, sizes: Any = (), *more: Any) -> Tensor:
    """Dimensions of size 1 repeated without copying.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        sizes: the new sizes; -1 keeps (expand) or works out (unflatten) one.
        more: the others, where they are not given as one tuple.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2, 1).expand(-1, 3).shape
        (2, 3)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("expand", input)
    a0, = (canon.expanded("expand", (sizes, *more), input),)
    meta = input.node.meta
    try:
        return meta.table.expand(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _expand_row, (input,), (a0,)) from None


def repeat(input: Any, repeats: Any = (), *more: Any) -> Tensor:
    """Copies laid side by side, `counts` along each dimension.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        repeats: how often to repeat along each dimension.
        more: the others, where they are not given as one tuple.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([1, 2]).repeat(2).tolist()
        [1, 2, 1, 2]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("repeat", input)
    a0, = (canon.counts("repeat", (repeats, *more), input),)
    meta = input.node.meta
    try:
        return meta.table.repeat(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _repeat_row, (input,), (a0,)) from None


def flip(input: Any, dims: Any, *more: Any) -> Tensor:
    """Elements in reverse order along dimensions.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dims: dimensions, counted from 0 or from -1 at the end.
        more: the others, where they are not given as one tuple.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([1, 2, 3]).flip(0).tolist()
        [3, 2, 1]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("flip", input)
    a0, = (canon.listed_dims("flip", (dims, *more) if more else dims, input),)
    meta = input.node.meta
    try:
        return meta.table.flip(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _flip_row, (input,), (a0,)) from None


def roll(input: Any, shifts: Any, dims: Any = None) -> Tensor:
    """Elements shifted along dimensions; those that fall off come in on the other side.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        shifts: by how many places, one number for each dimension.
        dims: dimensions, counted from 0 or from -1 at the end.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([1, 2, 3]).roll(1).tolist()
        [3, 1, 2]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("roll", input)
    if dims is None:
        return canon.rolled(input, shifts)
    a0, a1 = canon.shifts(input, shifts, dims)
    meta = input.node.meta
    try:
        return meta.table.roll(input, a0, a1)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _roll_row, (input,), (a0, a1)) from None


def pad(input: Any, pad: Any, mode: str = "constant", value: Any = None) -> Tensor:
    """A border of `value` around the elements; a negative width cuts.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        pad: (left, right) of the last dimension, then of the one before it, and so on.
        mode: what the border holds: 'constant', 'reflect', 'replicate' or 'circular'.
        value: the number to put in.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.pad(gv.tensor([1.0]), (1, 2)).tolist()
        [0.0, 1.0, 0.0, 0.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("pad", input)
    if canon.choice("pad", 'mode', mode, canon.PAD_MODES) != 'constant':
        return canon.padded(input, pad, mode)
    a0, a1 = (canon.widths(input, pad), canon.fill_value("pad", 0 if value is None else value, input))
    meta = input.node.meta
    try:
        return meta.table.pad(input, a0, a1)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _pad_row, (input,), (a0, a1)) from None


def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors joined along a dimension they have.

    Args:
        tensors: a list or tuple of tensors.
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.cat([gv.tensor([1]), gv.tensor([2, 3])]).tolist()
        [1, 2, 3]
    """
    return general(_cat_row, [tensors], (canon.joined_dim("cat", tensors, dim),))  # type: ignore[no-any-return]


def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors of one shape joined along a new dimension.

    Args:
        tensors: a list or tuple of tensors.
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.stack([gv.tensor([1]), gv.tensor([2])]).tolist()
        [[1], [2]]
    """
    return general(_stack_row, [tensors], (canon.stacked_dim(tensors, dim),))  # type: ignore[no-any-return]


def sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Sum of elements along dimensions.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        keepdim: whether reduced dimensions stay with size 1.
        dtype: a dtype to convert to first.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.sum(gv.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0).tolist()
        [4.0, 6.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("sum", input)
    if dtype is not None:
        input = input.to(dtype=dtype)
    a0, a1 = (canon.dims("sum", dim, input), canon.flag("sum", "keepdim", keepdim))
    meta = input.node.meta
    try:
        return meta.table.sum(input, a0, a1)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _sum_row, (input,), (a0, a1)) from None


def mean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Mean of elements along dimensions.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        keepdim: whether reduced dimensions stay with size 1.
        dtype: a dtype to convert to first.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.mean(gv.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0).tolist()
        [2.0, 3.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("mean", input)
    if dtype is not None:
        input = input.to(dtype=dtype)
    a0, a1 = (canon.dims("mean", dim, input), canon.flag("mean", "keepdim", keepdim))
    meta = input.node.meta
    try:
        return meta.table.mean(input, a0, a1)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _mean_row, (input,), (a0, a1)) from None


def prod(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Product of elements along dimensions; the gradient is exact where elements are 0.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        keepdim: whether reduced dimensions stay with size 1.
        dtype: a dtype to convert to first.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.prod(gv.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0).tolist()
        [3.0, 8.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("prod", input)
    if dtype is not None:
        input = input.to(dtype=dtype)
    a0, a1 = (canon.dims("prod", dim, input), canon.flag("prod", "keepdim", keepdim))
    meta = input.node.meta
    try:
        return meta.table.prod(input, a0, a1)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _prod_row, (input,), (a0, a1)) from None


def amax(input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Largest element along dimensions; ties share the gradient evenly.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        keepdim: whether reduced dimensions stay with size 1.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.amax(gv.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0).tolist()
        [3.0, 4.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("amax", input)
    canon.nonempty("amax", canon.dims("amax", dim, input), input)
    a0, a1 = (canon.dims("amax", dim, input), canon.flag("amax", "keepdim", keepdim))
    meta = input.node.meta
    try:
        return meta.table.amax(input, a0, a1)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _amax_row, (input,), (a0, a1)) from None


def amin(input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Smallest element along dimensions; ties share the gradient evenly.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        keepdim: whether reduced dimensions stay with size 1.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.amin(gv.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0).tolist()
        [1.0, 2.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("amin", input)
    canon.nonempty("amin", canon.dims("amin", dim, input), input)
    a0, a1 = (canon.dims("amin", dim, input), canon.flag("amin", "keepdim", keepdim))
    meta = input.node.meta
    try:
        return meta.table.amin(input, a0, a1)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _amin_row, (input,), (a0, a1)) from None


def var(input: Any, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: Any = None) -> Tensor:
    """Variance along dimensions, divided by `n - correction`.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        unbiased: whether to divide by n - 1 instead of n.
        keepdim: whether reduced dimensions stay with size 1.
        correction: what to subtract from n in the divisor; overrides `unbiased`.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.var(gv.tensor([1.0, 2.0, 3.0])).item()
        1.0
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("var", input)
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    a0, a1, a2 = (canon.dims("var", dim, input), canon.correction("var", unbiased, correction), canon.flag("var", "keepdim", keepdim))
    meta = input.node.meta
    try:
        return meta.table.var(input, a0, a1, a2)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _var_row, (input,), (a0, a1, a2)) from None


def std(input: Any, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: Any = None) -> Tensor:
    """Standard deviation along dimensions, with `n - correction`.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        unbiased: whether to divide by n - 1 instead of n.
        keepdim: whether reduced dimensions stay with size 1.
        correction: what to subtract from n in the divisor; overrides `unbiased`.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.std(gv.tensor([1.0, 2.0, 3.0])).item()
        1.0
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("std", input)
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    a0, a1, a2 = (canon.dims("std", dim, input), canon.correction("std", unbiased, correction), canon.flag("std", "keepdim", keepdim))
    meta = input.node.meta
    try:
        return meta.table.std(input, a0, a1, a2)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _std_row, (input,), (a0, a1, a2)) from None


def logsumexp(input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Logarithm of the sum of exponentials along dimensions, without overflow.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        keepdim: whether reduced dimensions stay with size 1.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.logsumexp(gv.tensor([1.0, 1.0]), dim=0).numpy().round(4).item()
        1.6930999755859375
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("logsumexp", input)
    a0, a1 = (canon.dims("logsumexp", dim, input), canon.flag("logsumexp", "keepdim", keepdim))
    meta = input.node.meta
    try:
        return meta.table.logsumexp(input, a0, a1)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _logsumexp_row, (input,), (a0, a1)) from None


def norm(input: Any, p: Any = 2.0, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The p-norm of elements along dimensions; its gradient at 0 is 0.

    Formula: (sum |x|^p)^(1/p).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        p: the order of the norm: a number, `float('inf')`, `float('-inf')` or 'fro' for 2.
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        keepdim: whether reduced dimensions stay with size 1.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([3.0, 4.0]).norm().item()
        5.0
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("norm", input)
    a0, a1, a2 = (canon.norm_order("norm", p), canon.dims("norm", dim, input), canon.flag("norm", "keepdim", keepdim))
    meta = input.node.meta
    try:
        return meta.table.norm(input, a0, a1, a2)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _norm_row, (input,), (a0, a1, a2)) from None


def any(input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Whether any element is true (not zero).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        keepdim: whether reduced dimensions stay with size 1.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.any(gv.tensor([[True, False], [True, True]]), dim=1).tolist()
        [True, True]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("any", input)
    a0, a1 = (canon.dims_of_any("any", dim, input), canon.flag("any", "keepdim", keepdim))
    meta = input.node.meta
    try:
        return meta.table.any(input, a0, a1)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _any_row, (input,), (a0, a1)) from None


def all(input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Whether every element is true (not zero).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        keepdim: whether reduced dimensions stay with size 1.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.all(gv.tensor([[True, False], [True, True]]), dim=1).tolist()
        [False, True]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("all", input)
    a0, a1 = (canon.dims_of_any("all", dim, input), canon.flag("all", "keepdim", keepdim))
    meta = input.node.meta
    try:
        return meta.table.all(input, a0, a1)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _all_row, (input,), (a0, a1)) from None


def argmax(input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Index of the largest element, the first on a tie.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        keepdim: whether reduced dimensions stay with size 1.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.argmax(gv.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=1).tolist()
        [1, 1]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("argmax", input)
    canon.nonempty("argmax", canon.dim_or_none("argmax", dim, input), input)
    a0, a1 = (canon.dim_or_none("argmax", dim, input), canon.flag("argmax", "keepdim", keepdim))
    meta = input.node.meta
    try:
        return meta.table.argmax(input, a0, a1)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _argmax_row, (input,), (a0, a1)) from None


def argmin(input: Any, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Index of the smallest element, the first on a tie.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        keepdim: whether reduced dimensions stay with size 1.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.argmin(gv.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=1).tolist()
        [0, 0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("argmin", input)
    canon.nonempty("argmin", canon.dim_or_none("argmin", dim, input), input)
    a0, a1 = (canon.dim_or_none("argmin", dim, input), canon.flag("argmin", "keepdim", keepdim))
    meta = input.node.meta
    try:
        return meta.table.argmin(input, a0, a1)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _argmin_row, (input,), (a0, a1)) from None


def index_copy(input: Any, dim: int, index: Any, source: Any) -> Tensor:
    """A new tensor that is `x` with slices of `source` put where the index says.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        index: an integer tensor of indices into `dim`.
        source: the values that are put in.

    Raises:
        GradvizError: `shape-mismatch`, `dimension-out-of-range`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.zeros(3).index_copy(0, gv.tensor([2]), gv.tensor([5.0])).tolist()
        [0.0, 0.0, 5.0]
    """
    input = canon.tensor("index_copy", input)
    index = canon.whole("index_copy", index, input, dim)
    return general(_index_copy_row, [input, index, source], (canon.dim("index_copy", dim, input),))  # type: ignore[no-any-return]


def masked_scatter(input: Any, mask: Any, source: Any) -> Tensor:
    """A new tensor that is `x` with the elements of `source`, in order, where the mask is true.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        mask: a bool tensor that broadcasts with `input`.
        source: the values that are put in.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.zeros(3).masked_scatter(gv.tensor([True, False, True]), gv.tensor([1.0, 2.0])).tolist()
        [1.0, 0.0, 2.0]
    """
    input = canon.tensor("masked_scatter", input)
    mask = canon.expanded_mask("masked_scatter", mask, input)
    source = canon.masked_source(source, mask, input)
    return general(_masked_scatter_row, [input, mask, source], ())  # type: ignore[no-any-return]


def scatter_reduce(input: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool = True) -> Tensor:
    """A new tensor that is `x` with a source reduced into where gather would take it.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        index: an integer tensor of indices into `dim`.
        src: the values, of the index's shape, or one number.
        reduce: 'sum', 'prod', 'mean', 'amax' or 'amin'.
        include_self: whether the tensor's own elements take part.

    Raises:
        GradvizError: `shape-mismatch`, `dimension-out-of-range`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.ones(2).scatter_reduce(0, gv.tensor([1, 1]), gv.tensor([5.0, 3.0]), 'amax').tolist()
        [1.0, 5.0]
    """
    input = canon.tensor("scatter_reduce", input)
    index = canon.whole("scatter_reduce", index, input, dim)
    src = canon.source("scatter_reduce", src, index, input)
    return general(_scatter_reduce_row, [input, index, src], (canon.dim("scatter_reduce", dim, input), canon.choice("scatter_reduce", "reduce", reduce, ("sum", "prod", "mean", "amax", "amin")), canon.flag("scatter_reduce", "include_self", include_self)))  # type: ignore[no-any-return]


def gather_nd(input: Any, indices: Any) -> Tensor:
    """Elements or slices addressed by index vectors along the last axis of `indices`.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        indices: an integer tensor; its last axis addresses the leading dimensions of `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.tensor([[1.0, 2.0], [3.0, 4.0]]).gather_nd(gv.tensor([[0, 1], [1, 0]])).tolist()
        [2.0, 3.0]
    """
    input = canon.tensor("gather_nd", input)
    indices = canon.index_vectors("gather_nd", indices, input)
    return general(_gather_nd_row, [input, indices], ())  # type: ignore[no-any-return]


def scatter_nd(input: Any, indices: Any, values: Any, reduce: str = "assign") -> Tensor:
    """A new tensor that is `x` with values put or combined where index vectors point.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        indices: an integer tensor; its last axis addresses the leading dimensions of `input`.
        values: the values, of the shape that `gather_nd` would give.
        reduce: 'assign', 'add', 'mul', 'min' or 'max'.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.zeros(3).scatter_nd(gv.tensor([[1], [1]]), gv.tensor([2.0, 3.0]), 'add').tolist()
        [0.0, 5.0, 0.0]
    """
    input = canon.tensor("scatter_nd", input)
    indices = canon.index_vectors("scatter_nd", indices, input)
    return general(_scatter_nd_row, [input, indices, values], (canon.choice("scatter_nd", "reduce", reduce, ("assign", "add", "mul", "min", "max")),))  # type: ignore[no-any-return]


def sort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Elements in order along one dimension and where they stood; equal ones keep their order.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        descending: whether the largest comes first.
        stable: taken as in PyTorch; equal elements always keep their order.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> [part.tolist() for part in gv.tensor([3.0, 1.0, 2.0]).sort()]
        [[1.0, 2.0, 3.0], [1, 2, 0]]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("sort", input)
    canon.flag("sort", "stable", stable)
    a0, a1 = (canon.dim("sort", dim, input), canon.flag("sort", "descending", descending))
    meta = input.node.meta
    try:
        return meta.table.sort(input, a0, a1)
    except Exception as error:
        raise explain(error, _sort_row, (input,), (a0, a1)) from None


def argsort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """Where the elements stand that come first, second, ... in order along one dimension.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        descending: whether the largest comes first.
        stable: taken as in PyTorch; equal elements always keep their order.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.argsort(gv.tensor([3.0, 1.0, 2.0])).tolist()
        [1, 2, 0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("argsort", input)
    canon.flag("argsort", "stable", stable)
    a0, a1 = (canon.dim("argsort", dim, input), canon.flag("argsort", "descending", descending))
    meta = input.node.meta
    try:
        return meta.table.argsort(input, a0, a1)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _argsort_row, (input,), (a0, a1)) from None


def topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The largest or smallest `k` elements along one dimension, in order, and where they stood.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        k: how many elements; for `kthvalue` which one, counted from 1.
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        largest: the largest elements, or the smallest.
        sorted: taken as in PyTorch; the elements always come in order.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> [part.tolist() for part in gv.topk(gv.tensor([3.0, 1.0, 2.0]), 2)]
        [[3.0, 2.0], [0, 2]]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("topk", input)
    canon.flag("topk", "sorted", sorted)
    a0, a1, a2 = (canon.top("topk", k, dim, input), canon.dim("topk", dim, input), canon.flag("topk", "largest", largest))
    meta = input.node.meta
    try:
        return meta.table.topk(input, a0, a1, a2)
    except Exception as error:
        raise explain(error, _topk_row, (input,), (a0, a1, a2)) from None


def kthvalue(input: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The k-th smallest element along one dimension and where it stands.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        k: how many elements; for `kthvalue` which one, counted from 1.
        dim: the dimension, counted from 0 or from -1 at the end; where several are allowed a
            tuple, and None means all.
        keepdim: whether reduced dimensions stay with size 1.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> [part.item() for part in gv.kthvalue(gv.tensor([3.0, 1.0, 2.0]), 2)]
        [2.0, 2]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("kthvalue", input)
    a0, a1, a2 = (canon.kth("kthvalue", k, dim, input), canon.dim("kthvalue", dim, input), canon.flag("kthvalue", "keepdim", keepdim))
    meta = input.node.meta
    try:
        return meta.table.kthvalue(input, a0, a1, a2)
    except Exception as error:
        raise explain(error, _kthvalue_row, (input,), (a0, a1, a2)) from None


def searchsorted(sorted_sequence: Any, input: Any, right: bool = False) -> Tensor:
    """Where values would be inserted into a sorted sequence to keep it sorted.

    Args:
        sorted_sequence: ascending values: a vector, or one row for each row of values.
        input: a tensor of any shape (an array or a number counts as a constant).
        right: where equal values stand: after them, or before.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.searchsorted(gv.tensor([1.0, 3.0]), gv.tensor([0.0, 2.0, 3.0])).tolist()
        [0, 1, 1]
    """
    return general(_searchsorted_row, [sorted_sequence, input], (canon.flag("searchsorted", "right", right),))  # type: ignore[no-any-return]


def logaddexp(input: Any, other: Any) -> Tensor:
    """log(exp(lhs) + exp(rhs)), without overflow.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.logaddexp(gv.tensor([0.0]), gv.tensor([0.0])).numpy().round(4).tolist()
        [0.6930999755859375]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.logaddexp(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.logaddexp_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.logaddexp(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _logaddexp_row, (input, other), ()) from None
    return general(_logaddexp_row, [input, other], ())  # type: ignore[no-any-return]


def logaddexp2(input: Any, other: Any) -> Tensor:
    """log2(2^lhs + 2^rhs), without overflow.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.logaddexp2(gv.tensor([0.0]), gv.tensor([0.0])).numpy().round(4).tolist()
        [1.0]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.logaddexp2(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.logaddexp2_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.logaddexp2(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _logaddexp2_row, (input, other), ()) from None
    return general(_logaddexp2_row, [input, other], ())  # type: ignore[no-any-return]


def xlogy(input: Any, other: Any) -> Tensor:
    """lhs * log(rhs), and 0 where `lhs` is 0.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.xlogy(gv.tensor([0.0, 2.0]), gv.tensor([0.0, 3.0])).numpy().round(4).tolist()
        [0.0, 2.197200059890747]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.xlogy(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.xlogy_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.xlogy(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _xlogy_row, (input, other), ()) from None
    return general(_xlogy_row, [input, other], ())  # type: ignore[no-any-return]


def copysign(input: Any, other: Any) -> Tensor:
    """The size of `lhs` with the sign of `rhs`.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.copysign(gv.tensor([1.0, 2.0]), gv.tensor([-1.0, 0.0])).numpy().round(4).tolist()
        [-1.0, 2.0]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.copysign(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.copysign_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.copysign(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _copysign_row, (input, other), ()) from None
    return general(_copysign_row, [input, other], ())  # type: ignore[no-any-return]


def heaviside(input: Any, other: Any) -> Tensor:
    """0 below zero, 1 above it, `rhs` at it; no gradient.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.heaviside(gv.tensor([-1.0, 0.0, 2.0]), gv.tensor([0.5])).numpy().round(4).tolist()
        [0.0, 0.5, 1.0]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.heaviside(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.heaviside_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.heaviside(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _heaviside_row, (input, other), ()) from None
    return general(_heaviside_row, [input, other], ())  # type: ignore[no-any-return]


def fmax(input: Any, other: Any) -> Tensor:
    """The larger of two elements, a number rather than nan.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.fmax(gv.tensor([1.0, 3.0]), gv.tensor([2.0, 2.0])).numpy().round(4).tolist()
        [2.0, 3.0]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.fmax(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.fmax_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.fmax(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _fmax_row, (input, other), ()) from None
    return general(_fmax_row, [input, other], ())  # type: ignore[no-any-return]


def fmin(input: Any, other: Any) -> Tensor:
    """The smaller of two elements, a number rather than nan.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.fmin(gv.tensor([1.0, 3.0]), gv.tensor([2.0, 2.0])).numpy().round(4).tolist()
        [1.0, 2.0]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.fmin(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.fmin_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.fmin(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _fmin_row, (input, other), ()) from None
    return general(_fmin_row, [input, other], ())  # type: ignore[no-any-return]


def gcd(input: Any, other: Any) -> Tensor:
    """Greatest common divisor of two whole numbers.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.gcd(gv.tensor([12]), gv.tensor([8])).numpy().round(4).tolist()
        [4]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.gcd(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.gcd_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.gcd(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _gcd_row, (input, other), ()) from None
    return general(_gcd_row, [input, other], ())  # type: ignore[no-any-return]


def lcm(input: Any, other: Any) -> Tensor:
    """Least common multiple of two whole numbers.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        other: the right operand: a tensor, array or number that broadcasts with `input`.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.lcm(gv.tensor([4]), gv.tensor([6])).numpy().round(4).tolist()
        [12]
    """
    if input.__class__ in TENSORS:
        meta = input.node.meta
        cls = other.__class__
        try:
            if cls in TENSORS:
                others = other.node.meta
                if others is meta:
                    return meta.table.lcm(meta, input, other)  # type: ignore[no-any-return]
                if others.table is meta.table and others.dtype is meta.dtype:
                    return meta.table.lcm_wide(input, other)  # type: ignore[no-any-return]
            elif cls is float or cls is int:
                scalar = (meta.floats if cls is float else meta.ints).get(other)
                if scalar is None:
                    scalar = number(meta, other)
                if scalar is not None:
                    return meta.table.lcm(meta, input, scalar)  # type: ignore[no-any-return]
        except Exception as error:
            raise explain(error, _lcm_row, (input, other), ()) from None
    return general(_lcm_row, [input, other], ())  # type: ignore[no-any-return]


def signbit(input: Any) -> Tensor:
    """Whether the sign is negative, that of -0.0 and nan too.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.signbit(gv.tensor([-0.5, 0.25])).tolist()
        [True, False]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("signbit", input)
    meta = input.node.meta
    try:
        return meta.table.signbit(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _signbit_row, (input,), ()) from None


def deg2rad(input: Any) -> Tensor:
    """Degrees in radians.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.deg2rad(gv.tensor([180.0])).numpy().round(4)
        array([3.1416], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("deg2rad", input)
    meta = input.node.meta
    try:
        return meta.table.deg2rad(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _deg2rad_row, (input,), ()) from None


def rad2deg(input: Any) -> Tensor:
    """Radians in degrees.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.rad2deg(gv.tensor([1.0])).numpy().round(4)
        array([57.2958], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("rad2deg", input)
    meta = input.node.meta
    try:
        return meta.table.rad2deg(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _rad2deg_row, (input,), ()) from None


def sinc(input: Any) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.sinc(gv.tensor([0.0, 0.5])).numpy().round(4)
        array([1.    , 0.6366], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("sinc", input)
    meta = input.node.meta
    try:
        return meta.table.sinc(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _sinc_row, (input,), ()) from None


def erfc(input: Any) -> Tensor:
    """1 - erf(x), exact where that is tiny.

    Gradient: d erfc(x)/dx = -2/sqrt(pi) exp(-x^2).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.erfc(gv.tensor([0.0, 2.0])).numpy().round(4)
        array([1.    , 0.0047], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("erfc", input)
    meta = input.node.meta
    try:
        return meta.table.erfc(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _erfc_row, (input,), ()) from None


def erfinv(input: Any) -> Tensor:
    """Inverse of the error function.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.erfinv(gv.tensor([0.0, 0.5])).numpy().round(4)
        array([0.    , 0.4769], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("erfinv", input)
    meta = input.node.meta
    try:
        return meta.table.erfinv(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _erfinv_row, (input,), ()) from None


def lgamma(input: Any) -> Tensor:
    """Logarithm of the absolute value of the gamma function.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.lgamma(gv.tensor([1.0, 4.0])).numpy().round(4)
        array([0.    , 1.7918], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("lgamma", input)
    meta = input.node.meta
    try:
        return meta.table.lgamma(meta, input)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _lgamma_row, (input,), ()) from None


def polygamma(input: Any, n: int) -> Tensor:
    """The n-th derivative of the logarithmic derivative of the gamma function.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        n: which derivative, at least 0.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.polygamma(gv.tensor([1.0]), 1).numpy().round(4)
        array([1.6449], dtype=float32)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("polygamma", input)
    a0, = (canon.whole_from("polygamma", "n", n, 0),)
    meta = input.node.meta
    try:
        return meta.table.polygamma(meta, input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _polygamma_row, (input,), (a0,)) from None


def nan_to_num(input: Any, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Tensor:
    """Numbers in the place of nan and infinities; None takes the dtype's largest.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        nan: what takes the place of nan.
        posinf: what takes the place of infinity; None for the largest number.
        neginf: what takes the place of minus infinity; None for the lowest number.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.nan_to_num(gv.tensor([1.0, float('nan')])).tolist()
        [1.0, 0.0]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("nan_to_num", input)
    a0, a1, a2 = (canon.scalar("nan_to_num", "nan", nan), None if posinf is None else canon.scalar("nan_to_num", "posinf", posinf), None if neginf is None else canon.scalar("nan_to_num", "neginf", neginf))
    meta = input.node.meta
    try:
        return meta.table.nan_to_num(meta, input, a0, a1, a2)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _nan_to_num_row, (input,), (a0, a1, a2)) from None


def lerp(input: Any, end: Any, weight: Any) -> Tensor:
    """A mixture: `x` for weight 0, `end` for weight 1.

    Formula: x + weight (end - x).

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        end: the values for weight 1.
        weight: the weights, a tensor or a number.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.lerp(gv.tensor([0.0, 2.0]), gv.tensor([4.0, 4.0]), 0.5).tolist()
        [2.0, 3.0]
    """
    return general(_lerp_row, [input, end, weight], ())  # type: ignore[no-any-return]


def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: float = 1) -> Tensor:
    """x + value * tensor1 * tensor2.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        tensor1: the first factor, or the dividend.
        tensor2: the second factor, or the divisor.
        value: a factor for the product.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.addcmul(gv.tensor([1.0]), gv.tensor([4.0]), gv.tensor([2.0]), value=0.5).tolist()
        [5.0]
    """
    input = canon.tensor("addcmul", input)
    return general(_addcmul_row, [input, tensor1, tensor2], (canon.number_for("addcmul", "value", value, input),))  # type: ignore[no-any-return]


def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: float = 1) -> Tensor:
    """x + value * tensor1 / tensor2.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        tensor1: the first factor, or the dividend.
        tensor2: the second factor, or the divisor.
        value: a factor for the quotient.

    Raises:
        GradvizError: `shape-mismatch`, `different-backends`.

    Example:
        >>> import gradviz as gv
        >>> gv.addcdiv(gv.tensor([1.0]), gv.tensor([4.0]), gv.tensor([2.0]), value=0.5).tolist()
        [2.0]
    """
    input = canon.tensor("addcdiv", input)
    return general(_addcdiv_row, [input, tensor1, tensor2], (canon.number_for("addcdiv", "value", value, input),))  # type: ignore[no-any-return]


def unfold(input: Any, dimension: int, size: int, step: int) -> Tensor:
    """Windows of `size` elements along one dimension, `step` apart, in a new last dimension.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        dimension: the dimension, counted from 0 or from -1 at the end.
        size: how many elements a window has.
        step: how many elements lie between the starts of two windows.

    Raises:
        GradvizError: `invalid-argument`, `dimension-out-of-range`.

    Example:
        >>> import gradviz as gv
        >>> gv.arange(4).unfold(0, 2, 1).tolist()
        [[0, 1], [1, 2], [2, 3]]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("unfold", input)
    a0, a1, a2 = canon.spatial.window(input, dimension, size, step)
    meta = input.node.meta
    try:
        canon.agree(_unfold_row, (input,), a0, a1, a2)
        return meta.table.unfold(input, a0, a1, a2)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _unfold_row, (input,), (a0, a1, a2)) from None


def unfold4d(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Patches of an image as columns, (batch, channels * kernel, patches): im2col.

    Args:
        input: shape (batch, channels, height, width), or without the batch.
        kernel_size: the size of the window: one number, or one for each spatial dimension.
        dilation: the step between elements of a window: one number, or one for each spatial
            dimension.
        padding: zeros around the input on both sides: one number, or one for each spatial
            dimension.
        stride: the step from window to window: one number, or one for each spatial dimension.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.unfold4d(gv.ones(1, 2, 3, 3), 2).shape
        (1, 8, 4)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("unfold4d", input)
    a0, a1, a2, a3 = canon.spatial.patches("unfold4d", kernel_size, dilation, padding, stride)
    meta = input.node.meta
    try:
        canon.agree(_unfold4d_row, (input,), a0, a1, a2, a3)
        return meta.table.unfold4d(input, a0, a1, a2, a3)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _unfold4d_row, (input,), (a0, a1, a2, a3)) from None


def fold4d(input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Columns laid back as patches of an image, overlaps added up: col2im.

    Args:
        input: shape (batch, channels * kernel, patches), or without the batch.
        output_size: the spatial sizes of the result; None keeps one.
        kernel_size: the size of the window: one number, or one for each spatial dimension.
        dilation: the step between elements of a window: one number, or one for each spatial
            dimension.
        padding: zeros around the input on both sides: one number, or one for each spatial
            dimension.
        stride: the step from window to window: one number, or one for each spatial dimension.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.fold4d(gv.ones(1, 4, 4), (3, 3), 2).tolist()
        [[[[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]]]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("fold4d", input)
    a0, a1, a2, a3, a4 = ((canon.spatial.per_dim("fold4d", "output_size", output_size, 2), *canon.spatial.patches("fold4d", kernel_size, dilation, padding, stride)))
    meta = input.node.meta
    try:
        canon.agree(_fold4d_row, (input,), a0, a1, a2, a3, a4)
        return meta.table.fold4d(input, a0, a1, a2, a3, a4)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _fold4d_row, (input,), (a0, a1, a2, a3, a4)) from None


def pixel_shuffle(input: Any, upscale_factor: int) -> Tensor:
    """Channels laid out as blocks of pixels, `factor` times higher and wider.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        upscale_factor: how many times higher and wider.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.pixel_shuffle(gv.arange(4).reshape(1, 4, 1, 1), 2).tolist()
        [[[[0, 1], [2, 3]]]]
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("pixel_shuffle", input)
    a0, = canon.spatial.factor("pixel_shuffle", "upscale_factor", upscale_factor)
    meta = input.node.meta
    try:
        canon.agree(_pixel_shuffle_row, (input,), a0)
        return meta.table.pixel_shuffle(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _pixel_shuffle_row, (input,), (a0,)) from None


def pixel_unshuffle(input: Any, downscale_factor: int) -> Tensor:
    """Blocks of pixels laid out as channels, `factor` times lower and narrower.

    Args:
        input: a tensor of any shape (an array or a number counts as a constant).
        downscale_factor: how many times lower and narrower.

    Raises:
        GradvizError: `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.pixel_unshuffle(gv.ones(1, 1, 4, 4), 2).shape
        (1, 4, 2, 2)
    """
    if input.__class__ not in TENSORS:
        input = canon.tensor("pixel_unshuffle", input)
    a0, = canon.spatial.factor("pixel_unshuffle", "downscale_factor", downscale_factor)
    meta = input.node.meta
    try:
        canon.agree(_pixel_unshuffle_row, (input,), a0)
        return meta.table.pixel_unshuffle(input, a0)  # type: ignore[no-any-return]
    except Exception as error:
        raise explain(error, _pixel_unshuffle_row, (input,), (a0,)) from None


subtract = sub
multiply = mul
divide = div
true_divide = div
negative = neg
absolute = abs
arcsin = asin
arccos = acos
arctan = atan
arcsinh = asinh
arccosh = acosh
arctanh = atanh
arctan2 = atan2
concat = cat
concatenate = cat
less = lt
less_equal = le
greater = gt
greater_equal = ge
not_equal = ne
swapaxes = transpose
swapdims = transpose
view = reshape
clip = clamp
fix = trunc
fold = fold4d
log_sigmoid = logsigmoid
inverse = inv
hard_swish = hardswish

__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "add",
    "addcdiv",
    "addcmul",
    "all",
    "amax",
    "amin",
    "any",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argsort",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cat",
    "ceil",
    "celu",
    "cholesky",
    "clamp",
    "clip",
    "concat",
    "concatenate",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "copysign",
    "cos",
    "cosh",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "deform_conv2d",
    "deg2rad",
    "det",
    "div",
    "divide",
    "elu",
    "eq",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expand",
    "expm1",
    "fix",
    "flatten",
    "flip",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "fold",
    "fold4d",
    "frac",
    "gather",
    "gather_nd",
    "gcd",
    "ge",
    "gelu",
    "greater",
    "greater_equal",
    "grid_sample",
    "gt",
    "hard_swish",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "heaviside",
    "huber_loss",
    "hypot",
    "index_copy",
    "index_select",
    "interpolate",
    "inv",
    "inverse",
    "isfinite",
    "isinf",
    "isnan",
    "kthvalue",
    "l1_loss",
    "lcm",
    "le",
    "leaky_relu",
    "lerp",
    "less",
    "less_equal",
    "lgamma",
    "linear",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_sigmoid",
    "log_softmax",
    "logaddexp",
    "logaddexp2",
    "logcumsumexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logsigmoid",
    "logsumexp",
    "lt",
    "masked_fill",
    "masked_scatter",
    "matmul",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "maximum",
    "mean",
    "minimum",
    "mish",
    "mse_loss",
    "mul",
    "multiply",
    "nan_to_num",
    "ne",
    "neg",
    "negative",
    "nll_loss",
    "norm",
    "not_equal",
    "pad",
    "permute",
    "pixel_shuffle",
    "pixel_unshuffle",
    "polygamma",
    "prod",
    "quiet_softmax",
    "rad2deg",
    "reciprocal",
    "relu",
    "relu6",
    "remainder",
    "repeat",
    "reshape",
    "roll",
    "round",
    "rsqrt",
    "scatter",
    "scatter_add",
    "scatter_nd",
    "scatter_reduce",
    "searchsorted",
    "selu",
    "shrink",
    "sigmoid",
    "sign",
    "signbit",
    "silu",
    "sin",
    "sinc",
    "sinh",
    "smooth_l1_loss",
    "softmax",
    "softplus",
    "softshrink",
    "softsign",
    "solve",
    "sort",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "sub",
    "subtract",
    "sum",
    "swapaxes",
    "swapdims",
    "tan",
    "tanh",
    "tanhshrink",
    "threshold",
    "topk",
    "transpose",
    "tril",
    "triu",
    "true_divide",
    "trunc",
    "unflatten",
    "unfold",
    "unfold4d",
    "unsqueeze",
    "var",
    "view",
    "xlogy",
]
