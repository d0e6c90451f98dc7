"""What modules leave behind for the diagnosis: which ones live, what was frozen, what was replaced.

Nothing here keeps a module or a parameter alive.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, WeakValueDictionary

from gradviz.autodiff.node import Node, next_id
from gradviz.backends.capture.backend import dry_run
from gradviz.core.context import call_site
from gradviz.core.source import SourceSpan, span

if TYPE_CHECKING:
    from gradviz.nn.module import Module
    from gradviz.nn.parameter import Parameter


@dataclass(slots=True)
class Event:
    """Something done to a parameter, and where.

    Attributes:
        place: the user's code that did it.
        at: when, in the numbering of node ids.
        until: when it was undone, in the same numbering; None while it holds.
    """

    place: tuple[CodeType | None, int]
    at: int
    until: int | None = None

    @property
    def source(self) -> SourceSpan | None:
        """The user's expression that did it."""
        return span(*self.place)


# By identity: a class of modules may define equality and then has no hash.
_modules: WeakValueDictionary[int, Module] = WeakValueDictionary()
_freezes: WeakKeyDictionary[Node, Event] = WeakKeyDictionary()
_replacements: WeakKeyDictionary[Node, Event] = WeakKeyDictionary()


def live_modules() -> list[Module]:
    """Every module that is alive, the oldest first."""
    return list(_modules.values())


def root_modules() -> list[Module]:
    """Every live module that no other live module holds."""
    held = {id(child) for module in live_modules() for child in module.children()}
    return [module for module in live_modules() if id(module) not in held]


def owners(parameter: Parameter) -> list[tuple[Module, str]]:
    """The live modules that hold a parameter themselves, each with the attribute's name."""
    return [
        (module, name)
        for module in live_modules()
        for name, value in module.named_parameters(recurse=False, remove_duplicate=False)
        if value is parameter
    ]


def freeze_of(parameter: Parameter) -> Event | None:
    """The last freeze of a parameter, also where it has been undone; None where there was none."""
    return _freezes.get(parameter.node)


def freeze_of_node(node: Node) -> Event | None:
    """The last freeze of the parameter with this node; None where there was none."""
    return _freezes.get(node)


def replacement_of(parameter: Parameter) -> Event | None:
    """Where a module's attribute that held the parameter was given another value."""
    return _replacements.get(parameter.node)


def note_module(module: Module) -> None:
    """Remembers a module that has just been made."""
    _modules[id(module)] = module
    run = dry_run()
    if run is not None:
        run.kept.append(module)  # the diagnosis comes when the function is over


def note_freeze(parameter: Parameter) -> None:
    """Remembers that a parameter rests from now on."""
    _freezes[parameter.node] = Event(call_site(), next_id())


def keep_freeze(node: Node, event: Event | None) -> None:
    """Makes an event the last freeze of a node, or says that there was none."""
    if event is None:
        _freezes.pop(node, None)
    else:
        _freezes[node] = event


def note_unfreeze(parameter: Parameter) -> None:
    """Remembers that a parameter learns again."""
    event = _freezes.get(parameter.node)
    if event is not None and event.until is None:
        event.until = next_id()


def note_replaced(parameters: list[Parameter]) -> None:
    """Remembers parameters that an assignment has just thrown out of a module."""
    if parameters:
        event = Event(call_site(), next_id())
        for parameter in parameters:
            _replacements[parameter.node] = event
