"""Tensors that can't meet in one operation."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

BACKENDS: Final = Record(
    slug="different-backends",
    message="The provided tensors are not on the same backend.",
    severity="error",
    documentation=(
        "An operation runs on one backend. A plain tensor may join an autodiff one of the same "
        "backend, where it enters as a constant, but an NdArray tensor has values and a Capture "
        "tensor has none, so those two can't be combined. Inside a capture, everything but the "
        "parameters of modules has to come in as an input or be moved to the capture device."
    ),
    trigger_scenarios=(
        Scenario(
            "A captured function uses a tensor of the surrounding code",
            code(
                """
                import gradviz as gv

                scale = gv.tensor([2.0, 3.0])

                def head(x):
                    return (x * scale).sum()  # fails: scale has values, x is being recorded

                gv.capture(head, gv.spec((2,), "float32"))
                """
            ),
        ),
        Scenario(
            "A captured function creates a tensor on a fixed device",
            code(
                """
                import gradviz as gv

                def shifted(x):
                    offset = gv.ones(3, device=gv.device("ndarray"))
                    return x + offset  # fails: offset isn't part of the capture

                gv.capture(shifted, gv.spec((3,), "float32"))
                """
            ),
        ),
        Scenario(
            "A handle of a capture scope meets data",
            code(
                """
                import gradviz as gv

                data = gv.tensor([1.0, 2.0])
                with gv.capture_scope(device=gv.device("capture")) as scope:
                    x = scope.input((2,), "float32", name="x")
                    y = x + data  # fails: data was never brought in
                    scope.output(y)
                """
            ),
        ),
    ),
    common_situations=(
        "A weight lives in the enclosing scope as a bare tensor, not in a module.",
        "A helper builds masks or positions on the device that was the default long ago.",
        "Half of a function was ported to capture inputs, the other half still uses arrays.",
    ),
    solutions=(
        Solution(
            "Pass the tensor in as an input",
            code(
                """
                import gradviz as gv

                scale = gv.tensor([2.0, 3.0])

                def head(x, scale):
                    return (x * scale).sum()

                captured = gv.capture(head, gv.spec((2,), "float32"), scale)
                assert captured.run([1.0, 1.0], scale).item() == 5.0
                """
            ),
        ),
        Solution(
            "Move it to the device of the other operand, where it becomes a constant",
            code(
                """
                import gradviz as gv

                scale = gv.tensor([2.0, 3.0])

                def head(x):
                    return (x * scale.to(x.device)).sum()

                captured = gv.capture(head, gv.spec((2,), "float32"))
                assert len(captured.constants) == 1
                assert captured.run([1.0, 1.0]).item() == 5.0
                """
            ),
        ),
        Solution(
            "Keep weights in a module: its parameters enter by themselves",
            code(
                """
                import gradviz as gv

                layer = gv.nn.Linear(2, 1)
                captured = gv.capture(layer, gv.spec((4, 2), "float32"))
                assert captured.run(gv.ones(4, 2)).shape == (4, 1)
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        bias = gv.tensor([0.5, -0.5])

        def forward(x):
            return gv.relu(x + bias)  # fails

        gv.capture(forward, gv.spec((3, 2), "float32"))
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        bias = gv.tensor([0.5, -0.5])

        def forward(x):
            return gv.relu(x + bias.to(x.device))

        captured = gv.capture(forward, gv.spec((3, 2), "float32"))
        assert captured.run(gv.zeros(3, 2)).tolist() == [[0.5, 0.0]] * 3
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        def together(*tensors):
            return len({t.device.inner() for t in tensors}) <= 1

        assert together(gv.tensor([1.0]), gv.tensor([1.0], requires_grad=True))
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        plain = gv.tensor([1.0])
        assert not gv.is_capture(plain)
        """
    ),
    handling=code(
        """
        import gradviz as gv

        scale = gv.tensor([2.0, 3.0])

        def head(x):
            try:
                return x * scale
            except gv.GradvizError as error:
                if error.slug != "different-backends":
                    raise
                return x * scale.to(x.device)

        captured = gv.capture(head, gv.spec((2,), "float32"))
        assert captured.run([1.0, 1.0]).tolist() == [2.0, 3.0]
        """
    ),
    prevention=(
        "Write functions that are to be captured so that all they use is an argument or a module.",
        "Create helper tensors with device=x.device, or with the *_like functions.",
    ),
    tags=("device", "kind", "capture", "mixing"),
)

CHECKPOINTING: Final = Record(
    slug="different-checkpointing",
    message="The provided tensors use different checkpointing strategies",
    severity="error",
    documentation=(
        'A checkpointing strategy says whether a graph keeps its intermediate arrays ("none") '
        'or recomputes the cheap ones in backward ("balanced"). It holds for the whole graph, '
        "so two tensors of different strategies can't be combined. Plain tensors have none and "
        "go with either."
    ),
    trigger_scenarios=(
        Scenario(
            "Two weights were created on devices of different strategies",
            code(
                """
                import gradviz as gv

                cpu = gv.device("ndarray")
                trunk = gv.ones(2, 2, device=cpu.autodiff(checkpointing="balanced"))
                head = gv.ones(2, 1, device=cpu.autodiff())
                trunk @ head  # fails: balanced meets none
                """
            ),
        ),
        Scenario(
            "A tensor went through inner() and came back with the default strategy",
            code(
                """
                import gradviz as gv

                lean = gv.device("ndarray").autodiff(checkpointing="balanced")
                weight = gv.tensor([1.0, 2.0], device=lean).require_grad()
                copy = weight.inner().autodiff()
                weight + copy  # fails: autodiff() without a device means "none"
                """
            ),
        ),
    ),
    common_situations=(
        "One part of a model was switched to balanced to save memory, another part wasn't.",
        "requires_grad=True made a leaf on the default device beside one on a chosen device.",
    ),
    solutions=(
        Solution(
            "Choose one device and create everything on it",
            code(
                """
                import gradviz as gv

                lean = gv.device("ndarray").autodiff(checkpointing="balanced")
                with gv.default_device(lean):
                    trunk = gv.ones(2, 2).require_grad()
                    head = gv.ones(2, 1).require_grad()
                grads = (trunk @ head).sum().backward()
                assert trunk.grad(grads) is not None and head.grad(grads) is not None
                """
            ),
        ),
        Solution(
            "Bring the plain tensor under it to the other's device",
            code(
                """
                import gradviz as gv

                lean = gv.device("ndarray").autodiff(checkpointing="balanced")
                weight = gv.tensor([1.0, 2.0], device=lean).require_grad()
                copy = gv.tensor([0.5, 0.5], requires_grad=True).inner().to(lean)
                assert (weight + copy).tolist() == [1.5, 2.5]
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        lean = gv.device("ndarray").autodiff(checkpointing="balanced")
        weight = gv.tensor([1.0, 2.0], device=lean).require_grad()
        bias = gv.tensor([0.1, 0.1], requires_grad=True)
        out = weight + bias  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        lean = gv.device("ndarray").autodiff(checkpointing="balanced")
        weight = gv.tensor([1.0, 2.0], device=lean).require_grad()
        bias = gv.tensor([0.1, 0.1], device=lean).require_grad()
        grads = (weight + bias).sum().backward()
        assert bias.grad(grads).tolist() == [1.0, 1.0]
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        lean = gv.device("ndarray").autodiff(checkpointing="balanced")
        parts = [gv.zeros(2, device=lean), gv.ones(2, device=lean)]
        assert len({t.device for t in parts if gv.is_autodiff(t)}) <= 1
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        def same_strategy(a, b):
            return not (gv.is_autodiff(a) and gv.is_autodiff(b)) or a.device == b.device

        assert same_strategy(gv.ones(2), gv.ones(2, requires_grad=True))
        """
    ),
    handling=code(
        """
        import gradviz as gv

        lean = gv.device("ndarray").autodiff(checkpointing="balanced")
        a, b = gv.ones(2, device=lean), gv.ones(2, device=lean.inner().autodiff())
        try:
            total = a + b
        except gv.GradvizError as error:
            if error.slug != "different-checkpointing":
                raise
            total = a + b.inner()
        assert total.tolist() == [2.0, 2.0]
        """
    ),
    prevention=(
        "Name the autodiff device once and pass it on, or make it the default.",
        "Move tensors with .to(device) instead of inner() and autodiff().",
    ),
    tags=("device", "checkpointing", "memory", "mixing"),
)

RECORDS: Final = (BACKENDS, CHECKPOINTING)
