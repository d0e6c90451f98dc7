"""Leaves on a device of each checkpointing strategy."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz as gv


@pytest.fixture(params=["none", "balanced"])
def leaf(request):
    """Makes float32 leaves, marked unless said otherwise."""
    device = gv.device("ndarray").autodiff(checkpointing=request.param)

    def make(data, grad=True):
        return gv.tensor(np.asarray(data, np.float32), device=device, requires_grad=grad)

    return make
