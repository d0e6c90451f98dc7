"""Every example in the documentation of the package gives what it says."""

from __future__ import annotations

import builtins
import doctest
import pkgutil
from importlib import import_module

import numpy as np
import pytest

import gradviz as gv

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(gv.__path__, "gradviz.")
    if not module.name.startswith(("gradviz.labextension", "gradviz.static", "gradviz.__main__"))
    and module.name != "gradviz.nn.functional"  # says that it is none
)
OPTIONAL = ("IPython", "anywidget", "ipywidgets", "graphviz", "onnx", "traitlets")


def _tests(name):
    try:
        module = import_module(name)
    except ImportError as error:
        if (error.name or "").partition(".")[0] in OPTIONAL:
            pytest.skip(f"needs {error.name}")
        raise
    # `sum`, `round` and the like mean Python's own where the example doesn't say `gv.`
    names = {key: value for key, value in vars(module).items() if not hasattr(builtins, key)}
    found = doctest.DocTestFinder(exclude_empty=True).find(module, name, globs=names)
    return [test for test in found if test.examples]


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_say(name):
    for test in _tests(name):
        report: list[str] = []
        with np.printoptions(), gv.default_device("ndarray"):
            result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(
                test, out=report.append
            )
        assert not result.failed, "".join(report)


def test_public_functions_have_examples():
    tested = {
        test.name
        for name in ("gradviz.tensor.functions", "gradviz.tensor.creation.constant")
        for test in _tests(name)
    }
    assert len(tested) > 100
    assert "gradviz.tensor.functions.softmax" in tested
