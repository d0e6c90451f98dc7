"""One file per family: how the rows of the operation table are said in ONNX.

A row whose `onnx` column names an operation with the same inputs and no attributes needs nothing
here. Formulas are those of the kernels, in terms of the format's operations.
"""

from importlib import import_module

import gradviz.ops.families as _families  # noqa: F401 - fills the table

FAMILIES = (
    "activation",
    "alignment",
    "attention",
    "comparison",
    "convolution",
    "cumulative",
    "elementwise",
    "gamma",
    "indexing",
    "linear",
    "loss",
    "movement",
    "normalization",
    "pooling",
    "quantization",
    "recurrent",
    "reduction",
    "resampling",
    "sampling",
    "scatter",
    "sorting",
    "special",
    "spectral",
    "windows",
)

for _family in FAMILIES:
    import_module(f"{__name__}.{_family}")
