"""What every view may ask: one node with its verdict and fixes."""

from __future__ import annotations

from gradviz.graph.columns import columns_bytes
from gradviz.graph.marks import problems_at
from gradviz.graph.model import NodeView
from gradviz.graph.view import node_view
from gradviz.widgets.channel import Answer, Question, answers


@answers("node")
def node(question: Question) -> NodeView:
    """Everything known of a node, the fixes of its verdict included: they take time to find.

    Args:
        question: `node` names the node.
    """
    found = question.node()
    return node_view(found, problems_at(question.graph).get(found.id, ()))


@answers("columns")
def columns(question: Question) -> Answer:
    """The whole graph as columns of bytes, for views whose message was too small for it.

    Args:
        question: without parameters.
    """
    data = columns_bytes(question.graph)
    if data is None:
        raise question.refuse("graph", "in no order that columns can tell")
    return Answer({"nodes": len(question.graph)}, (data,))
