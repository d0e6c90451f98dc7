"""What a capture can't do: differentiate, and take or give tensors that it doesn't know."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

NO_AUTODIFF: Final = Record(
    slug="capture-tensors-do-not-support-autodiff",
    message="Capture tensors do not support autodiff",
    severity="error",
    documentation=(
        "Capture records operations for replay and export and computes no values, so there is "
        "nothing a backward pass could multiply. A captured graph runs forward only. The "
        "refusal is meant: backward, grad, inner and autodiff say no on every capture tensor, "
        "before anything else happens. Train on NdArray, capture what was trained."
    ),
    trigger_scenarios=(
        Scenario(
            "A whole training step is captured",
            code(
                """
                import gradviz as gv

                def step(x, weight):
                    loss = ((x @ weight) ** 2).mean()
                    return loss.backward()  # fails: the step is only being recorded

                x = gv.ones(4, 2, requires_grad=True)
                weight = gv.zeros(2, 1, requires_grad=True)
                gv.capture(step, x, weight)
                """
            ),
        ),
        Scenario(
            "A training loop runs on a capture device",
            code(
                """
                import gradviz as gv

                device = gv.device("capture").autodiff()
                with gv.capture_scope(device=device) as scope:
                    weight = scope.input((3,), "float32", name="weight").require_grad()
                    for _ in range(2):
                        loss = (weight * weight).sum()
                        loss.backward()  # fails: the device records instead of computing
                """
            ),
        ),
        Scenario(
            "A gradient is asked for a capture tensor",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([1.0, 2.0], requires_grad=True)
                grads = (weight * weight).sum().backward()

                def export(w):
                    return w - 0.1 * w.grad(grads)  # fails: w stands for a value, it isn't the leaf

                gv.capture(export, weight)
                """
            ),
        ),
        Scenario(
            "A captured function lifts its input",
            code(
                """
                import gradviz as gv

                def forward(x):
                    return x.autodiff().require_grad() * 2.0  # fails: x can't carry a graph

                gv.capture(forward, gv.spec((2,), "float32"))
                """
            ),
        ),
        Scenario(
            "A captured function takes the plain tensor under its input",
            code(
                """
                import gradviz as gv

                def forward(x):
                    return x.inner() * 2.0  # fails: there is no plain tensor under it

                gv.capture(forward, gv.ones(2, requires_grad=True))
                """
            ),
        ),
    ),
    common_situations=(
        "The function that is exported is the one that trains: forward, loss, backward and all.",
        "A script makes the capture device the default and then trains.",
        "A penalty inside the forward function needs a gradient, as some regularisers do.",
    ),
    solutions=(
        Solution(
            "Capture the forward function only, and keep backward outside",
            code(
                """
                import gradviz as gv

                def forward(x, weight):
                    return ((x @ weight) ** 2).mean()

                x, weight = gv.ones(4, 2), gv.ones(2, 1, requires_grad=True)
                grads = forward(x, weight).backward()
                captured = gv.capture(forward, x, weight.inner())
                assert weight.grad(grads).tolist() == [[4.0], [4.0]]
                assert captured.run(x, weight).item() == 4.0
                """
            ),
        ),
        Solution(
            "Train on a device that computes, export afterwards",
            code(
                """
                import gradviz as gv

                model = gv.nn.Linear(2, 1)
                opt = gv.optim.SGD(model.parameters(), lr=0.1)
                x, y = gv.tensor([[1.0, 0.0], [0.0, 1.0]]), gv.tensor([[1.0], [-1.0]])
                for _ in range(3):
                    opt.step(gv.mse_loss(model(x), y).backward())
                captured = gv.capture(model.valid(), x)
                assert captured.run(x).shape == (2, 1)
                """
            ),
        ),
        Solution(
            "Ask for the kind before the part that trains",
            code(
                """
                import gradviz as gv

                def step(x, weight):
                    loss = ((x @ weight) ** 2).mean()
                    if gv.is_capture(loss):
                        return loss
                    return weight.grad(loss.backward())

                x, weight = gv.ones(4, 2), gv.ones(2, 1, requires_grad=True)
                assert step(x, weight).shape == (2, 1)
                assert len(gv.capture(step, x, weight.inner()).outputs) == 1
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        def run(weight):
            loss = (weight * weight).sum()
            loss.backward()  # fails
            return loss

        gv.capture(run, gv.ones(3, requires_grad=True))
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        def run(weight):
            return (weight * weight).sum()

        weight = gv.ones(3, requires_grad=True)
        grads = run(weight).backward()
        captured = gv.capture(run, weight.inner())
        assert weight.grad(grads).tolist() == [2.0, 2.0, 2.0] and len(captured.outputs) == 1
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        def train(loss):
            gv.ensure_not_capture(loss)  # raises this very error before any work is done
            return loss.backward()

        train(gv.ones(3, requires_grad=True).sum())
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        def forward(x):
            assert gv.is_capture(x)
            return x * 2.0

        gv.capture(forward, gv.spec((2,), "float32"))
        assert not gv.is_capture(gv.ones(2))
        """
    ),
    handling=code(
        """
        import gradviz as gv

        def step(weight):
            loss = (weight * weight).sum()
            try:
                loss.backward()
            except gv.GradvizError as error:
                if error.slug != "capture-tensors-do-not-support-autodiff":
                    raise
                # An export run: the loss alone is what should be recorded.
            return loss

        assert len(gv.capture(step, gv.ones(3, requires_grad=True)).outputs) == 1
        """
    ),
    prevention=(
        "Keep three functions apart: forward, training step, export.",
        "Never make a capture device the default: capture and capture_scope bring their own.",
        "Put gv.ensure_not_capture(loss) at the top of what trains.",
        "Read loss.verdict.backward inside a capture: it refuses there without an exception.",
    ),
    tags=("capture", "export", "backward", "kind", "training-loop"),
)

BOUNDARY: Final = Record(
    slug="capture-boundary",
    message="Capture boundary: {boundary} {name}: {complaint}",
    severity="error",
    documentation=(
        "A captured graph has a border: named inputs, and outputs that were computed inside. "
        "Each can be declared once, and an output must be a tensor of this very scope. "
        "Otherwise the graph couldn't be run from its inputs alone. No operation uses a tensor "
        "up: one may be declared as an output before or after others are computed from it. Only a "
        "program that was put together by hand, or read from a file, can name an output that is "
        "not there at its end."
    ),
    trigger_scenarios=(
        Scenario(
            "Two inputs get the same name",
            code(
                """
                import gradviz as gv

                with gv.capture_scope(device=gv.device("capture")) as scope:
                    a = scope.input((2,), "float32", name="x")
                    b = scope.input((2,), "float32", name="x")  # fails: x is taken
                """
            ),
        ),
        Scenario(
            "A tensor that was never captured is declared as an output",
            code(
                """
                import gradviz as gv

                with gv.capture_scope(device=gv.device("capture")) as scope:
                    x = scope.input((2,), "float32", name="x")
                    scope.output(gv.ones(2))  # fails: no operation of this scope made it
                """
            ),
        ),
        Scenario(
            "One result is declared as an output twice",
            code(
                """
                import gradviz as gv

                with gv.capture_scope(device=gv.device("capture")) as scope:
                    y = scope.input((2,), "float32", name="x") * 2.0
                    scope.output(y)
                    scope.output(y)  # fails: y is an output already
                """
            ),
        ),
    ),
    common_situations=(
        "Inputs are declared in a loop that gives every one the same name.",
        "A function returns something that it didn't compute from its inputs.",
        "A result is kept from one scope and handed out in another.",
    ),
    solutions=(
        Solution(
            "Give every input a name of its own",
            code(
                """
                import gradviz as gv

                with gv.capture_scope(device=gv.device("capture")) as scope:
                    parts = [scope.input((2,), "float32", name=f"x{n}") for n in range(2)]
                    scope.output(parts[0] + parts[1])
                assert scope.graph.run([1.0, 2.0], [3.0, 4.0]).tolist() == [4.0, 6.0]
                """
            ),
        ),
        Solution(
            "Let gv.capture declare the border from the arguments and the return value",
            code(
                """
                import gradviz as gv

                captured = gv.capture(lambda a, b: a + b, gv.zeros(2), gv.zeros(2))
                assert len(captured.inputs) == 2 and len(captured.outputs) == 1
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        with gv.capture_scope(device=gv.device("capture")) as scope:
            x = scope.input((3,), "float32", name="x")
            mean, spread = x.mean(), x.var()
            scope.output(mean)
            scope.output(mean)  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        with gv.capture_scope(device=gv.device("capture")) as scope:
            x = scope.input((3,), "float32", name="x")
            mean, spread = x.mean(), x.var()
            scope.output(mean)
            scope.output(spread)
        mean, spread = scope.graph.run([1.0, 2.0, 3.0])
        assert mean.item() == 2.0 and spread.item() == 1.0
        """
    ),
    validation_code=code(
        """
        names = ["image", "mask", "scale"]
        assert len(set(names)) == len(names), "every input needs a name of its own"
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        with gv.capture_scope(device=gv.device("capture")) as scope:
            x = scope.input((2,), "float32", name="x")
            y = x * 2.0
            assert gv.is_capture(y) and y.device == x.device
            scope.output(y)
        """
    ),
    handling=code(
        """
        import gradviz as gv

        with gv.capture_scope(device=gv.device("capture")) as scope:
            results = [scope.input((2,), "float32", name="x").exp()] * 2
            for y in results:
                try:
                    scope.output(y)
                except gv.GradvizError as error:
                    if error.slug != "capture-boundary":
                        raise
        assert len(scope.graph.outputs) == 1
        """
    ),
    prevention=(
        "Prefer gv.capture(fn, ...) to declaring the border by hand.",
        "Declare outputs once, at the end of the scope.",
    ),
    tags=("capture", "input", "output", "export"),
)

RECORDS: Final = (NO_AUTODIFF, BOUNDARY)
