"""What a backward pass needs and what it leaves behind."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

UNTRACKED_ROOT: Final = Record(
    slug="untracked-root",
    message="No tracked tensor feeds this root",
    severity="error",
    documentation=(
        "The root is on an autodiff device, but nothing it was computed from is marked, or "
        "everything that is marked was cut off on the way: by detach(), by a no_grad block, by "
        "an operation without a derivative. There is no leaf that could get a gradient, so "
        "backward refuses instead of returning nothing. Being on an autodiff device doesn't "
        "mark a tensor."
    ),
    trigger_scenarios=(
        Scenario(
            "The tensors are on an autodiff device and none is marked",
            code(
                """
                import gradviz as gv

                device = gv.device("ndarray").autodiff()
                weight = gv.tensor([0.5, -1.0], device=device)
                loss = (weight * weight).sum()
                loss.backward()  # fails: weight is a constant
                """
            ),
        ),
        Scenario(
            "The forward pass ran while gradients were off",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.5, -1.0], requires_grad=True)
                with gv.no_grad():
                    loss = (weight * weight).sum()
                loss.backward()  # fails: nothing was recorded
                """
            ),
        ),
        Scenario(
            "The only path to the root is detached",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.5, -1.0], requires_grad=True)
                hidden = (weight * 2.0).detach()
                loss = (hidden * hidden).sum()
                loss.backward()  # fails: hidden begins anew, unmarked
                """
            ),
        ),
        Scenario(
            "The root is a count of right answers",
            code(
                """
                import gradviz as gv

                scores = gv.tensor([[0.1, 0.9], [0.8, 0.2]], requires_grad=True)
                right = scores.argmax(dim=1) == gv.tensor([1, 1])
                accuracy = right.float().mean()
                accuracy.backward()  # fails: argmax has no derivative
                """
            ),
        ),
    ),
    common_situations=(
        "requires_grad=True was forgotten where the weights are created.",
        "The loss comes from a prediction helper that runs under no_grad.",
        "An accuracy, or another number that is made of comparisons, is trained on.",
        "A whole model was frozen, and the head that should have stayed trainable with it.",
    ),
    solutions=(
        Solution(
            "Mark the leaves that should be trained, before the forward pass",
            code(
                """
                import gradviz as gv

                device = gv.device("ndarray").autodiff()
                weight = gv.tensor([0.5, -1.0], device=device).require_grad()
                grads = (weight * weight).sum().backward()
                assert weight.grad(grads).tolist() == [1.0, -2.0]
                """
            ),
        ),
        Solution(
            "Run the forward pass outside no_grad and without detach",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.5, -1.0], requires_grad=True)
                hidden = weight * 2.0
                loss = (hidden * hidden).sum()
                with gv.no_grad():
                    shown = hidden.tolist()
                assert weight.grad(loss.backward()).tolist() == [4.0, -8.0]
                """
            ),
        ),
        Solution(
            "Train on a smooth loss and report the accuracy beside it",
            code(
                """
                import gradviz as gv

                scores = gv.tensor([[0.1, 0.9], [0.8, 0.2]], requires_grad=True)
                labels = gv.tensor([1, 1])
                accuracy = (scores.argmax(dim=1) == labels).float().mean().item()
                grads = gv.cross_entropy(scores, labels).backward()
                assert accuracy == 0.5 and scores.grad(grads) is not None
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        gv.set_default_device(gv.device("ndarray").autodiff())
        slope, offset = gv.tensor(0.0), gv.tensor(0.0)
        x, y = gv.tensor([1.0, 2.0]), gv.tensor([3.0, 5.0])
        loss = ((slope * x + offset - y) ** 2).mean()
        loss.backward()  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        gv.set_default_device(gv.device("ndarray").autodiff())
        slope, offset = gv.tensor(0.0).require_grad(), gv.tensor(0.0).require_grad()
        x, y = gv.tensor([1.0, 2.0]), gv.tensor([3.0, 5.0])
        loss = ((slope * x + offset - y) ** 2).mean()
        grads = loss.backward()
        assert slope.grad(grads).item() == -13.0 and offset.grad(grads).item() == -8.0
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0, 2.0], requires_grad=True)
        loss = (weight * weight).sum()
        outcome = loss.verdict.backward
        assert outcome.ok, outcome.reason
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0], requires_grad=True)
        assert (weight * 2.0).is_tracked
        assert not (weight.detach() * 2.0).is_tracked
        """
    ),
    handling=code(
        """
        import gradviz as gv

        loss = gv.tensor([1.0], device=gv.device("ndarray").autodiff()).sum()
        try:
            grads = loss.backward()
        except gv.GradvizError as error:
            if error.slug != "untracked-root":
                raise
            grads = None  # everything is frozen in this phase: skip the update
        assert grads is None
        """
    ),
    prevention=(
        "Let modules hold the weights: their parameters are marked from the start.",
        "Use no_grad for reports only, and compute what you train on outside it.",
        "Ask gv.why(weight, loss) when a new loss is written.",
    ),
    tags=("backward", "require_grad", "no_grad", "detach", "root"),
)

CONSUMED: Final = Record(
    slug="graph-consumed",
    message="This graph was already consumed by a backward pass",
    severity="error",
    documentation=(
        "backward frees the arrays that each step saved as soon as the step has run, so that "
        "memory doesn't grow. A second pass through the same steps finds them gone. Two graphs "
        "that share only leaves are independent; two that share a result are not."
    ),
    trigger_scenarios=(
        Scenario(
            "backward is called twice on one root",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                loss = (weight * weight).sum()
                loss.backward()
                loss.backward()  # fails: the first call used the graph up
                """
            ),
        ),
        Scenario(
            "Two losses share a hidden result and are differentiated one after the other",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                hidden = gv.exp(weight)
                fit, size = (hidden * 3.0).sum(), (hidden * hidden).mean()
                fit.backward()
                size.backward()  # fails: both need the exponential
                """
            ),
        ),
        Scenario(
            "State is carried from one step of a loop to the next",
            code(
                """
                import gradviz as gv

                gain = gv.tensor(0.8, requires_grad=True)
                state = gv.tensor(1.0)
                for _ in range(2):
                    state = gv.tanh(gain * state)
                    state.backward()  # fails: the second round reaches into the first
                """
            ),
        ),
    ),
    common_situations=(
        "A notebook cell that calls backward is run a second time, without the forward cell.",
        "A hidden state, a memory or a running average crosses the border of an iteration.",
        "A sub-result was moved out of the loop to save time, and every round differentiates it.",
        "Generator and discriminator losses use the same generated batch.",
    ),
    solutions=(
        Solution(
            "Run the forward pass again before every backward",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                for _ in range(2):
                    loss = (weight * weight).sum()
                    grads = loss.backward()
                assert weight.grad(grads).tolist() == [2.0, 4.0]
                """
            ),
        ),
        Solution(
            "Add the losses and go backward once",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.0, 0.0], requires_grad=True)
                hidden = gv.exp(weight)
                fit, size = (hidden * 3.0).sum(), (hidden * hidden).mean()
                grads = (fit + size).backward()
                assert weight.grad(grads).tolist() == [4.0, 4.0]
                """
            ),
        ),
        Solution(
            "Detach state where one iteration ends and the next begins",
            code(
                """
                import gradviz as gv

                gain = gv.tensor(0.8, requires_grad=True)
                state = gv.tensor(1.0)
                for _ in range(3):
                    state = gv.tanh(gain * state.detach())
                    grads = state.backward()
                assert gain.grad(grads) is not None
                """
            ),
        ),
        Solution(
            "Keep the graph for a second pass that really is wanted",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                loss = (weight * weight).sum()
                first = loss.backward(retain_graph=True)
                second = loss.backward()
                assert weight.grad(first).tolist() == weight.grad(second).tolist()
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        weight = gv.tensor([0.5], requires_grad=True)
        features = gv.sigmoid(weight * 2.0)
        for target in (0.0, 1.0):
            loss = (features - target).pow(2).sum()
            loss.backward()  # fails: in the second round
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        weight = gv.tensor([0.5], requires_grad=True)
        for target in (0.0, 1.0):
            features = gv.sigmoid(weight * 2.0)
            loss = (features - target).pow(2).sum()
            grads = loss.backward()
        assert weight.grad(grads) is not None
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0, 2.0], requires_grad=True)
        loss = (weight * weight).sum()
        assert loss.verdict.backward.ok
        loss.backward()
        assert loss.verdict.backward.slug == "graph-consumed"
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        def can_go_back(loss):
            return loss.verdict.backward.ok

        loss = gv.tensor([1.0], requires_grad=True).exp().sum()
        assert can_go_back(loss)
        """
    ),
    handling=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0, 2.0], requires_grad=True)

        def forward():
            return (weight * weight).sum()

        loss = forward()
        loss.backward()
        try:
            grads = loss.backward()
        except gv.GradvizError as error:
            if error.slug != "graph-consumed":
                raise
            grads = forward().backward()
        assert weight.grad(grads) is not None
        """
    ),
    prevention=(
        "Keep forward and backward together in one function or one cell.",
        "Detach everything that outlives an iteration.",
        "Reach for retain_graph only when the same graph is wanted twice, never to silence this.",
    ),
    tags=("backward", "retain_graph", "memory", "recurrent", "training-loop"),
)

RECORDS: Final = (UNTRACKED_ROOT, CONSUMED)
