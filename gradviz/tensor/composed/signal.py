"""Fourier transforms of real signals, and windows."""

from __future__ import annotations

from typing import Any

from gradviz.backends.ndarray import fill
from gradviz.core.context import CallSite
from gradviz.errors import fail
from gradviz.ops import shapes
from gradviz.tensor import canon, functions
from gradviz.tensor.base import Tensor
from gradviz.tensor.composed.parts import narrow, select
from gradviz.tensor.creation.make import contents, make
from gradviz.tensor.data import dtype_of
from gradviz.tensor.general import general, row_of

_rfft, _irfft, _take = row_of("rfft"), row_of("irfft"), row_of("take")
_take_backward = row_of("take_backward")


def _pair(spectrum: Tensor) -> tuple[Tensor, Tensor]:
    return select(spectrum, 0, 0), select(spectrum, 0, 1)


def rfft(input: Any, n: Any = None, dim: int = -1) -> tuple[Tensor, Tensor]:
    """The spectrum of a real signal: real and imaginary parts, n // 2 + 1 of each.

    Args:
        input: a tensor of at least one dimension, float.
        n: how many samples to transform; the signal is cut or filled up with zeros.
        dim: the dimension.

    Raises:
        GradvizError: `dimension-out-of-range`, `invalid-argument`, `invalid-dtype`.

    Example:
        >>> import gradviz as gv
        >>> re, im = gv.rfft(gv.tensor([1.0, 0.0, -1.0, 0.0]))
        >>> re.tolist(), im.tolist()
        ([0.0, 2.0, 0.0], [0.0, 0.0, 0.0])
    """
    with CallSite():
        x = canon.tensor("rfft", input)
        at = canon.existing_dim("rfft", dim, x)
        length = canon.transform_length("rfft", n, x.shape[at])
        return _pair(general(_rfft, [x], (length, at)))


def irfft(re: Any, im: Any, n: Any = None, dim: int = -1) -> Tensor:
    """The real signal of a spectrum: the inverse of `rfft`.

    Args:
        re: real parts.
        im: imaginary parts, of the same shape.
        n: how many samples the signal has; 2 (bins - 1) where it is left out.
        dim: the dimension.

    Raises:
        GradvizError: `shape-mismatch`, `dimension-out-of-range`, `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> gv.irfft(*gv.rfft(gv.tensor([1.0, 2.0, 3.0, 4.0]))).numpy().round(4).tolist()
        [1.0, 2.0, 3.0, 4.0]
    """
    with CallSite():
        real, imaginary = canon.tensor("irfft", re), canon.tensor("irfft", im)
        if real.shape != imaginary.shape:
            raise shapes.mismatch(
                "irfft",
                real.shape,
                imaginary.shape,
                "real and imaginary parts belong together one by one.",
                "Give both of one shape.",
            )
        at = canon.existing_dim("irfft", dim, real)
        length = canon.transform_length("irfft", n, 2 * (real.shape[at] - 1))
        result: Tensor = general(_irfft, [functions.stack([real, imaginary])], (length, at))
        return result


def _frames(operation: str, n_fft: Any, hop_length: Any) -> tuple[int, int]:
    size = canon.positive_whole(operation, "n_fft", n_fft)
    if hop_length is None:
        return size, max(size // 4, 1)
    return size, canon.positive_whole(operation, "hop_length", hop_length)


def _window(operation: str, given: Any, size: int) -> Tensor | None:
    if given is None:
        return None
    window = canon.tensor(operation, given)
    if window.shape != (size,):
        raise shapes.mismatch(
            operation,
            (size,),
            window.shape,
            f"the window weighs the {size} samples of a frame.",
            "Give a window of n_fft numbers.",
        )
    return window


def _places(count: int, size: int, hop: int) -> list[list[int]]:
    return [[start * hop + at for at in range(size)] for start in range(count)]


def stft(
    input: Any, n_fft: int, hop_length: Any = None, window: Any = None, center: bool = True
) -> tuple[Tensor, Tensor]:
    """Spectra of overlapping frames: real and imaginary parts, shape (..., bins, frames).

    Args:
        input: shape (..., samples), float.
        n_fft: samples in each frame.
        hop_length: samples from one frame to the next; a quarter of a frame where it is left out.
        window: shape (n_fft,): weights of a frame's samples, or None.
        center: whether frames are centred on their samples, with the signal mirrored at its ends.

    Raises:
        GradvizError: `shape-mismatch`, `invalid-argument` for a signal shorter than a frame.

    Example:
        >>> import gradviz as gv
        >>> re, im = gv.stft(gv.ones(16), 8, window=gv.hann_window(8))
        >>> re.shape
        (5, 9)
    """
    with CallSite():
        x = canon.tensor("stft", input)
        canon.existing_dim("stft", -1, x)
        size, hop = _frames("stft", n_fft, hop_length)
        weights = _window("stft", window, size)
        if canon.flag("stft", "center", center):
            x = functions.pad(x, (size // 2, size // 2), "reflect")
        length = x.shape[-1]
        if length < size:
            raise fail(
                "invalid-argument",
                operation="stft",
                complaint=f"a signal of {length} samples is shorter than a frame of {size}",
                advice="Choose a smaller n_fft, or pad the signal.",
            )
        index = canon.tensor("stft", _places((length - size) // hop + 1, size, hop), lists=True)
        frames: Tensor = general(_take, [x, index], (x.ndim - 1,))
        if weights is not None:
            frames = functions.mul(frames, weights)
        real, imaginary = rfft(frames)
        return functions.transpose(real, -2, -1), functions.transpose(imaginary, -2, -1)


def istft(
    re: Any,
    im: Any,
    n_fft: int,
    hop_length: Any = None,
    window: Any = None,
    center: bool = True,
    length: Any = None,
) -> Tensor:
    """The signal of overlapping frames' spectra: the inverse of `stft`.

    Args:
        re: real parts, shape (..., bins, frames).
        im: imaginary parts, of the same shape.
        n_fft: samples in each frame.
        hop_length: samples from one frame to the next; a quarter of a frame where it is left out.
        window: shape (n_fft,): the weights that the frames were made with, or None.
        center: whether frames are centred on their samples.
        length: how many samples to give; all there are where it is left out.

    Raises:
        GradvizError: `shape-mismatch`, `invalid-argument`.

    Example:
        >>> import gradviz as gv
        >>> w = gv.hann_window(8)
        >>> re, im = gv.stft(gv.arange(16).float(), 8, window=w)
        >>> gv.istft(re, im, 8, window=w).numpy().round(3).tolist()[1:4]
        [1.0, 2.0, 3.0]
    """
    with CallSite():
        size, hop = _frames("istft", n_fft, hop_length)
        weights = _window("istft", window, size)
        real, imaginary = (
            functions.transpose(canon.tensor("istft", part), -2, -1) for part in (re, im)
        )
        frames = irfft(real, imaginary, size)
        count = frames.shape[-2]
        if weights is not None:
            frames = functions.mul(frames, weights)
        total = (count - 1) * hop + size
        index = canon.tensor("istft", _places(count, size, hop), lists=True)
        lead = frames.shape[:-2]
        signal: Tensor = general(_take_backward, [frames, index], ((*lead, total), len(lead)))
        ones = functions.add(functions.mul(select_frame(frames, count), 0.0), 1.0)
        shape = functions.square(ones if weights is None else functions.mul(ones, weights))
        norm: Tensor = general(_take_backward, [shape, index], ((total,), 0))
        start = size // 2 if canon.flag("istft", "center", center) else 0
        kept = (
            total - 2 * start if length is None else canon.whole_number("istft", "length", length)
        )
        signal = narrow(signal, -1, start, kept)
        return functions.div(signal, narrow(norm, 0, start, kept))


def select_frame(frames: Tensor, count: int) -> Tensor:
    """One example's frames, without their history: shape (frames, samples)."""
    size = frames.shape[-1]
    flat = functions.reshape(frames.detach(), (-1, count, size))
    return select(flat, 0, 0)


def _made(
    name: str, size: Any, periodic: Any, coefficients: Any, dtype: Any, device: Any
) -> Tensor:
    length = canon.whole_number(name, "window_length", size)
    if length < 0:
        raise fail(
            "invalid-argument",
            operation=name,
            complaint=f"window_length is {length}",
            advice="Give a length of at least 0.",
        )
    whole = canon.flag(name, "periodic", periodic)
    wanted = dtype_of("float32" if dtype is None else dtype)
    array = contents(name, fill.cosine_window, length, whole, coefficients, wanted)
    return make(array, name, device, False, None)


def hann_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """A raised cosine, 0 at its start.

    Args:
        window_length: how many samples.
        periodic: whether the window goes on with its own start; otherwise it is symmetric.
        dtype: the dtype, float32 where it is left out.
        device: the device.

    Example:
        >>> import gradviz as gv
        >>> gv.hann_window(4).tolist()
        [0.0, 0.5, 1.0, 0.5]
    """
    return _made("hann_window", window_length, periodic, (0.5, 0.5), dtype, device)


def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    dtype: Any = None,
    device: Any = None,
) -> Tensor:
    """A cosine `alpha - beta cos`, above 0 everywhere.

    Example:
        >>> import gradviz as gv
        >>> gv.hamming_window(4).numpy().round(2).tolist()
        [0.07999999821186066, 0.5400000214576721, 1.0, 0.5400000214576721]
    """
    return _made("hamming_window", window_length, periodic, (alpha, beta), dtype, device)


def blackman_window(
    window_length: int, periodic: bool = True, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """A sum of two cosines, flat at its ends.

    Example:
        >>> import gradviz as gv
        >>> gv.blackman_window(4).numpy().round(2).tolist()
        [-0.0, 0.3400000035762787, 1.0, 0.3400000035762787]
    """
    return _made("blackman_window", window_length, periodic, (0.42, 0.5, 0.08), dtype, device)
