"""Marks that come too late or sit on the wrong tensor, and gradients of results."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

AFTER_USE: Final = Record(
    slug="marked-after-use",
    message="{leaf} was marked after it had been used",
    severity="warning",
    documentation=(
        "An operation looks at its inputs' marks when it runs. A tensor that is marked "
        "afterwards was a constant to everything computed before, and stays one there; only "
        "later operations record a path to it."
    ),
    trigger_scenarios=(
        Scenario(
            "The mark stands below the forward pass",
            code(
                """
                import gradviz as gv

                device = gv.device("ndarray").autodiff()
                weight = gv.tensor([1.0, 2.0], device=device)
                bias = gv.tensor([0.5, 0.5], requires_grad=True)
                loss = (weight * weight + bias).sum()
                weight.require_grad()  # cause: the product above took weight as a constant
                # gv.diagnose(loss, wrt=[weight, bias])
                grads = loss.backward()
                assert bias.grad(grads) is not None
                assert weight.grad(grads) is None
                """
            ),
        ),
        Scenario(
            "Part of the graph is built before the mark and part of it after",
            code(
                """
                import gradviz as gv

                device = gv.device("ndarray").autodiff()
                x = gv.tensor(3.0, device=device)
                square = x * x
                x.require_grad()  # cause: square was computed without it
                loss = square + x
                # gv.diagnose(loss, wrt=[x])
                assert x.grad(loss.backward()).item() == 1.0  # and not 7.0
                """
            ),
        ),
    ),
    common_situations=(
        "backward complained, so the mark was added where the complaint came up.",
        "A notebook cell that marks is run after the cell that computes.",
        "A tensor is frozen for a moment and marked again while a graph is being built.",
    ),
    solutions=(
        Solution(
            "Mark where the tensor is created",
            code(
                """
                import gradviz as gv

                x = gv.tensor(3.0, requires_grad=True)
                assert x.grad((x * x + x).backward()).item() == 7.0
                """
            ),
        ),
        Solution(
            "Run the forward pass again after the mark",
            code(
                """
                import gradviz as gv

                x = gv.tensor(3.0, device=gv.device("ndarray").autodiff())

                def forward():
                    return x * x + x

                assert not forward().is_tracked
                x.require_grad()
                assert x.grad(forward().backward()).item() == 7.0
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        x = gv.tensor(2.0, device=gv.device("ndarray").autodiff())
        y = x ** 3
        x.require_grad()
        assert not y.is_tracked
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        x = gv.tensor(2.0, device=gv.device("ndarray").autodiff()).require_grad()
        y = x ** 3
        assert x.grad(y.backward()).item() == 12.0
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        weights = [gv.tensor([1.0], requires_grad=True)]
        assert all(w.is_require_grad for w in weights)  # before the forward pass
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        x = gv.tensor(2.0, device=gv.device("ndarray").autodiff())
        assert not x.is_require_grad and x.require_grad().is_require_grad
        """
    ),
    handling=code(
        """
        import gradviz as gv

        x = gv.tensor(2.0, device=gv.device("ndarray").autodiff())
        y = x ** 3
        x.require_grad()
        for problem in gv.diagnose(y, wrt=[x]).problems:
            if problem.slug == "marked-after-use":
                y = x ** 3
        assert x.grad(y.backward()).item() == 12.0
        """
    ),
    prevention=(
        "Use requires_grad=True at creation; then the order can't go wrong.",
        "Restart the kernel and run all cells before you trust a notebook's gradients.",
    ),
    tags=("require_grad", "order", "notebook", "leaf"),
)

MARKED_RESULT: Final = Record(
    slug="marked-result",
    message="{result} is a result: the mark makes it a leaf and leaves {leaf} without a gradient",
    severity="warning",
    documentation=(
        "require_grad on a result that nothing tracked feeds is allowed, and silences "
        "backward's complaint about an untracked root. But the gradient then ends at the result "
        "itself. What it was computed from gets none. In a hand-written update, where the new "
        "weight is meant to be a leaf, this is just right."
    ),
    trigger_scenarios=(
        Scenario(
            "The loss is marked instead of the weights",
            code(
                """
                import gradviz as gv

                device = gv.device("ndarray").autodiff()
                weight = gv.tensor([1.0, 2.0], device=device)
                loss = (weight * weight).sum()
                loss.require_grad()  # cause: the mark belongs on weight
                # gv.diagnose(loss, wrt=[weight])
                grads = loss.backward()
                assert loss.grad(grads).item() == 1.0
                assert weight.grad(grads) is None
                """
            ),
        ),
        Scenario(
            "Features from a no_grad block are marked to bring the gradient back",
            code(
                """
                import gradviz as gv

                encoder = gv.tensor([0.5, -1.0], requires_grad=True)
                with gv.no_grad():
                    features = encoder * 2.0
                features.require_grad()  # cause: the history isn't there to be brought back
                loss = (features * features).sum()
                # gv.diagnose(loss, wrt=[encoder])
                grads = loss.backward()
                assert features.grad(grads) is not None
                assert encoder.grad(grads) is None
                """
            ),
        ),
    ),
    common_situations=(
        "backward refused, and marking the loss made the message go away.",
        "requires_grad is set on whatever is nearest to the line that failed.",
    ),
    solutions=(
        Solution(
            "Mark the leaves, before they are used",
            code(
                """
                import gradviz as gv

                device = gv.device("ndarray").autodiff()
                weight = gv.tensor([1.0, 2.0], device=device).require_grad()
                loss = (weight * weight).sum()
                assert weight.grad(loss.backward()).tolist() == [2.0, 4.0]
                """
            ),
        ),
        Solution(
            "Compute the features where gradients are on",
            code(
                """
                import gradviz as gv

                encoder = gv.tensor([0.5, -1.0], requires_grad=True)
                features = encoder * 2.0
                loss = (features * features).sum()
                assert encoder.grad(loss.backward()).tolist() == [4.0, -8.0]
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        gv.set_default_device(gv.device("ndarray").autodiff())
        slope = gv.tensor(0.5)
        loss = ((slope * 2.0 - 3.0) ** 2).require_grad()
        assert slope.grad(loss.backward()) is None
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        gv.set_default_device(gv.device("ndarray").autodiff())
        slope = gv.tensor(0.5).require_grad()
        loss = (slope * 2.0 - 3.0) ** 2
        assert slope.grad(loss.backward()).item() == -8.0
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        slope = gv.tensor(0.5, requires_grad=True)
        loss = (slope * 2.0 - 3.0) ** 2
        assert loss.requirement == "grad_in_backward", "the root should be computed, not marked"
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        slope = gv.tensor(0.5, requires_grad=True)
        assert slope.is_require_grad and not (slope * 2.0).is_require_grad
        """
    ),
    handling=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0], device=gv.device("ndarray").autodiff())
        loss = (weight * weight).sum().require_grad()
        for problem in gv.diagnose(loss, wrt=[weight]).problems:
            if problem.slug == "marked-result":
                print(problem.message, problem.cause)
        """
    ),
    prevention=(
        "Never mark a loss.",
        "When backward says that no tracked tensor feeds the root, look at the leaves.",
    ),
    tags=("require_grad", "root", "no_grad", "leaf"),
)

RECORDS: Final = (AFTER_USE, MARKED_RESULT)
