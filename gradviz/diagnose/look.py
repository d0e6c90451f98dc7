"""`gv.graph`: the graph of tensors, modules or captures, with verdicts and problems on it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from weakref import ref

from gradviz.autodiff.node import GRAD_IN_BACKWARD, Node, Spent
from gradviz.capture.captured import CapturedGraph
from gradviz.core.pause import collector_paused
from gradviz.core.source import user_frame
from gradviz.diagnose.examine import examine, fixed, question_of
from gradviz.diagnose.predict import named, predicted_calls
from gradviz.diagnose.program import Program
from gradviz.diagnose.verdict import Outcome, Verdict, Verdicts, verdict_of_node
from gradviz.errors import GradvizTypeError, fail
from gradviz.errors.problem import SEVERITIES, Problem
from gradviz.graph import names
from gradviz.graph.build import collect
from gradviz.graph.gather import from_nodes
from gradviz.graph.graph import Graph
from gradviz.graph.kept import LARGE, LiveGraph
from gradviz.graph.recorded import from_captured
from gradviz.nn.module import Module
from gradviz.tensor.base import Tensor
from gradviz.tensor.gradients import Gradients
from gradviz.tensor.tracing import BackwardTrace


def graph(
    *things: Any,
    title: str | None = None,
    grads: Gradients | None = None,
    steps: BackwardTrace | None = None,
) -> Graph:
    """The graph of what tensors were computed from.

    Args:
        things: tensors, modules (their parameters), a captured graph, or lists and dicts of these.
        title: a heading for pictures; the first thing's name where it is left out.
        grads: what `backward` returned, to be shown beside the values; by default, those of the
            latest backward pass from here that are still alive.
        steps: what `gv.trace_backward` returned, to be played.

    Returns:
        Nodes, edges, groups and problems as plain data; nothing is executed.

    Raises:
        GradvizError: `not-a-tensor` for something that has no graph; `invalid-argument` for
            gradients or steps that are none.

    Example:
        >>> import gradviz as gv
        >>> x = gv.tensor([1.0, 2.0], requires_grad=True)
        >>> [node.op for node in gv.graph((x * x).sum()).nodes]
        ['tensor', 'mul', 'sum']
    """
    frame = user_frame(sys._getframe(1))
    flat = _flat(things)
    if len(flat) == 1 and isinstance(flat[0], Graph):
        return flat[0]
    if len(flat) == 1 and isinstance(flat[0], CapturedGraph):
        return _captured(flat[0], title)
    found = names.find(names.namespaces(frame))
    roots: list[Node] = []
    parameters: set[int] = set()
    for thing in flat:
        if isinstance(thing, Tensor):
            roots.append(thing.node)
            found.setdefault(thing.node.id, (thing.name or "", thing))
        elif isinstance(thing, Module):
            for path, parameter in thing.named_parameters():
                roots.append(parameter.node)
                found.setdefault(parameter.node.id, (path, parameter))
        else:
            raise fail(
                "not-a-tensor",
                operation="graph",
                complaint=f"a {type(thing).__name__} has no graph",
                advice="Give tensors, modules or captured graphs.",
                error=GradvizTypeError,
            )
    parameters |= {number for number, (_, tensor) in found.items() if tensor.captured_as_constant}
    label = title or _title(flat, found)
    with collector_paused():
        members = collect(roots)
        blocked = _blocked(members)
        verdict_of = _verdicts(blocked, shared=len(members) > LARGE)
        plain = from_nodes(roots, members, found, parameters, label, verdict_of)
        live = LiveGraph(roots, found, large=len(plain) > LARGE)
    given = gradients_given(grads, steps)
    live.give(None if given is None else given.store)
    with collector_paused():
        foreseen = _problems(roots, members, plain, blocked, found, frame)
    del members
    ordered = sorted(fixed(foreseen), key=lambda problem: SEVERITIES.index(problem.severity))
    problems = tuple(
        problem
        for problem in ordered
        # Used up by the very pass whose gradients are shown: all is well.
        if problem.slug != "graph-consumed"
        or given is None
        or not live.has_run_from(problem.nodes[0])
    )
    return replace(plain, problems=problems, live=live, trace=steps)


def gradients_given(grads: Gradients | None, steps: BackwardTrace | None) -> Gradients | None:
    """The gradients to show: those given, or those of the steps given.

    Raises:
        GradvizError: `invalid-argument` for what is neither.
    """
    kinds: tuple[tuple[Any, type, str, str], ...] = (
        (grads, Gradients, "grads", "grads = loss.backward()"),
        (steps, BackwardTrace, "steps", "steps = gv.trace_backward(loss)"),
    )
    for value, kind, name, advice in kinds:
        if value is not None and not isinstance(value, kind):
            raise fail(
                "invalid-argument",
                operation="graph",
                complaint=f"{name} must be a {kind.__name__}, not a {type(value).__name__}",
                advice=f"Write `{advice}` and give `{name}={name}`.",
                error=GradvizTypeError,
            )
    return grads if grads is not None or steps is None else steps.grads


def _flat(things: Any) -> list[Any]:
    flat: list[Any] = []
    for thing in things:
        if isinstance(thing, list | tuple):
            flat += _flat(thing)
        elif isinstance(thing, dict):
            flat += _flat(list(thing.values()))
        else:
            flat.append(thing)
    return flat


def _title(flat: list[Any], found: dict[int, tuple[str, Tensor]]) -> str:
    labels = []
    for thing in flat[:3]:
        if isinstance(thing, Tensor):
            labels.append(found[thing.node.id][0] or thing.node.op)
        else:
            labels.append(type(thing).__name__)
    return ", ".join(labels) + (", ..." if len(flat) > 3 else "")


def _captured(captured: CapturedGraph, title: str | None) -> Graph:
    drawn = from_captured(captured)
    nodes = []
    plain = Outcome(
        False, "requires-autodiff-tensor", "A recording has no values to differentiate."
    )
    mark = Outcome(False, "require-grad-on-plain-kind", "A recorded tensor can't be marked.")
    for node in drawn.nodes:
        nodes.append(replace(node, verdict=Verdict(plain, mark)))
    live = LiveGraph((), {}, captured.graph.constants)
    return replace(drawn, nodes=tuple(nodes), title=title or drawn.title, live=live)


def _verdicts(blocked: Mapping[int, ref[Node]], *, shared: bool) -> Callable[[Node], Verdict]:
    """What gives the verdict of a node, without keeping any alive.

    Args:
        blocked: consumed nodes on the ways of others.
        shared: whether what results of one operation have in common is worked out once.
    """
    verdicts = Verdicts() if shared else None

    def verdict_of(node: Node) -> Verdict:
        known = blocked.get(node.id)
        by = None if known is None else known()
        if verdicts is not None:
            return verdicts.of(node, by)
        return verdict_of_node(node, blocked=by, walk=False)

    return verdict_of


def _blocked(members: list[Node]) -> dict[int, ref[Node]]:
    """For every tracked result whose graph was used up: a consumed node on its way."""
    blocked: dict[int, ref[Node]] = {}
    for node in members:
        if node.requirement != GRAD_IN_BACKWARD:
            continue
        if node.saved.__class__ is Spent:
            blocked[node.id] = ref(node)
        elif blocked:
            for parent in node.parents:
                if parent.id in blocked:
                    blocked[node.id] = blocked[parent.id]
                    break
    return blocked


_NOT_IN_PICTURES = {
    # What the roots' own verdicts say already, and what is about other tensors than those shown.
    "requires-autodiff-tensor",
    "capture-tensors-do-not-support-autodiff",
    "untracked-root",
    "graph-consumed",
    "non-scalar-root",
    "never-differentiated",
    "graph-retained",
}


def _problems(
    roots: list[Node],
    members: list[Node],
    drawn: Graph,
    blocked: Mapping[int, ref[Node]],
    found: dict[int, tuple[str, Tensor]],
    frame: Any,
) -> list[Problem]:
    """What is wrong with the roots, and with calls in sight."""
    problems: list[Problem] = []
    if frame is not None:
        program = Program.of(frame.f_code.co_filename)
        if program is not None:
            by_name = {label: tensor for label, tensor in found.values() if label}
            line = frame.f_lineno if frame.f_code.co_name == "<module>" else 0
            problems += predicted_calls(program, by_name, line)
    foreseen = {problem.nodes[0] for problem in problems if problem.nodes}
    for root in dict.fromkeys(roots):
        outcome = verdict_of_node(root, walk=root.id in blocked).backward
        if outcome.problem is None or root.id in foreseen:
            continue
        if len(roots) > 1 and not root.parents:
            continue  # parameters of a module and the like: nobody would call backward on them
        problem = outcome.problem
        if problem.cause is None:
            problem = replace(problem, cause=root.source)
        problems.append(named(problem, found[root.id][0] if root.id in found else None))
    roots_found = [found[root.id][1] for root in dict.fromkeys(roots) if root.id in found]
    if len(roots_found) == len(set(roots)) and not any(
        root.captured_as_constant for root in roots_found
    ):
        filename = None if frame is None else frame.f_code.co_filename
        known_members = all(tensor.node in roots for tensor in roots_found)
        question = question_of(
            roots_found,
            None,
            None,
            names.namespaces(frame),
            filename,
            brief=True,
            members=members if known_members else None,
            reached=_reached(drawn, roots) if known_members else None,
        )
        known = {problem.slug for problem in problems} | _NOT_IN_PICTURES
        problems += [problem for problem in examine(question) if problem.slug not in known]
    return problems


def _reached(drawn: Graph, roots: list[Node]) -> set[int] | None:
    """Numbers of what a gradient from roots reaches, where their graph tells."""
    position = drawn.table.position
    return drawn.table.reached_from(position[root.id] for root in roots if root.requirement)
