"""Rules about modules and optimizers: parameters that train nobody updates."""

from __future__ import annotations

from gradviz.autodiff.node import GRAD, NONE, Node
from gradviz.core.source import SourceSpan, span
from gradviz.diagnose.question import Question
from gradviz.errors.problem import Problem
from gradviz.graph.build import unlifted
from gradviz.graph.names import contents
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
    """The optimizers that the user's variables hold."""
    known = {id(value) for value in question.space.values()}
    found = [optimizer for optimizer in live_optimizers() if id(optimizer) in known]
    return found or live_optimizers()


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
    plain = _plain_attributes()
    found: list[Problem] = []
    for node in missing:
        home = homes.get(node.id)
        if home is None and node.op != "parameter" and node not in plain:
            continue  # a plain leaf the user updates by hand
        problem = _missing(question, node, home, held, optimizers, reaches_held)
        if problem is not None and not any(
            known.slug == problem.slug and known.cause == problem.cause for known in found
        ):
            found.append(problem)
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
        "as `gv.nn.ModuleList`.",
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
    name = question.name(node)
    in_family = home is not None and any(
        parameter.node.id in held for parameter in home.parameters()
    )
    if home is None or (not in_family and reaches_held and not _has_name(question, home)):
        return _unregistered(question, node)
    stale = [
        parameter
        for parameter in held.values()
        if isinstance(parameter, Parameter) and replacement_of(parameter) is not None
    ]
    if stale and (in_family or len(stale) == len(held)):
        event = replacement_of(stale[0])
        cause = event.source if event is not None else node.source
        return question.problem(
            "optimizer-holds-stale-parameter",
            f"{name} took the place of a parameter that the optimizer still holds; the new one is "
            "never updated.",
            node=node,
            cause=cause or node.source,
            advice="Build the optimizer after the parameters have been replaced, or set the old "
            "one's value.",
        )
    if _updates_its_own(question, node, reaches_held, in_family):
        return None
    return question.problem(
        "parameter-not-in-optimizer",
        f"{name} gets a gradient, but no optimizer holds it.",
        node=node,
        cause=_made_at(optimizers[-1]) or node.source,
        advice="Give the optimizer the parameters of the module that is trained.",
    )


def _has_name(question: Question, module: Module) -> bool:
    """Whether a module is one of the user's variables."""
    return any(value is module for value in question.space.values())


def _updates_its_own(question: Question, node: Node, reaches_held: bool, in_family: bool) -> bool:
    """Whether the optimizer trains other parts of the same module on purpose: a filtered list."""
    asked = {leaf.id for leaf in question.leaves()}
    return in_family and reaches_held and bool(asked) and node.id not in asked


def _made_at(optimizer: Optimizer) -> SourceSpan | None:
    return span(*optimizer.made_at)
