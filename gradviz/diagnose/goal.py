"""What a fix must achieve.

The call succeeds, the tensors asked about get gradients, and nothing new is wrong.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gradviz.autodiff.node import GRAD_IN_BACKWARD
from gradviz.backends.ndarray import numerics
from gradviz.diagnose import trial
from gradviz.diagnose.predict import predicted_calls
from gradviz.diagnose.program import Program
from gradviz.diagnose.verdict import verdict_of_node
from gradviz.errors import GradvizError
from gradviz.errors.problem import Problem
from gradviz.graph import names
from gradviz.nn.module import Module
from gradviz.optim.groups import NO_PARAMETER
from gradviz.optim.optimizer import Optimizer
from gradviz.tensor.base import Tensor
from gradviz.tensor.gradients import Gradients

_WORD = re.compile(r"[^\W\d]\w*")
_VALUES = frozenset({"non-finite-gradient", "zero-gradient", "exploding-gradient", "dead-units"})
_TOO_STEEP = 1e13
"""A fix after which a gradient is as large as this has only hidden the infinity."""
_CUTS_TEMPT = frozenset({"can-t-convert-a-non-leaf-tensor-into-a-tracked-ten"})
"""Failures that a cut would silence, so that parts of modules and objects are watched as well."""
_SAME_VALUE = frozenset(
    {"non-finite-gradient", "graph-retained", "marked-result", "path-cut-value-escape"}
)


@dataclass(frozen=True)
class Goal:
    """A problem to be cured.

    Attributes:
        problem: the problem.
        root: the name of the tensor it is about, where one is known.
        wanted: names of the tensors that must get a gradient.
        marked: names of the leaves that were marked when it was raised.
        before: the program's run without a fix.
        last: whether what comes of the program's tensors may be still to come, in another cell: it
            ends where it fails, and not in a backward pass.
    """

    problem: Problem
    root: str
    wanted: tuple[str, ...]
    marked: tuple[str, ...]
    before: trial.Trial
    last: bool

    @classmethod
    def of(cls, problem: Problem, before: trial.Trial, program: Program) -> Goal:
        """The goal of curing a problem."""
        facts = dict(problem.facts)
        wanted = tuple(name for name in facts.get("wanted", "").split(", ") if name)
        marked = tuple(
            label
            for label, tensor in names.find([before.space]).values()
            if tensor.requirement == "grad"
            and (problem.slug in _CUTS_TEMPT or label in before.space)
        )
        at = program.at(problem.where)
        last = at is not None and program.statement(at) is program.tree.body[-1]
        # A name from elsewhere decides nothing about gradients, wherever it stands.
        last |= problem.slug == "name-from-elsewhere"
        last = last and facts.get("operation") not in ("backward", "grad")
        return cls(problem, facts.get("name", ""), wanted, marked, before, last)

    def holds(self, program: Program, after: trial.Trial) -> bool:
        """Whether a patched program's run achieves it."""
        if not after.finished or "?" in self.wanted:
            return False
        if not self.problem.predicted:
            return self._raised_holds(program, after)
        if self.problem.where is not None and not self.wanted and self._is_call():
            return self._call_holds(program, after)
        return self._question_holds(after)

    def left(self, program: Program, after: trial.Trial) -> list[Problem]:
        """What is still wrong after a first edit: the error it ends with, or what is predicted."""
        if isinstance(after.error, GradvizError):
            return [after.error.problem]
        if not after.finished or not self.root:
            return []
        return [p for p in self._examined(after) if p.severity != "note"]

    # --- a failure that was raised ---------------------------------------------------------------
    def _raised_holds(self, program: Program, after: trial.Trial) -> bool:
        wanted = [name for name in self.marked if isinstance(lookup(name, after.space), Tensor)]
        # What other cells have left in the namespace is no result of this program.
        own = {name: after.space[name] for name in _mentioned(program) if name in after.space}
        result = trial.latest_result(own)
        root = trial.latest_root(own) if result is None else result.node
        if root is None and NO_PARAMETER in self.problem.message:
            root = after.root
        if root is None:
            return not wanted or (self.last and self._stays_tracked(program, after))
        reached = trial.leaves_of(root)
        reached |= trial.updated_by_gradients(root)
        if NO_PARAMETER in self.problem.message and not _trained(own) <= reached:
            return False
        # What the same result didn't reach before the failure is not asked of it now.
        name = next((n for n, value in after.space.items() if value is result), "")
        earlier = self.before.space.get(name)
        if isinstance(earlier, Tensor):
            known = trial.leaves_of(earlier.node)
            wanted = [n for n in wanted if lookup(n, self.before.space).node.id in known]
        leaves = [lookup(n, after.space).node for n in wanted]
        # A step behind the last result may have put another leaf in the place of one it reached.
        return bool(reached) and all(
            leaf.id in reached or trial.stepped_from(leaf) & reached for leaf in leaves
        )

    def _stays_tracked(self, program: Program, after: trial.Trial) -> bool:
        """Whether all that a program mentions reaches the leaves that it reached before."""
        mentioned = ((name, self.before.space.get(name)) for name in _mentioned(program))
        tracked = [
            (name, trial.leaves_of(value.node))
            for name, value in mentioned
            if isinstance(value, Tensor) and value.is_tracked
        ]
        for name, reached in tracked:
            value = after.space.get(name)
            leaves = trial.leaves_of(value.node) if isinstance(value, Tensor) else set()
            known = [n for n in self.marked if lookup(n, self.before.space).node.id in reached]
            now = [lookup(n, after.space) for n in known]
            if not all(isinstance(leaf, Tensor) and leaf.node.id in leaves for leaf in now):
                return False
        return bool(tracked)

    # --- a call that was predicted to fail -------------------------------------------------------
    def _is_call(self) -> bool:
        return dict(self.problem.facts).get("operation") in ("backward", "require_grad")

    def _call_holds(self, program: Program, after: trial.Trial) -> bool:
        value, earlier = after.space.get(self.root), self.before.space.get(self.root)
        if not isinstance(value, Tensor) or not _same_shape(value, earlier):
            return False
        if predicted_calls(program, {self.root: value}, 0):
            return False
        outcome = verdict_of_node(value.node)
        if dict(self.problem.facts).get("operation") == "require_grad":
            # What got gradients through the result must still get them.
            before = len(trial.leaves_of(earlier.node)) if isinstance(earlier, Tensor) else 0
            return len(trial.leaves_of(value.node)) >= before
        return outcome.backward.ok and bool(trial.leaves_of(value.node))

    # --- a question about gradients --------------------------------------------------------------
    def _question_holds(self, after: trial.Trial) -> bool:
        value, earlier = lookup(self.root, after.space), lookup(self.root, self.before.space)
        if not isinstance(value, Tensor):
            return False
        if not _same_shape(value, earlier) and self.problem.slug not in (
            "non-scalar-root",
            "suspicious-broadcast",
        ):
            return False
        if dict(self.problem.facts).get("operation") == "require_grad":
            return verdict_of_node(value.node).require_grad.ok
        outcome = verdict_of_node(value.node)
        # A program may have run backward from the root itself, before and after the fix alike.
        ran = value.node.consumed and isinstance(earlier, Tensor) and earlier.node.consumed
        if not (outcome.backward.ok or ran) or not self._all_reached(value, after.space):
            return False
        if self.problem.slug in _SAME_VALUE and not _close(value, earlier):
            return False
        if self.problem.slug in _VALUES and not self._finite(value, after.space):
            return False
        old = {p.slug for p in self._examined(self.before)}
        new = {p.slug for p in self._examined(after) if p.severity != "note"}
        return self.problem.slug not in new and new <= old

    def _all_reached(self, root: Tensor, space: Mapping[str, Any]) -> bool:
        if not self.wanted:
            return bool(trial.leaves_of(root.node))
        reached = trial.reached_by(root.node)
        for name in self.wanted:
            tensors = _flat(lookup(name, space))
            if not tensors:
                return False
            for tensor in tensors:
                node = tensor.node
                if node.id not in reached:
                    return False
                if node.requirement == GRAD_IN_BACKWARD and not (
                    node.extra is not None and node.extra.retained
                ):
                    return False
        return True

    def _finite(self, root: Tensor, space: Mapping[str, Any]) -> bool:
        grads = next(
            (v for v in space.values() if isinstance(v, Gradients) and v.store.root is root.node),
            None,
        )
        if grads is None:
            if root.node.consumed:
                return False
            grads = root.backward(retain_graph=True)
        values = [getattr(value, "prim", value) for value in grads.store.values.values()]
        return all(numerics.finite(v) and numerics.largest(v) < _TOO_STEEP for v in values)

    def _examined(self, outcome: trial.Trial) -> list[Problem]:
        """What the rules say about the same question after a run."""
        from gradviz.diagnose.examine import examine, question_of

        root = lookup(self.root, outcome.space)
        if not isinstance(root, Tensor):
            return []
        wrt = [tensor for name in self.wanted for tensor in _flat(lookup(name, outcome.space))]
        token = trial.trying.set(True)
        try:
            return examine(question_of([root], wrt or None, None, [outcome.space], _file_of(root)))
        finally:
            trial.trying.reset(token)


def _trained(space: Mapping[str, Any]) -> set[int]:
    """Ids of the leaves that optimizers hold."""
    optimizers = [value for value in space.values() if isinstance(value, Optimizer)]
    return {tensor.node.id for held in optimizers for tensor in held.parameters()}


def _mentioned(program: Program) -> list[str]:
    """The names in a program, each once."""
    names_in = (node.id for node in ast.walk(program.tree) if isinstance(node, ast.Name))
    return list(dict.fromkeys(names_in))


def _file_of(root: Tensor) -> str | None:
    source = root.node.source
    return None if source is None else source.filename


def _same_shape(value: Tensor, earlier: Any) -> bool:
    return not isinstance(earlier, Tensor) or earlier.shape == value.shape


def _close(value: Tensor, earlier: Any) -> bool:
    """Whether the forward value stayed what it was, where it was a number at all."""
    if not isinstance(earlier, Tensor) or earlier.size != value.size:
        return True
    old, new = numerics.largest(earlier.prim), numerics.largest(value.prim)
    if math.isnan(old) or old == math.inf:
        return True
    return abs(old - new) <= 1e-2 * max(1.0, abs(old))


def _flat(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, Module):
        return list(value.parameters())
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return [tensor for item in value for tensor in _flat(item)]
    return []


def lookup(path: str, space: Mapping[str, Any]) -> Any:
    """The value of a name such as `loss`, `model.weight` or `parts[0]`; None where there is none.

    Names come from `gradviz.graph.names`, never from the user's text, and only attributes and items
    are followed.
    """
    base = _WORD.match(path)
    try:
        return None if base is None else _inside(space[base.group()], path[base.end() :])
    except (SyntaxError, KeyError, IndexError, AttributeError, TypeError, ValueError):
        return None


def _inside(owner: Any, rest: str) -> Any:
    """What lies behind `.attribute` and `[item]` steps."""
    while rest:
        if rest.startswith("["):
            end = _end_of_item(rest)
            owner = owner[ast.literal_eval(rest[1:end])]
            rest = rest[end + 1 :]
            continue
        if isinstance(owner, Module):
            # Paths of parameters hold numbers and keys: `net.0.weight`.
            known = dict(owner.named_parameters(remove_duplicate=False)).get(rest[1:])
            if known is not None:
                return known
        word = _WORD.match(rest, 1)
        if word is None or not rest.startswith("."):
            raise ValueError("not a name")
        key = word.group()
        owner = getattr(owner, key) if isinstance(owner, Module) else vars(owner)[key]
        rest = rest[word.end() :]
    return owner


def _end_of_item(text: str) -> int:
    """Where the bracket that a text begins with is closed; keys may hold brackets themselves."""
    for end in range(1, len(text)):
        if text[end] == "]":
            try:
                ast.literal_eval(text[1:end])
            except (SyntaxError, ValueError):
                continue
            return end
    raise ValueError("not a name")
