"""The kernels of the families beyond arithmetic, movement, reduction and products."""

from gradviz.backends.ndarray.kernels import (
    activation_more,
    attention,
    ctc,
    cumulative,
    linalg,
    losses_more,
    normalization,
    quantization,
    scatter_nd,
    sorting,
    special,
    spectral,
)

MORE = (
    sorting,
    cumulative,
    scatter_nd,
    special,
    activation_more,
    normalization,
    attention,
    losses_more,
    ctc,
    spectral,
    quantization,
    linalg,
)
