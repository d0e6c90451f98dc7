"""Leaves without a gradient: the path was never there, or was cut by a detach."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

NOT_REACHED: Final = Record(
    slug="leaf-not-reached",
    message="No gradient reaches {leaf} from {root}",
    severity="warning",
    documentation=(
        "A gradient flows from the root back along the operations that used the leaf. This leaf "
        "has no live path to this root: it was never used, or the path is cut, which then has a "
        "name of its own. Its gradient is None, and an optimizer will leave it as it is, "
        "without a word."
    ),
    trigger_scenarios=(
        Scenario(
            "The leaf takes no part in the loss",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.5, 2.0], requires_grad=True)
                bias = gv.tensor(0.1, requires_grad=True)  # cause: nothing below uses it
                loss = (weight * gv.tensor([1.0, 3.0])).sum()
                # gv.diagnose(loss, wrt=[weight, bias])
                grads = loss.backward()
                assert weight.grad(grads) is not None
                assert bias.grad(grads) is None
                """
            ),
        ),
        Scenario(
            "The loss is taken before the layer that holds the leaf",
            code(
                """
                import gradviz as gv

                encoder = gv.nn.Linear(3, 2)
                decoder = gv.nn.Linear(2, 3)  # cause: the loss leaves it out
                x = gv.ones(4, 3)
                code = encoder(x)
                copy = decoder(code)
                loss = (code * code).mean()
                # gv.diagnose(loss, wrt=[decoder.weight])
                grads = loss.backward()
                assert encoder.weight.grad(grads) is not None
                assert decoder.weight.grad(grads) is None
                """
            ),
        ),
    ),
    common_situations=(
        "A variable was renamed in half of the places.",
        "A layer is built and the forward function skips it.",
        "The loss reads a result that an earlier call recorded.",
    ),
    solutions=(
        Solution(
            "Use the leaf in what the root is computed from",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.5, 2.0], requires_grad=True)
                bias = gv.tensor(0.1, requires_grad=True)
                loss = (weight * gv.tensor([1.0, 3.0]) + bias).sum()
                assert bias.grad(loss.backward()).item() == 2.0
                """
            ),
        ),
        Solution(
            "Take the loss from the end of the model",
            code(
                """
                import gradviz as gv

                encoder, decoder = gv.nn.Linear(3, 2), gv.nn.Linear(2, 3)
                x = gv.ones(4, 3)
                loss = ((decoder(encoder(x)) - x) ** 2).mean()
                assert decoder.weight.grad(loss.backward()) is not None
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        slope, offset = gv.ones(1, requires_grad=True), gv.zeros(1, requires_grad=True)
        x = gv.tensor([1.0, 2.0])
        loss = ((slope * x - x) ** 2).sum()
        assert offset.grad(loss.backward()) is None
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        slope, offset = gv.ones(1, requires_grad=True), gv.zeros(1, requires_grad=True)
        x = gv.tensor([1.0, 2.0])
        loss = ((slope * x + offset - x) ** 2).sum()
        assert offset.grad(loss.backward()) is not None
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0], requires_grad=True)
        loss = weight.exp().sum()
        assert gv.diagnose(loss, wrt=[weight]).ok
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        weight, unused = gv.ones(1, requires_grad=True), gv.ones(1, requires_grad=True)
        grads = weight.sum().backward()
        assert weight in grads and unused not in grads
        """
    ),
    handling=code(
        """
        import gradviz as gv

        weight, unused = gv.ones(1, requires_grad=True), gv.ones(1, requires_grad=True)
        loss = weight.sum()
        for problem in gv.diagnose(loss, wrt=[weight, unused]).problems:
            if problem.slug == "leaf-not-reached":
                print(problem.message, problem.cause)
        """
    ),
    prevention=(
        "Diagnose a new loss once, with every parameter in wrt, before the first long run.",
        "After the first step, count the gradients against the parameters.",
    ),
    tags=("leaf", "none", "unused", "gradient"),
)

CUT_DETACH: Final = Record(
    slug="path-cut-detach",
    message="{operation} cuts the path from {root} back to {leaf}",
    severity="warning",
    documentation=(
        "detach(), inner() and set_require_grad(False) give the values without their history. "
        "What is computed from the result knows nothing of what lies behind it. That is often "
        "intended, for targets and carried state, and a mistake where the leaf behind it should "
        "learn."
    ),
    trigger_scenarios=(
        Scenario(
            "A hidden result was detached",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.5, -1.0], requires_grad=True)
                head = gv.tensor([1.0, 2.0], requires_grad=True)
                hidden = gv.tanh(weight).detach()  # cause: weight ends here
                loss = (hidden * head).sum()
                # gv.diagnose(loss, wrt=[weight, head])
                grads = loss.backward()
                assert head.grad(grads) is not None
                assert weight.grad(grads) is None
                """
            ),
        ),
        Scenario(
            "The plain tensor was used in place of the leaf",
            code(
                """
                import gradviz as gv

                scale = gv.tensor([2.0], requires_grad=True)
                offset = gv.tensor([1.0], requires_grad=True)
                plain = scale.inner()  # cause: plain is a constant to everything below
                loss = (plain * offset + offset).sum()
                # gv.diagnose(loss, wrt=[scale, offset])
                grads = loss.backward()
                assert offset.grad(grads).tolist() == [3.0]
                assert scale.grad(grads) is None
                """
            ),
        ),
    ),
    common_situations=(
        "detach() was added to make an error or a memory problem go away.",
        "A line that prepared values for a plot became part of the model.",
    ),
    solutions=(
        Solution(
            "Leave the cut out where the leaf should learn",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.5, -1.0], requires_grad=True)
                head = gv.tensor([1.0, 2.0], requires_grad=True)
                hidden = gv.tanh(weight)
                grads = (hidden * head).sum().backward()
                assert weight.grad(grads) is not None and head.grad(grads) is not None
                """
            ),
        ),
        Solution(
            "Detach a copy for looking and keep the original for computing",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.0, 0.0], requires_grad=True)
                hidden = gv.tanh(weight)
                shown = hidden.detach().tolist()
                assert weight.grad(hidden.sum().backward()).tolist() == [1.0, 1.0]
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        encoder, head = gv.nn.Linear(2, 2), gv.nn.Linear(2, 1)
        features = encoder(gv.ones(1, 2)).detach()
        grads = head(features).sum().backward()
        assert encoder.weight.grad(grads) is None
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        encoder, head = gv.nn.Linear(2, 2), gv.nn.Linear(2, 1)
        features = encoder(gv.ones(1, 2))
        grads = head(features).sum().backward()
        assert encoder.weight.grad(grads) is not None
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        weight = gv.tensor([0.5], requires_grad=True)
        loss = weight.exp().sum()
        print(gv.why(weight, loss))
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        weight = gv.tensor([0.5], requires_grad=True)
        assert weight.exp().is_tracked and not weight.exp().detach().is_tracked
        """
    ),
    handling=code(
        """
        import gradviz as gv

        weight, head = gv.ones(1, requires_grad=True), gv.ones(1, requires_grad=True)
        loss = (weight.exp().detach() * head).sum()
        for problem in gv.diagnose(loss, wrt=[weight, head]).problems:
            if problem.slug == "path-cut-detach":
                print(problem.cause)
        """
    ),
    prevention=(
        "Say in a comment what each detach() is for.",
        "Name detached tensors so that they can't be taken for the originals.",
    ),
    tags=("detach", "inner", "leaf", "none"),
)

RECORDS: Final = (NOT_REACHED, CUT_DETACH)
