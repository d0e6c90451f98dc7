"""What every view may ask: one node with its verdict and fixes."""

from __future__ import annotations

from gradviz.graph.marks import problems_at
from gradviz.graph.model import NodeView
from gradviz.graph.view import node_view
from gradviz.widgets.channel import Question, answers


@answers("node")
def node(question: Question) -> NodeView:
    """Everything known of a node, the fixes of its verdict included: they take time to find.

    Args:
        question: `node` names the node.
    """
    found = question.node()
    return node_view(found, problems_at(question.graph).get(found.id, ()))
