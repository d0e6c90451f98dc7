"""`gv.check`: a dry run that finds problems without computing a value."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from gradviz.backends.capture.dry import DryRun
from gradviz.capture.scope import CaptureScope
from gradviz.core.source import SourceSpan, is_internal, span, user_frame
from gradviz.diagnose.examine import examine, fixed
from gradviz.diagnose.examples import Arguments, arguments_of, no_argument
from gradviz.diagnose.question import Question
from gradviz.diagnose.report import Report
from gradviz.diagnose.stage import Stage, in_sight, tensors_of
from gradviz.dispatch.registry import default_device, device
from gradviz.errors import GradvizError, GradvizTypeError, fail
from gradviz.errors.problem import Problem
from gradviz.graph import names
from gradviz.graph.build import unlifted
from gradviz.nn.module import Module
from gradviz.ops.size import taken_as_large
from gradviz.optim.optimizer import Optimizer
from gradviz.optim.registry import live_optimizers, only
from gradviz.tensor import refusal
from gradviz.tensor.autodiff import require_grad
from gradviz.tensor.base import Tensor, wrap
from gradviz.tensor.gradients import Gradients

_NOTE: Final = "raised by the function that gv.check runs"
_OF_ROOTS: Final = frozenset({"graph-consumed", "untracked-root", "non-scalar-root"})
"""Problems that were found already when `backward` was called."""


def check(fn: Callable[..., Any], *examples: Any, wrt: Any = None) -> Report:
    """The problems of a function, found on the capture backend without computing values.

    The function runs once, on tensors that have shapes and dtypes only. Where it fails, the dry run
    takes note and goes on if it can: after a value was read (with a stand-in for it), a shape that
    doesn't fit (with the one that was likely meant), a refused mark. Its own calls of `backward`
    and of an optimizer's `step` are looked at where they stand, and change nothing: modules,
    optimizers and random generators are put back afterwards. Modules may be of any size: built
    inside the function or under `with gv.default_device("capture"):`, their parameters hold no
    numbers.

    Args:
        fn: a function of tensors that returns the tensor `backward` would be called on, or several,
            or that calls `backward` itself.
        examples: for every argument a tensor, an array, a number or `gv.spec(shape, dtype)`, or
            lists, tuples and dicts of these; modules and other objects are handed over as they are.
        wrt: what should get a gradient: positions or names of arguments, tensors, parameters,
            modules, or several of these. By default the arguments whose examples require gradients,
            the parameters of `fn` if it is a module, and what an optimizer's `step` updates.

    Returns:
        The same report as `gv.diagnose`: failures the function would raise, leaves no gradient
        reaches, shapes that don't fit or broadcast by accident.

    Raises:
        GradvizError: `invalid-argument` for a question that makes no sense. What the function
            raises by itself is passed on, with a note of the expression.

    Example:
        >>> import gradviz as gv
        >>> report = gv.check(lambda x, w: (x @ w).sum(), gv.spec((2, 3)), gv.spec((3, 1)), wrt="w")
        >>> report.ok
        True
    """
    if not callable(fn):
        raise fail(
            "invalid-argument",
            operation="check",
            complaint=f"a {type(fn).__name__} can't be called",
            advice="Write `gv.check(fn, *examples)` with a function of tensors.",
            error=GradvizTypeError,
        )
    asked = None if wrt is None else _listed(wrt)
    sight = in_sight(fn, names.namespaces(user_frame(sys._getframe(1))))
    rehearsal = _Rehearsal(sight)
    scope = rehearsal.scope
    with scope, default_device(scope.device):
        arguments = arguments_of(scope, fn, examples, asked or [])
        outside = [item for item in asked or () if isinstance(item, Tensor)]
        stage = Stage(scope.device, [*tensors_of(sight), *outside], sight)
        with stage.set():
            rehearsal.prepare(fn, asked, arguments, stage)
            rehearsal.perform(fn, arguments)
    return Report.of(fixed(rehearsal.problems()))


def _listed(wrt: Any) -> list[Any]:
    """What is asked about, one by one."""
    if isinstance(wrt, dict):
        return list(wrt.values())
    if isinstance(wrt, str | Tensor | Module) or not isinstance(wrt, Iterable):
        return [wrt]
    return [part for item in wrt for part in _listed(item)]


class _Rehearsal:
    """One dry run."""

    def __init__(self, sight: Mapping[str, Any]) -> None:
        self.dry = DryRun()
        self.scope = CaptureScope(device("capture").autodiff(), self.dry)
        self._sight = sight
        self._labels = {n: label for n, (label, _) in names.find([sight]).items()}
        self._wanted: list[Tensor] = []
        self._asked = False
        self._found: list[Problem] = []
        self._backwards = 0
        self._stepped: set[tuple[int, int]] = set()

    def prepare(self, fn: Any, asked: list[Any] | None, arguments: Arguments, stage: Stage) -> None:
        """Settles what should get a gradient, and what is called how."""
        self._stage = stage
        for outside, node in stage.symbols():
            known = outside.name or self._labels.get(unlifted(node).id)
            if known:
                self._labels.setdefault(node.id, known)
        self._labels |= {
            tensor.node.id: tensor.name for tensor, _ in arguments.all_inputs() if tensor.name
        }
        self._asked = asked is not None
        if asked is None:
            self._wanted = arguments.marked()
            if isinstance(fn, Module):
                self._wanted += [p for p in fn.parameters() if p.is_require_grad]
        for item in asked or ():
            if isinstance(item, Module):
                self._wanted += list(item.parameters())
                continue
            inputs = arguments.asked(item)
            if inputs is None and not isinstance(item, Tensor):
                raise no_argument(item)
            self._wanted += [item] if inputs is None else inputs
        # The tensors as they are now, on the stage.
        self._wanted = [wrap(tensor.prim, tensor.node) for tensor in self._wanted]
        given = {tensor.node for tensor, _ in arguments.all_inputs()}
        for tensor in self._wanted:
            if tensor.node in given:
                refused = refusal.of_require_grad(tensor.node)
                if refused is not None:
                    raise refused.error()
                require_grad(tensor)

    def perform(self, fn: Callable[..., Any], arguments: Arguments) -> None:
        """Calls the function, and looks at what it did and what it returned."""
        self.dry.before_backward = self._before_backward
        self.dry.after_step = self._after_step
        try:
            roots = tuple(_tensors(fn(*arguments.values)))
        except GradvizError as error:
            self.dry.note(error)
            return
        except Exception as error:
            if not self.dry.stand_ins:
                error.add_note(f"{_NOTE}{_place_of(error) or ''}")
                raise
            self._ended_by(error)
            return
        if self._backwards:
            return
        if not roots:
            raise fail(
                "invalid-argument",
                operation="check",
                complaint="the function returned no tensor",
                advice="Return the tensor that `backward` would be called on.",
            )
        self._found += self._examined(roots, self._wanted)

    def problems(self) -> list[Problem]:
        """Everything that was found."""
        noted: dict[Any, Problem] = {}
        for problem in self.dry.problems:
            # One expression may have several instructions, and be met many times.
            noted.setdefault((problem.slug, problem.where, problem.message), problem)
        mismatched = {p.cause for p in noted.values() if p.slug == "shape-mismatch"}
        found = [
            problem
            for problem in self._found
            if problem.slug != "suspicious-broadcast" or problem.cause not in mismatched
        ]
        return [*noted.values(), *found]

    # --- looking -------------------------------------------------------------------------------
    def _examined(self, roots: tuple[Tensor, ...], wanted: list[Tensor]) -> list[Problem]:
        with self._stage.aside():
            labels = self._names_now()
            modules = [*self._sight.values(), *self.dry.kept]
            space = {f" {at}": m for at, m in enumerate(modules) if isinstance(m, Module)}
            question = Question(roots, tuple(wanted) or None, None, labels, space, dry=True)
            question.wrt = tuple(_as_reached(leaf, question) for leaf in wanted) or None
            self._name_inner_parameters(question, labels)
            with only(_concerned(question)), taken_as_large():
                return examine(question)

    def _names_now(self) -> dict[int, str]:
        """What tensors are called, those of modules made on the way included."""
        labels = dict(self._labels)
        for thing in reversed(self.dry.kept):
            if isinstance(thing, Module):
                for path, parameter in thing.named_parameters():
                    labels[parameter.node.id] = path
        return labels

    @staticmethod
    def _name_inner_parameters(question: Question, labels: dict[int, str]) -> None:
        """Parameters that only the function's own variables hold are no forgotten ones."""
        for number, node in question.history.items():
            if node.op == "parameter" and number not in labels:
                labels[number] = node.name or "parameter"

    def _before_backward(self, root: Tensor, refused: str | None) -> None:
        self._backwards += 1
        found = self._examined((root,), self._wanted)
        self._found += [problem for problem in found if problem.slug != refused]

    def _after_step(self, optimizer: Optimizer, grads: Gradients) -> None:
        """What an optimizer updates should have got a gradient, where nothing else was asked."""
        root = grads.store.root
        if self._asked or (root.id, id(optimizer)) in self._stepped or root.requirement == 0:
            return
        self._stepped.add((root.id, id(optimizer)))
        values = grads.store.values
        missed = [t for t in optimizer.parameters() if t.is_require_grad and t.node not in values]
        if missed:
            leaves = [wrap(tensor.prim, tensor.node) for tensor in missed]
            found = self._examined((wrap(None, root),), leaves)
            self._found += [problem for problem in found if problem.slug not in _OF_ROOTS]

    def _ended_by(self, error: Exception) -> None:
        """Adds to the first value that was read what the function failed with afterwards."""
        said = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        fact = ("then", f"{said}{_place_of(error) or ''}")
        for at, problem in enumerate(self.dry.problems):
            if problem.slug == "capture-value-unavailable":
                self.dry.problems[at] = replace(problem, facts=(*problem.facts, fact))
                return


def _as_reached(leaf: Tensor, question: Question) -> Tensor:
    """A leaf itself where it is reached only through what was computed outside of the function."""
    own = unlifted(leaf.node)
    if leaf.node.id in question.reached or own.id not in question.reached:
        return leaf
    return wrap(leaf.prim, own)


def _concerned(question: Question) -> list[Optimizer]:
    """The optimizers that hold something the roots were computed from."""
    return [
        optimizer
        for optimizer in live_optimizers()
        if any(tensor.node.id in question.history for tensor in optimizer.parameters())
    ]


def _place_of(error: BaseException) -> str | None:
    """Where in the user's code an exception was raised."""
    found: SourceSpan | None = None
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if not is_internal(code.co_filename):
            found = span(code, trace.tb_lasti) or found
        trace = trace.tb_next
    if found is None:
        return None
    text = found.text.splitlines()[0] if found.text else ""
    return f", at {found.filename}:{found.line}: {text}"


def _tensors(result: Any) -> Iterator[Tensor]:
    """The tensors of a result; what a generator yields is made here."""
    if isinstance(result, Tensor):
        yield result
    elif isinstance(result, Mapping):
        for item in result.values():
            yield from _tensors(item)
    elif isinstance(result, list | tuple | Iterator):
        for item in result:
            yield from _tensors(item)
