"""The kernels of operations on images and their like."""

from gradviz.backends.ndarray.kernels import (
    averaging,
    convolution,
    deformable,
    pooling,
    resampling,
    windows,
)

SPATIAL = (convolution, pooling, averaging, windows, resampling, deformable)
