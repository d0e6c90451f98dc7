"""Arrays in files: `.npz`, a zip with one `.npy` member each, and safetensors, by the ending."""

from __future__ import annotations

import errno
import zipfile
from pathlib import Path
from typing import Any, Final

import numpy as np

from gradviz.core.files import whole, write_whole

SAFETENSORS: Final = ".safetensors"
_CODES: Final = {
    "BOOL": "bool",
    **{f"U{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
    **{f"I{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"F{bits}": f"float{bits}" for bits in (16, 32, 64)},
}
"""What safetensors calls the dtypes that tensors have here."""
_RESERVED: Final = "__metadata__"
"""No array of a safetensors file can have this name."""


class UnreadableError(Exception):
    """A file that isn't what it should be."""


class NameTakenError(Exception):
    """An array with a name that a format keeps for itself."""


def copied(value: Any) -> Any:
    """A fresh array."""
    return np.array(value)


def is_safetensors(path: str) -> bool:
    """Whether a file's name says that it holds safetensors."""
    return path.lower().endswith(SAFETENSORS)


def write(path: str, arrays: dict[str, Any]) -> None:
    """Writes arrays to a file, which appears when it is complete and replaces an older one.

    Raises:
        ImportError: where the package that the ending calls for isn't installed.
        NameTakenError: for a name that the format has another use for.
        OSError: where the file can't be written.
    """
    if is_safetensors(path):
        _write_safetensors(path, arrays)
    else:
        _write_npz(path, arrays)


def read(path: str) -> dict[str, Any]:
    """The arrays of a file by name; nothing in it is executed.

    Raises:
        ImportError: where the package that the ending calls for isn't installed.
        UnreadableError: for a file of another kind, or a damaged one.
        OSError: where the file can't be opened.
    """
    reader = _read_safetensors if is_safetensors(path) else _read_npz
    try:
        return reader(path)
    except (ImportError, UnreadableError):
        raise
    except Exception as error:
        # Anything may come of bytes that make no sense, a seek to before the start among it.
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise
        text = str(error).splitlines()
        raise UnreadableError(text[0].rstrip(".") if text else type(error).__name__) from None


def _write_npz(path: str, arrays: dict[str, Any]) -> None:
    # Not `np.savez`: names of arrays would be names of its arguments there, and `file` is one.
    with whole(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)


def _read_npz(path: str) -> dict[str, Any]:
    loaded = np.load(path, allow_pickle=False)
    if not isinstance(loaded, np.lib.npyio.NpzFile):
        raise UnreadableError("it holds one array without a name")
    with loaded:
        return {name: loaded[name] for name in loaded.files}


def _write_safetensors(path: str, arrays: dict[str, Any]) -> None:
    from safetensors.numpy import save

    if _RESERVED in arrays:
        raise NameTakenError(f"safetensors have another use for the name {_RESERVED}")
    # It takes the bytes as they lie in memory, and so in the order of C.
    write_whole(path, save({name: np.asarray(a, order="C") for name, a in arrays.items()}))


def _read_safetensors(path: str) -> dict[str, Any]:
    import safetensors

    # Not `safetensors.numpy.load`, which gives up on a file with one dtype that NumPy lacks.
    entries: Any = safetensors.deserialize  # untyped
    return {name: _array(name, view) for name, view in entries(Path(path).read_bytes())}


def _array(name: str, view: dict[str, Any]) -> Any:
    """The array of an entry: a copy, its booleans of ones and zeros only."""
    code, data = view["dtype"], view["data"]
    if code == "BF16":
        # The upper half of a float32, which holds all of its values.
        values: Any = (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32)
    elif code == "BOOL":
        values = np.frombuffer(data, np.uint8) != 0
    elif code in _CODES:
        dtype = np.dtype(_CODES[code])
        values = np.frombuffer(data, dtype.newbyteorder("<")).astype(dtype)
    else:
        raise UnreadableError(f"{name} has the dtype {code}, which no tensor has here")
    return values.reshape(view["shape"])
