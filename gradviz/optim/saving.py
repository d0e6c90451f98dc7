"""The state of an optimizer as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gradviz.backends.ndarray import updates
from gradviz.errors import GradvizError, GradvizTypeError, fail
from gradviz.tensor.base import Tensor

if TYPE_CHECKING:
    from gradviz.optim.optimizer import Optimizer


def collect(optimizer: Optimizer) -> dict[str, Any]:
    """State by the number of the parameter, and the groups with numbers for parameters."""
    numbers: dict[Tensor, int] = {tensor: at for at, tensor in enumerate(optimizer.parameters())}
    groups = [
        {**group, "params": [numbers[tensor] for tensor in group["params"]]}
        for group in optimizer.param_groups
    ]
    state = {numbers[tensor]: _copied(kept) for tensor, kept in optimizer.state.items()}
    return {"state": state, "param_groups": groups}


def _copied(kept: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: updates.copied(value) if updates.is_array(value) else value
        for name, value in kept.items()
    }


def load(optimizer: Optimizer, given: Any) -> None:
    """Takes over state and options.

    Raises:
        GradvizError: `invalid-argument`. Nothing has changed then.
    """
    if not isinstance(given, Mapping) or not {"state", "param_groups"} <= set(given):
        raise _unfit(
            optimizer,
            f"a {type(given).__name__} is no state of an optimizer",
            "Give what `state_dict()` of an optimizer returned.",
            GradvizTypeError,
        )
    theirs = [list(group["params"]) for group in given["param_groups"]]
    ours = [group["params"] for group in optimizer.param_groups]
    if [len(members) for members in theirs] != [len(members) for members in ours]:
        raise _unfit(
            optimizer,
            f"the state has groups of {[len(m) for m in theirs]} parameters, the optimizer of "
            f"{[len(m) for m in ours]}",
            "Make the optimizer with the same groups as the one that was saved.",
        )
    groups = []
    for saved, own in zip(given["param_groups"], optimizer.param_groups, strict=True):
        absent = [name for name in optimizer.defaults if name not in saved]
        if absent:
            raise _unfit(
                optimizer,
                f"the state has no option {absent[0]!r}",
                "Give the state of an optimizer of the same class.",
            )
        group = {**own, **{name: value for name, value in saved.items() if name != "params"}}
        optimizer.check_options(group)
        groups.append(group)
    members = {
        number: tensor
        for numbers, tensors in zip(theirs, ours, strict=True)
        for number, tensor in zip(numbers, tensors, strict=True)
    }
    state: dict[Tensor, dict[str, Any]] = {}
    for number, kept in given["state"].items():
        if number not in members:
            raise _unfit(
                optimizer,
                f"the state of parameter {number} belongs to no parameter",
                "Give the whole state as it was returned.",
            )
        tensor = members[number]
        state[tensor] = _checked(optimizer, number, tensor, kept)
    optimizer.param_groups, optimizer.state = groups, state


def _checked(
    optimizer: Optimizer, number: int, tensor: Tensor, kept: Mapping[str, Any]
) -> dict[str, Any]:
    for name, value in kept.items():
        if updates.is_array(value) and value.shape != tensor.shape:
            raise _unfit(
                optimizer,
                f"{name} of parameter {number} has shape {value.shape}, the parameter "
                f"{tensor.shape}",
                "Make the optimizer for the same parameters in the same order.",
            )
    return _copied(kept)


def _unfit(
    optimizer: Optimizer, complaint: str, advice: str, error: type[GradvizError] | None = None
) -> GradvizError:
    return fail(
        "invalid-argument",
        operation=f"{type(optimizer).__name__}.load_state_dict",
        complaint=complaint,
        reason="nothing has been loaded.",
        advice=advice,
        error=error,
    )
