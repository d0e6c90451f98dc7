"""Marking a tensor that can't carry a mark: a plain kind, or integers and truth values."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

PLAIN_KIND: Final = Record(
    slug="require-grad-on-plain-kind",
    message="Only an autodiff tensor can be marked as requiring gradients",
    severity="error",
    documentation=(
        "A mark is kept by the autodiff decorator. A plain NdArray or Capture tensor has "
        "nowhere to keep it, and a mark that is quietly forgotten would end as a missing "
        "gradient much later. Create the tensor on an autodiff device or lift it with "
        "autodiff(), then mark it."
    ),
    trigger_scenarios=(
        Scenario(
            "A tensor of the default device is marked",
            code(
                """
                import gradviz as gv

                weight = gv.zeros(3)
                weight.require_grad()  # fails: weight is NdArray
                """
            ),
        ),
        Scenario(
            "A gradient is marked to be differentiated again",
            code(
                """
                import gradviz as gv

                x = gv.tensor([1.0, 2.0], requires_grad=True)
                slope = x.grad((x * x).sum().backward())
                slope.require_grad()  # fails: a gradient is plain
                """
            ),
        ),
        Scenario(
            "A capture tensor is marked",
            code(
                """
                import gradviz as gv

                def step(x):
                    return x.require_grad() * 2.0  # fails: x only records

                gv.capture(step, gv.spec((3,), "float32"))
                """
            ),
        ),
    ),
    common_situations=(
        "A weight comes from zeros, randn or a file, and the device was forgotten.",
        "inner() was called to look at a value, and the plain tensor took the leaf's place.",
        "A function written for training is captured for export unchanged.",
    ),
    solutions=(
        Solution(
            "Ask for the gradient when the tensor is created",
            code(
                """
                import gradviz as gv

                weight = gv.zeros(3, requires_grad=True)
                assert str(weight.kind) == "Autodiff(NdArray)" and weight.is_require_grad
                """
            ),
        ),
        Solution(
            "Lift a tensor that exists already, then mark it",
            code(
                """
                import gradviz as gv

                loaded = gv.tensor([0.1, 0.2])
                weight = loaded.autodiff().require_grad()
                assert weight.grad(weight.sum().backward()).tolist() == [1.0, 1.0]
                """
            ),
        ),
        Solution(
            "Create everything on an autodiff device",
            code(
                """
                import gradviz as gv

                with gv.default_device(gv.device("ndarray").autodiff()):
                    weight = gv.zeros(3).require_grad()
                assert weight.is_leaf and weight.is_tracked
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        gv.manual_seed(0)
        weight = gv.randn(2, 2).require_grad()  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        gv.manual_seed(0)
        weight = gv.randn(2, 2, requires_grad=True)
        assert weight.grad(weight.sum().backward()).shape == (2, 2)
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        def trainable(t):
            return gv.safe_require_grad(t if gv.is_autodiff(t) else t.autodiff())

        assert trainable(gv.zeros(2)).is_require_grad
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        assert not gv.is_autodiff(gv.zeros(2))
        assert gv.is_autodiff(gv.zeros(2, requires_grad=True))
        """
    ),
    handling=code(
        """
        import gradviz as gv

        weight = gv.tensor([1.0, 2.0])
        try:
            weight = weight.require_grad()
        except gv.GradvizError as error:
            if error.slug != "require-grad-on-plain-kind":
                raise
            weight = weight.autodiff().require_grad()
        assert weight.is_require_grad
        """
    ),
    prevention=(
        "Prefer requires_grad=True at creation to a require_grad() call later.",
        "Look at t.kind where a tensor enters your code from a file or a helper.",
    ),
    tags=("require_grad", "kind", "device", "plain"),
)

NON_FLOAT: Final = Record(
    slug="require-grad-on-non-float",
    message="Only a floating point tensor can require gradients",
    severity="error",
    documentation=(
        "A derivative says what a small change would do, and integers and truth values don't "
        "change by small amounts. Python ints become int64 tensors, so a forgotten decimal "
        "point is enough to get here."
    ),
    trigger_scenarios=(
        Scenario(
            "The data was written without decimal points",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1, 2, 3], requires_grad=True)  # fails: int64
                """
            ),
        ),
        Scenario(
            "Indices are marked where the values were meant",
            code(
                """
                import gradviz as gv

                scores = gv.tensor([[0.1, 0.9], [0.8, 0.2]], requires_grad=True)
                best = scores.argmax(dim=1)
                best.require_grad()  # fails: argmax gives positions
                """
            ),
        ),
        Scenario(
            "A mask is marked",
            code(
                """
                import gradviz as gv

                gate = gv.tensor([0.2, -0.4], device=gv.device("ndarray").autodiff()) > 0.0
                gate.require_grad()  # fails: a comparison gives bool
                """
            ),
        ),
    ),
    common_situations=(
        "A range or a list of whole numbers becomes the starting value of a parameter.",
        "One loop marks every entry of a state dictionary, counters and masks included.",
        "max or topk returned values and indices, and the second was taken for the first.",
    ),
    solutions=(
        Solution(
            "Create the tensor with a floating point dtype",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1, 2, 3], dtype="float32", requires_grad=True)
                assert weight.dtype == gv.float32 and weight.is_require_grad
                """
            ),
        ),
        Solution(
            "Write decimal points where a parameter is meant",
            code(
                """
                import gradviz as gv

                weight = gv.arange(3.0, requires_grad=True)
                assert weight.grad((weight * 2.0).sum().backward()).tolist() == [2.0, 2.0, 2.0]
                """
            ),
        ),
        Solution(
            "Use the values that come with the indices",
            code(
                """
                import gradviz as gv

                scores = gv.tensor([[0.1, 0.9], [0.8, 0.2]], requires_grad=True)
                best, where = scores.max(dim=1)
                grads = best.sum().backward()
                assert scores.grad(grads).tolist() == [[0.0, 1.0], [1.0, 0.0]]
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        steps = gv.arange(4, requires_grad=True)  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        steps = gv.arange(4, dtype="float32", requires_grad=True)
        assert steps.grad((steps * steps).sum().backward()).tolist() == [0.0, 2.0, 4.0, 6.0]
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        FLOATS = (gv.float16, gv.float32, gv.float64)
        state = {"weight": gv.tensor([0.5]), "count": gv.tensor([3])}
        trainable = {name: t for name, t in state.items() if t.dtype in FLOATS}
        assert list(trainable) == ["weight"]
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        def is_float(t):
            return t.dtype in (gv.float16, gv.float32, gv.float64)

        assert is_float(gv.tensor([1.0])) and not is_float(gv.tensor([1]))
        """
    ),
    handling=code(
        """
        import gradviz as gv

        try:
            weight = gv.tensor([1, 2], requires_grad=True)
        except gv.GradvizError as error:
            if error.slug != "require-grad-on-non-float":
                raise
            weight = gv.tensor([1, 2], dtype="float32", requires_grad=True)
        assert weight.is_require_grad
        """
    ),
    prevention=(
        "Name the dtype of a parameter, or write its first value with a decimal point.",
        "Keep counters, masks and indices apart from what is trained.",
    ),
    tags=("require_grad", "dtype", "int", "bool"),
)

RECORDS: Final = (PLAIN_KIND, NON_FLOAT)
