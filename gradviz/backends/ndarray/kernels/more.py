"""The kernels of the families beyond arithmetic, movement, reduction and products."""

from gradviz.backends.ndarray.kernels import (
    activation_more,
    attention,
    chance,
    ctc,
    cumulative,
    linalg,
    losses_more,
    normalization,
    quantization,
    recurrent,
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
    recurrent,
    losses_more,
    ctc,
    spectral,
    quantization,
    linalg,
    chance,
)
