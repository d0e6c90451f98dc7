"""Moving a tensor off a capture device."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

FROM_CAPTURE: Final = Record(
    slug="cannot-move-from-capture",
    message="Cannot move a tensor from a capture device",
    severity="error",
    documentation=(
        "A capture tensor stands for a value that will exist when the graph runs. There is "
        "nothing to copy to another device while it is recorded."
    ),
    trigger_scenarios=(
        Scenario(
            "A captured function sends its result to a fixed device",
            code(
                """
                import gradviz as gv

                def forward(x):
                    return gv.tanh(x).to(gv.device("ndarray"))  # fails: no value yet

                gv.capture(forward, gv.spec((2,), "float32"))
                """
            ),
        ),
        Scenario(
            "A result is fetched from inside a scope",
            code(
                """
                import gradviz as gv

                with gv.capture_scope(device=gv.device("capture")) as scope:
                    x = scope.input((2,), "float32", name="x")
                    shown = (x * 2.0).to(gv.device("ndarray"))  # fails: nothing was computed
                """
            ),
        ),
    ),
    common_situations=(
        "A forward function ends with a move to the CPU for the code behind it.",
        "A layer moves its input to the device it was built on.",
    ),
    solutions=(
        Solution(
            "Leave the move out and run the captured graph to get values",
            code(
                """
                import gradviz as gv

                captured = gv.capture(gv.tanh, gv.spec((2,), "float32"))
                assert str(captured.run([0.0, 0.0]).kind) == "NdArray"
                """
            ),
        ),
        Solution(
            "Move where the function is called, not inside it",
            code(
                """
                import gradviz as gv

                def forward(x):
                    return gv.tanh(x)

                ndarray = gv.device("ndarray")
                shown = forward(gv.zeros(2, requires_grad=True)).inner().to(ndarray)
                captured = gv.capture(forward, gv.spec((2,), "float32"))
                assert captured.run(gv.zeros(2)).tolist() == shown.tolist()
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        cpu = gv.device("ndarray")

        def score(x):
            return (x * x).sum().to(cpu)  # fails

        gv.capture(score, gv.spec((3,), "float32"))
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        def score(x):
            return (x * x).sum()

        captured = gv.capture(score, gv.spec((3,), "float32"))
        assert captured.run([1.0, 2.0, 3.0]).item() == 14.0
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        def fetched(t):
            return t if gv.is_capture(t) else t.to(gv.device("ndarray"))

        assert fetched(gv.ones(2)).tolist() == [1.0, 1.0]
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        def double(x):
            assert gv.is_capture(x)
            return x * 2.0

        gv.capture(double, gv.spec((2,), "float32"))
        """
    ),
    handling=code(
        """
        import gradviz as gv

        def forward(x):
            y = gv.tanh(x)
            try:
                return y.to(gv.device("ndarray"))
            except gv.GradvizError as error:
                if error.slug != "cannot-move-from-capture":
                    raise
                return y  # being captured: whoever runs the graph gets the values

        assert len(gv.capture(forward, gv.spec((2,), "float32")).outputs) == 1
        """
    ),
    prevention=(
        "Keep device moves at the edge of the program, outside functions that compute.",
        "Create tensors on x.device instead of moving x.",
    ),
    tags=("device", "capture", "to"),
)

RECORDS: Final = (FROM_CAPTURE,)
