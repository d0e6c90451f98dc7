"""No values: operations are recorded."""

from gradviz.backends.capture.backend import CaptureBackend as CaptureBackend
from gradviz.backends.capture.backend import Symbol as Symbol
