"""gradviz: automatic differentiation you can see.

import gradviz as gv

x = gv.tensor([1.0, 2.0], requires_grad=True)
loss = (x * x).sum()
grads = loss.backward()
grads[x]
"""

from __future__ import annotations

import sys as _sys
from importlib import import_module as _import_module
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING, Any

from gradviz.backends.ndarray.dtypes import bool as bool
from gradviz.backends.ndarray.dtypes import float16 as float16
from gradviz.backends.ndarray.dtypes import float32 as float32
from gradviz.backends.ndarray.dtypes import float64 as float64
from gradviz.backends.ndarray.dtypes import int8 as int8
from gradviz.backends.ndarray.dtypes import int16 as int16
from gradviz.backends.ndarray.dtypes import int32 as int32
from gradviz.backends.ndarray.dtypes import int64 as int64
from gradviz.backends.ndarray.dtypes import uint8 as uint8
from gradviz.backends.ndarray.dtypes import uint16 as uint16
from gradviz.backends.ndarray.dtypes import uint32 as uint32
from gradviz.backends.ndarray.dtypes import uint64 as uint64
from gradviz.core.kind import Kind as Kind
from gradviz.core.pause import collector_paused as _collector_paused
from gradviz.core.source import SourceSpan as SourceSpan
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
from gradviz.errors.problem import set_fix_finder as _set_fix_finder
from gradviz.graph.drawable import set_writers as _set_writers
from gradviz.graph.live import set_keeper as _set_keeper
from gradviz.tensor import attach as _attach  # noqa: F401 - gives tensors their operations
from gradviz.tensor import formatting as _formatting  # noqa: F401 - gives tensors their text
from gradviz.tensor.base import Tensor as Tensor
from gradviz.tensor.base import views as _views
from gradviz.tensor.composed import addmm as addmm
from gradviz.tensor.composed import affine_grid as affine_grid
from gradviz.tensor.composed import allclose as allclose
from gradviz.tensor.composed import bmm as bmm
from gradviz.tensor.composed import chunk as chunk
from gradviz.tensor.composed import clamp_max as clamp_max
from gradviz.tensor.composed import clamp_min as clamp_min
from gradviz.tensor.composed import clone as clone
from gradviz.tensor.composed import cross_entropy as cross_entropy
from gradviz.tensor.composed import detach as detach
from gradviz.tensor.composed import diagonal as diagonal
from gradviz.tensor.composed import dot as dot
from gradviz.tensor.composed import dropout as dropout
from gradviz.tensor.composed import equal as equal
from gradviz.tensor.composed import is_floating_point as is_floating_point
from gradviz.tensor.composed import is_same_size as is_same_size
from gradviz.tensor.composed import isclose as isclose
from gradviz.tensor.composed import masked_select as masked_select
from gradviz.tensor.composed import matrix_power as matrix_power
from gradviz.tensor.composed import max as max
from gradviz.tensor.composed import max_pool1d_with_indices as max_pool1d_with_indices
from gradviz.tensor.composed import max_pool2d_with_indices as max_pool2d_with_indices
from gradviz.tensor.composed import min as min
from gradviz.tensor.composed import mm as mm
from gradviz.tensor.composed import movedim as movedim
from gradviz.tensor.composed import mv as mv
from gradviz.tensor.composed import narrow as narrow
from gradviz.tensor.composed import numel as numel
from gradviz.tensor.composed import outer as outer
from gradviz.tensor.composed import pow as pow
from gradviz.tensor.composed import quantile as quantile
from gradviz.tensor.composed import ravel as ravel
from gradviz.tensor.composed import repeat_dim as repeat_dim
from gradviz.tensor.composed import select as select
from gradviz.tensor.composed import slice_assign as slice_assign
from gradviz.tensor.composed import split as split
from gradviz.tensor.composed import std_mean as std_mean
from gradviz.tensor.composed import sum_dim as sum_dim
from gradviz.tensor.composed import swap_dims as swap_dims
from gradviz.tensor.composed import t as t
from gradviz.tensor.composed import tensor_split as tensor_split
from gradviz.tensor.composed import tile as tile
from gradviz.tensor.composed import trace as trace
from gradviz.tensor.composed import unbind as unbind
from gradviz.tensor.composed import var_mean as var_mean
from gradviz.tensor.composed import vector_norm as vector_norm
from gradviz.tensor.composed import where as where
from gradviz.tensor.composed.more import *  # noqa: F403
from gradviz.tensor.creation import arange as arange
from gradviz.tensor.creation import bernoulli as bernoulli
from gradviz.tensor.creation import empty as empty
from gradviz.tensor.creation import empty_like as empty_like
from gradviz.tensor.creation import eye as eye
from gradviz.tensor.creation import from_numpy as from_numpy
from gradviz.tensor.creation import full as full
from gradviz.tensor.creation import full_like as full_like
from gradviz.tensor.creation import linspace as linspace
from gradviz.tensor.creation import manual_seed as manual_seed
from gradviz.tensor.creation import normal as normal
from gradviz.tensor.creation import one_hot as one_hot
from gradviz.tensor.creation import ones as ones
from gradviz.tensor.creation import ones_like as ones_like
from gradviz.tensor.creation import rand as rand
from gradviz.tensor.creation import rand_like as rand_like
from gradviz.tensor.creation import randn as randn
from gradviz.tensor.creation import randn_like as randn_like
from gradviz.tensor.creation import tensor as tensor
from gradviz.tensor.creation import uniform as uniform
from gradviz.tensor.creation import zeros as zeros
from gradviz.tensor.creation import zeros_like as zeros_like
from gradviz.tensor.derivatives import gradcheck as gradcheck
from gradviz.tensor.derivatives import hessian as hessian
from gradviz.tensor.derivatives import jacobian as jacobian
from gradviz.tensor.elsewhere import OF_PACKAGE as _OF_PACKAGE
from gradviz.tensor.elsewhere import no_attribute as _no_attribute
from gradviz.tensor.function import Function as Function
from gradviz.tensor.functions import *  # noqa: F403
from gradviz.tensor.gradients import Gradients as Gradients
from gradviz.tensor.gradients import set_reason as _set_reason
from gradviz.tensor.guards import ensure_autodiff as ensure_autodiff
from gradviz.tensor.guards import ensure_leaf as ensure_leaf
from gradviz.tensor.guards import ensure_not_capture as ensure_not_capture
from gradviz.tensor.guards import is_autodiff as is_autodiff
from gradviz.tensor.guards import is_capture as is_capture
from gradviz.tensor.guards import is_leaf as is_leaf
from gradviz.tensor.guards import safe_require_grad as safe_require_grad
from gradviz.tensor.modes import enable_grad as enable_grad
from gradviz.tensor.modes import is_grad_enabled as is_grad_enabled
from gradviz.tensor.modes import no_grad as no_grad
from gradviz.tensor.modes import scope as scope
from gradviz.tensor.tracing import BackwardTrace as BackwardTrace
from gradviz.tensor.tracing import observe_backward as observe_backward
from gradviz.tensor.tracing import trace_backward as trace_backward

if TYPE_CHECKING:
    from gradviz import nn as nn
    from gradviz import optim as optim
    from gradviz.capture import CapturedGraph as CapturedGraph
    from gradviz.capture import capture as capture
    from gradviz.capture import capture_scope as capture_scope
    from gradviz.capture import spec as spec
    from gradviz.diagnose.dry import check as check
    from gradviz.diagnose.examine import diagnose as diagnose
    from gradviz.diagnose.leaves import GradientTable as GradientTable
    from gradviz.diagnose.leaves import gradient_table as gradient_table
    from gradviz.diagnose.look import graph as graph
    from gradviz.diagnose.reasons import Why as Why
    from gradviz.diagnose.reasons import why as why
    from gradviz.diagnose.report import Report as Report
    from gradviz.diagnose.verdict import Outcome as Outcome
    from gradviz.diagnose.verdict import Verdict as Verdict
    from gradviz.graph.diff import Difference as Difference
    from gradviz.graph.diff import difference as difference
    from gradviz.graph.graph import Graph as Graph
    from gradviz.onnx.read.importing import from_onnx as from_onnx
    from gradviz.widgets.compare import compare as compare
    from gradviz.widgets.explore import explore as explore
    from gradviz.widgets.live import live as live
    from gradviz.widgets.magics import load_ipython_extension as load_ipython_extension
    from gradviz.widgets.magics import unload_ipython_extension as unload_ipython_extension

__version__ = "0.1.0"

# Loaded when first asked for, so that importing the engine costs little more than importing NumPy.
_LATER = {
    # PyTorch's other names of dtypes; set here, they would stand in the way of Python's own.
    "float": ("gradviz.backends.ndarray.dtypes", "float32"),
    "double": ("gradviz.backends.ndarray.dtypes", "float64"),
    "half": ("gradviz.backends.ndarray.dtypes", "float16"),
    "long": ("gradviz.backends.ndarray.dtypes", "int64"),
    "int": ("gradviz.backends.ndarray.dtypes", "int32"),
    "short": ("gradviz.backends.ndarray.dtypes", "int16"),
    "nn": ("gradviz.nn", None),
    "optim": ("gradviz.optim", None),
    "CapturedGraph": ("gradviz.capture", "CapturedGraph"),
    "capture": ("gradviz.capture.scope", "capture"),
    "capture_scope": ("gradviz.capture", "capture_scope"),
    "spec": ("gradviz.capture.spec", "spec"),
    "from_onnx": ("gradviz.onnx.read.importing", "from_onnx"),
    "Why": ("gradviz.diagnose.reasons", "Why"),
    "why": ("gradviz.diagnose.reasons", "why"),
    "check": ("gradviz.diagnose.dry", "check"),
    "diagnose": ("gradviz.diagnose.examine", "diagnose"),
    "GradientTable": ("gradviz.diagnose.leaves", "GradientTable"),
    "gradient_table": ("gradviz.diagnose.leaves", "gradient_table"),
    "graph": ("gradviz.diagnose.look", "graph"),
    "Report": ("gradviz.diagnose.report", "Report"),
    "Outcome": ("gradviz.diagnose.verdict", "Outcome"),
    "Verdict": ("gradviz.diagnose.verdict", "Verdict"),
    "Graph": ("gradviz.graph.graph", "Graph"),
    "Difference": ("gradviz.graph.diff", "Difference"),
    "difference": ("gradviz.graph.diff", "difference"),
    "compare": ("gradviz.widgets.compare", "compare"),
    "explore": ("gradviz.widgets.explore", "explore"),
    "live": ("gradviz.widgets.live", "live"),
    "load_ipython_extension": ("gradviz.widgets.magics", "load_ipython_extension"),
    "unload_ipython_extension": ("gradviz.widgets.magics", "unload_ipython_extension"),
}

_DRAWN = ("graph", "Graph", "diagnose")
"""What gives graphs needs the layer that draws them."""


def _later(name: str) -> Any:
    module, attribute = _LATER[name]
    # What is loaded stays: nothing of it is garbage, and a large graph takes long to look through.
    with _collector_paused():
        loaded = _import_module(module)
        if name in _DRAWN:
            _import_module("gradviz.render.attach")
    return loaded if attribute is None else getattr(loaded, attribute)


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise _no_attribute("module 'gradviz'", name, _OF_PACKAGE.get(name))
    value = _later(name)
    if _LATER[name][0] != "gradviz.backends.ndarray.dtypes":
        globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


class _Facade(_ModuleType):
    """Keeps `gv.graph`, `gv.capture` and `gv.diagnose` the functions.

    Packages of those names exist: importing a submodule sets it as an attribute of its package, and
    these ignore that.
    """

    @property
    def graph(self) -> Any:
        """`gradviz.diagnose.look.graph`."""
        return _later("graph")

    @graph.setter
    def graph(self, value: Any) -> None:
        pass

    @property
    def capture(self) -> Any:
        """`gradviz.capture.scope.capture`."""
        return _later("capture")

    @capture.setter
    def capture(self, value: Any) -> None:
        pass

    @property
    def diagnose(self) -> Any:
        """`gradviz.diagnose.examine.diagnose`."""
        return _later("diagnose")

    @diagnose.setter
    def diagnose(self, value: Any) -> None:
        pass


_sys.modules[__name__].__class__ = _Facade


def _judge(tensor: Tensor) -> Any:
    from gradviz.diagnose.verdict import verdict

    return verdict(tensor)


def _find_fixes(problem: Problem) -> tuple[Fix, ...]:
    from gradviz.diagnose.search import fixes_of

    return fixes_of(problem)


def _why_missing(tensor: Tensor, root: Any) -> Problem | None:
    from gradviz.diagnose.missing import reason

    try:
        return reason(tensor, root)
    except Exception:  # the error that is being made says enough without it
        return None


def _show(tensor: Tensor) -> Any:
    from gradviz.render.card import tensor_bundle

    return tensor_bundle(tensor)


def _show_module(module: Any) -> Any:
    from gradviz.render.card import module_bundle

    return module_bundle(module)


def _writers() -> Any:
    from gradviz.render.attach import WRITERS

    return WRITERS


def _keeper() -> Any:
    from gradviz.widgets.comm import keep

    return keep


def _to_onnx(graph: Any, path: Any, *, opset: int | None) -> bytes | None:
    from gradviz.onnx.export import to_onnx

    return to_onnx(graph, path, opset=opset)


_set_reason(_why_missing)
_views["module"] = _show_module
_views["onnx"] = _to_onnx
_set_writers(_writers)
_set_keeper(_keeper)
_views["verdict"] = _judge
_views["mimebundle"] = _show
_set_fix_finder(_find_fixes)
