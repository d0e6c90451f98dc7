"""Deformable convolution: patches whose elements are looked up at shifted places."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.backends.ndarray.kernels.resampling import sample_at

Array = Any
Dims = tuple[int, ...]


def deform_coords(
    offset: Array, kernel_size: Dims, stride: Dims, padding: Dims, dilation: Dims
) -> Array:
    batch, channels, *sizes = offset.shape
    area = kernel_size[0] * kernel_size[1]
    groups = channels // (2 * area)
    moved = offset.reshape(batch * groups, area, 2, sizes[0], sizes[1]).transpose(0, 1, 3, 4, 2)
    base = []
    for axis in (0, 1):
        inside = np.arange(kernel_size[axis]) * dilation[axis] - padding[axis]
        base.append(np.arange(sizes[axis]) * stride[axis] + inside[:, None])
    rows = np.broadcast_to(
        base[0][:, None, :, None], (kernel_size[0], kernel_size[1], sizes[0], sizes[1])
    ).reshape(area, *sizes)
    columns = np.broadcast_to(
        base[1][None, :, None, :], (kernel_size[0], kernel_size[1], sizes[0], sizes[1])
    ).reshape(area, *sizes)
    coords = np.stack([moved[..., 1] + columns, moved[..., 0] + rows], -1)
    return coords.reshape(batch * groups, area * sizes[0] * sizes[1], 2).astype(offset.dtype)


def deform_conv2d(
    x: Array,
    offset: Array,
    weight: Array,
    mask: Array | None,
    bias: Array | None,
    stride: Dims,
    padding: Dims,
    dilation: Dims,
) -> Array:
    batch, channels = x.shape[:2]
    kernel = weight.shape[2:]
    area = kernel[0] * kernel[1]
    sizes = offset.shape[2:]
    shared = offset.shape[1] // (2 * area)
    places = sizes[0] * sizes[1]
    coords = deform_coords(offset, kernel, stride, padding, dilation)
    parts = x.reshape(batch * shared, channels // shared, *x.shape[2:])
    columns = sample_at(parts, coords, (0, 0), "linear", "zeros")
    if mask is not None:
        columns = columns * mask.reshape(batch * shared, 1, area * places)
    groups = channels // weight.shape[1]
    columns = columns.reshape(batch, groups, weight.shape[1] * area, places)
    matrix = weight.reshape(groups, weight.shape[0] // groups, -1)
    out = np.matmul(matrix, columns).reshape(batch, weight.shape[0], *sizes)
    if bias is not None:
        out += bias.reshape(-1, 1, 1)
    return out
