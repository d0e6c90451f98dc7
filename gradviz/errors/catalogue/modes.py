"""Leaves without a gradient: the path was computed while gradients were off."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

CUT_NO_GRAD: Final = Record(
    slug="path-cut-no-grad",
    message="The path from {root} back to {leaf} was computed while gradients were off",
    severity="warning",
    documentation=(
        "Inside gv.no_grad() results carry no history, whatever they are computed from. A "
        "result that leaves the block and becomes part of a loss is a constant there. A mode "
        "that was switched off and never switched on again does the same to everything that "
        "follows."
    ),
    trigger_scenarios=(
        Scenario(
            "Part of the forward pass ran inside no_grad",
            code(
                """
                import gradviz as gv

                encoder = gv.tensor([0.5, -1.0], requires_grad=True)
                head = gv.tensor([1.0, 2.0], requires_grad=True)
                with gv.no_grad():
                    features = gv.tanh(encoder)  # cause: computed, not recorded
                loss = (features * head).sum()
                # gv.diagnose(loss, wrt=[encoder, head])
                grads = loss.backward()
                assert head.grad(grads) is not None
                assert encoder.grad(grads) is None
                """
            ),
        ),
        Scenario(
            "A prediction helper is used for training",
            code(
                """
                import gradviz as gv

                gain = gv.tensor([2.0], requires_grad=True)

                def predict(x):
                    with gv.no_grad():
                        return gain * x  # cause: predict is made for reports

                penalty = (gain * gain).sum()
                loss = (predict(gv.tensor([3.0])) - 1.0).pow(2).sum() + 0.5 * penalty
                # gv.diagnose(loss, wrt=[gain])
                assert gain.grad(loss.backward()).tolist() == [2.0]  # from the penalty alone
                """
            ),
        ),
    ),
    common_situations=(
        "An evaluation function is called inside the training step.",
        "no_grad was entered by hand and an exception or an early return skipped its end.",
    ),
    solutions=(
        Solution(
            "Compute what you train on outside no_grad",
            code(
                """
                import gradviz as gv

                encoder = gv.tensor([0.0, 0.0], requires_grad=True)
                head = gv.tensor([1.0, 2.0], requires_grad=True)
                grads = (gv.tanh(encoder) * head).sum().backward()
                assert encoder.grad(grads).tolist() == [1.0, 2.0]
                """
            ),
        ),
        Solution(
            "Put no_grad around the call in the evaluation, not inside the function",
            code(
                """
                import gradviz as gv

                gain = gv.tensor([2.0], requires_grad=True)

                def predict(x):
                    return gain * x

                with gv.no_grad():
                    assert not predict(gv.tensor([3.0])).is_tracked
                loss = (predict(gv.tensor([3.0])) - 1.0).pow(2).sum()
                assert gain.grad(loss.backward()).tolist() == [30.0]
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        model = gv.nn.Sequential(gv.nn.Linear(2, 2), gv.nn.Linear(2, 1))
        with gv.no_grad():
            hidden = model[0](gv.ones(1, 2))
        grads = model[1](hidden).sum().backward()
        assert model[0].weight.grad(grads) is None
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        model = gv.nn.Sequential(gv.nn.Linear(2, 2), gv.nn.Linear(2, 1))
        hidden = model[0](gv.ones(1, 2))
        grads = model[1](hidden).sum().backward()
        assert model[0].weight.grad(grads) is not None
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        assert gv.is_grad_enabled(), "gradients are off: a no_grad block wasn't left"
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        with gv.no_grad():
            assert not gv.is_grad_enabled()
        assert gv.is_grad_enabled()
        """
    ),
    handling=code(
        """
        import gradviz as gv

        encoder, head = gv.ones(1, requires_grad=True), gv.ones(1, requires_grad=True)
        with gv.no_grad():
            features = encoder.exp()
        for problem in gv.diagnose((features * head).sum(), wrt=[encoder, head]).problems:
            if problem.slug == "path-cut-no-grad":
                print(problem.cause)
        """
    ),
    prevention=(
        "Use no_grad as a with block only, and only in evaluation code.",
        "Assert gv.is_grad_enabled() where a training step begins.",
    ),
    tags=("no_grad", "evaluation", "leaf", "none"),
)

RECORDS: Final = (CUT_NO_GRAD,)
