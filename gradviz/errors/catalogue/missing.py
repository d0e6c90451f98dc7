"""Things that aren't there: a gradient in a `Gradients`, an optional package."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

NO_GRADIENT: Final = Record(
    slug="no-gradient",
    message="{operation}: {complaint}",
    severity="error",
    documentation=(
        "grads[x] is for a gradient that must be there, and this one isn't: x isn't marked, "
        "doesn't feed the root, or is a result whose gradient was consumed on the way. "
        "The error tells which it is and where, and offers what cures it. x.grad(grads) gives "
        "None in the same case."
    ),
    trigger_scenarios=(
        Scenario(
            "The leaf doesn't feed the root",
            code(
                """
                import gradviz as gv

                used = gv.tensor([1.0], requires_grad=True)
                unused = gv.tensor([2.0], requires_grad=True)
                grads = (used * 3.0).sum().backward()
                grads[unused]  # fails: no path leads there
                """
            ),
        ),
        Scenario(
            "The tensor is a result, and nobody asked to keep its gradient",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                hidden = weight * 2.0
                grads = hidden.sum().backward()
                grads[hidden]  # fails: it was used up to compute the next one
                """
            ),
        ),
        Scenario(
            "A step of training by hand made a result of the parameter",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                for _ in range(2):
                    grads = (weight * weight).sum().backward()
                    weight = weight - 0.1 * grads[weight]  # fails: a result by now
                """
            ),
        ),
    ),
    common_situations=(
        "A layer was built and isn't called in the forward function.",
        "A loop updates parameters by hand, as where gradients are kept on tensors.",
        "The name of a leaf was given to a new tensor after the forward pass.",
        "An activation's gradient is wanted for a picture.",
    ),
    solutions=(
        Solution(
            "Use x.grad(grads) where having no gradient is all right",
            code(
                """
                import gradviz as gv

                used = gv.tensor([1.0], requires_grad=True)
                unused = gv.tensor([2.0], requires_grad=True)
                grads = (used * 3.0).sum().backward()
                assert unused.grad(grads) is None and unused not in grads
                assert grads[used].tolist() == [3.0]
                """
            ),
        ),
        Solution(
            "Begin every step of training with a leaf",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                for _ in range(2):
                    grads = (weight * weight).sum().backward()
                    weight = (weight - 0.25 * grads[weight]).detach().require_grad()
                assert weight.tolist() == [0.25, 0.5]
                """
            ),
        ),
        Solution(
            "Call retain_grad on a result before backward",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                hidden = weight * 2.0
                hidden.retain_grad()
                grads = hidden.sum().backward()
                assert grads[hidden].tolist() == [1.0, 1.0]
                """
            ),
        ),
        Solution(
            "Use the tensor in the loss",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0], requires_grad=True)
                bias = gv.tensor([2.0], requires_grad=True)
                grads = (weight * 3.0 + bias).sum().backward()
                assert len(grads) == 2 and grads[bias].tolist() == [1.0]
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0, 2.0], requires_grad=True)
        loss = (weight * weight).sum()
        weight = weight * 1.0
        slope = loss.backward()[weight]  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0, 2.0], requires_grad=True)
        loss = (weight * weight).sum()
        scaled = weight * 1.0
        slope = loss.backward()[weight]
        assert slope.tolist() == [2.0, 4.0]
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0], requires_grad=True)
        grads = weight.exp().sum().backward()
        missing = [t for t in (weight,) if t not in grads]
        assert not missing
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0], requires_grad=True)
        grads = weight.sum().backward()
        assert weight in grads
        """
    ),
    handling=code(
        """
        import gradviz as gv

        used, unused = gv.ones(1, requires_grad=True), gv.ones(1, requires_grad=True)
        grads = used.sum().backward()
        try:
            slope = grads[unused]
        except gv.GradvizError as error:  # KeyError works as well
            if error.slug != "no-gradient":
                raise
            slope = gv.zeros_like(unused.inner())
        assert slope.tolist() == [0.0]
        """
    ),
    prevention=(
        "Use grads[x] in training code, so that a gradient that is missing is noticed.",
        "Compare len(grads) with the number of parameters after the first step.",
    ),
    tags=("gradients", "leaf", "retain_grad", "keyerror"),
)

MISSING_EXTRA: Final = Record(
    slug="missing-extra",
    message="{operation}: {complaint}",
    severity="error",
    documentation=(
        "This part of gradviz uses a package that isn't installed. NumPy is enough to compute "
        "and differentiate; export and notebooks bring further packages as extras."
    ),
    trigger_scenarios=(
        Scenario(
            "A graph is explored where the packages for notebooks aren't installed",
            code(
                """
                import sys
                import gradviz as gv

                sys.modules["anywidget"] = None  # as on a machine without it
                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                gv.explore((weight * weight).sum())  # fails: anywidget can't be imported
                """
            ),
        ),
    ),
    common_situations=(
        "gradviz was installed without extras, and a notebook wants to export or explore.",
        "The notebook's kernel is another environment than the one that was installed into.",
    ),
    solutions=(
        Solution(
            "Install the extra that the message names, into the environment that runs the code",
            code(
                """
                import sys

                command = [sys.executable, "-m", "pip", "install", "gradviz-lab[lab]"]
                assert command[0] == sys.executable  # this interpreter, not another one
                """
            ),
        ),
        Solution(
            "Use what needs nothing further: the graph itself is plain data",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                graph = gv.graph((weight * weight).sum())
                assert {node.op for node in graph.nodes} == {"tensor", "mul", "sum"}
                """
            ),
        ),
    ),
    example_before=code(
        """
        import sys
        import gradviz as gv

        sys.modules["anywidget"] = None
        loss = gv.tensor([1.0, 2.0], requires_grad=True).sum()
        gv.explore(loss)  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        loss = gv.tensor([1.0, 2.0], requires_grad=True).sum()
        for node in gv.graph(loss).nodes:
            print(node.op, node.shape, node.verdict.backward.ok)
        """
    ),
    validation_code=code(
        """
        from importlib.util import find_spec

        can_explore = find_spec("anywidget") is not None
        assert can_explore in (True, False)
        """
    ),
    type_guard=code(
        """
        from importlib.util import find_spec

        def has(package):
            return find_spec(package) is not None

        assert has("numpy")
        """
    ),
    handling=code(
        """
        import gradviz as gv

        loss = gv.tensor([1.0, 2.0], requires_grad=True).sum()
        try:
            view = gv.explore(loss)
        except gv.GradvizError as error:  # ImportError works as well
            if error.slug != "missing-extra":
                raise
            view = gv.graph(loss)
        assert view is not None
        """
    ),
    prevention=("Name the extras you need in your requirements: gradviz-lab[lab,onnx].",),
    tags=("install", "import", "notebook", "extra"),
)

RECORDS: Final = (NO_GRADIENT, MISSING_EXTRA)
