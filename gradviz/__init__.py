"""gradviz: automatic differentiation you can see.

    import gradviz as gv

    x = gv.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * x).sum()
    grads = loss.backward()
    grads[x]
"""

from __future__ import annotations

from gradviz.backends.ndarray import dtypes as _dtypes
from gradviz.core.context import GradMode as _GradMode
from gradviz.core.context import ScopeBlock as _ScopeBlock
from gradviz.core.context import current as _current
from gradviz.dispatch.device import Device as Device
from gradviz.dispatch.registry import default_device as default_device
from gradviz.dispatch.registry import device as device
from gradviz.dispatch.registry import get_default_device as get_default_device
from gradviz.dispatch.registry import set_default_device as set_default_device
from gradviz.errors import Fix as Fix
from gradviz.errors import GradvizError as GradvizError
from gradviz.errors import Problem as Problem
from gradviz.errors import SourceEdit as SourceEdit
from gradviz.errors.catalogue import catalogue as catalogue
from gradviz.errors.catalogue import explain as explain
from gradviz.core.source import SourceSpan as SourceSpan
from gradviz.tensor import attach as _attach
from gradviz.tensor import formatting as _formatting
from gradviz.tensor.base import Tensor as Tensor
from gradviz.tensor.functions import *  # noqa: F403
from gradviz.tensor.composed import *  # noqa: F403
from gradviz.tensor.creation import *  # noqa: F403
from gradviz.tensor.gradients import Gradients as Gradients
from gradviz.tensor.guards import *  # noqa: F403
