"""What may become an attribute of a module, and under which name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradviz.errors import GradvizError, GradvizRuntimeError, GradvizTypeError, fail
from gradviz.nn.parameter import Buffer, Parameter
from gradviz.nn.tree import Tree
from gradviz.tensor.base import Tensor

if TYPE_CHECKING:
    from gradviz.nn.module import Module


def check_assignment(module: Module, name: str, old: Any, value: Any) -> Any:
    """The value to keep under a name; a tensor in the place of a buffer becomes one.

    Raises:
        GradvizError: `invalid-argument` before `super().__init__()`, and for a value that would
            throw a parameter or a module out unseen.
    """
    if isinstance(value, Parameter | Buffer | Tree):
        if "training" not in vars(module):
            raise _too_early(module, name, value)
        return value
    if isinstance(old, Parameter) and value is not None:
        raise _not_a_parameter(module, name, value)
    if isinstance(old, Tree) and value is not None:
        raise fail(
            "invalid-argument",
            operation=f"{type(module).__name__}.{name}",
            complaint=f"a {type(value).__name__} can't take the place of a module",
            advice="Assign a module, or `del` the attribute first.",
            error=GradvizTypeError,
        )
    if isinstance(old, Buffer) and isinstance(value, Tensor):
        return Buffer(value, persistent=old.persistent)
    return value


def _too_early(module: Module, name: str, value: Any) -> GradvizError:
    cls = type(module).__name__
    return fail(
        "invalid-argument",
        operation=f"{cls}.{name}",
        complaint=f"a {type(value).__name__} is set before super().__init__() was called",
        reason="the module isn't set up yet.",
        advice=f"Make `super().__init__()` the first line of `{cls}.__init__`.",
        error=GradvizRuntimeError,
    )


def _not_a_parameter(module: Module, name: str, value: Any) -> GradvizError:
    cls = type(module).__name__
    return fail(
        "invalid-argument",
        operation=f"{cls}.{name}",
        complaint=f"a {type(value).__name__} can't take the place of a Parameter",
        reason="the module would lose a parameter without a word, and optimizers would go on with "
        "the old one.",
        advice=f"Write `module.{name}.replace(value)` or `load_state_dict` for another value, or "
        f"assign a `gv.nn.Parameter` and make the optimizer anew.",
        error=GradvizTypeError,
    )


def check_name(module: Module, name: Any, kind: type, value: Any) -> None:
    """Refuses names that can't be attributes or are taken, and values of another class.

    Raises:
        GradvizError: `invalid-argument`.
    """
    what = {"Tensor": "buffer"}.get(kind.__name__, kind.__name__.lower())
    complaint = advice = ""
    if not isinstance(name, str) or not name or "." in name:
        complaint = f"{name!r} is no name for a {what}"
        advice = "Give a text without dots: they separate the names in a path."
    elif not isinstance(vars(module).get(name), Parameter | Buffer | Tree | None) or hasattr(
        type(module), name
    ):
        complaint = f"{type(module).__name__} has an attribute {name!r} already"
        advice = "Choose another name."
    elif value is not None and not isinstance(value, kind):
        complaint = f"a {type(value).__name__} is no {kind.__name__}"
        advice = f"Give a {kind.__name__}, or None."
    if complaint:
        raise fail(
            "invalid-argument",
            operation=f"{type(module).__name__}.{name}",
            complaint=complaint,
            advice=advice,
            error=GradvizTypeError,
        )
