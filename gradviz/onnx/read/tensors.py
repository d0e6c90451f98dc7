"""Constants of a file as arrays; nothing is allocated that the file hasn't got the bytes for."""

from __future__ import annotations

from typing import Any, Final

from gradviz.backends.ndarray import exchange
from gradviz.core.dtype import named
from gradviz.core.shape import count
from gradviz.onnx.library import DTYPES
from gradviz.onnx.read.refusal import UnreadableError, shortened

_TYPES: Final = {
    0: "no type",
    8: "text",
    14: "complex64",
    15: "complex128",
    16: "bfloat16",
    17: "float8",
    18: "float8",
    19: "float8",
    20: "float8",
    21: "uint4",
    22: "int4",
    23: "float4",
}
_FIELDS: Final = {
    "float32": "float_data",
    "float64": "double_data",
    "int64": "int64_data",
    "uint64": "uint64_data",
    "uint32": "uint64_data",
}
"""Where numbers stand that aren't raw bytes; the others stand in `int32_data`."""
MOST_DIMENSIONS: Final = 64
"""What an array can have."""


def dtype_of(code: int) -> str:
    """The dtype's name of one of the format's element types."""
    found = DTYPES.get(code)
    if found is None:
        raise UnreadableError(f"elements of type {_TYPES.get(code, code)} don't exist here")
    return found


def array_of(proto: Any) -> Any:
    """The array of a constant."""
    if proto.data_location == 1 or proto.external_data:
        raise UnreadableError(
            f"the contents of {shortened(proto.name) or 'a constant'} lie in another file, and "
            "only the model itself is opened"
        )
    if proto.HasField("segment"):
        raise UnreadableError(f"{shortened(proto.name)} is stored in segments")
    dtype = dtype_of(proto.data_type)
    shape = tuple(int(size) for size in proto.dims)
    if any(size < 0 for size in shape) or len(shape) > MOST_DIMENSIONS:
        raise UnreadableError(f"{shortened(proto.name)} has no valid shape")
    wanted = count(shape)
    if proto.HasField("raw_data"):
        held = len(proto.raw_data)
        if held != wanted * named(dtype).itemsize:
            raise UnreadableError(
                f"{shortened(proto.name)} has {held} bytes, not those of {dtype}{list(shape)}"
            )
        return exchange.from_bytes(proto.raw_data, dtype, shape)
    values = getattr(proto, _FIELDS.get(dtype, "int32_data"))
    if len(values) != wanted:
        raise UnreadableError(
            f"{shortened(proto.name)} has {len(values)} numbers, not those of {dtype}{list(shape)}"
        )
    try:
        if dtype == "float16":
            return exchange.from_bits(values, "uint16", dtype, shape)
        return exchange.from_numbers(values, dtype, shape)
    except (OverflowError, ValueError) as error:
        raise UnreadableError(f"{shortened(proto.name)}: {error}") from None
