"""What an optimizer is given: tensors, named tensors, or groups of them with their own options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from gradviz.backends.capture.backend import dry_run
from gradviz.errors import GradvizError, GradvizTypeError, fail
from gradviz.tensor.base import Tensor
from gradviz.tensor.refusal import facts

Group = dict[str, Any]

NO_PARAMETER: Final = "can't be optimized"
"""What is said of a tensor that is no leaf of floating point."""


def groups_of(optimizer: str, params: Any, defaults: Mapping[str, Any]) -> list[Group]:
    """Parameter groups, each with "params" and every option.

    Raises:
        GradvizError: `invalid-argument` for nothing to update, and for what can't be updated.
    """
    if isinstance(params, Tensor):
        raise _refused(
            optimizer,
            "params is a single tensor",
            "an optimizer takes several; a tensor can be iterated over too, which is not meant.",
            "Write `[tensor]`.",
            GradvizTypeError,
        )
    if isinstance(params, Mapping):
        params = [params] if "params" in params else params.items()
    if not isinstance(params, Iterable):
        raise _not_parameters(optimizer, params)
    items = list(params)
    if not items:
        raise _nothing(optimizer)
    if all(isinstance(item, Mapping) for item in items):
        return [group_of(optimizer, item, defaults) for item in items]
    return [group_of(optimizer, {"params": items}, defaults)]


def group_of(optimizer: str, given: Mapping[str, Any], defaults: Mapping[str, Any]) -> Group:
    """One parameter group, checked.

    Raises:
        GradvizError: `invalid-argument`.
    """
    if "params" not in given:
        raise _refused(
            optimizer,
            "a group has no 'params'",
            "a group is a dict with its parameters under that key, and options beside it.",
            "Write `{'params': module.parameters(), 'lr': 0.01}`.",
        )
    unknown = [key for key in given if key not in ("params", "param_names", *defaults)]
    if unknown:
        raise _refused(
            optimizer,
            f"a group has the option {unknown[0]!r}",
            f"the options are {', '.join(defaults)}.",
            "Leave it out, or look at how it is spelt.",
        )
    members = given["params"]
    if isinstance(members, Tensor):
        members = [members]
    elif isinstance(members, Mapping):
        members = members.items()
    elif not isinstance(members, Iterable):
        raise _not_parameters(optimizer, members)
    tensors, names = _members(optimizer, list(members))
    if not tensors:
        raise _nothing(optimizer)
    group: Group = {"params": tensors, **defaults}
    group |= {key: value for key, value in given.items() if key != "params"}
    if names:
        group["param_names"] = names
    return group


def _members(optimizer: str, items: list[Any]) -> tuple[list[Tensor], list[str]]:
    tensors: list[Tensor] = []
    names: list[str] = []
    for item in items:
        tensor = item
        if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str):
            names.append(item[0])
            tensor = item[1]
        _check(optimizer, tensor)
        tensors.append(tensor)
    if names and len(names) < len(tensors):
        raise _refused(
            optimizer,
            "some parameters have names and some don't",
            "names belong to parameters by their place.",
            "Give `(name, tensor)` for all, or tensors alone.",
        )
    return tensors, names


def _check(optimizer: str, tensor: Any) -> None:
    if not isinstance(tensor, Tensor):
        raise _not_parameters(optimizer, tensor)
    recorded = tensor.device.is_capture and tensor.prim.array is None and dry_run() is None
    if not tensor.device.is_autodiff or recorded:
        raise _refused(
            optimizer,
            f"a tensor of kind {tensor.kind} {NO_PARAMETER}",
            "its kind tracks no gradients, so that no backward pass ever has one for it.",
            "Make it a `gv.nn.Parameter`, or create it with `requires_grad=True`.",
            GradvizTypeError,
            tensor,
        )
    if not tensor.is_leaf:
        raise _refused(
            optimizer,
            f"a computed tensor {NO_PARAMETER}",
            f"it is the result of `{tensor.node.op}` on tracked tensors and follows from them.",
            "Give the leaves it comes from, or `.detach().require_grad()` of it before the forward "
            "pass.",
            None,
            tensor,
        )
    if tensor.dtype.kind != "f":
        raise _refused(
            optimizer,
            f"a {tensor.dtype.name} tensor {NO_PARAMETER}",
            "only floating point numbers can make the small changes that gradients speak of.",
            "Leave it out, or convert it with `.float()`.",
            GradvizTypeError,
            tensor,
        )


def check_once(optimizer: str, groups: list[Group]) -> None:
    """Refuses a parameter that would be updated twice in a step.

    Raises:
        GradvizError: `invalid-argument`.
    """
    seen: set[int] = set()
    for tensor in (tensor for group in groups for tensor in group["params"]):
        if id(tensor) in seen:
            raise _refused(
                optimizer,
                f"{tensor.name or 'a parameter'} is given twice",
                "it would be updated twice in every step.",
                "Give each parameter once; `module.parameters()` of the outermost module does.",
                None,
                tensor,
            )
        seen.add(id(tensor))


def _nothing(optimizer: str) -> GradvizError:
    return _refused(
        optimizer,
        "there are no parameters to update",
        "the list is empty; a generator such as `module.parameters()` is, once it has been used.",
        "Give `module.parameters()` anew; see that the module's layers are its attributes or in a "
        "`gv.nn.ModuleList`.",
    )


def _not_parameters(optimizer: str, value: Any) -> GradvizError:
    advice = "Give `module.parameters()`, or a list of tensors that require gradients."
    if callable(value) and getattr(value, "__name__", "") == "parameters":
        advice = "Call it: `module.parameters()`."
    elif hasattr(value, "parameters"):
        advice = "Write `module.parameters()`."
    return _refused(
        optimizer,
        f"a {type(value).__name__} is no parameter",
        "an optimizer updates tensors.",
        advice,
        GradvizTypeError,
    )


def _refused(
    optimizer: str,
    complaint: str,
    reason: str,
    advice: str,
    error: type[GradvizError] | None = None,
    tensor: Tensor | None = None,
) -> GradvizError:
    return fail(
        "invalid-argument",
        operation=optimizer,
        complaint=complaint,
        reason=reason,
        facts=() if tensor is None else facts(tensor.node),
        advice=advice,
        cause=None if tensor is None else tensor.node.source,
        nodes=() if tensor is None else (tensor.node.id,),
        error=error,
    )
