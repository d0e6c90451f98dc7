"""What capture tensors don't have: values, and a life outside their scope."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

NO_VALUE: Final = Record(
    slug="capture-value-unavailable",
    message="A captured tensor has no value to read",
    severity="error",
    documentation=(
        "While a function is captured, its tensors have a shape and a dtype but no numbers. "
        "Whatever needs a number fails: numpy(), item(), tolist(), float(), a Python if or "
        "while, and operations whose result's shape depends on the data. Only constants can be "
        "read."
    ),
    trigger_scenarios=(
        Scenario(
            "A Python if looks at a captured value",
            code(
                """
                import gradviz as gv

                def clip(x):
                    if x.sum() > 1.0:  # fails: the branch would be chosen by a value
                        return x / x.sum()
                    return x

                gv.capture(clip, gv.spec((3,), "float32"))
                """
            ),
        ),
        Scenario(
            "A number is read for a report",
            code(
                """
                import gradviz as gv

                def forward(x):
                    y = x.exp().mean()
                    print("mean", y.item())  # fails: nothing has been computed
                    return y

                gv.capture(forward, gv.spec((3,), "float32"))
                """
            ),
        ),
        Scenario(
            "A captured tensor is handed to NumPy",
            code(
                """
                import gradviz as gv
                import numpy as np

                def forward(x):
                    return x * np.median(x.numpy())  # fails: there is no array behind x

                gv.capture(forward, gv.spec((3,), "float32"))
                """
            ),
        ),
    ),
    common_situations=(
        "A loop stops when a residual is small enough.",
        "A size is computed from data and used in zeros or reshape.",
        "print, assert or a plotting call was left in the forward function.",
    ),
    solutions=(
        Solution(
            "Choose between tensors with gv.where instead of a Python if",
            code(
                """
                import gradviz as gv

                def clip(x):
                    return gv.where(x.sum() > 1.0, x / x.sum(), x)

                captured = gv.capture(clip, gv.spec((2,), "float32"))
                assert captured.run([3.0, 1.0]).tolist() == [0.75, 0.25]
                assert captured.run([0.5, 0.25]).tolist() == [0.5, 0.25]
                """
            ),
        ),
        Solution(
            "Take sizes from shapes, which are known, instead of from values",
            code(
                """
                import gradviz as gv

                def padded(x):
                    rows, cols = x.shape
                    return gv.cat([x, gv.zeros(1, cols, device=x.device)], dim=0)

                captured = gv.capture(padded, gv.spec((2, 3), "float32"))
                assert captured.run(gv.ones(2, 3)).shape == (3, 3)
                """
            ),
        ),
        Solution(
            "Report from the results of run",
            code(
                """
                import gradviz as gv

                captured = gv.capture(lambda x: x.exp().mean(), gv.spec((3,), "float32"))
                assert captured.run([0.0, 0.0, 0.0]).item() == 1.0
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        def scaled(x):
            return x / float(x.max())  # fails

        gv.capture(scaled, gv.spec((4,), "float32"))
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        def scaled(x):
            return x / x.max()

        captured = gv.capture(scaled, gv.spec((2,), "float32"))
        assert captured.run([1.0, 4.0]).tolist() == [0.25, 1.0]
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        def report(label, t):
            if not gv.is_capture(t):
                print(label, t.item())

        report("loss", gv.tensor([1.0, 2.0]).sum())
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        def forward(x):
            y = x * 2.0
            assert gv.is_capture(y)
            return y

        gv.capture(forward, gv.spec((2,), "float32"))
        """
    ),
    handling=code(
        """
        import gradviz as gv

        def forward(x):
            y = x.exp().sum()
            try:
                print("sum", y.item())
            except gv.GradvizError as error:
                if error.slug != "capture-value-unavailable":
                    raise
            return y

        gv.capture(forward, gv.spec((2,), "float32"))
        """
    ),
    prevention=(
        "Write decisions about data as tensor operations: where, clamp, masks.",
        "Let Python loops run over shapes and constants only.",
    ),
    tags=("capture", "item", "numpy", "control-flow", "bool"),
)

SCOPE_CLOSED: Final = Record(
    slug="capture-scope-closed",
    message="The capture scope of this tensor is closed",
    severity="error",
    documentation=(
        "A capture tensor is a handle into the graph that its scope records. When the scope "
        "ends, the graph is complete, and nothing can be added to it. A handle that was kept is "
        "of no further use."
    ),
    trigger_scenarios=(
        Scenario(
            "A handle is used after its scope",
            code(
                """
                import gradviz as gv

                with gv.capture_scope(device=gv.device("capture")) as scope:
                    y = scope.input((2,), "float32", name="x") * 2.0
                    scope.output(y)
                y + 1.0  # fails: the graph is complete
                """
            ),
        ),
        Scenario(
            "A captured function leaves a tensor behind in a list",
            code(
                """
                import gradviz as gv

                trace = []

                def forward(x):
                    trace.append(gv.tanh(x))
                    return trace[-1].sum()

                gv.capture(forward, gv.spec((2,), "float32"))
                trace[0].mean()  # fails: what the list holds belongs to the finished capture
                """
            ),
        ),
    ),
    common_situations=(
        "A module stores its last activation, and was captured after its last real call.",
        "Code was moved out of the with block by a change of indentation.",
    ),
    solutions=(
        Solution(
            "Do all the work inside the scope",
            code(
                """
                import gradviz as gv

                with gv.capture_scope(device=gv.device("capture")) as scope:
                    y = scope.input((2,), "float32", name="x") * 2.0
                    scope.output(y + 1.0)
                assert scope.graph.run([1.0, 2.0]).tolist() == [3.0, 5.0]
                """
            ),
        ),
        Solution(
            "Return what you need as a further output",
            code(
                """
                import gradviz as gv

                def forward(x):
                    hidden = gv.relu(x)
                    return hidden.sum(), hidden

                total, hidden = gv.capture(forward, gv.spec((2,), "float32")).run([1.0, -2.0])
                assert total.item() == 1.0 and hidden.mean().item() == 0.5
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        with gv.capture_scope(device=gv.device("capture")) as scope:
            x = scope.input((3,), "float32", name="x")
        scope.output(x.exp())  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        with gv.capture_scope(device=gv.device("capture")) as scope:
            x = scope.input((3,), "float32", name="x")
            scope.output(x.exp())
        assert scope.graph.run([0.0, 0.0, 0.0]).tolist() == [1.0, 1.0, 1.0]
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        kept = {"hidden": gv.ones(2)}
        stale = [name for name, t in kept.items() if gv.is_capture(t)]
        assert not stale, f"left over from a capture: {stale}"
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        assert not gv.is_capture(gv.ones(2))
        """
    ),
    handling=code(
        """
        import gradviz as gv

        seen = []
        gv.capture(lambda x: seen.append(x * 2.0) or seen[0], gv.spec((2,), "float32"))
        try:
            shifted = seen[0] + 1.0
        except gv.GradvizError as error:
            if error.slug != "capture-scope-closed":
                raise
            seen.clear()
            shifted = gv.ones(2) + 1.0
        assert shifted.tolist() == [2.0, 2.0]
        """
    ),
    prevention=(
        "Don't store tensors on objects or in lists inside a function that is captured.",
        "Return every tensor that is wanted afterwards.",
    ),
    tags=("capture", "scope", "state"),
)

RECORDS: Final = (NO_VALUE, SCOPE_CLOSED)
