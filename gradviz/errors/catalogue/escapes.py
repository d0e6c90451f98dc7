"""Leaves that learn nothing: a step on the path has no derivative, or leaves the graph."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

CUT_NON_DIFFERENTIABLE: Final = Record(
    slug="path-cut-non-differentiable",
    message="{operation} has no useful derivative, so {leaf} learns nothing through it",
    severity="warning",
    documentation=(
        "argmax, comparisons and casts to int or bool give results that don't move with their "
        "input: the path ends there and the gradient is None. sign, round, floor and ceil are "
        "tracked, but flat: the gradient exists and is zero everywhere."
    ),
    trigger_scenarios=(
        Scenario(
            "A decision is taken in the middle of the loss",
            code(
                """
                import gradviz as gv

                scores = gv.tensor([0.2, 0.7, 0.1], requires_grad=True)
                prices = gv.tensor([3.0, 1.0, 2.0], requires_grad=True)
                choice = scores.argmax()  # cause: a position doesn't move with the scores
                loss = (prices * gv.one_hot(choice, 3).float()).sum()
                # gv.diagnose(loss, wrt=[scores, prices])
                grads = loss.backward()
                assert prices.grad(grads) is not None
                assert scores.grad(grads) is None
                """
            ),
        ),
        Scenario(
            "A prediction is rounded before it is compared",
            code(
                """
                import gradviz as gv

                gain = gv.tensor([1.2, 2.6], requires_grad=True)
                whole = gv.round(gain)  # cause: flat between its steps
                loss = ((whole - gv.tensor([2.0, 2.0])) ** 2).sum()
                # gv.diagnose(loss, wrt=[gain])
                assert gain.grad(loss.backward()).tolist() == [0.0, 0.0]
                """
            ),
        ),
        Scenario(
            "A comparison makes the gate of a layer",
            code(
                """
                import gradviz as gv

                threshold = gv.tensor(0.5, requires_grad=True)
                weight = gv.tensor([0.2, 0.9], requires_grad=True)
                gate = (weight > threshold).float()  # cause: true or false, nothing in between
                loss = (gate * weight).sum()
                # gv.diagnose(loss, wrt=[threshold, weight])
                grads = loss.backward()
                assert weight.grad(grads) is not None
                assert threshold.grad(grads) is None
                """
            ),
        ),
    ),
    common_situations=(
        "Code that decodes predictions is used inside the loss.",
        "An accuracy is taken for a loss.",
        "Quantisation, sampling or a hard gate is written down directly.",
    ),
    solutions=(
        Solution(
            "Use a smooth stand-in: softmax for argmax, sigmoid for a comparison",
            code(
                """
                import gradviz as gv

                scores = gv.tensor([0.2, 0.7, 0.1], requires_grad=True)
                prices = gv.tensor([3.0, 1.0, 2.0], requires_grad=True)
                expected = (gv.softmax(scores, dim=0) * prices).sum()
                grads = expected.backward()
                assert all(abs(g) > 0 for g in scores.grad(grads).tolist())
                """
            ),
        ),
        Solution(
            "Pass the gradient straight through a rounding, with the step kept as a constant",
            code(
                """
                import gradviz as gv

                gain = gv.tensor([1.2, 2.6], requires_grad=True)
                whole = gain + (gv.round(gain) - gain).detach()
                loss = ((whole - gv.tensor([2.0, 2.0])) ** 2).sum()
                assert gv.round(whole).tolist() == [1.0, 3.0]
                assert gain.grad(loss.backward()).tolist() == [-2.0, 2.0]
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        scores = gv.tensor([[0.2, 0.7]], requires_grad=True)
        labels = gv.tensor([0])
        loss = (scores.argmax(dim=1) != labels).float().mean()
        assert not loss.is_tracked
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        scores = gv.tensor([[0.2, 0.7]], requires_grad=True)
        labels = gv.tensor([0])
        loss = gv.cross_entropy(scores, labels)
        assert scores.grad(loss.backward()) is not None
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        scores = gv.tensor([0.2, 0.7], requires_grad=True)
        loss = gv.softmax(scores, dim=0)[0]
        assert gv.diagnose(loss, wrt=[scores]).ok
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        scores = gv.tensor([0.2, 0.7], requires_grad=True)
        assert not scores.argmax().is_tracked and scores.max().is_tracked
        """
    ),
    handling=code(
        """
        import gradviz as gv

        gain = gv.tensor([1.2], requires_grad=True)
        for problem in gv.diagnose(gv.floor(gain).sum(), wrt=[gain]).problems:
            if problem.slug == "path-cut-non-differentiable":
                print(problem.message, problem.cause)
        """
    ),
    prevention=(
        "Keep decisions (argmax, thresholds, rounding) for reports and for use, after training.",
        "Ask of each step of a loss: does its result move a little when its input does?",
    ),
    tags=("argmax", "comparison", "cast", "round", "sign", "zero"),
)

VALUE_ESCAPE: Final = Record(
    slug="path-cut-value-escape",
    message="Values left the graph through {operation} and came back as constants",
    severity="warning",
    documentation=(
        "numpy(), item(), tolist() and float() hand out numbers, which have no history. A "
        "tensor made from such numbers is new: the right values, no path to what they were "
        "computed from. Marking it doesn't mend the path; it only makes one more leaf."
    ),
    trigger_scenarios=(
        Scenario(
            "A step is done in NumPy",
            code(
                """
                import gradviz as gv
                import numpy as np

                signal = gv.tensor([1.0, -2.0, 4.0], requires_grad=True)
                gain = gv.tensor(0.5, requires_grad=True)
                array = np.abs(signal.numpy())  # cause: from here on they are only numbers
                loss = (gain * gv.tensor(array)).sum()
                # gv.diagnose(loss, wrt=[signal, gain])
                grads = loss.backward()
                assert gain.grad(grads).item() == 7.0
                assert signal.grad(grads) is None
                """
            ),
        ),
        Scenario(
            "Losses are collected as numbers and averaged",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                parts = []
                for x in (0.5, 1.5):
                    parts.append((weight * x).sum().item())  # cause: item() gives a number
                loss = gv.tensor(parts, requires_grad=True).mean()
                # gv.diagnose(loss, wrt=[weight])
                assert weight.grad(loss.backward()) is None
                """
            ),
        ),
    ),
    common_situations=(
        "An operation was looked for, not found, and borrowed from NumPy or SciPy.",
        "float(...) was wrapped around a loss to print it, and the printed one was returned.",
        "A list of results is turned into a tensor with gv.tensor instead of gv.stack.",
    ),
    solutions=(
        Solution(
            "Use the tensor operation instead of the NumPy one",
            code(
                """
                import gradviz as gv

                signal = gv.tensor([1.0, -2.0, 4.0], requires_grad=True)
                gain = gv.tensor(0.5, requires_grad=True)
                grads = (gain * signal.abs()).sum().backward()
                assert signal.grad(grads).tolist() == [0.5, -0.5, 0.5]
                """
            ),
        ),
        Solution(
            "Collect tensors and join them with gv.stack",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                parts = [(weight * x).sum() for x in (0.5, 1.5)]
                loss = gv.stack(parts).mean()
                assert weight.grad(loss.backward()).tolist() == [1.0, 1.0]
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv
        import numpy as np

        angle = gv.tensor([0.0, 0.5], requires_grad=True)
        height = gv.tensor(np.sin(angle.numpy()))
        assert not height.is_tracked
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        angle = gv.tensor([0.0, 0.5], requires_grad=True)
        height = gv.sin(angle)
        assert angle.grad(height.sum().backward())[0].item() == 1.0
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        angle = gv.tensor([0.0, 0.5], requires_grad=True)
        height = gv.sin(angle)
        assert height.is_tracked, "the path to angle was lost"
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        def carries_gradient(value):
            return isinstance(value, gv.Tensor) and value.is_tracked

        angle = gv.tensor([0.5], requires_grad=True)
        assert carries_gradient(angle.sin()) and not carries_gradient(angle.numpy())
        """
    ),
    handling=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0], requires_grad=True)
        bias = gv.tensor([0.0], requires_grad=True)
        loss = (gv.tensor(weight.numpy() * 2.0) + bias).sum()
        for problem in gv.diagnose(loss, wrt=[weight, bias]).problems:
            if problem.slug == "path-cut-value-escape":
                print(problem.cause)
        """
    ),
    prevention=(
        "Call item() and numpy() where numbers are shown or stored, never inside the model.",
        "Use gv.stack for lists of tensors; gv.tensor is for data.",
    ),
    tags=("numpy", "item", "tolist", "stack", "constant"),
)

RECORDS: Final = (CUT_NON_DIFFERENTIABLE, VALUE_ESCAPE)
