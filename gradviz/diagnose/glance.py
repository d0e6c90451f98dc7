"""A glance at the gradients of a large graph: whether anything in them is worth a whole pass.

Looking at every step of a backward pass takes as long as the pass. Where all numbers that the graph
has saved are ordinary ones and every operation has a finite slope there, gradients can only leave
the range of floating point numbers by growing from step to step; and whether they grow shows in the
first few thousand steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, islice
from operator import attrgetter
from typing import Any, Final

from gradviz.autodiff.checkpoint import Recomputation
from gradviz.autodiff.node import GRAD_IN_BACKWARD, Node, OwnNode
from gradviz.backends.ndarray import numerics
from gradviz.diagnose.flow import elements_of, is_singular

MOST_STEPS: Final = 3_000
"""Steps that are run to see whether gradients grow."""

MOST_RECOMPUTED: Final = 4_000_000
"""Elements that are computed again for a glance: whoever recomputes has little memory to spare."""

_ORDINARY: Final = 1e6
"""The largest number that is nothing to wonder about."""

_GENTLE: Final = frozenset(
    """
    add sub mul neg abs square matmul linear mse_loss l1_loss huber_loss smooth_l1_loss nll_loss
    cross_entropy binary_cross_entropy_with_logits sum mean cumsum reshape flatten unflatten squeeze
    unsqueeze permute transpose expand repeat flip roll pad unpad cat stack spread sum_to slice
    index take gather index_select embedding tril triu cast where masked_fill clamp maximum minimum
    max_dim min_dim exp sin cos tanh sigmoid erf softmax log_softmax attention_weights logsumexp
    relu leaky_relu relu6 hardtanh elu selu silu gelu mish softplus softsign logsigmoid hardswish
    hardsigmoid layer_norm batch_norm group_norm instance_norm rms_norm conv1d conv2d conv3d
    lstm_cell gru_cell max_pool1d max_pool2d avg_pool1d avg_pool2d unfold pixel_shuffle
    """.split()
)
"""Operations whose slopes are finite wherever the numbers that they save are."""


def stays_ordinary(root: Node, nodes: list[Node]) -> bool:
    """Whether nothing suggests that a gradient from a root would be infinite or nan.

    Args:
        root: where the gradient starts.
        nodes: every computed node that it reaches, newest first; their values are still there, or
            what they are recomputed from.
    """
    balanced = root.meta.device.checkpointing == "balanced"
    wild = {step for step in set(map(_STEP, nodes)) if step.row.name not in _GENTLE}
    if balanced and (wild or elements_of(nodes) > MOST_RECOMPUTED):
        return False
    recall = Recomputation(root.meta.device.backend.namespace) if balanced else None
    with numerics.quiet():
        again = [] if recall is None else recall.ahead(reversed(nodes))
    if not numerics.magnitude(_arrays([*map(_SAVED, nodes), *again])) <= _ORDINARY:
        return False
    if wild and any(node.step in wild and is_singular(node) for node in nodes):
        return False
    return _grows_little(root, nodes, recall)


_STEP: Final = attrgetter("step")
_SAVED: Final = attrgetter("saved")


def _arrays(saved: list[Any]) -> Iterator[Any]:
    """The arrays of numbers among what nodes have saved, each once."""
    single = [value for value in saved if not isinstance(value, tuple)]
    several = chain.from_iterable(value for value in saved if isinstance(value, tuple))
    values = [*single, *several]
    return filter(numerics.holds_floats, dict(zip(map(id, values), values, strict=True)).values())


def _grows_little(root: Node, nodes: list[Node], recall: Recomputation | None) -> bool:
    """Whether gradients that go on as in the first steps end far from the largest number."""
    xp = root.meta.device.backend.namespace
    pending: dict[Node, Any] = {root: numerics.ones(root.meta.shape, root.meta.dtype)}
    with numerics.quiet():
        for node in islice(nodes, MOST_STEPS):
            incoming = pending.pop(node, None)
            if incoming is not None and node.__class__ is not OwnNode:
                saved = node.saved
                if recall is not None:
                    saved = recall.values(node, node.step.saved, saved)
                node.step.run(incoming, saved, node, pending, xp)
    waiting = [part for node, part in pending.items() if node.requirement == GRAD_IN_BACKWARD]
    summed = [part for node, part in pending.items() if node.requirement != GRAD_IN_BACKWARD]
    size, total = numerics.magnitude(waiting), numerics.magnitude(summed)
    if not (size <= _ORDINARY and math.isfinite(total)):
        return False
    room = math.log(min(map(numerics.largest_number, pending.values()), default=math.inf))
    grown = 2 * math.log(max(size, 1.0)) * len(nodes) / MOST_STEPS
    # Every step may add a gradient times a saved number to what a leaf has got already.
    most = math.log(_ORDINARY) + math.log(len(nodes))
    return grown + most < room and math.log(max(total, 1.0)) + most < room
