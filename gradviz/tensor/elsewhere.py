"""What to write here instead of names that tensors, modules and functions have elsewhere.

Who comes from PyTorch or JAX writes their names first. Those that exist here under another name, or
that nothing is needed for, are answered with what to write.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NoReturn

from gradviz.core.source import here
from gradviz.errors import GradvizError, GradvizTypeError, fail

_IN_MEMORY = "tensors live in main memory; leave it out"
_NO_GRADIENTS_KEPT = "gradients aren't kept on tensors; `grads = loss.backward()` returns them"
MARK: Final = "write `x = x.require_grad()`, or `requires_grad=True` where it is made"
_LAYOUT = "how a tensor lies in memory can't be seen from it; leave it out"

OF_TENSORS: Final = {
    "cuda": _IN_MEMORY,
    "is_cuda": _IN_MEMORY,
    "pin_memory": _IN_MEMORY,
    "mps": _IN_MEMORY,
    "data": "write `x.detach()` for the values without their graph, `x.numpy()` for an array; "
    "`gv.optim.SGD` moves parameters",
    "grad_fn": "write `x.node.op` for the operation that made it, `gv.graph(x)` for all of them",
    "retains_grad": "`x.retain_grad()` keeps the gradient of a result",
    "_version": "tensors never change",
    "stride": _LAYOUT,
    "storage": _LAYOUT,
    "data_ptr": _LAYOUT,
    "is_contiguous": _LAYOUT,
    "as_strided": "write `x.unfold(...)`, `x.reshape(...)` or slices",
    "type": "write `x.to(dtype=...)`, or `x.dtype` to ask",
    "ndimension": "write `x.ndim`",
    "moveaxis": "write `x.movedim(...)`",
    "svd": "NumPy has it: `numpy.linalg.svd(x.detach().numpy())`, without a gradient",
    "qr": "NumPy has it: `numpy.linalg.qr(x.detach().numpy())`, without a gradient",
    "requires_grad_": MARK,
    "zero_": "tensors never change; write `x = gv.zeros_like(x)`",
    "fill_": "tensors never change; write `x = gv.full_like(x, value)`",
    "copy_": "tensors never change; write `x = other.clone()`",
    "normal_": "tensors never change; write `x = gv.normal(...)`",
    "uniform_": "tensors never change; write `x = gv.uniform(...)`",
    "block_until_ready": "everything is computed when its line has run; leave it out",
}
"""Attributes of tensors; methods that end with `_` are answered by `in_place`."""

OF_PACKAGE: Final = {
    "autograd": "`grads = loss.backward()` returns the gradients; `grads[x]` is that of x; "
    "`gv.Function` is an operation with a `backward` of your own",
    "grad": "`grads = f(x).backward()` returns the gradients; `grads[x]` is that of x",
    "value_and_grad": "call f, then `backward` on what it returns; `grads[x]` is the gradient of x",
    "set_grad_enabled": "write `with gv.no_grad():` or `with gv.enable_grad():`",
    "inference_mode": "write `with gv.no_grad():`",
    "cuda": _IN_MEMORY,
    "Variable": "write `gv.tensor(..., requires_grad=True)`",
    "FloatTensor": "write `gv.tensor(...)`",
    "DoubleTensor": "write `gv.tensor(..., dtype=gv.float64)`",
    "LongTensor": "write `gv.tensor(..., dtype=gv.int64)`",
    "BoolTensor": "write `gv.tensor(..., dtype=gv.bool)`",
    "as_tensor": "write `gv.tensor(...)`; it makes a copy",
    "asarray": "write `gv.tensor(...)`; it makes a copy",
    "array": "write `gv.tensor(...)`",
    "numpy": "write `x.numpy()`",
    "functional": "functions are found in `gv` itself: `gv.relu`, `gv.cross_entropy` ...",
    "F": "functions are found in `gv` itself: `gv.relu`, `gv.cross_entropy` ...",
    "save": 'a module writes itself: `module.save("net.npz")`',
    "load": 'a module reads itself: `module.load("net.npz")`',
    "jit": "`gv.capture(f, ...)` records a function",
    "compile": "`gv.capture(f, ...)` records a function, and its `compile()` makes a program of it",
    "moveaxis": "write `gv.movedim(...)`",
    "is_tensor": "write `isinstance(x, gv.Tensor)`",
    "set_default_dtype": "write `dtype=...` where tensors are made, or `module.double()`",
    "set_num_threads": "NumPy's libraries decide; the variable OMP_NUM_THREADS tells them",
    "distributions": "write the log-probability out: `gv.log_softmax(scores, -1)`; "
    "`gv.multinomial`, `gv.normal` and `gv.bernoulli` draw",
    "utils": "write a loop over `x[at : at + size]` for batches",
    "vmap": "operations take batches as they are; `gv.stack` joins results",
    "func": "`grads = f(x).backward()` returns the gradients; `gv.jacobian(f, x)` and "
    "`gv.hessian(f, x)` take them element by element",
    "jacrev": "write `gv.jacobian(f, x)`",
    "jacfwd": "write `gv.jacobian(f, x)`",
}

OF_OPTIMIZERS: Final = {
    "zero_grad": "nothing is accumulated, so there is nothing to zero; leave the call out",
    "zero_grads": "nothing is accumulated, so there is nothing to zero; leave the call out",
}
"""Attributes of optimizers."""

OF_NETS: Final = {
    "zero_grad": "gradients aren't kept on parameters, so there is nothing to zero; leave it out",
    "cuda": _IN_MEMORY,
    "requires_grad_": "write `freeze()` or `unfreeze()`",
    "register_full_backward_hook": "write `out.register_hook(f)` with what the module gave",
    "register_backward_hook": "write `out.register_hook(f)` with what the module gave",
}
"""Attributes of modules that hold parameters."""

OF_MODULES: Final = {
    "functional": "functions are found in `gv` itself: `gv.relu`, `gv.cross_entropy` ...",
    "utils": "`gv.optim.clip_grad_norm(grads, ...)` clips gradients",
    "clip_grad_norm_": "write `gv.optim.clip_grad_norm(grads, ...)`",
    "clip_grad_value_": "write `gv.optim.clip_grad_value(grads, ...)`",
    "lr_scheduler": "schedulers are found in `gv.optim` itself: `gv.optim.StepLR` ...",
    "DataParallel": "everything runs in one process; leave it out",
}


def no_attribute(owner: str, name: str, advice: str | None) -> Exception:
    """The error of a name that isn't there, in Python's own words, and what to write."""
    if advice is None:
        return AttributeError(f"{owner} has no attribute {name!r}")
    return fail(
        "name-from-elsewhere",
        owner=owner,
        name=repr(name),
        reason="the name belongs to another library.",
        facts=(("name", name),),
        advice=f"{advice[:1].upper()}{advice[1:]}{'' if advice.endswith('...') else '.'}",
    )


def missing_from(module: str) -> Callable[[str], NoReturn]:
    """The `__getattr__` of a module of layers or optimizers."""

    def ask(name: str) -> NoReturn:
        raise no_attribute(f"module {module!r}", name, OF_MODULES.get(name))

    return ask


class Elsewhere:
    """Stands in a class for a name that isn't there: asking for it says what to write.

    A `__getattr__` would do the same, and make every attribute of every tensor slower to read.
    """

    __slots__ = ("advice", "name")

    def __init__(self, name: str, advice: str) -> None:
        self.name = name
        self.advice = advice

    def __get__(self, tensor: Any, owner: type) -> NoReturn:
        raise no_attribute(f"{owner.__name__!r} object", self.name, self.advice)

    def __set__(self, tensor: Any, value: Any) -> NoReturn:
        raise no_attribute(f"{type(tensor).__name__!r} object", self.name, self.advice)


absent: Final[set[str]] = set()
"""Names of tensors that only `Elsewhere` stands for: nothing that `dir` should offer."""


def answer(owner: type, name: str, advice: str) -> None:
    """Lets a class say what to write instead of a name that it hasn't."""
    setattr(owner, name, Elsewhere(name, advice))
    absent.add(name)


def in_place(name: str) -> str:
    """What to write for a method that changes a tensor elsewhere."""
    return f"tensors never change; write `x = x.{name}(...)`"


_WRITTEN: Final = re.compile(r"(\w[\w.\[\]]*)\.grad\b")


class GradOf:
    """`x.grad`: a method that takes the gradients `backward` returned.

    Elsewhere it is the gradient itself, and code says `w - lr * w.grad`: whatever is done with it
    but the call says where gradients are.
    """

    __slots__ = ("_read", "_tensor")

    def __init__(self, read: Any, tensor: Any) -> None:
        self._read = read
        self._tensor = tensor

    def __call__(self, grads: Any) -> Any:
        """The tensor's gradient in `grads`; see `Tensor.grad`."""
        return self._read(self._tensor, grads)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        doc: str | None = self._read.__doc__
        return doc

    def __repr__(self) -> str:
        return f"<{self._label()}.grad: {_NO_GRADIENTS_KEPT}: grads[{self._label()}]>"

    def _label(self) -> str:
        name = self._tensor.name
        return name if isinstance(name, str) and name.isidentifier() else "x"

    def refusal(self) -> GradvizError:
        """The error of using it as if it were the gradient."""
        place = here()
        written = None if place is None else _WRITTEN.search(place.text)
        label = self._label() if written is None else written.group(1)
        return fail(
            "not-a-tensor",
            operation=f"{label}.grad",
            complaint="this is a method, not the gradient",
            reason=f"{_NO_GRADIENTS_KEPT}.",
            advice=f"Write `grads = loss.backward()`, then `grads[{label}]`.",
            error=GradvizTypeError,
            nodes=(self._tensor.node.id,),
        )

    def __getattr__(self, name: str) -> NoReturn:
        label = self._label()
        # Shells ask for names that begin with an underscore, and want a short answer.
        advice = None if name[0] == "_" else f"{_NO_GRADIENTS_KEPT}: `grads[{label}]`"
        raise no_attribute(f"'{label}.grad'", name, advice)

    def _refuse(self, *_: Any) -> NoReturn:
        raise self.refusal()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = _refuse
    __neg__ = __abs__ = __len__ = __iter__ = __getitem__ = __float__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = _refuse

    # Python looks this one up by its name and takes a false answer for no.
    def __bool__(self) -> bool:
        return True

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise self.refusal()


class GradMethod:
    """The attribute `grad` of tensors."""

    def __init__(self, read: Any) -> None:
        self._read = read
        self.__doc__ = read.__doc__

    def __get__(self, tensor: Any, owner: type) -> Any:
        return self._read if tensor is None else GradOf(self._read, tensor)

    def __set__(self, tensor: Any, value: Any) -> NoReturn:
        raise AttributeError(
            f"'grad' can't be set: {_NO_GRADIENTS_KEPT}, and there is nothing to zero"
        )
