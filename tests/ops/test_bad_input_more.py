"""Things that none of the further operations can use: refused in their own words."""

from __future__ import annotations

import inspect
from importlib import import_module

import pytest

import gradviz as gv
from tests.ops.test_bad_input import ARGUMENTS, JUNK, _call, _required

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
MORE = import_module("gradviz.tensor.composed.more")
MADE = (
    "blackman_window hann_window hamming_window tril_indices triu_indices exponential randint randperm"
).split()
"""What makes tensors from numbers."""
LISTS = "einsum meshgrid hstack vstack".split()
"""What takes several tensors at once."""
CLASSES = ["QuantizedTensor"]
NAMES = sorted(set(MORE.__all__) - {*MADE, *LISTS, *CLASSES})


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_tensor_is_refused(name):
    function = getattr(gv, name)
    rest = [gv.ones(2, 2)] * (len(_required(function)) - 1)
    for junk in JUNK:
        error = _call(name, function, [junk, *rest])
        assert error is not None, f"{name} accepts {junk!r}"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(2, 2), (), (0, 3), (2, 1, 3)], ids=str)
def test_unusable_arguments_are_refused_or_fit(name, shape):
    function = getattr(gv, name)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    needed = len(_required(function)) - 1
    for value in ARGUMENTS:
        _call(name, function, [gv.ones(*shape), *([value] * max(needed, 0))])
        for at, parameter in enumerate(parameters):
            others = {p.name: 0 for p in parameters[:needed]}
            if at >= needed or needed > 1:
                _call(name, function, [gv.ones(*shape)], {**others, parameter.name: value})


@pytest.mark.parametrize("name", NAMES)
def test_whole_numbers_and_bools_fit_or_are_refused(name):
    function = getattr(gv, name)
    needed = len(_required(function))
    for values in ([[1, 2], [3, 0]], [[True, False], [True, True]]):
        data = gv.tensor(values)
        _call(name, function, [data] * needed)
        _call(name, function, [data, *([0] * (needed - 1))])


@pytest.mark.parametrize("name", MADE)
def test_creation_refuses_what_it_can_t_make(name):
    function = getattr(gv, name)
    needed = max(len(_required(function)), 1)
    # A million random numbers, or a triangle of as many, only cost time.
    values = [v for v in [*JUNK, *ARGUMENTS] if not (isinstance(v, int) and v == 1000)]
    for value in values:
        _call(name, function, [value] * needed)
        for keyword in list(inspect.signature(function).parameters)[needed:]:
            _call(name, function, [2] * needed, {keyword: value})


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_anything_are_refused_or_fit(name):
    function = getattr(gv, name)
    for value in [*JUNK, *ARGUMENTS]:
        arguments = ["ij,jk->ik", value] if name == "einsum" else [value]
        _call(name, function, arguments)
        arguments = ["i,j", value, value] if name == "einsum" else [[value, value]]
        _call(name, function, arguments)
        if name == "einsum":
            _call(name, function, [value, gv.ones(2, 2)])
