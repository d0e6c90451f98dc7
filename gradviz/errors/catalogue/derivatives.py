"""Derivatives that aren't what they should be."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

FAILED: Final = Record(
    slug="gradient-check-failed",
    message="A gradient isn't the slope that differences show",
    severity="error",
    documentation=(
        "gv.gradcheck moves every element of the inputs a little to either side and compares what "
        "the results do with what backward says. Where they differ, a formula is wrong, usually "
        "that of a function with a backward of its own; or the point lies on a kink or a jump, "
        "where there is no slope."
    ),
    trigger_scenarios=(
        Scenario(
            "A factor is forgotten in a backward",
            code(
                """
                import gradviz as gv

                class Cube(gv.Function):
                    @staticmethod
                    def forward(ctx, x):
                        ctx.save_for_backward(x)
                        return x * x * x

                    @staticmethod
                    def backward(ctx, g):
                        (x,) = ctx.saved_tensors
                        return g * x * x

                x = gv.tensor([2.0], dtype=gv.float64, requires_grad=True)
                gv.gradcheck(Cube.apply, x)  # fails: 4 instead of 12
                """
            ),
        ),
        Scenario(
            "The function jumps where it is checked",
            code(
                """
                import gradviz as gv

                x = gv.tensor([0.5], dtype=gv.float64, requires_grad=True)
                gv.gradcheck(lambda x: x.round(), x)  # fails: 0 beside the jump to 1
                """
            ),
        ),
    ),
    common_situations=(
        "A backward pass was written by hand and lacks a factor or a sum.",
        "The function rounds, sorts or takes maxima, and the inputs lie where it changes.",
        "The function draws random numbers, and every call draws others.",
    ),
    solutions=(
        Solution(
            "Mend the backward pass",
            code(
                """
                import gradviz as gv

                class Cube(gv.Function):
                    @staticmethod
                    def forward(ctx, x):
                        ctx.save_for_backward(x)
                        return x * x * x

                    @staticmethod
                    def backward(ctx, g):
                        (x,) = ctx.saved_tensors
                        return g * 3.0 * x * x

                x = gv.tensor([2.0], dtype=gv.float64, requires_grad=True)
                assert gv.gradcheck(Cube.apply, x)
                """
            ),
        ),
        Solution(
            "Check where there is a slope",
            code(
                """
                import gradviz as gv

                x = gv.tensor([0.2, 1.7], dtype=gv.float64, requires_grad=True)
                assert gv.gradcheck(lambda x: (x * x.round()).sum(), x)
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        class Double(gv.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2.0

            @staticmethod
            def backward(ctx, g):
                return g

        x = gv.tensor([1.0], dtype=gv.float64, requires_grad=True)
        gv.gradcheck(Double.apply, x)  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        class Double(gv.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2.0

            @staticmethod
            def backward(ctx, g):
                return g * 2.0

        x = gv.tensor([1.0], dtype=gv.float64, requires_grad=True)
        assert gv.gradcheck(Double.apply, x)
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        x = gv.tensor([0.5], dtype=gv.float64, requires_grad=True)
        assert gv.gradcheck(lambda x: x.exp(), x, raise_exception=False)
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        x = gv.tensor([0.5], dtype=gv.float64, requires_grad=True)
        assert x.is_tracked and x.dtype == gv.float64
        """
    ),
    handling=code(
        """
        import gradviz as gv

        x = gv.tensor([0.5], dtype=gv.float64, requires_grad=True)
        try:
            gv.gradcheck(lambda x: x.round(), x)
        except gv.GradvizError as error:
            if error.slug != "gradient-check-failed":
                raise
            where = dict(error.problem.facts)["input"]
        assert where == "0, element (0,)"
        """
    ),
    prevention=("Check every backward that is written by hand, at a point of no special kind.",),
    tags=("gradcheck", "finite differences", "backward", "function"),
)

RECORDS: Final = (FAILED,)
