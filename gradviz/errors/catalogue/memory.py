"""Graphs that stay alive, and graphs that were recorded for nothing."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

RETAINED: Final = Record(
    slug="graph-retained",
    message="{count} tensors of finished iterations are alive and hold their graph",
    severity="warning",
    documentation=(
        "A tracked tensor holds the graph it came from. Kept in a list, on an object or in a "
        "running sum, it keeps one graph per iteration alive, and memory grows until it runs "
        "out. Keep the number or a detached copy instead."
    ),
    trigger_scenarios=(
        Scenario(
            "Losses are collected in a list",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                history = []
                for x in (0.5, 1.0, 1.5):
                    loss = ((weight * x) ** 2).mean()
                    grads = loss.backward()
                    history.append(loss)  # cause: the tensor, not the number
                # gv.diagnose(loss, wrt=[weight], grads=grads)
                assert all(kept.is_tracked for kept in history)
                """
            ),
        ),
        Scenario(
            "A running sum is a tensor",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                total = 0.0
                for x in (0.5, 1.0, 1.5):
                    loss = ((weight * x) ** 2).mean()
                    grads = loss.backward()
                    total = total + loss  # cause: the sum reaches back to the first iteration
                # gv.diagnose(loss, wrt=[weight], grads=grads)
                assert total.is_tracked
                """
            ),
        ),
    ),
    common_situations=(
        "A curve of losses, or a list of predictions, for a plot at the end.",
        "A module that stores its last activation.",
        "A replay buffer that is filled with tracked results.",
    ),
    solutions=(
        Solution(
            "Keep the number: item()",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                history = []
                for x in (0.5, 1.0, 1.5):
                    loss = ((weight * x) ** 2).mean()
                    grads = loss.backward()
                    history.append(loss.item())
                assert all(isinstance(kept, float) for kept in history)
                """
            ),
        ),
        Solution(
            "Keep a detached tensor",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                kept = []
                for x in (0.5, 1.0):
                    scores = weight * x
                    grads = scores.sum().backward()
                    kept.append(scores.detach())
                assert not any(t.is_tracked for t in kept)
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0], requires_grad=True)
        losses = []
        for _ in range(3):
            losses.append((weight * weight).sum())
            losses[-1].backward()
        assert losses[0].is_tracked
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0], requires_grad=True)
        losses = []
        for _ in range(3):
            loss = (weight * weight).sum()
            loss.backward()
            losses.append(loss.item())
        assert losses == [1.0, 1.0, 1.0]
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        history = [gv.tensor([1.0], requires_grad=True).sum().item()]
        assert not any(isinstance(kept, gv.Tensor) and kept.is_tracked for kept in history)
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0], requires_grad=True)
        assert weight.exp().is_tracked and not weight.exp().detach().is_tracked
        """
    ),
    handling=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0], requires_grad=True)
        history = [(weight * n).sum() for n in range(3)]
        grads = history[-1].backward()
        for problem in gv.diagnose(history[-1], wrt=[weight], grads=grads).problems:
            if problem.slug == "graph-retained":
                history = [t.item() for t in history]
        """
    ),
    prevention=("Let item() or detach() be the last word of whatever leaves an iteration.",),
    tags=("memory", "history", "item", "detach"),
)

NEVER_DIFFERENTIATED: Final = Record(
    slug="never-differentiated",
    message="{count} operations were recorded and no backward uses them",
    severity="warning",
    documentation=(
        "Work on tracked tensors is recorded so that it can be differentiated: it costs memory "
        "and some time. Where no backward ever comes, as in an evaluation pass, record nothing."
    ),
    trigger_scenarios=(
        Scenario(
            "An evaluation pass is recorded",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                loss = (weight * weight).sum()
                score = (weight * gv.tensor([3.0, 4.0])).mean()  # cause: only ever printed
                # gv.diagnose(loss, wrt=[weight])
                assert score.is_tracked and score.item() == 5.5
                assert weight.grad(loss.backward()) is not None
                """
            ),
        ),
        Scenario(
            "A prediction is recorded and detached afterwards",
            code(
                """
                import gradviz as gv

                model = gv.nn.Linear(2, 1)
                prediction = model(gv.ones(4, 2))  # cause: the graph is built and dropped
                shown = prediction.detach()
                loss = model(gv.ones(1, 2)).sum()
                # gv.diagnose(loss, wrt=list(model.parameters()))
                assert prediction.is_tracked and not shown.is_tracked
                """
            ),
        ),
    ),
    common_situations=(
        "Validation runs the same function as training.",
        "A metric is computed from tracked outputs beside the loss.",
    ),
    solutions=(
        Solution(
            "Wrap the evaluation in no_grad",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                with gv.no_grad():
                    score = (weight * gv.tensor([3.0, 4.0])).mean()
                assert not score.is_tracked and score.item() == 5.5
                """
            ),
        ),
        Solution(
            "Evaluate the inference copy of a module",
            code(
                """
                import gradviz as gv

                model = gv.nn.Linear(2, 1)
                prediction = model.valid()(gv.ones(4, 2))
                assert not gv.is_autodiff(prediction)
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0, 2.0], requires_grad=True)
        shown = (weight * 2.0).sum()
        assert shown.is_tracked
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0, 2.0], requires_grad=True)
        with gv.no_grad():
            shown = (weight * 2.0).sum()
        assert not shown.is_tracked
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        def evaluate(fn, *args):
            with gv.no_grad():
                return fn(*args)

        weight = gv.tensor([1.0], requires_grad=True)
        assert not evaluate(gv.exp, weight).is_tracked
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        with gv.no_grad():
            assert not gv.is_grad_enabled()
        """
    ),
    handling=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0, 2.0], requires_grad=True)
        loss, score = (weight * weight).sum(), (weight * 3.0).mean()
        for problem in gv.diagnose(loss, wrt=[weight]).problems:
            if problem.slug == "never-differentiated":
                print(problem.cause)
        """
    ),
    prevention=("Give evaluation a function of its own, with no_grad around its body.",),
    tags=("no_grad", "evaluation", "memory", "valid"),
)

RECORDS: Final = (RETAINED, NEVER_DIFFERENTIATED)
