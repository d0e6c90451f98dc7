"""Values in NumPy arrays."""

from gradviz.backends.ndarray.backend import NdArrayBackend as NdArrayBackend
