"""Roots and results: sums that nobody asked for, shapes that grew, gradients that weren't kept."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

NON_SCALAR: Final = Record(
    slug="non-scalar-root",
    message="The root has shape {shape}, so backward differentiates the sum of its elements",
    severity="warning",
    documentation=(
        "backward starts with a one for every element of the root. For a root with several "
        "elements that is the gradient of their sum, not of their mean, so the step size grows "
        "with the batch. Reduce the loss yourself, or pass gradient= to weigh the elements."
    ),
    trigger_scenarios=(
        Scenario(
            "The loss was never reduced",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
                loss = (weight - 1.0) ** 2  # cause: one number per element
                # gv.diagnose(loss, wrt=[weight])
                grads = loss.backward()
                assert loss.size == 4
                assert weight.grad(grads).tolist() == [0.0, 2.0, 4.0, 6.0]  # of the sum
                """
            ),
        ),
        Scenario(
            "A loss function was told not to reduce",
            code(
                """
                import gradviz as gv

                scores = gv.tensor([[0.0, 0.0], [0.0, 0.0]], requires_grad=True)
                labels = gv.tensor([0, 1])
                loss = gv.cross_entropy(scores, labels, reduction="none")  # cause: per sample
                # gv.diagnose(loss, wrt=[scores])
                assert scores.grad(loss.backward()).tolist() == [[-0.5, 0.5], [0.5, -0.5]]
                """
            ),
        ),
    ),
    common_situations=(
        "mean() was forgotten, and training diverges as soon as the batch gets larger.",
        'reduction="none" was set for a report and stayed.',
    ),
    solutions=(
        Solution(
            "Reduce the loss with mean() or sum()",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
                loss = ((weight - 1.0) ** 2).mean()
                assert weight.grad(loss.backward()).tolist() == [0.0, 0.5, 1.0, 1.5]
                """
            ),
        ),
        Solution(
            "Say how much each element counts with gradient=",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                parts = weight * weight
                grads = parts.backward(gradient=gv.tensor([1.0, 0.5]))
                assert weight.grad(grads).tolist() == [2.0, 2.0]
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        weight = gv.ones(3, 1, requires_grad=True)
        loss = (gv.ones(8, 3) @ weight) ** 2
        assert loss.shape == (8, 1)
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        weight = gv.ones(3, 1, requires_grad=True)
        loss = ((gv.ones(8, 3) @ weight) ** 2).mean()
        assert weight.grad(loss.backward()).tolist() == [[6.0], [6.0], [6.0]]
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        loss = (gv.ones(3, requires_grad=True) ** 2).mean()
        assert loss.size == 1, "reduce the loss before backward"
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        def is_scalar(t):
            return t.size == 1

        assert is_scalar(gv.ones(3).sum()) and not is_scalar(gv.ones(3))
        """
    ),
    handling=code(
        """
        import gradviz as gv

        loss = gv.ones(3, requires_grad=True) ** 2
        if any(p.slug == "non-scalar-root" for p in gv.diagnose(loss).problems):
            loss = loss.mean()
        assert loss.size == 1
        """
    ),
    prevention=("End every loss function with a reduction, and name it in the function's help.",),
    tags=("backward", "root", "reduction", "shape"),
)

BROADCAST: Final = Record(
    slug="suspicious-broadcast",
    message="{operation}: shapes {lhs} and {rhs} broadcast to {result}, larger than either",
    severity="warning",
    documentation=(
        "A column (n, 1) and a row (n,) broadcast to a table (n, n). In a loss this compares "
        "every prediction with every target: it runs, it learns something, and that is wrong. "
        "The usual outcome is a model that predicts the mean."
    ),
    trigger_scenarios=(
        Scenario(
            "A column of predictions meets a row of targets",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([[0.5], [0.5]], requires_grad=True)
                x = gv.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
                target = gv.tensor([1.0, 2.0, 3.0])
                error = x @ weight - target  # cause: (3, 1) minus (3,)
                loss = (error ** 2).mean()
                # gv.diagnose(loss, wrt=[weight])
                assert error.shape == (3, 3)
                """
            ),
        ),
        Scenario(
            "A loss function gets both",
            code(
                """
                import gradviz as gv

                prediction = gv.tensor([[1.0], [2.0]], requires_grad=True)
                loss = gv.mse_loss(prediction, gv.tensor([1.0, 2.0]))  # cause: (2, 1) and (2,)
                # gv.diagnose(loss, wrt=[prediction])
                assert loss.item() == 0.5  # although every prediction is right
                """
            ),
        ),
    ),
    common_situations=(
        "The last layer has one output and the targets are a plain list.",
        "A warning about sizes was silenced in another library, and the code was carried over.",
    ),
    solutions=(
        Solution(
            "Drop the dimension of size 1 from the prediction",
            code(
                """
                import gradviz as gv

                prediction = gv.tensor([[1.0], [2.0]], requires_grad=True)
                loss = gv.mse_loss(prediction.squeeze(1), gv.tensor([1.0, 2.0]))
                assert loss.item() == 0.0
                """
            ),
        ),
        Solution(
            "Give the target the dimension instead",
            code(
                """
                import gradviz as gv

                prediction = gv.tensor([[1.0], [2.0]], requires_grad=True)
                target = gv.tensor([1.0, 2.0]).unsqueeze(1)
                assert prediction.shape == target.shape
                assert gv.mse_loss(prediction, target).item() == 0.0
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        model = gv.nn.Linear(4, 1)
        x, y = gv.ones(16, 4), gv.zeros(16)
        error = model(x) - y
        assert error.shape == (16, 16)
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        model = gv.nn.Linear(4, 1)
        x, y = gv.ones(16, 4), gv.zeros(16)
        error = model(x).squeeze(1) - y
        assert error.shape == (16,)
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        prediction, target = gv.zeros(8), gv.ones(8)
        assert prediction.shape == target.shape
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        def same_shape(a, b):
            return a.shape == b.shape

        assert not same_shape(gv.zeros(8, 1), gv.zeros(8))
        """
    ),
    handling=code(
        """
        import gradviz as gv

        prediction, target = gv.zeros(8, 1, requires_grad=True), gv.ones(8)
        loss = ((prediction - target) ** 2).mean()
        if any(p.slug == "suspicious-broadcast" for p in gv.diagnose(loss).problems):
            loss = ((prediction.squeeze(1) - target) ** 2).mean()
        """
    ),
    prevention=("Assert prediction.shape == target.shape at the top of a loss function.",),
    tags=("broadcast", "shape", "loss", "squeeze"),
)

OF_NON_LEAF: Final = Record(
    slug="gradient-of-non-leaf",
    message="The gradient of {tensor}, a result, was used up on the way to the leaves",
    severity="warning",
    documentation=(
        "backward needs the gradient of a result only to compute those of its inputs, and then "
        "lets it go. Leaves keep theirs. retain_grad() before backward keeps a result's as "
        "well."
    ),
    trigger_scenarios=(
        Scenario(
            "The gradient of an activation is asked for",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.5, -1.0], requires_grad=True)
                hidden = weight * 2.0  # cause: a result, and nobody said it should keep anything
                loss = (hidden * hidden).sum()
                # gv.diagnose(loss, wrt=[hidden])
                assert hidden.grad(loss.backward()) is None
                """
            ),
        ),
        Scenario(
            "A cast took the leaf's name",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.5, -1.0], dtype="float64", requires_grad=True)
                weight = weight.float()  # cause: the name now stands for a result
                loss = (weight * weight).sum()
                # gv.diagnose(loss, wrt=[weight])
                assert weight.grad(loss.backward()) is None
                """
            ),
        ),
    ),
    common_situations=(
        "Activation gradients are wanted for a saliency picture.",
        "A parameter was cast, moved or reshaped after it had been marked.",
    ),
    solutions=(
        Solution(
            "Call retain_grad before backward",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.5, -1.0], requires_grad=True)
                hidden = weight * 2.0
                hidden.retain_grad()
                grads = (hidden * hidden).sum().backward()
                assert hidden.grad(grads).tolist() == [2.0, -4.0]
                """
            ),
        ),
        Solution(
            "Create the leaf in its final dtype, shape and place",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.5, -1.0], dtype="float32", requires_grad=True)
                assert weight.grad((weight * weight).sum().backward()).tolist() == [1.0, -2.0]
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        image = gv.ones(1, 4, requires_grad=True)
        maps = gv.relu(image * 3.0)
        grads = maps.sum().backward()
        assert maps.grad(grads) is None
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        image = gv.ones(1, 4, requires_grad=True)
        maps = gv.relu(image * 3.0)
        maps.retain_grad()
        grads = maps.sum().backward()
        assert maps.grad(grads).tolist() == [[1.0, 1.0, 1.0, 1.0]]
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        weight = gv.tensor([0.5], requires_grad=True)
        wanted = [weight]
        assert all(gv.is_leaf(t) for t in wanted)
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        weight = gv.tensor([0.5], requires_grad=True)
        assert gv.is_leaf(weight) and not gv.is_leaf(weight * 2.0)
        """
    ),
    handling=code(
        """
        import gradviz as gv

        hidden = gv.tensor([0.5], requires_grad=True) * 2.0
        loss = hidden.sum()
        for problem in gv.diagnose(loss, wrt=[hidden]).problems:
            if problem.slug == "gradient-of-non-leaf":
                hidden.retain_grad()
        assert hidden.grad(loss.backward()) is not None
        """
    ),
    prevention=(
        "Cast and move first, mark last.",
        "Decide before backward which intermediates you want to look at.",
    ),
    tags=("retain_grad", "leaf", "cast", "activation"),
)

RECORDS: Final = (NON_SCALAR, BROADCAST, OF_NON_LEAF)
