"""What optimizers have in common."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gradviz.backends.capture.backend import dry_run
from gradviz.backends.ndarray import updates
from gradviz.core.context import call_site
from gradviz.errors import GradvizTypeError, GradvizValueError, fail
from gradviz.optim import saving
from gradviz.optim.groups import Group, check_once, group_of, groups_of
from gradviz.optim.registry import note_optimizer
from gradviz.tensor.base import Tensor
from gradviz.tensor.elsewhere import OF_OPTIMIZERS, no_attribute
from gradviz.tensor.gradients import Gradients

State = dict[str, Any]


class Optimizer:
    """Updates the parameters it holds from gradients; the parameters stay the same objects.

    Subclasses define `update` and call `super().__init__` with the options of every group.

    Attributes:
        param_groups: dicts with "params" and the options that hold for them.
        state: what is kept for each parameter between steps.
        made_at: the user's code that made the optimizer.
    """

    def __init__(self, params: Any, defaults: Mapping[str, Any]) -> None:
        self.defaults = dict(defaults)
        self.made_at = call_site()
        groups = groups_of(self._name, params, self.defaults)
        for group in groups:
            self.check_options(group)
        check_once(self._name, groups)
        self.param_groups = groups
        self.state: dict[Tensor, State] = {}
        note_optimizer(self)
        run = dry_run()
        if run is not None:
            run.kept.append(self)

    @property
    def _name(self) -> str:
        return type(self).__name__

    def step(self, grads: Gradients | None = None) -> None:
        """Updates every parameter that has a gradient.

        Frozen parameters and those without a gradient stay as they are. Nothing is recorded.

        Args:
            grads: what `backward` returned.

        Raises:
            GradvizError: `invalid-argument` for anything else. Nothing has changed then.

        Example:
            >>> import gradviz as gv
            >>> w = gv.tensor([1.0], requires_grad=True)
            >>> gv.optim.SGD([w], lr=0.5).step((w * w).sum().backward())
            >>> w.tolist()
            [0.0]
        """
        if not isinstance(grads, Gradients):
            raise self._no_gradients(grads)
        run = dry_run()
        if run is not None:
            run.after_step(self, grads)  # there are no numbers to update with
            return
        for group in self.param_groups:
            for parameter in group["params"]:
                gradient = grads.array(parameter)
                if gradient is None or not parameter.is_require_grad:
                    continue
                state = self.state.get(parameter)
                if state is None:
                    state = self.state[parameter] = {}
                if group["maximize"]:
                    gradient = updates.negated(gradient)
                # A new array: graphs may have saved the old one.
                parameter.prim = self.update(parameter.prim, gradient, state, group)

    def update(self, value: Any, gradient: Any, state: State, group: Group) -> Any:
        """The new array of one parameter.

        Args:
            value: its array, which must stay as it is.
            gradient: its gradient, an array of the same shape, which must stay as it is.
            state: what is kept for the parameter; empty at first.
            group: the options.
        """
        raise NotImplementedError(f"{self._name} must define update")

    def check_options(self, group: Group) -> None:
        """Refuses options that make no sense.

        Raises:
            GradvizError: `invalid-argument`.
        """
        self.at_least(group, "lr")
        if "weight_decay" in group:  # steps that look at signs alone have none
            self.at_least(group, "weight_decay")

    def at_least(
        self,
        group: Mapping[str, Any],
        name: str,
        least: float = 0.0,
        below: float = math.inf,
        most: float = math.inf,
    ) -> None:
        """Refuses an option that is no number in [least, below), or is above `most`.

        Raises:
            GradvizError: `invalid-argument`.
        """
        value = group[name]
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not least <= value < below or value > most:
            limit = "" if below == math.inf else f" and below {below:g}"
            limit += "" if most == math.inf else f" and at most {most:g}"
            raise fail(
                "invalid-argument",
                operation=self._name,
                complaint=f"{name} is {value!r}",
                advice=f"Give a number of at least {least:g}{limit}.",
                error=GradvizValueError if number else GradvizTypeError,
            )

    def two(self, group: Mapping[str, Any], name: str, example: str) -> Sequence[Any]:
        """The two values of an option.

        Raises:
            GradvizError: `invalid-argument` for one, or more than two.
        """
        values = group[name]
        if not isinstance(values, tuple | list) or len(values) != 2:
            raise fail(
                "invalid-argument",
                operation=self._name,
                complaint=f"{name} is {values!r}",
                advice=f"Give two numbers, such as `{example}`.",
                error=GradvizTypeError,
            )
        return values

    def add_param_group(self, param_group: Mapping[str, Any]) -> None:
        """Adds parameters with their own options.

        Args:
            param_group: "params", and the options that differ from the others'.

        Raises:
            GradvizError: `invalid-argument`. Nothing has changed then.
        """
        if not isinstance(param_group, Mapping):
            raise fail(
                "invalid-argument",
                operation=self._name,
                complaint=f"a {type(param_group).__name__} is no group",
                advice="Write `{'params': module.parameters(), 'lr': 0.01}`.",
                error=GradvizTypeError,
            )
        group = group_of(self._name, param_group, self.defaults)
        self.check_options(group)
        check_once(self._name, [*self.param_groups, group])
        self.param_groups.append(group)

    def parameters(self) -> Iterable[Tensor]:
        """Every tensor it holds."""
        return [tensor for group in self.param_groups for tensor in group["params"]]

    def state_dict(self) -> dict[str, Any]:
        """State and options as plain data: parameters are numbered, arrays copied."""
        return saving.collect(self)

    def load_state_dict(self, state_dict: Any) -> None:
        """Takes over state and options of a `state_dict`; all of it, or nothing.

        Raises:
            GradvizError: `invalid-argument` for groups or shapes that don't fit.
        """
        saving.load(self, state_dict)

    def _no_gradients(self, given: Any) -> Exception:
        if given is None:
            complaint = "needs the gradients"
        else:
            complaint = f"a {type(given).__name__} is no Gradients"
        advice = "Write `grads = loss.backward()`, then `opt.step(grads)`."
        if isinstance(given, Tensor):
            advice = "Give the result of its backward pass: `opt.step(loss.backward())`."
        return fail(
            "invalid-argument",
            operation=f"{self._name}.step",
            complaint=complaint,
            reason="gradients aren't kept on tensors: `backward` returns them, `step` takes them.",
            advice=advice,
            error=GradvizTypeError,
        )

    def __getstate__(self) -> State:
        # A code object can't be pickled, and means nothing in another process.
        return {**vars(self), "made_at": (None, -1)}

    def __setstate__(self, state: State) -> None:
        vars(self).update(state)
        note_optimizer(self)

    def __getattr__(self, name: str) -> Any:
        # Only asked for what isn't there.
        raise no_attribute(f"{type(self).__name__!r} object", name, OF_OPTIMIZERS.get(name))

    def __repr__(self) -> str:
        lines = [f"{self._name} ("]
        for at, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {at}")
            lines += [
                f"    {name}: {group[name]}"
                for name in sorted(group)
                if name not in ("params", "param_names")
            ]
        return "\n".join([*lines, ")"])
