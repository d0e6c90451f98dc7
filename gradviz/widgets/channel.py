"""Questions of views about kept graphs, and who answers them.

A method is a function with a name:

    @answers("node")
    def node(question: Question) -> NodeView: ...

It returns a view of `gradviz.graph.model`, plain data, or an `Answer` with binary buffers. Methods
may come from any module; `_METHODS` names those that are loaded with the first question. Nothing in
a question is trusted: `Question` checks what a method reads from it.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from gradviz.errors import GradvizError, fail
from gradviz.errors.printable import printable
from gradviz.graph.graph import Graph, GraphNode
from gradviz.graph.model import CHANNEL_VERSION, AnswerView, RefusalCode, RefusalView, as_json
from gradviz.widgets import kept

_METHODS: Final = ["gradviz.widgets.answers", "gradviz.widgets.files", "gradviz.widgets.numbers"]
"""Modules with methods, loaded when the first question arrives."""

LONGEST_NAME: Final = 64
LARGEST_NUMBER: Final = 2**53

Buffer = bytes | bytearray | memoryview


@dataclass(frozen=True, slots=True)
class Answer:
    """A result with binary data beside it; arrays travel as they are in memory."""

    result: Any
    buffers: tuple[Buffer, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about a graph.

    Attributes:
        graph: the graph, a snapshot that nothing changes.
        things: the tensors and modules it was drawn from, those that still exist.
        params: arguments, unchecked; the methods below check what they return.
        buffers: binary data that came with the question.
    """

    graph: Graph
    things: tuple[Any, ...]
    params: Mapping[str, Any]
    buffers: tuple[Buffer, ...] = ()

    def node(self, name: str = "node") -> GraphNode:
        """The node that a parameter names as messages do ("n12").

        Raises:
            GradvizError: `invalid-argument` where it names none of the graph's.
        """
        text = self.params.get(name)
        if isinstance(text, str) and text[:1] == "n" and text[1:].isdecimal() and len(text) < 20:
            number = int(text[1:])
            if number in self.graph:
                return self.graph.node(number)
        raise self.refuse(name, "no node of this graph")

    def number(self, name: str, low: int, high: int, default: int | None = None) -> int:
        """A whole number between bounds.

        Raises:
            GradvizError: `invalid-argument` for anything else.
        """
        value = self.params.get(name, default)
        if type(value) is int and low <= value <= high:
            return value
        raise self.refuse(name, f"no whole number from {low} to {high}")

    def text(self, name: str, longest: int = 200, default: str | None = None) -> str:
        """A text of bounded length.

        Raises:
            GradvizError: `invalid-argument` for anything else.
        """
        value = self.params.get(name, default)
        if isinstance(value, str) and len(value) <= longest:
            return value
        raise self.refuse(name, f"no text of at most {longest} characters")

    def refuse(self, name: str, complaint: str) -> GradvizError:
        """The error of a parameter that can't be used; the caller raises it."""
        shown = printable(repr(self.params.get(name))[:200], 80)
        return fail(
            "invalid-argument",
            operation="the question of a view",
            complaint=f"{name} is {shown}, {complaint}",
            advice="Draw the graph again: this view may be from another version.",
        )


Method = Callable[[Question], Any]

_methods: dict[str, Method] = {}
_answering: Final = threading.RLock()
"""One answer at a time: front ends may deliver questions on another thread than cells run on."""


def answers(method: str) -> Callable[[Method], Method]:
    """Makes a function the one that answers a method."""

    def register(function: Method) -> Method:
        _methods[method] = function
        return function

    return register


def answer(message: object, buffers: Sequence[Buffer] = ()) -> tuple[dict[str, Any], list[Buffer]]:
    """The answer to a message, whatever it holds, as JSON-ready data and buffers. Never raises."""
    serial = _serial_of(message)
    try:
        with _answering:
            found = _answer(message if serial >= 0 else None, tuple(buffers))
    except _RefusedError as error:
        return _refusal(serial, error.code, str(error)), []
    except GradvizError as error:
        return _refusal(serial, "refused", error.problem.message), []
    except Exception as error:  # whatever a method stumbles over: the view has to hear of it
        return _refusal(serial, "failed", f"{type(error).__name__}: {error}"), []
    view = AnswerView(CHANNEL_VERSION, serial, _finite(as_json(found.result)))
    return as_json(view), list(found.buffers)


class _RefusedError(Exception):
    def __init__(self, code: RefusalCode, message: str) -> None:
        super().__init__(message)
        self.code: RefusalCode = code


def refused(reason: str) -> Exception:
    """What a method raises that has no answer, with a sentence for people."""
    return _RefusedError("refused", reason)


def _answer(message: object, buffers: tuple[Buffer, ...]) -> Answer:
    if not isinstance(message, dict):
        raise _RefusedError("malformed", "This is no question.")
    if message.get("version") != CHANNEL_VERSION:
        raise _RefusedError("malformed", "The view speaks another version: reload the page.")
    method, key, params = message.get("method"), message.get("graph"), message.get("params", {})
    if not _is_name(method) or not _is_name(key) or not isinstance(params, dict):
        raise _RefusedError("malformed", "The question lacks a method, a graph or its parameters.")
    for name in _METHODS:
        import_module(name)
    function = _methods.get(str(method))
    if function is None:
        raise _RefusedError("unknown-method", f"This kernel can't answer {printable(method, 80)}.")
    known = kept.find(str(key))
    if known is None:
        raise _RefusedError(
            "gone", "The kernel doesn't hold this graph any more: run the cell again."
        )
    result = function(Question(known.graph, known.alive(), params, buffers))
    return result if isinstance(result, Answer) else Answer(result)


def _serial_of(message: object) -> int:
    """The question's number, or -1 where it has none that could be sent back."""
    number = message.get("id") if isinstance(message, dict) else None
    return number if type(number) is int and 0 <= number < LARGEST_NUMBER else -1


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_NAME


def _refusal(serial: int, code: RefusalCode, message: str) -> dict[str, Any]:
    view = AnswerView(CHANNEL_VERSION, serial, None, RefusalView(code, printable(message, 400)))
    data: dict[str, Any] = as_json(view)
    return data


def _finite(value: Any) -> Any:
    """JSON has no NaN and no infinity: they travel as text."""
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return value
