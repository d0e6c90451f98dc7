"""Names that people bring from other libraries are answered with what to write here."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import gradviz as gv
from gradviz.tensor.elsewhere import OF_MODULES, OF_PACKAGE, OF_TENSORS


@pytest.fixture
def w() -> gv.Tensor:
    return gv.tensor([1.0, 2.0], requires_grad=True, name="w")


def told(ask: Callable[[], object], name: str, advice: str) -> None:
    """A name is missed in Python's words, and the advice stands in the page."""
    with pytest.raises(AttributeError) as caught:
        ask()
    error = caught.value
    assert isinstance(error, gv.GradvizError)
    assert error.slug == "name-from-elsewhere"
    assert error.problem.message.endswith(f" has no attribute {name!r}")
    assert error.problem.advice.lower().startswith(advice.lower())
    assert error.problem.where is not None
    assert error.problem.where.filename == __file__


@pytest.mark.parametrize("name", OF_TENSORS)
def test_a_tensor_s_missing_name_says_what_to_write(w: gv.Tensor, name: str) -> None:
    told(lambda: getattr(w, name), name, OF_TENSORS[name])
    told(lambda: setattr(w, name, None), name, OF_TENSORS[name])
    assert not hasattr(w, name)
    assert name not in dir(w)


@pytest.mark.parametrize("name", ["add_", "mul_", "relu_", "clamp_", "sqrt_", "masked_fill_"])
def test_what_would_change_a_tensor_says_that_none_changes(w: gv.Tensor, name: str) -> None:
    told(lambda: getattr(w, name), name, f"tensors never change; write `x = x.{name[:-1]}(...)`")
    assert name not in dir(w)


@pytest.mark.parametrize("name", OF_PACKAGE)
def test_the_package_s_missing_name_says_what_to_write(name: str) -> None:
    told(lambda: getattr(gv, name), name, OF_PACKAGE[name])


@pytest.mark.parametrize("module", [gv.nn, gv.optim])
@pytest.mark.parametrize("name", OF_MODULES)
def test_a_module_s_missing_name_says_what_to_write(module: object, name: str) -> None:
    told(lambda: getattr(module, name), name, OF_MODULES[name])


@pytest.mark.parametrize("owner", [gv, gv.nn, gv.optim, gv.ones(1)])
def test_any_other_name_is_simply_missing(owner: object) -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'nowhere'$"):
        getattr(owner, "nowhere")  # noqa: B009 - the name is what is tested


def test_no_advice_stands_in_the_way_of_something_that_is_there() -> None:
    for name in OF_PACKAGE:
        assert name not in dir(gv)
    assert not [name for name in OF_TENSORS if hasattr(gv.Tensor, name)]


def test_grad_is_a_method_that_takes_gradients(w: gv.Tensor) -> None:
    grads = (w * w).sum().backward()
    gradient = w.grad(grads)
    assert gradient is not None
    assert gradient.tolist() == [2.0, 4.0]
    assert callable(w.grad)
    assert "grads[w]" in repr(w.grad)
    assert f"{w.grad}" == repr(w.grad)
    assert repr(gv.ones(1).grad).startswith("<x.grad")
    assert gv.Tensor.grad.__doc__ == w.grad.__doc__


@pytest.mark.parametrize(
    "use",
    [
        lambda w: 0.1 * w.grad,
        lambda w: w.grad * 0.1,
        lambda w: w - w.grad,
        lambda w: w.grad - w,
        lambda w: w.grad / 2,
        lambda w: -w.grad,
        lambda w: w.grad[0],
        lambda w: list(w.grad),
        lambda w: w.grad > 0,
        lambda w: gv.relu(w.grad),
        lambda w: gv.tensor(w.grad),
        lambda w: np.asarray(w.grad),
        lambda w: np.abs(w.grad),
        lambda w: gv.where(w > 0, w.grad, w),
    ],
)
def test_using_grad_as_a_gradient_says_where_gradients_are(w: gv.Tensor, use: object) -> None:
    assert callable(use)
    with pytest.raises(gv.GradvizError) as caught:
        use(w)
    error = caught.value
    assert error.slug == "not-a-tensor"
    assert isinstance(error, TypeError)
    assert "grads[w]" in str(error)
    assert error.problem.where is not None
    assert error.problem.where.filename == __file__


@pytest.mark.parametrize("name", ["zero_", "data", "norm", "clone"])
def test_what_a_gradient_would_have_is_missing_with_a_reason(w: gv.Tensor, name: str) -> None:
    told(lambda: getattr(w.grad, name), name, "gradients aren't kept on tensors")


def test_marking_and_zeroing_by_assignment_say_what_to_write(w: gv.Tensor) -> None:
    with pytest.raises(AttributeError, match="nothing to zero"):
        w.grad = None  # type: ignore[method-assign, assignment]
    with pytest.raises(AttributeError, match=r"x = x\.require_grad\(\)"):
        gv.ones(1).requires_grad = True


@pytest.mark.parametrize("place", ["cpu", "cuda", "cuda:0", "mps"])
@pytest.mark.parametrize(
    "use",
    [
        lambda place: gv.ones(2, device=place),
        lambda place: gv.ones(2).to(place),
        lambda place: gv.nn.Linear(1, 1).to(place),
        gv.device,
    ],
)
def test_a_device_of_another_library_is_left_out(use: object, place: str) -> None:
    assert callable(use)
    with pytest.raises(gv.GradvizError) as caught:
        use(place)
    assert caught.value.slug == "invalid-argument"
    assert caught.value.problem.advice.startswith("Leave the device out")


def test_dtypes_have_pytorch_s_names_too() -> None:
    assert (gv.float, gv.double, gv.half) == (gv.float32, gv.float64, gv.float16)
    assert (gv.long, gv.int, gv.short) == (gv.int64, gv.int32, gv.int16)
    assert gv.ones(2, dtype=gv.long).dtype == gv.int64
    assert not {"float", "int"} & set(vars(gv))  # nothing hides Python's own


def test_tensors_are_joined_under_each_name() -> None:
    parts = [gv.ones(1), gv.zeros(2)]
    assert gv.concat(parts).tolist() == gv.concatenate(parts, 0).tolist() == [1.0, 0.0, 0.0]
