"""Gradients that are there, and are zero."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

ZERO: Final = Record(
    slug="zero-gradient",
    message="The gradient of {leaf} is zero everywhere",
    severity="warning",
    documentation=(
        "The path is there and nothing comes through it: an activation is saturated, a clamp is "
        "at its limit, or a factor is 0. The optimizer steps and the parameter stays where it "
        "is."
    ),
    trigger_scenarios=(
        Scenario(
            "A sigmoid is saturated",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([90.0, 120.0], requires_grad=True)
                gate = gv.sigmoid(weight)  # cause: flat this far from 0
                loss = (gate - 0.5).pow(2).sum()
                # gv.diagnose(loss, wrt=[weight], grads=loss.backward(retain_graph=True))
                assert weight.grad(loss.backward()).tolist() == [0.0, 0.0]
                """
            ),
        ),
        Scenario(
            "A clamp holds every element at its limit",
            code(
                """
                import gradviz as gv

                level = gv.tensor([1.5, 2.0], requires_grad=True)
                limited = gv.clamp(level, min=0.0, max=1.0)  # cause: all beyond the limit
                loss = ((limited - 0.5) ** 2).sum()
                # gv.diagnose(loss, wrt=[level], grads=loss.backward(retain_graph=True))
                assert level.grad(loss.backward()).tolist() == [0.0, 0.0]
                """
            ),
        ),
        Scenario(
            "A weight is multiplied by a weight that starts at 0",
            code(
                """
                import gradviz as gv

                outer = gv.zeros(1, 3, requires_grad=True)  # cause: everything behind it is hidden
                inner = gv.ones(3, 2, requires_grad=True)
                loss = (outer @ inner @ gv.ones(2, 1)).sum()
                # gv.diagnose(loss, wrt=[inner], grads=loss.backward(retain_graph=True))
                assert inner.grad(loss.backward()).tolist() == [[0.0, 0.0]] * 3
                """
            ),
        ),
    ),
    common_situations=(
        "Weights or inputs are so large that every activation sits at its end.",
        "The output activation can't reach the targets, as a relu for negative ones.",
        "Two factors are both initialised to 0.",
    ),
    solutions=(
        Solution(
            "Start where the activation has a slope: scale weights and inputs down",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.9, 1.2], requires_grad=True)
                loss = (gv.sigmoid(weight) - 0.5).pow(2).sum()
                assert min(weight.grad(loss.backward()).tolist()) > 0.0
                """
            ),
        ),
        Solution(
            "Choose a loss that keeps its slope when the output is far off",
            code(
                """
                import gradviz as gv

                logits = gv.tensor([[90.0, 0.0]], requires_grad=True)
                loss = gv.cross_entropy(logits, gv.tensor([1]))
                assert logits.grad(loss.backward()).tolist() == [[1.0, -1.0]]
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        weight = gv.tensor([-2.0], requires_grad=True)
        loss = (gv.relu(weight * 3.0) - 1.0).pow(2).sum()
        assert weight.grad(loss.backward()).tolist() == [0.0]
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        weight = gv.tensor([-2.0], requires_grad=True)
        loss = (weight * 3.0 - 1.0).pow(2).sum()
        assert weight.grad(loss.backward()).tolist() == [-42.0]
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        weight = gv.tensor([0.5], requires_grad=True)
        loss = gv.sigmoid(weight).sum()
        grads = loss.backward()
        assert gv.diagnose(loss, wrt=[weight], grads=grads).ok
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        def moves(grads, t):
            return bool((t.grad(grads) != 0.0).any())

        weight = gv.tensor([0.5], requires_grad=True)
        assert moves(gv.sigmoid(weight).sum().backward(), weight)
        """
    ),
    handling=code(
        """
        import gradviz as gv

        weight = gv.tensor([90.0], requires_grad=True)
        loss = gv.sigmoid(weight).sum()
        grads = loss.backward()
        for problem in gv.diagnose(loss, wrt=[weight], grads=grads).problems:
            if problem.slug == "zero-gradient":
                print(problem.message, problem.cause)
        """
    ),
    prevention=(
        "Look at the values in front of the activations once, before training.",
        "Never start two factors of one product at 0.",
    ),
    tags=("zero", "saturation", "clamp", "initialisation"),
)

DEAD: Final = Record(
    slug="dead-units",
    message="{count} of {total} units of {operation} are off for every sample",
    severity="warning",
    documentation=(
        "A relu unit whose input is negative for every sample outputs 0 and passes no gradient, "
        "so its weights never change and it stays off. A few are normal; many waste the layer."
    ),
    trigger_scenarios=(
        Scenario(
            "A bias pushes one unit below zero for all samples",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([[1.0, 1.0]], requires_grad=True)
                bias = gv.tensor([0.0, -50.0])
                x = gv.tensor([[1.0], [2.0], [3.0]])
                hidden = gv.relu(x @ weight + bias)  # cause: the second unit never fires
                loss = hidden.mean()
                # gv.diagnose(loss, wrt=[weight], grads=loss.backward(retain_graph=True))
                assert weight.grad(loss.backward()).tolist() == [[1.0, 0.0]]
                """
            ),
        ),
        Scenario(
            "One step that was too large switched a whole layer off",
            code(
                """
                import gradviz as gv

                weight = gv.ones(2, 3, requires_grad=True)
                x = gv.ones(4, 2)
                slope = weight.grad(gv.relu(x @ weight).sum().backward())
                weight = (weight.detach() - 10.0 * slope).require_grad()
                loss = gv.relu(x @ weight).sum()  # cause: every unit is far below zero now
                # gv.diagnose(loss, wrt=[weight], grads=loss.backward(retain_graph=True))
                assert weight.grad(loss.backward()).tolist() == [[0.0] * 3] * 2
                """
            ),
        ),
    ),
    common_situations=(
        "The learning rate is too large in the first steps.",
        "Inputs are all positive or were never centred.",
    ),
    solutions=(
        Solution(
            "Use an activation with a slope on both sides",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([[1.0, 1.0]], requires_grad=True)
                bias = gv.tensor([0.0, -50.0])
                x = gv.tensor([[1.0], [2.0], [3.0]])
                loss = gv.leaky_relu(x @ weight + bias, 0.1).mean()
                assert min(weight.grad(loss.backward()).tolist()[0]) > 0.0
                """
            ),
        ),
        Solution(
            "Take smaller steps at the start",
            code(
                """
                import gradviz as gv

                weight = gv.ones(2, 3, requires_grad=True)
                x = gv.ones(4, 2)
                slope = weight.grad(gv.relu(x @ weight).sum().backward())
                weight = (weight.detach() - 0.1 * slope).require_grad()
                loss = gv.relu(x @ weight).sum()
                assert weight.grad(loss.backward()).tolist() == [[4.0] * 3] * 2
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        weight = gv.full((2, 2), -1.0, requires_grad=True)
        hidden = gv.relu(gv.ones(3, 2) @ weight)
        assert weight.grad(hidden.sum().backward()).tolist() == [[0.0, 0.0], [0.0, 0.0]]
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        weight = gv.full((2, 2), -1.0, requires_grad=True)
        hidden = gv.leaky_relu(gv.ones(3, 2) @ weight, 0.5)
        assert weight.grad(hidden.sum().backward()).tolist() == [[1.5, 1.5], [1.5, 1.5]]
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        hidden = gv.relu(gv.tensor([[1.0, -1.0], [2.0, 3.0]]))
        assert bool((hidden > 0.0).any(dim=0).all()), "a unit is off for the whole batch"
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        def dead_units(activations):
            return int((~(activations > 0.0).any(dim=0)).sum())

        assert dead_units(gv.tensor([[1.0, 0.0], [2.0, 0.0]])) == 1
        """
    ),
    handling=code(
        """
        import gradviz as gv

        weight = gv.full((2, 2), -1.0, requires_grad=True)
        loss = gv.relu(gv.ones(3, 2) @ weight).sum()
        grads = loss.backward()
        for problem in gv.diagnose(loss, wrt=[weight], grads=grads).problems:
            if problem.slug == "dead-units":
                print(problem.message)
        """
    ),
    prevention=(
        "Centre and scale the inputs.",
        "Watch the share of units that are on during the first epoch.",
    ),
    tags=("relu", "zero", "activation", "learning-rate"),
)

RECORDS: Final = (ZERO, DEAD)
