"""Rules about modules and optimizers: parameters that train nobody updates."""

from __future__ import annotations

import gc
from dataclasses import replace
from types import CellType, FunctionType
from typing import Any

from gradviz.autodiff.node import GRAD, NONE, Node
from gradviz.core.source import SourceSpan, span
from gradviz.diagnose.question import Question
from gradviz.diagnose.rules.marks import marked_at
from gradviz.errors.problem import Problem
from gradviz.graph.build import unlifted
from gradviz.graph.names import attributes, contents
from gradviz.nn.module import Module
from gradviz.nn.parameter import Parameter
from gradviz.nn.registry import freeze_of_node, live_modules, replacement_of, root_modules
from gradviz.optim.optimizer import Optimizer
from gradviz.optim.registry import live_optimizers
from gradviz.tensor.base import Tensor


def bookkeeping(question: Question) -> list[Problem]:
    """Leaves the root reaches that no optimizer updates, and frozen ones that are asked about."""
    return _frozen(question) + _not_updated(question)


def _frozen(question: Question) -> list[Problem]:
    """Frozen parameters that are asked about, those of one `freeze()` together."""
    groups: dict[SourceSpan | None, list[Node]] = {}
    for tensor in question.wrt or ():
        node = tensor.node
        own = unlifted(node)  # a recording has a tensor of its own for every parameter
        if node.requirement != NONE or not (isinstance(tensor, Parameter) or own.op == "parameter"):
            continue
        if node.id in question.reached:
            continue  # frozen after its use: this pass still gives it a gradient
        event = freeze_of_node(own)
        cause = event.source if event is not None else node.source
        groups.setdefault(cause, []).append(node)
    found = []
    for cause, nodes in groups.items():
        names = ", ".join(question.name(node) for node in nodes[:3])
        more = f" and {len(nodes) - 3} more" if len(nodes) > 3 else ""
        said = "is frozen, so it gets" if len(nodes) == 1 else "are frozen, so they get"
        found.append(
            question.problem(
                "parameter-frozen",
                f"{names}{more} {said} no gradient.",
                node=nodes[0],
                cause=cause if isinstance(cause, SourceSpan) else None,
                advice="Call `unfreeze()` on the module before the forward pass.",
                path=tuple(nodes[1:]),
            )
        )
    return found


def _optimizers(question: Question) -> list[Optimizer]:
    """The optimizers that the user's variables hold, also in containers, objects and closures.

    Where they hold none: those that are alive and have to do with what is asked about.
    """
    known: set[int] = set()
    for value in list(question.space.values()):
        known.add(id(value))
        known.update(id(item) for item in _held_by(value))
    found = [optimizer for optimizer in live_optimizers() if id(optimizer) in known]
    if found:
        return found
    found = [item for item in live_optimizers() if _concerns(item, question)]
    if found or not any(_is_outdated(item) for item in live_optimizers()):
        return found
    # What it holds was replaced, perhaps by what is asked about; one that nobody has any more is
    # no optimizer of this program.
    gc.collect()
    return [item for item in live_optimizers() if _is_outdated(item)]


def _concerns(optimizer: Optimizer, question: Question) -> bool:
    """Whether an optimizer holds something asked about or computed with."""
    asked = {leaf.id for leaf in question.leaves()}
    return any(
        parameter.node.id in question.history or parameter.node.id in asked
        for parameter in optimizer.parameters()
    )


def _is_outdated(optimizer: Optimizer) -> bool:
    """Whether a module has replaced something it holds."""
    return any(
        isinstance(parameter, Parameter) and replacement_of(parameter) is not None
        for parameter in optimizer.parameters()
    )


def _held_by(value: Any) -> list[Any]:
    """What a variable holds one level deep; nothing the user wrote is run."""
    if isinstance(value, FunctionType):
        cells = value.__closure__ or ()
        return [cell.cell_contents for cell in cells if _is_filled(cell)]
    if type(value).__module__ == "__main__" and not isinstance(value, type):
        return list(attributes(value).values())
    return contents(value)


def _is_filled(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _not_updated(question: Question) -> list[Problem]:
    optimizers = _optimizers(question)
    if not optimizers:
        return _hidden_parameters(question)
    held = {
        parameter.node.id: parameter
        for optimizer in optimizers
        for group in optimizer.param_groups
        for parameter in group["params"]
    }
    reached = [
        question.history[number]
        for number in sorted(question.reached)
        if number in question.history and question.history[number].requirement == GRAD
    ]
    missing = [node for node in reached if node.id not in held]
    reaches_held = any(node.id in held for node in reached)
    homes = _homes()
    plain = _plain_attributes() | _in_containers()
    found: list[Problem] = []
    bare: list[Node] = []
    for node in missing:
        home = homes.get(node.id)
        if home is None and node.op != "parameter" and node not in plain:
            bare.append(node)
            continue
        problem = _missing(question, node, home, held, optimizers, reaches_held)
        if problem is not None:
            _join(found, problem)
    for problem in _bare_leaves(question, bare, held, optimizers):
        _join(found, problem)
    return found


def _join(found: list[Problem], problem: Problem) -> None:
    """Adds a problem, or what it is about to one of the same kind and place."""
    for at, known in enumerate(found):
        if known.slug == problem.slug and known.cause == problem.cause:
            more = [fact for fact in problem.facts if fact[0] == "left out"]
            facts = known.facts + tuple(fact for fact in more if fact not in known.facts)
            found[at] = replace(known, facts=facts)
            return
    found.append(problem)


def _bare_leaves(
    question: Question, bare: list[Node], held: dict[int, Tensor], optimizers: list[Optimizer]
) -> list[Problem]:
    """Marked tensors outside modules, where the optimizers hold such tensors and nothing else.

    Users update such leaves by hand as well, and differentiate with respect to inputs. So only
    those count that are asked about beside one that is held, or that took the place of one.
    """
    asked = {leaf.id for leaf in question.leaves()}
    wanted = [node for node in bare if node.id in asked]
    if not wanted or any(isinstance(tensor, Parameter) for tensor in held.values()):
        return []
    lost = [
        tensor.node
        for number, tensor in held.items()
        if number not in question.reached and number not in question.names
    ]
    found: list[Problem] = []
    for node in wanted:
        old = next((other for other in lost if other.meta.shape == node.meta.shape), None)
        if old is not None:
            lost.remove(old)
            place = marked_at(node) or node.source if node.id > old.id else None
            found.append(_stale(question, node, place or _made_at(optimizers[-1])))
        elif asked & set(held) & question.reached:
            found.append(_not_held(question, node, optimizers))
    return found


def _hidden_parameters(question: Question) -> list[Problem]:
    """Without an optimizer: leaves on the way whose module doesn't list them as parameters."""
    found: list[Problem] = []
    homes = _homes()
    unlisted = _plain_attributes() | _in_containers()
    for number in sorted(question.reached):
        node = question.history.get(number)
        if node is None or node.requirement != GRAD:
            continue
        forgotten = node.op == "parameter" and number not in question.names and number not in homes
        if forgotten or node in unlisted:
            problem = _unregistered(question, node)
            if not any(known.cause == problem.cause for known in found):
                found.append(problem)
    return found


def _in_containers() -> set[Node]:
    """What modules keep in plain lists and dicts: tensors, and parameters of modules there."""
    found: set[Node] = set()
    for module in live_modules():
        for value in vars(module).values():
            for item in contents(value):
                if issubclass(type(item), Tensor):
                    found.add(item.node)
                elif issubclass(type(item), Module):
                    found.update(parameter.node for parameter in item.parameters())
    return found


def _unregistered(question: Question, node: Node) -> Problem:
    return question.problem(
        "parameter-not-registered",
        f"{question.name(node)} gets a gradient, but no module has it as a parameter, so "
        "`parameters()` doesn't list it and an optimizer never updates it.",
        node=node,
        cause=node.source,
        advice="Assign it to `self` in the constructor, as a `gv.nn.Parameter` or a module, lists "
        "as `gv.nn.ModuleList` or `gv.nn.ParameterList`.",
    )


def _homes() -> dict[int, Module]:
    """For every registered parameter's node the outermost module that holds it."""
    found: dict[int, Module] = {}
    for module in root_modules():
        for parameter in module.parameters():
            found.setdefault(parameter.node.id, module)
    return found


def _plain_attributes() -> set[Node]:
    """Tensors that modules have as attributes without having them as parameters."""
    return {
        value.node
        for module in live_modules()
        for value in vars(module).values()
        if issubclass(type(value), Tensor) and not issubclass(type(value), Parameter)
    }


def _missing(
    question: Question,
    node: Node,
    home: Module | None,
    held: dict[int, Tensor],
    optimizers: list[Optimizer],
    reaches_held: bool,
) -> Problem | None:
    in_family = home is not None and any(
        parameter.node.id in held for parameter in home.parameters()
    )
    inside = node in _in_containers() or node in _plain_attributes()
    if home is None and not inside and node.id in question.names:
        return _not_held(question, node, optimizers)  # beside the modules, by a name of its own
    hidden = inside or not (home is not None and _has_name(question, home))
    if home is None or (not in_family and reaches_held and hidden):
        return _unregistered(question, node)
    stale = [
        parameter
        for parameter in held.values()
        if isinstance(parameter, Parameter) and replacement_of(parameter) is not None
    ]
    if stale and (in_family or len(stale) == len(held)):
        event = replacement_of(stale[0])
        cause = event.source if event is not None else node.source
        return _stale(question, node, cause or node.source)
    if _updates_its_own(question, node, reaches_held, in_family):
        return None
    return _not_held(question, node, optimizers)


def _stale(question: Question, node: Node, cause: SourceSpan | None) -> Problem:
    return question.problem(
        "optimizer-holds-stale-parameter",
        f"{question.name(node)} took the place of a parameter that the optimizer still holds; the "
        "new one is never updated.",
        node=node,
        cause=cause,
        advice="Build the optimizer after the parameters have been replaced, or set the old "
        "one's value.",
    )


def _not_held(question: Question, node: Node, optimizers: list[Optimizer]) -> Problem:
    return question.problem(
        "parameter-not-in-optimizer",
        f"{question.name(node)} gets a gradient, but no optimizer holds it.",
        node=node,
        cause=_made_at(optimizers[-1]) or node.source,
        advice="Give the optimizer the parameters of the module that is trained.",
        facts=(("left out", question.names.get(node.id, "?")),),
    )


def _has_name(question: Question, module: Module) -> bool:
    """Whether a module is one of the user's variables, or in a list or dict of theirs."""
    return any(value is module for value in question.space.values()) or any(
        parameter.node.id in question.names for parameter in module.parameters()
    )


def _updates_its_own(question: Question, node: Node, reaches_held: bool, in_family: bool) -> bool:
    """Whether the optimizer trains other parts of the same module on purpose: a filtered list."""
    asked = {leaf.id for leaf in question.leaves()}
    return in_family and reaches_held and bool(asked) and node.id not in asked


def _made_at(optimizer: Optimizer) -> SourceSpan | None:
    return span(*optimizer.made_at)
