"""Things that no operation can use: every public function refuses them in its own words."""

from __future__ import annotations

import inspect
from importlib import import_module

import numpy as np
import pytest

import gradviz as gv
from gradviz.tensor.methods import COMPOSED, METHODS
from gradviz.tensor.signatures import SIGNATURES

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
FUNCTIONS = import_module("gradviz.tensor.functions")
COMPOSED_FUNCTIONS = import_module("gradviz.tensor.composed")
CREATION = import_module("gradviz.tensor.creation")
RENAMED = {"float": "float_", "int": "int_", "bool": "bool_", "where": "where_method"}


METHODS_ONLY = ("equals", "differs", "where_method", "getitem")


def _operations():
    """Every function on tensors by the name people use."""
    found = {
        SIGNATURES[name].name: getattr(FUNCTIONS, SIGNATURES[name].name) for name in SIGNATURES
    }
    for name in COMPOSED_FUNCTIONS.__all__:
        if not name.startswith("reflected_") and name not in METHODS_ONLY:
            found[name] = getattr(COMPOSED_FUNCTIONS, name)
    return found


def _creation():
    return {
        name: getattr(CREATION, name)
        for name in CREATION.__all__
        if "like" not in name and name != "like"
    }


class Junk:
    """An object that is nothing."""

    def __repr__(self):
        return "Junk()"


JUNK = [
    None,
    "text",
    b"bytes",
    Junk(),
    {"a": 1},
    {1, 2},
    lambda: 0,
    1j,
    np.array(["a", "b"]),
    np.array([1j]),
    np.array([None, 1], dtype=object),
    np.datetime64("2020-01-01"),
    [[1.0, 2.0], [3.0]],
    float,
    Ellipsis,
]
ARGUMENTS = [
    None, "text", Junk(), {"a": 1}, 1j, float("nan"), float("inf"), -1000, 1000, 10**30, 0.5, True,
    (), [], (0, 0), (99,), (-99,), (1, "a"), [None], [[0]], (0.5,), slice(0, 1), Ellipsis, np.array([1, 2]),
    np.array(["a"]), np.float64(0.5), np.int64(77), gv.ones(2), gv.ones(5, 5), gv.tensor([99]), gv.tensor([-99]),
    gv.tensor([True, False]), gv.ones(0), gv.tensor(1.0, requires_grad=True),
]  # fmt: skip


def _call(name, function, arguments, keywords=None):
    """Calls, and fails on any error that isn't ours."""
    keywords = keywords or {}
    try:
        function(*arguments, **keywords)
    except gv.GradvizError as error:
        # The whole page would look for fixes, thousands of times over.
        assert error.args[0].message.strip(), f"{name}{arguments} {keywords}: an empty page"  # noqa: PT017
        return error
    except Exception as error:
        pytest.fail(
            f"{name}({', '.join(map(repr, arguments))}, {keywords}): {type(error).__name__}: {error}"
        )
    return None


def _required(function):
    """How many arguments a call needs."""
    return [
        parameter
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]


@pytest.mark.parametrize("name", sorted(_operations()))
def test_what_is_no_tensor_is_refused(name):
    function = _operations()[name]
    rest = [gv.ones(2, 2)] * (len(_required(function)) - 1)
    for junk in JUNK:
        if name in ("cat", "stack") and isinstance(junk, (dict, set)):
            continue
        error = _call(name, function, [junk, *rest])
        assert error is not None, f"{name} accepts {junk!r}"


@pytest.mark.parametrize("name", sorted(_operations()))
@pytest.mark.parametrize("shape", [(2, 2), (), (0, 3), (2, 1, 3)], ids=str)
def test_unusable_arguments_are_refused_or_fit(name, shape):
    """Whatever stands in the places after the tensor, the error is ours."""
    function = _operations()[name]
    parameters = list(inspect.signature(function).parameters.values())[1:]
    first = [gv.ones(*shape)] * 2 if name in ("cat", "stack") else gv.ones(*shape)
    needed = len(_required(function)) - 1
    for value in ARGUMENTS:
        _call(name, function, [first, *([value] * max(needed, 0))])
        for at, parameter in enumerate(parameters):
            if parameter.kind is parameter.VAR_POSITIONAL:
                continue
            others = {p.name: 0 for p in parameters[:needed] if p.kind is not p.VAR_POSITIONAL}
            if at >= needed or needed > 1:
                _call(name, function, [first], {**others, parameter.name: value})


@pytest.mark.parametrize("name", sorted(_operations()))
def test_whole_numbers_and_bools_fit_or_are_refused(name):
    function = _operations()[name]
    needed = len(_required(function))
    for values in ([[1, 2], [3, 0]], [[True, False], [True, True]]):
        data = gv.tensor(values)
        _call(name, function, [data] * needed)
        _call(name, function, [data, *([0] * (needed - 1))])


@pytest.mark.parametrize("name", sorted(_creation()))
def test_creation_refuses_what_it_can_t_make(name):
    function = _creation()[name]
    needed = max(len(_required(function)), 1)
    parameters = inspect.signature(function).parameters
    for value in [*JUNK, *ARGUMENTS]:
        _call(name, function, [value] * needed)
    sane = {"full": [(2,), 1.0], "linspace": [0.0, 1.0, 3], "one_hot": [gv.tensor([0, 1])]}
    sane |= {"from_numpy": [np.ones(2)]}
    arguments = sane.get(name, [2] * needed)
    for keyword in (
        "dtype",
        "device",
        "requires_grad",
        "name",
        "low",
        "high",
        "mean",
        "std",
        "p",
        "step",
        "m",
    ):
        if keyword in parameters:
            for value in [*JUNK, *ARGUMENTS]:
                _call(name, function, arguments, {keyword: value})


@pytest.mark.parametrize(
    "name", ["zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like"]
)
def test_likes_refuse_what_is_no_tensor(name):
    function = getattr(gv, name)
    for junk in JUNK:
        assert _call(name, function, [junk, 1.0] if name == "full_like" else [junk]) is not None


@pytest.mark.parametrize("index", [*JUNK, *ARGUMENTS], ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 2)], ids=str)
def test_every_index_fits_or_is_refused(index, shape):
    x = gv.ones(*shape)
    for item in (
        index,
        (index, 0),
        (0, index),
        (Ellipsis, index),
        (index, index),
        (slice(None), index),
    ):
        _call("index", x.__getitem__, [item])
        _call("slice_assign", x.slice_assign, [item, 0.0])
        _call("slice_assign", x.slice_assign, [item, index])


def test_too_many_arguments_are_python_s_type_error():
    for function in _operations().values():
        kinds = [p.kind for p in inspect.signature(function).parameters.values()]
        if inspect.Parameter.VAR_POSITIONAL in kinds:
            continue
        with pytest.raises(TypeError, match="argument"):
            function(*([gv.ones(2)] * 12))
        with pytest.raises(TypeError, match="argument"):
            function(gv.ones(2), no_such_argument=1)
    with pytest.raises(TypeError, match="argument"):
        gv.exp()


@pytest.mark.parametrize("name", sorted({*METHODS, *COMPOSED}))
def test_methods_are_the_functions(name):
    method = getattr(gv.Tensor, name)
    own = getattr(COMPOSED_FUNCTIONS, RENAMED.get(name, name), None) if name in COMPOSED else None
    assert method is (own or getattr(FUNCTIONS, name))


@pytest.mark.parametrize(
    "operator", ["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<", "<=", "<<"]
)
def test_operators_refuse_what_is_no_operand(operator):
    x = gv.ones(2, 2)
    for junk in JUNK:
        for text in (f"x {operator} junk", f"junk {operator} x"):
            formatting = operator == "%" and isinstance(junk, str | bytes)
            if text.startswith("junk") and (formatting or isinstance(junk, np.ndarray)):
                continue  # Python formats text, and NumPy decides first
            try:
                eval(text, {"x": x, "junk": junk})
            except (gv.GradvizError, TypeError):
                continue
            pytest.fail(f"{text} with {junk!r} is accepted")


def test_a_tensor_is_never_equal_to_something_else():
    x = gv.ones(2)
    assert not x == None  # noqa: E711, SIM201
    assert x != "text"
    assert not x == [1.0, 1.0]  # noqa: SIM201
    assert x in [None, "text", x]


def test_errors_name_the_operation_and_leave_the_inputs_alone():
    x = gv.tensor([[1.0, 2.0]], requires_grad=True)
    for call, word in (
        (lambda: x.softmax(7), "softmax"),
        (lambda: gv.cat([x, gv.ones(3, 3)]), "cat"),
        (lambda: x @ x, "matmul"),
        (lambda: x.reshape(3), "reshape"),
        (lambda: gv.cross_entropy(x, gv.tensor([5])), "nll_loss"),
        (lambda: x + gv.ones(3), "add"),
        (lambda: x.gather(0, gv.tensor([[9, 9]])), "gather"),
    ):
        with pytest.raises(gv.GradvizError) as caught:
            call()
        assert word in str(caught.value)
    assert x.tolist() == [[1.0, 2.0]]
    assert (x * x).sum().backward()[x].tolist() == [[2.0, 4.0]]
