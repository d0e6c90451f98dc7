"""Recording functions into programs that can be looked at, replayed and checked."""

from gradviz.capture.captured import CapturedGraph as CapturedGraph
from gradviz.capture.compiled import CompiledGraph as CompiledGraph
from gradviz.capture.scope import CaptureScope as CaptureScope
from gradviz.capture.scope import capture as capture
from gradviz.capture.scope import capture_scope as capture_scope
from gradviz.capture.spec import Spec as Spec
from gradviz.capture.spec import spec as spec
