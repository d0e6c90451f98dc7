"""Marking a tensor that is in the middle of a graph."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

NON_LEAF: Final = Record(
    slug="can-t-convert-a-non-leaf-tensor-into-a-tracked-ten",
    message="Can't convert a non leaf tensor into a tracked tensor",
    severity="error",
    documentation=(
        "A mark says: the graph begins here. That is possible for a leaf, and harmless for a "
        "tensor that is marked already. A tensor computed from tracked ones has a place in the "
        "middle of a graph; beginning a new graph there would drop the path to everything it "
        "was computed from, silently. So the mark is refused, and the way out depends on what "
        "was wanted: a gradient for this tensor (retain_grad) or a fresh start (detach, then "
        "require_grad)."
    ),
    trigger_scenarios=(
        Scenario(
            "The result of a matrix product is marked",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([[0.5, -1.0], [0.25, 2.0]], requires_grad=True)
                hidden = gv.tensor([[1.0, 3.0]]) @ weight
                hidden.require_grad()  # fails: hidden is computed from weight
                """
            ),
        ),
        Scenario(
            "The result of a convolution is marked",
            code(
                """
                import gradviz as gv

                kernel = gv.tensor([0.5, 1.0, -0.5], requires_grad=True)
                signal = gv.arange(8.0)
                windows = gv.stack([signal[n : n + 3] for n in range(6)])
                feature = windows @ kernel
                feature.require_grad()  # fails: a feature map is computed from the kernel
                """
            ),
        ),
        Scenario(
            "A training loop chains the mark to the arithmetic of its update",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([2.0, -1.0], requires_grad=True)
                for _ in range(2):
                    slope = weight.grad((weight * weight).sum().backward())
                    weight = (weight - 0.1 * slope).require_grad()  # fails: the update is recorded
                """
            ),
        ),
        Scenario(
            "A running sum inside a loop is marked to collect gradients half way",
            code(
                """
                import gradviz as gv

                gain = gv.tensor(0.9, requires_grad=True)
                total = gv.tensor(0.0)
                for value in (1.0, 2.0):
                    total = total + gain * value
                    total = total.set_require_grad(True)  # fails: total depends on gain already
                """
            ),
        ),
        Scenario(
            "Unfreezing reaches a cached intermediate instead of a parameter",
            code(
                """
                import gradviz as gv

                backbone = gv.nn.Linear(2, 3)
                cache = {"features": backbone(gv.tensor([[1.0, -1.0]]))}

                def thaw(tensors):
                    for t in tensors:
                        t.require_grad()  # fails: the features belong to the backbone's graph

                thaw(cache.values())
                """
            ),
        ),
        Scenario(
            "A layout change of a tracked tensor is marked",
            code(
                """
                import gradviz as gv

                table = gv.arange(6, dtype="float32", requires_grad=True)
                grid = table.reshape(2, 3)
                grid.require_grad()  # fails: reshape gives a result, not another name for the leaf
                """
            ),
        ),
    ),
    common_situations=(
        "A freeze/unfreeze helper walks over everything it finds, cached activations included.",
        "A hand-written loop changes what requires a gradient in the middle of a step.",
        "A PyTorch script that called requires_grad_() or retain_grad() is carried over.",
        "The leaf was cast, moved or reshaped first, and the mark came after that.",
    ),
    solutions=(
        Solution(
            "Mark the leaf, when it is created",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([[0.5, -1.0], [0.25, 2.0]], requires_grad=True)
                hidden = gv.tensor([[1.0, 3.0]]) @ weight
                assert weight.grad(hidden.sum().backward()).tolist() == [[1.0, 1.0], [3.0, 3.0]]
                """
            ),
        ),
        Solution(
            "Keep an intermediate's gradient with retain_grad",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.5, -1.0], requires_grad=True)
                hidden = weight * 3.0
                hidden.retain_grad()
                grads = (hidden * hidden).sum().backward()
                assert hidden.grad(grads).tolist() == [3.0, -6.0]
                assert weight.grad(grads).tolist() == [9.0, -18.0]
                """
            ),
        ),
        Solution(
            "Detach first where a new graph is meant to begin",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([[0.5, -1.0], [0.25, 2.0]], requires_grad=True)
                hidden = (gv.tensor([[1.0, 3.0]]) @ weight).detach().require_grad()
                grads = hidden.sum().backward()
                assert hidden.is_leaf and hidden.grad(grads) is not None
                assert weight.grad(grads) is None  # the price of the cut
                """
            ),
        ),
        Solution(
            "Decide once, where tensors are created, not in the middle of a step",
            code(
                """
                import gradviz as gv

                def make(values, trainable):
                    return gv.tensor(values, requires_grad=trainable)

                scale, offset = make([2.0], True), make([1.0], False)
                grads = (scale * 3.0 + offset).sum().backward()
                assert scale.grad(grads).tolist() == [3.0] and not offset.is_require_grad
                """
            ),
        ),
        Solution(
            "Keep what you toggle in a module, and toggle the module",
            code(
                """
                import gradviz as gv

                backbone, head = gv.nn.Linear(2, 3), gv.nn.Linear(3, 1)
                batch = gv.tensor([[1.0, -1.0]])
                backbone.freeze()
                grads = head(backbone(batch)).sum().backward()
                assert head.weight.grad(grads) is not None
                assert backbone.weight.grad(grads) is None
                backbone.unfreeze()
                grads = head(backbone(batch)).sum().backward()
                assert backbone.weight.grad(grads) is not None
                """
            ),
        ),
        Solution(
            "Update by hand on detached values and mark the new leaf",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([2.0, -1.0], requires_grad=True)
                for _ in range(2):
                    slope = weight.grad((weight * weight).sum().backward())
                    weight = (weight.detach() - 0.25 * slope).require_grad()
                assert weight.is_leaf and weight.tolist() == [0.5, -0.25]
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        weight = gv.tensor([[1.0, 2.0]], requires_grad=True)
        out = weight @ gv.tensor([[3.0], [4.0]])
        out.require_grad()  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        weight = gv.tensor([[1.0, 2.0]], requires_grad=True)
        out = weight @ gv.tensor([[3.0], [4.0]])
        out.retain_grad()  # or out = out.detach().require_grad(), to begin anew
        grads = out.sum().backward()
        assert out.grad(grads).tolist() == [[1.0]]
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0, 2.0], requires_grad=True)
        gv.ensure_leaf(weight)  # raises this very error for a result
        fresh = gv.safe_require_grad(weight * 2.0)  # detaches a result first
        assert fresh.is_leaf and fresh.is_require_grad
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0, 2.0], requires_grad=True)
        assert gv.is_leaf(weight) and not gv.is_leaf(weight * 2.0)
        assert (weight * 2.0).requirement == "grad_in_backward"
        """
    ),
    handling=code(
        """
        import gradviz as gv

        hidden = gv.tensor([1.0, 2.0], requires_grad=True) * 2.0
        try:
            hidden.require_grad()
        except gv.GradvizError as error:
            if error.slug != "can-t-convert-a-non-leaf-tensor-into-a-tracked-ten":
                raise
            hidden.retain_grad()  # its gradient was all that was wanted
        assert hidden.grad(hidden.sum().backward()).tolist() == [1.0, 1.0]
        """
    ),
    prevention=(
        "Call require_grad only on what you created, never on what an operation returned.",
        "Write detach() in front of require_grad() wherever a graph is cut on purpose.",
        "Let modules own what can be frozen, and use freeze() and unfreeze().",
        "Don't carry PyTorch's requires_grad_() over line by line: ask what it was there for.",
    ),
    tags=("require_grad", "leaf", "freeze", "detach", "retain_grad", "training-loop"),
)

RECORDS: Final = (NON_LEAF,)
