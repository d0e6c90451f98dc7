"""Running exported programs with ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime

import gradviz as gv


def session(data: bytes) -> Any:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


def outcome(data: bytes, arrays: list[Any]) -> list[Any]:
    """What ONNX Runtime computes of a model, inputs in order."""
    running = session(data)
    names = [item.name for item in running.get_inputs()]
    return running.run(None, dict(zip(names, map(np.asarray, arrays), strict=True)))


def model(data: bytes) -> Any:
    """The model, checked in full."""
    loaded = onnx.load_model_from_string(data)
    onnx.checker.check_model(loaded, full_check=True)
    return loaded


def results(captured: Any, arrays: list[Any]) -> list[np.ndarray[Any, Any]]:
    """What the program itself computes."""
    found = captured.run(*arrays)
    return [item.numpy() for item in (found if isinstance(found, tuple) else (found,))]


def assert_same(captured: Any, arrays: list[Any], opset: int | None = None) -> Any:
    """The exported model passes the checker and computes what the program does."""
    data = captured.to_onnx(opset=opset)
    loaded = model(data)
    found = outcome(data, arrays)
    for got, wanted in zip(found, results(captured, arrays), strict=True):
        assert got.dtype == wanted.dtype
        assert got.shape == wanted.shape
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)
    return loaded


__all__ = ["assert_same", "gv", "model", "outcome", "results", "session"]
