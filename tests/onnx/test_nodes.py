"""Nodes as other exporters write them: read and compared with ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import gradviz as gv
from tests.onnx.running import outcome, results

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
GENERATOR = np.random.default_rng(0)


def floats(*shape: int) -> Any:
    return GENERATOR.normal(size=shape).astype(np.float32)


def ints(*values: int) -> Any:
    return np.array(values, np.int64)


def built(
    kind: str,
    inputs: list[Any],
    constants: tuple[int, ...] = (),
    outputs: int = 1,
    opset: int = 17,
    **attributes: Any,
) -> tuple[bytes, list[Any]]:
    """A model of one node, and the arrays of its inputs; those at `constants` are kept in it."""
    names = [f"in_{at}" if array is not None else "" for at, array in enumerate(inputs)]
    results_ = [f"out_{at}" for at in range(outputs)]
    node = helper.make_node(kind, names, results_, name=f"/part/{kind}", **attributes)
    given = [at for at, array in enumerate(inputs) if array is not None and at not in constants]
    types = {np.dtype(k): v for k, v in [("f4", FLOAT), ("i8", INT64), ("?", TensorProto.BOOL)]}
    types[np.dtype("i4")] = TensorProto.INT32
    types[np.dtype("i1")], types[np.dtype("u1")] = TensorProto.INT8, TensorProto.UINT8
    graph = helper.make_graph(
        [node],
        "g",
        [
            helper.make_tensor_value_info(names[at], types[inputs[at].dtype], inputs[at].shape)
            for at in given
        ],
        [onnx.ValueInfoProto(name=name) for name in results_],
        [numpy_helper.from_array(inputs[at], names[at]) for at in constants],
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8, producer_name="other"
    )
    model = onnx.shape_inference.infer_shapes(model)
    return model.SerializeToString(), [inputs[at] for at in given]


X = floats(2, 4, 5, 6)
SEQUENCE = floats(3, 2, 4)


def _lstm(kind: str, gates: int, directions: int, **attributes: Any) -> Any:
    weights = [floats(directions, gates * 5, 4), floats(directions, gates * 5, 5)]
    bias = floats(directions, 2 * gates * 5)
    count = 3 if kind == "LSTM" else 2
    return built(kind, [SEQUENCE, *weights, bias], (1, 2, 3), count, hidden_size=5, **attributes)


CASES: dict[str, Any] = {
    "gemm": built("Gemm", [floats(3, 4), floats(4, 5), floats(5)], (1, 2)),
    "gemm_scaled": built(
        "Gemm",
        [floats(4, 3), floats(5, 4), floats(3, 5)],
        (1,),
        alpha=0.5,
        beta=2.0,
        transA=1,
        transB=1,
    ),
    "gemm_plain": built("Gemm", [floats(3, 4), floats(5, 4)], (1,), transB=1),
    "matmul_batched": built("MatMul", [floats(2, 3, 4), floats(4, 5)], (1,)),
    "batch_norm": built(
        "BatchNormalization",
        [X, floats(4), floats(4), floats(4), np.abs(floats(4)) + 0.5],
        (1, 2, 3, 4),
        epsilon=1e-3,
    ),
    "layer_norm": built("LayerNormalization", [X, floats(5, 6), floats(5, 6)], (1, 2), axis=2),
    "layer_norm_no_bias": built("LayerNormalization", [X, floats(6)], (1,)),
    "group_norm": built(
        "GroupNormalization", [X, floats(4), floats(4)], (1, 2), opset=21, num_groups=2
    ),
    "instance_norm": built("InstanceNormalization", [X, floats(4), floats(4)], (1, 2)),
    "lrn": built("LRN", [X], size=3),
    "conv_same_upper": built(
        "Conv", [X, floats(3, 4, 3, 2)], (1,), auto_pad="SAME_UPPER", strides=[2, 2]
    ),
    "conv_same_lower": built("Conv", [X, floats(3, 4, 2, 2)], (1,), auto_pad="SAME_LOWER"),
    "conv_pads": built(
        "Conv", [X, floats(4, 2, 3, 3), floats(4)], (1, 2), group=2, pads=[0, 1, 2, 0]
    ),
    "conv_1d": built("Conv", [floats(2, 3, 8), floats(4, 3, 3)], (1,), dilations=[2]),
    "conv_transpose": built(
        "ConvTranspose", [X, floats(4, 3, 3, 3)], (1,), strides=[2, 2], pads=[1, 0, 0, 1]
    ),
    "conv_transpose_shape": built(
        "ConvTranspose", [X, floats(4, 3, 3, 3)], (1,), strides=[2, 2], output_shape=[10, 12]
    ),
    "max_pool_uneven": built("MaxPool", [X], kernel_shape=[3, 2], pads=[0, 0, 1, 1]),
    "max_pool_indices": built("MaxPool", [X], outputs=2, kernel_shape=[2, 2], strides=[2, 2]),
    "max_pool_dilated": built("MaxPool", [X], kernel_shape=[2, 2], dilations=[2, 1], ceil_mode=1),
    "average_pool_uneven": built(
        "AveragePool", [X], kernel_shape=[3, 3], pads=[1, 0, 0, 1], strides=[2, 2]
    ),
    "average_pool_counted": built(
        "AveragePool", [X], kernel_shape=[3, 3], pads=[1, 0, 1, 1], count_include_pad=1
    ),
    "average_pool_same": built(
        "AveragePool", [X], kernel_shape=[3, 3], auto_pad="SAME_UPPER", strides=[2, 2]
    ),
    "global_average": built("GlobalAveragePool", [X]),
    "global_max": built("GlobalMaxPool", [X]),
    "softmax_old": built("Softmax", [X], opset=11, axis=1),
    "log_softmax": built("LogSoftmax", [X], axis=2),
    "hard_sigmoid": built("HardSigmoid", [X]),
    "selu_own": built("Selu", [X], alpha=1.5, gamma=1.2),
    "thresholded": built("ThresholdedRelu", [X], alpha=0.3),
    "clip_open": built("Clip", [X, None, np.float32(0.5)], (2,)),
    "clip_live": built("Clip", [X, np.float32(-0.5), np.float32(0.5)]),
    "clip_old": built("Clip", [X], opset=7, min=-0.5, max=0.25),
    "is_inf_high": built("IsInf", [np.float32([1, np.inf, -np.inf])], detect_negative=0),
    "div_ints": built("Div", [ints(7, -7, 7, -7), ints(2, 2, -2, -2)]),
    "mod_ints": built("Mod", [ints(7, -7, 7, -7), ints(2, 2, -2, -2)]),
    "pow_mixed": built("Pow", [floats(3) + 3, ints(2, 3, 1)]),
    "sum": built("Sum", [floats(3), floats(2, 3), floats(1, 1)]),
    "mean": built("Mean", [floats(3), floats(2, 3), floats(1, 1)]),
    "max": built("Max", [floats(3), floats(2, 3), floats(1, 1)]),
    "reshape_copies": built("Reshape", [X, ints(0, -1, 6)], (1,)),
    "flatten": built("Flatten", [X], axis=2),
    "flatten_none": built("Flatten", [X], axis=0),
    "squeeze_all": built("Squeeze", [floats(1, 3, 1)]),
    "unsqueeze_back": built("Unsqueeze", [X, ints(-1, 0)], (1,)),
    "unsqueeze_old": built("Unsqueeze", [X], opset=11, axes=[0, 2]),
    "split_equal": built("Split", [X], outputs=2, axis=1),
    "split_sizes": built("Split", [X, ints(1, 3, 2)], (1,), outputs=3, axis=3),
    "split_number": built("Split", [X], outputs=2, opset=18, axis=2, num_outputs=2),
    "slice_steps": built(
        "Slice", [X, ints(-1, 0), ints(-(2**63), 100), ints(3, 1), ints(-2, 2)], (1, 2, 3, 4)
    ),
    "slice_old": built("Slice", [X], opset=9, starts=[1], ends=[3], axes=[2]),
    "gather_back": built("Gather", [X, ints(-1, 0)], (1,), axis=1),
    "gather_one": built("Gather", [X, np.array(2, np.int64)], (1,), axis=2),
    "gather_elements": built(
        "GatherElements", [floats(3, 3), ints(0, -1, 1).reshape(1, 3)], axis=0
    ),
    "gather_nd": built("GatherND", [X, np.array([[0, 1], [1, 3]], np.int64)]),
    "scatter_elements": built(
        "ScatterElements", [floats(3, 3), ints(1, 0, 2).reshape(1, 3), floats(1, 3)], axis=0
    ),
    "scatter_elements_mul": built(
        "ScatterElements",
        [floats(3, 3), ints(1, 0, 2).reshape(1, 3), floats(1, 3)],
        axis=0,
        reduction="mul",
        opset=18,
    ),
    "scatter_nd_add": built(
        "ScatterND", [floats(4, 3), np.array([[1], [1]], np.int64), floats(2, 3)], reduction="add"
    ),
    "expand": built("Expand", [floats(3, 1), ints(2, 1, 4)], (1,)),
    "tile": built("Tile", [floats(2, 3), ints(2, 1)], (1,)),
    "pad_reflect": built("Pad", [X, ints(0, 0, 1, 2, 0, 0, 3, 1)], (1,), mode="reflect"),
    "pad_edge": built("Pad", [X, ints(0, 0, 1, 2, 0, 0, 0, 1)], (1,), mode="edge"),
    "pad_value": built(
        "Pad", [X, ints(0, 0, 1, -1, 0, 0, 3, 1), np.float32(2.5)], (1, 2), mode="constant"
    ),
    "pad_axes": built(
        "Pad", [X, ints(1, 2), np.float32(0), ints(2)], (1, 2, 3), opset=18, mode="constant"
    ),
    "resize_default": built("Resize", [X, None, np.float32([1, 1, 2, 1.5])], (2,)),
    "resize_sizes": built("Resize", [X, None, None, ints(2, 4, 3, 9)], (3,), mode="linear"),
    "resize_asymmetric": built(
        "Resize",
        [X, None, np.float32([1, 1, 2, 3])],
        (2,),
        mode="nearest",
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    ),
    "resize_cubic": built(
        "Resize",
        [X, None, None, ints(2, 4, 7, 9)],
        (3,),
        mode="cubic",
        coordinate_transformation_mode="align_corners",
    ),
    "upsample": built("Upsample", [X, np.float32([1, 1, 2, 2])], (1,), opset=9, mode="nearest"),
    "depth_to_space": built("DepthToSpace", [X], blocksize=2),
    "space_to_depth": built("SpaceToDepth", [floats(1, 2, 4, 6)], blocksize=2),
    "reduce_all": built("ReduceSum", [X]),
    "reduce_axes": built("ReduceMean", [X], axes=[1, -1], keepdims=0),
    "reduce_input": built("ReduceMax", [X, ints(2)], (1,), opset=18),
    "reduce_nothing": built("ReduceSum", [X], noop_with_empty_axes=1),
    "reduce_l1": built("ReduceL1", [X], axes=[1]),
    "reduce_l2": built("ReduceL2", [X], axes=[1]),
    "reduce_sum_square": built("ReduceSumSquare", [X], axes=[1]),
    "reduce_log_sum": built("ReduceLogSum", [np.abs(X)], axes=[1]),
    "arg_max_last": built(
        "ArgMax", [np.float32([[1, 2, 2], [3, 1, 3]])], axis=1, select_last_index=1
    ),
    "top_k": built("TopK", [X, ints(2)], (1,), outputs=2, axis=-1, largest=0),
    "cum_sum_reverse": built("CumSum", [X, np.array(2, np.int64)], (1,), reverse=1),
    "lp_normalization": built("LpNormalization", [X], axis=1, p=1),
    "hardmax": built("Hardmax", [X], axis=1),
    "one_hot": built("OneHot", [ints(0, 2, -1), ints(3), np.float32([0.5, 2])], (1, 2)),
    "trilu": built("Trilu", [floats(3, 4), np.array(1, np.int64)], (1,), upper=0),
    "where": built("Where", [X > 0, X, floats(6)]),
    "einsum": built("Einsum", [floats(2, 3), floats(3, 4)], equation="ij,jk->ki"),
    "quantize": built("QuantizeLinear", [X, np.float32(0.1), np.uint8(3)], (1, 2)),
    "dequantize": built(
        "DequantizeLinear",
        [np.int8([[1, -2], [3, 4]]), np.float32([0.1, 0.2]), np.int8([1, 0])],
        (1, 2),
        axis=0,
    ),
    "cross_entropy": built(
        "SoftmaxCrossEntropyLoss", [floats(3, 4), ints(1, 0, 3)], outputs=2, reduction="sum"
    ),
    "nll": built(
        "NegativeLogLikelihoodLoss",
        [floats(3, 4), ints(1, 0, 3), np.abs(floats(4))],
        ignore_index=1,
    ),
    "lstm": _lstm("LSTM", 4, 1),
    "lstm_both": _lstm("LSTM", 4, 2, direction="bidirectional"),
    "lstm_reverse": _lstm("LSTM", 4, 1, direction="reverse"),
    "gru": _lstm("GRU", 3, 1, linear_before_reset=1),
    "gru_first": _lstm("GRU", 3, 1),
    "gru_both": _lstm("GRU", 3, 2, direction="bidirectional"),
    "rnn": _lstm("RNN", 1, 1),
    "rnn_relu": _lstm("RNN", 1, 1, activations=["Relu"]),
    "dropout": built("Dropout", [X]),
    "grid_sample": built("GridSample", [X, floats(2, 3, 3, 2)], align_corners=1),
    "mvn": built("MeanVarianceNormalization", [X]),
    "bit_shift": built("BitShift", [np.uint8([1, 2, 4]), np.uint8([1, 2, 3])], direction="LEFT"),
    "cast": built("Cast", [np.float32([1.7, -2.3])], to=INT64),
}


@pytest.mark.parametrize("name", CASES)
def test_node_is_read_as_onnx_runtime_runs_it(name: str) -> None:
    data, arrays = CASES[name]
    found = results(gv.from_onnx(data), arrays)
    for got, wanted in zip(found, outcome(data, arrays), strict=True):
        assert got.dtype == wanted.dtype
        assert got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)
