"""Calls that need another kind of tensor: `backward` on a plain one, lifting a lifted one."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

REQUIRES_AUTODIFF: Final = Record(
    slug="requires-autodiff-tensor",
    message="Requires autodiff tensor.",
    severity="error",
    documentation=(
        "backward and grad read the graph that an autodiff kind records. A tensor of a plain "
        "kind (NdArray, Capture) has none: it was never lifted, or it came from a call that "
        "hands back plain values, such as inner(), a gradient, or a module's valid() copy. "
        "Nothing can be recovered afterwards; the forward pass has to run on autodiff tensors."
    ),
    trigger_scenarios=(
        Scenario(
            "The output of an inference copy is used as the root",
            code(
                """
                import gradviz as gv

                model = gv.nn.Linear(3, 1)
                batch = gv.tensor([[1.0, 0.5, -1.0]])
                score = model.valid()(batch).sum()
                score.backward()  # fails: valid() computes on the inner device
                """
            ),
        ),
        Scenario(
            "A gradient is used as the root of another backward",
            code(
                """
                import gradviz as gv

                x = gv.tensor([1.0, 2.0], requires_grad=True)
                slope = x.grad((x ** 3).sum().backward())
                slope.sum().backward()  # fails: a gradient is a plain tensor
                """
            ),
        ),
        Scenario(
            "The result of inner() is used as the root",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.5, -0.5], requires_grad=True)
                loss = (weight * weight).sum().inner()
                loss.backward()  # fails: inner() left the graph behind
                """
            ),
        ),
        Scenario(
            "The tensors were created on the default device, which records nothing",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.2, 0.4])
                target = gv.tensor([1.0, 1.0])
                loss = gv.mse_loss(weight, target)
                loss.backward()  # fails: every tensor here is plain
                """
            ),
        ),
        Scenario(
            "A gradient is asked for a plain tensor",
            code(
                """
                import gradviz as gv

                inputs = gv.tensor([1.0, 2.0])
                weight = gv.tensor([0.3, 0.1], requires_grad=True)
                grads = (inputs * weight).sum().backward()
                inputs.grad(grads)  # fails: inputs is a constant of this graph
                """
            ),
        ),
        Scenario(
            "A function that is being captured calls backward",
            code(
                """
                import gradviz as gv

                def step(x):
                    loss = (x * x).mean()
                    return loss.backward()  # fails: x only records

                gv.capture(step, gv.spec((4,), "float32"))
                """
            ),
        ),
    ),
    common_situations=(
        "The loss is computed from predictions that an evaluation helper returned.",
        "A gradient, or the plain tensor under an autodiff one, becomes part of a new loss.",
        "Data and weights are both created by gv.tensor(...) and none of them is marked.",
        "A device is chosen once at the top of a script and nobody called .autodiff() on it.",
    ),
    solutions=(
        Solution(
            "Compute the loss with the module itself and keep valid() for evaluation",
            code(
                """
                import gradviz as gv

                model = gv.nn.Linear(3, 1)
                batch = gv.tensor([[1.0, 0.5, -1.0]])
                grads = model(batch).sum().backward()
                assert model.weight.grad(grads).shape == (1, 3)
                assert not gv.is_autodiff(model.valid()(batch))
                """
            ),
        ),
        Solution(
            "Create what you train on an autodiff device",
            code(
                """
                import gradviz as gv

                gv.set_default_device(gv.device("ndarray").autodiff())
                weight = gv.tensor([0.2, 0.4]).require_grad()
                target = gv.tensor([1.0, 1.0])
                grads = gv.mse_loss(weight, target).backward()
                assert weight.grad(grads) is not None
                """
            ),
        ),
        Solution(
            "Mark the leaf when you create it; requires_grad=True picks the autodiff device",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.5, -0.5], requires_grad=True)
                grads = (weight * weight).sum().backward()
                assert weight.grad(grads).tolist() == [1.0, -1.0]
                """
            ),
        ),
        Solution(
            "Differentiate a gradient by recording the backward pass",
            code(
                """
                import gradviz as gv

                x = gv.tensor([1.0, 2.0], requires_grad=True)
                slope = x.grad((x ** 3).sum().backward(create_graph=True))
                curvature = x.grad(slope.sum().backward())
                assert curvature.tolist() == [6.0, 12.0]
                """
            ),
        ),
        Solution(
            "Recompute the loss from the leaves and take plain values only for reports",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.5, -0.5], requires_grad=True)
                loss = (weight * weight).sum()
                shown = loss.inner().item()
                grads = loss.backward()
                assert shown == 0.5 and weight.grad(grads) is not None
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        model = gv.nn.Linear(2, 1)
        x, y = gv.tensor([[1.0, 2.0]]), gv.tensor([[1.0]])
        predict = model.valid()
        loss = gv.mse_loss(predict(x), y)
        grads = loss.backward()  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        model = gv.nn.Linear(2, 1)
        x, y = gv.tensor([[1.0, 2.0]]), gv.tensor([[1.0]])
        loss = gv.mse_loss(model(x), y)
        grads = loss.backward()
        assert model.weight.grad(grads) is not None
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        def training_root(loss):
            gv.ensure_autodiff(loss)  # raises this very error, but where the loss is made
            return loss

        weight = gv.tensor([1.0, 2.0], requires_grad=True)
        training_root((weight * 2.0).sum()).backward()
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0], requires_grad=True)
        assert gv.is_autodiff(weight)
        assert not gv.is_autodiff(weight.inner())
        """
    ),
    handling=code(
        """
        import gradviz as gv

        loss = gv.tensor([1.0, 2.0]).sum()
        try:
            grads = loss.backward()
        except gv.GradvizError as error:
            if error.slug != "requires-autodiff-tensor":
                raise
            grads = None  # an evaluation pass: there is nothing to update
        assert grads is None
        """
    ),
    prevention=(
        "Let a training function and an evaluation function differ by name, not by a flag.",
        "Treat gradients and inner() results as numbers to read, never as part of a loss.",
        "Choose the autodiff device once, where the script begins.",
        "Look at loss.verdict.backward before a long run: it answers without computing anything.",
    ),
    tags=("backward", "grad", "kind", "inference", "inner", "valid", "device"),
)

WRAPS_AUTODIFF: Final = Record(
    slug="autodiff-wraps-autodiff",
    message="Autodiff should not wrap an autodiff tensor.",
    severity="error",
    documentation=(
        "Gradient tracking decorates a plain kind exactly once: Autodiff(NdArray) exists, "
        "Autodiff(Autodiff(NdArray)) doesn't. autodiff() and from_inner() therefore refuse a "
        "tensor or a device that is decorated already. Higher derivatives need no second layer: "
        "they come from backward(create_graph=True)."
    ),
    trigger_scenarios=(
        Scenario(
            "A tensor that is autodiff already is lifted again",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                weight.autodiff()  # fails: weight is Autodiff(NdArray)
                """
            ),
        ),
        Scenario(
            "An autodiff device is decorated a second time",
            code(
                """
                import gradviz as gv

                device = gv.device("ndarray").autodiff()
                device.autodiff(checkpointing="balanced")  # fails: the strategy is chosen once
                """
            ),
        ),
        Scenario(
            "from_inner gets the tensor that it should have been the way back to",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([3.0], requires_grad=True)
                copy = gv.Tensor.from_inner(weight * 1.0)  # fails: inner() was left out
                """
            ),
        ),
    ),
    common_situations=(
        "A helper lifts whatever it is given, and is called twice.",
        "A second decoration is meant to give second derivatives.",
        "The default device is autodiff, so tensors come lifted, and old .autodiff() calls remain.",
    ),
    solutions=(
        Solution(
            "Lift only what is plain",
            code(
                """
                import gradviz as gv

                def lifted(t):
                    return t if gv.is_autodiff(t) else t.autodiff()

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                assert lifted(weight) is weight
                assert gv.is_autodiff(lifted(gv.tensor([1.0])))
                """
            ),
        ),
        Solution(
            "Go back to the plain device first to choose another strategy",
            code(
                """
                import gradviz as gv

                device = gv.device("ndarray").autodiff()
                lean = device.inner().autodiff(checkpointing="balanced")
                assert lean.is_autodiff and lean.inner() == gv.device("ndarray")
                """
            ),
        ),
        Solution(
            "Use create_graph=True for derivatives of derivatives",
            code(
                """
                import gradviz as gv

                x = gv.tensor(2.0, requires_grad=True)
                slope = x.grad((x ** 4).backward(create_graph=True))
                assert x.grad(slope.backward()).item() == 48.0
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        gv.set_default_device(gv.device("ndarray").autodiff())
        weight = gv.tensor([0.1, 0.2]).autodiff().require_grad()  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        gv.set_default_device(gv.device("ndarray").autodiff())
        weight = gv.tensor([0.1, 0.2]).require_grad()
        assert weight.is_leaf and weight.is_require_grad
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        def on_autodiff(device):
            return device if device.is_autodiff else device.autodiff()

        device = on_autodiff(on_autodiff(gv.device("ndarray")))
        assert str(device.kind) == "Autodiff(NdArray)"
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        plain = gv.tensor([1.0])
        assert not gv.is_autodiff(plain) and gv.is_autodiff(plain.autodiff())
        """
    ),
    handling=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0], requires_grad=True)
        try:
            weight = weight.autodiff()
        except gv.GradvizError as error:
            if error.slug != "autodiff-wraps-autodiff":
                raise
        assert weight.is_require_grad
        """
    ),
    prevention=(
        "Lift at the edge of the program, where data enters, and nowhere else.",
        "Prefer requires_grad=True or a default device to .autodiff() calls in the middle.",
    ),
    tags=("kind", "device", "autodiff", "from_inner", "higher-order"),
)

RECORDS: Final = (REQUIRES_AUTODIFF, WRAPS_AUTODIFF)
