"""The comm target `gradviz`: how views in JupyterLab ask the kernel they belong to."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from gradviz.graph.graph import Graph
from gradviz.graph.model import CHANNEL
from gradviz.widgets import kept
from gradviz.widgets.channel import answer

_managers: list[Any] = []


def keep(graph: Graph, things: Iterable[Any] = ()) -> str | None:
    """Keeps a graph for the views of this kernel; None where no kernel runs."""
    return kept.keep(graph, things) if listen() else None


def listen() -> bool:
    """Whether questions can arrive; the first call starts to listen for them."""
    shell = sys.modules.get("IPython")
    running = None if shell is None else shell.get_ipython()
    if running is None or getattr(running, "kernel", None) is None:
        return False
    try:
        from comm import get_comm_manager
    except ImportError:  # an old kernel: views go on with what they were given
        return False
    manager = get_comm_manager()
    if all(known is not manager for known in _managers):
        manager.register_target(CHANNEL, opened)
        _managers.append(manager)
    return True


def opened(comm: Any, _: Any) -> None:
    """A view has opened a comm: its messages are questions."""

    def asked(message: Any) -> None:
        data, buffers = answer(message["content"].get("data"), message.get("buffers") or ())
        comm.send(data=data, buffers=buffers or None)

    comm.on_msg(asked)
    # Front ends may send messages to another thread than the one that opens comms and runs cells:
    # they wait for this before they ask, since what came earlier would be dropped.
    comm.send(data={"open": True})
