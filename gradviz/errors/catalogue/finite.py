"""Gradients that aren't numbers, or are far too large."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

NON_FINITE: Final = Record(
    slug="non-finite-gradient",
    message="The backward step of {operation} gives {value}",
    severity="warning",
    documentation=(
        "The forward value is fine and its derivative isn't: a square root at 0 has an infinite "
        "slope, a division by 0 as well. Multiplied by a zero from further up, infinity becomes "
        "nan, and nan spreads to everything behind it. That is why gv.where doesn't protect: "
        "the branch that wasn't chosen still contributes 0 * inf."
    ),
    trigger_scenarios=(
        Scenario(
            "A norm is taken of the zero vector",
            code(
                """
                import math
                import gradviz as gv

                v = gv.tensor([0.0, 0.0], requires_grad=True)
                length = (v * v).sum().sqrt()  # cause: the root has no finite slope at 0
                # gv.diagnose(length, wrt=[v])
                slope = v.grad(length.backward())
                assert length.item() == 0.0
                assert all(math.isnan(g) for g in slope.tolist())
                """
            ),
        ),
        Scenario(
            "The unsafe branch of a where isn't chosen, and spoils the gradient all the same",
            code(
                """
                import math
                import gradviz as gv

                x = gv.tensor([0.0, 4.0], requires_grad=True)
                root = gv.sqrt(x)  # cause: computed for every element, also at 0
                loss = gv.where(x > 0.0, root, 0.0).sum()
                # gv.diagnose(loss, wrt=[x])
                slope = x.grad(loss.backward()).tolist()
                assert loss.item() == 2.0
                assert math.isnan(slope[0]) and slope[1] == 0.25
                """
            ),
        ),
        Scenario(
            "A logarithm meets a probability of 0",
            code(
                """
                import math
                import gradviz as gv

                p = gv.tensor([0.0, 1.0], requires_grad=True)
                entropy = -(p * gv.log(p)).sum()  # cause: log(0) is -inf
                # gv.diagnose(entropy, wrt=[p])
                slope = p.grad(entropy.backward()).tolist()
                assert not math.isfinite(slope[0]) and math.isfinite(slope[1])
                """
            ),
        ),
    ),
    common_situations=(
        "A distance between two equal points.",
        "A guard that stands after the risky operation instead of in front of it.",
        "Normalisation by a spread or a length that happens to be 0.",
    ),
    solutions=(
        Solution(
            "Make the input safe before the risky operation, then choose",
            code(
                """
                import gradviz as gv

                x = gv.tensor([0.0, 4.0], requires_grad=True)
                safe = gv.where(x > 0.0, x, 1.0)
                loss = gv.where(x > 0.0, gv.sqrt(safe), 0.0).sum()
                assert x.grad(loss.backward()).tolist() == [0.0, 0.25]
                """
            ),
        ),
        Solution(
            "Add a small number under the root",
            code(
                """
                import gradviz as gv

                v = gv.tensor([0.0, 0.0], requires_grad=True)
                length = ((v * v).sum() + 1e-12).sqrt()
                assert v.grad(length.backward()).tolist() == [0.0, 0.0]
                """
            ),
        ),
        Solution(
            "Work with logits: log_softmax never sees a 0",
            code(
                """
                import math
                import gradviz as gv

                logits = gv.tensor([-200.0, 0.0], requires_grad=True)
                logs = gv.log_softmax(logits, dim=0)
                entropy = -(logs.exp() * logs).sum()
                assert all(math.isfinite(g) for g in logits.grad(entropy.backward()).tolist())
                """
            ),
        ),
    ),
    example_before=code(
        """
        import math
        import gradviz as gv

        a, b = gv.ones(3, requires_grad=True), gv.ones(3)
        distance = ((a - b) ** 2).sum().sqrt()
        assert math.isnan(a.grad(distance.backward())[0].item())
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        a, b = gv.ones(3, requires_grad=True), gv.ones(3)
        distance = (((a - b) ** 2).sum() + 1e-12).sqrt()
        assert a.grad(distance.backward()).tolist() == [0.0, 0.0, 0.0]
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        x = gv.tensor([1.0, 4.0], requires_grad=True)
        loss = gv.sqrt(x).sum()
        assert gv.diagnose(loss, wrt=[x]).ok  # predicted from the forward values
        """
    ),
    type_guard=code(
        """
        import gradviz as gv
        import numpy as np

        x = gv.tensor([1.0, 4.0], requires_grad=True)
        slope = x.grad(gv.sqrt(x).sum().backward())
        assert np.isfinite(slope.numpy()).all()
        """
    ),
    handling=code(
        """
        import gradviz as gv
        import numpy as np

        x = gv.tensor([0.0, 4.0], requires_grad=True)
        slope = x.grad(gv.sqrt(x).sum().backward()).numpy()
        if not np.isfinite(slope).all():
            slope = np.nan_to_num(slope, posinf=0.0)  # skip these elements in this step
        assert slope.tolist() == [0.0, 0.25]
        """
    ),
    prevention=(
        "Put guards in front of sqrt, log and division, on their input.",
        "Use the fused functions: log_softmax, logsigmoid, cross_entropy, vector_norm.",
    ),
    tags=("nan", "inf", "sqrt", "log", "where", "norm"),
)

EXPLODING: Final = Record(
    slug="exploding-gradient",
    message="The gradient of {leaf} is very large: {value}",
    severity="warning",
    documentation=(
        "Every step multiplies the gradient by its slope. Many slopes above 1 in a row, or one "
        "that is enormous, make a step that throws the weights far away; the next loss is nan "
        "or inf."
    ),
    trigger_scenarios=(
        Scenario(
            "A factor is applied over and over",
            code(
                """
                import gradviz as gv

                start = gv.tensor(1.0, requires_grad=True)
                state = start
                for _ in range(12):
                    state = state * 100.0  # cause: each round multiplies the gradient by 100
                # gv.diagnose(state, wrt=[start], grads=state.backward(retain_graph=True))
                assert start.grad(state.backward()).item() > 1e23
                """
            ),
        ),
        Scenario(
            "A division by a tiny number",
            code(
                """
                import gradviz as gv

                scale = gv.tensor(1e-6, requires_grad=True)
                loss = 1.0 / scale  # cause: the slope is one over the square
                # gv.diagnose(loss, wrt=[scale], grads=loss.backward(retain_graph=True))
                assert scale.grad(loss.backward()).item() < -1e11
                """
            ),
        ),
    ),
    common_situations=(
        "A recurrent network over long sequences.",
        "Normalising by an epsilon that is far too small.",
        "Inputs in the thousands that nobody scaled.",
    ),
    solutions=(
        Solution(
            "Limit the gradient's length before the update",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([3000.0, 4000.0], requires_grad=True)
                grads = (weight * weight).sum().backward()
                slope = weight.grad(grads)
                length = (slope * slope).sum().sqrt().item()
                weight.grad_replace(grads, slope * min(1.0, 1.0 / length))
                assert max(abs(g) for g in weight.grad(grads).tolist()) <= 1.0
                """
            ),
        ),
        Solution(
            "Keep the factors near 1: scale the inputs, normalise, use a larger epsilon",
            code(
                """
                import gradviz as gv

                start = gv.tensor(1.0, requires_grad=True)
                state = start
                for _ in range(12):
                    state = gv.tanh(state * 1.5)
                assert abs(start.grad(state.backward()).item()) < 10.0
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        v = gv.zeros(2, requires_grad=True)
        unit = v / (v.abs().sum() + 1e-12)
        assert v.grad(unit[0].backward())[0].item() > 1e11
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        v = gv.zeros(2, requires_grad=True)
        unit = v / (v.abs().sum() + 0.1)
        assert v.grad(unit[0].backward())[0].item() < 11.0
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0, 2.0], requires_grad=True)
        loss = (weight * weight).sum()
        grads = loss.backward()
        assert gv.diagnose(loss, wrt=[weight], grads=grads).ok
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        def largest(grads, t):
            return t.grad(grads).abs().max().item()

        weight = gv.tensor([1.0, 2.0], requires_grad=True)
        assert largest((weight * weight).sum().backward(), weight) < 1e3
        """
    ),
    handling=code(
        """
        import gradviz as gv

        weight = gv.tensor([3000.0], requires_grad=True)
        grads = (weight * weight).sum().backward()
        slope = weight.grad(grads)
        if slope.abs().max().item() > 1e3:
            weight.grad_replace(grads, gv.clamp(slope, min=-1.0, max=1.0))
        assert weight.grad(grads).tolist() == [1.0]
        """
    ),
    prevention=(
        "Scale inputs and targets to the order of 1.",
        "Choose initial weights by the width of the layer.",
    ),
    tags=("exploding", "clipping", "scale", "recurrent"),
)

RECORDS: Final = (NON_FINITE, EXPLODING)
