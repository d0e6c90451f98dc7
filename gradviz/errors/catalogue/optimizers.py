"""Bookkeeping of optimizers: parameters they were never given, or that are no longer used."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

NOT_IN_OPTIMIZER: Final = Record(
    slug="parameter-not-in-optimizer",
    message="No optimizer holds {parameter}, so it is never updated",
    severity="warning",
    documentation=(
        "An optimizer updates exactly the parameters it was given. One that gets a gradient and "
        "isn't among them keeps its first value; the loss still falls a little, because the "
        "others make up for it."
    ),
    trigger_scenarios=(
        Scenario(
            "Only a part of the model was handed over",
            code(
                """
                import gradviz as gv

                encoder, head = gv.nn.Linear(2, 2), gv.nn.Linear(2, 1)
                opt = gv.optim.SGD(head.parameters(), lr=0.1)  # cause: the encoder is missing
                before = encoder.weight.tolist()
                loss = head(encoder(gv.ones(1, 2))).sum()
                # gv.diagnose(loss, wrt=[encoder.weight, head.weight])
                opt.step(loss.backward())
                assert encoder.weight.tolist() == before
                """
            ),
        ),
        Scenario(
            "The optimizer belongs to another model",
            code(
                """
                import gradviz as gv

                first, second = gv.nn.Linear(2, 1), gv.nn.Linear(2, 1)
                opt = gv.optim.SGD(first.parameters(), lr=0.1)  # cause: second is trained below
                before = second.weight.tolist()
                loss = second(gv.ones(1, 2)).sum()
                # gv.diagnose(loss, wrt=[second.weight])
                opt.step(loss.backward())
                assert second.weight.tolist() == before
                """
            ),
        ),
    ),
    common_situations=(
        "A head was added to a model after its optimizer had been made.",
        "A notebook cell that builds the model was run again, the one with the optimizer wasn't.",
    ),
    solutions=(
        Solution(
            "Give the optimizer the parameters of everything that should learn",
            code(
                """
                import gradviz as gv

                encoder, head = gv.nn.Linear(2, 2), gv.nn.Linear(2, 1)
                opt = gv.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
                before = head.bias.tolist()
                opt.step(head(encoder(gv.ones(1, 2))).sum().backward())
                assert head.bias.tolist() != before
                """
            ),
        ),
        Solution(
            "Put the parts into one module and pass its parameters",
            code(
                """
                import gradviz as gv

                model = gv.nn.Sequential(gv.nn.Linear(2, 2), gv.nn.Linear(2, 1))
                opt = gv.optim.SGD(model.parameters(), lr=0.1)
                before = model[1].bias.tolist()
                opt.step(model(gv.ones(1, 2)).sum().backward())
                assert model[1].bias.tolist() != before
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        body, head = gv.nn.Linear(2, 2), gv.nn.Linear(2, 1)
        opt = gv.optim.Adam(body.parameters(), lr=0.01)
        before = head.bias.tolist()
        opt.step(head(body(gv.ones(1, 2))).sum().backward())
        assert head.bias.tolist() == before
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        body, head = gv.nn.Linear(2, 2), gv.nn.Linear(2, 1)
        opt = gv.optim.Adam([*body.parameters(), *head.parameters()], lr=0.01)
        before = head.bias.tolist()
        opt.step(head(body(gv.ones(1, 2))).sum().backward())
        assert head.bias.tolist() != before
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        model = gv.nn.Linear(2, 1)
        given = list(model.parameters())
        opt = gv.optim.SGD(given, lr=0.1)
        assert {id(p) for p in model.parameters()} <= {id(p) for p in given}
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        def moved(opt, parameter, loss):
            before = parameter.tolist()
            opt.step(loss.backward())
            return parameter.tolist() != before

        layer = gv.nn.Linear(2, 1)
        opt = gv.optim.SGD(layer.parameters(), lr=0.1)
        assert moved(opt, layer.bias, layer(gv.ones(1, 2)).sum())
        """
    ),
    handling=code(
        """
        import gradviz as gv

        body, head = gv.nn.Linear(2, 2), gv.nn.Linear(2, 1)
        opt = gv.optim.SGD(head.parameters(), lr=0.1)
        loss = head(body(gv.ones(1, 2))).sum()
        for problem in gv.diagnose(loss, wrt=[body.weight]).problems:
            if problem.slug == "parameter-not-in-optimizer":
                opt = gv.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
        """
    ),
    prevention=(
        "Make the optimizer in the same function or cell as the model, after it.",
        "Compare a weight before and after the first step.",
    ),
    tags=("optim", "parameter", "update"),
)

STALE: Final = Record(
    slug="optimizer-holds-stale-parameter",
    message="The optimizer holds {parameter}, which the model no longer uses",
    severity="warning",
    documentation=(
        "An optimizer keeps the parameter objects it was given. When a model's attribute gets a "
        "new Parameter, the optimizer goes on with the old one, which no loss depends on any "
        "more, and the new one is never updated."
    ),
    trigger_scenarios=(
        Scenario(
            "A layer is replaced after the optimizer was made",
            code(
                """
                import gradviz as gv

                model = gv.nn.Sequential(gv.nn.Linear(2, 2), gv.nn.Linear(2, 1))
                opt = gv.optim.SGD(model.parameters(), lr=0.1)
                model[1] = gv.nn.Linear(2, 3)  # cause: opt still holds the old head
                before = model[1].bias.tolist()
                loss = model(gv.ones(1, 2)).sum()
                # gv.diagnose(loss, wrt=[model[1].weight])
                opt.step(loss.backward())
                assert model[1].bias.tolist() == before
                """
            ),
        ),
        Scenario(
            "A parameter is set anew from computed values",
            code(
                """
                import gradviz as gv

                class Scale(gv.nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.gain = gv.nn.Parameter(gv.ones(2))

                    def forward(self, x):
                        return x * self.gain

                model = Scale()
                opt = gv.optim.SGD(model.parameters(), lr=0.1)
                model.gain = gv.nn.Parameter(gv.full((2,), 3.0))  # cause: another object
                loss = model(gv.ones(2)).sum()
                # gv.diagnose(loss, wrt=[model.gain])
                opt.step(loss.backward())
                assert model.gain.tolist() == [3.0, 3.0]
                """
            ),
        ),
    ),
    common_situations=(
        "A head is exchanged for another number of classes.",
        "Weights are initialised, tied or calibrated after the optimizer was made.",
    ),
    solutions=(
        Solution(
            "Change the model first, then make the optimizer",
            code(
                """
                import gradviz as gv

                model = gv.nn.Sequential(gv.nn.Linear(2, 2), gv.nn.Linear(2, 1))
                model[1] = gv.nn.Linear(2, 3)
                opt = gv.optim.SGD(model.parameters(), lr=0.1)
                before = model[1].bias.tolist()
                opt.step(model(gv.ones(1, 2)).sum().backward())
                assert model[1].bias.tolist() != before
                """
            ),
        ),
        Solution(
            "Make a new optimizer after a change",
            code(
                """
                import gradviz as gv

                layer = gv.nn.Linear(2, 1)
                opt = gv.optim.SGD(layer.parameters(), lr=0.1)
                layer.bias = gv.nn.Parameter(gv.zeros(1))
                opt = gv.optim.SGD(layer.parameters(), lr=0.5)
                opt.step(layer(gv.ones(1, 2)).sum().backward())
                assert layer.bias.tolist() == [-0.5]
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        layer = gv.nn.Linear(2, 1)
        opt = gv.optim.SGD(layer.parameters(), lr=0.1)
        layer.bias = gv.nn.Parameter(gv.zeros(1))
        opt.step(layer(gv.ones(1, 2)).sum().backward())
        assert layer.bias.tolist() == [0.0]
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        layer = gv.nn.Linear(2, 1)
        layer.bias = gv.nn.Parameter(gv.zeros(1))
        opt = gv.optim.SGD(layer.parameters(), lr=0.5)
        opt.step(layer(gv.ones(1, 2)).sum().backward())
        assert layer.bias.tolist() == [-0.5]
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        layer = gv.nn.Linear(2, 1)
        given = list(layer.parameters())
        opt = gv.optim.SGD(given, lr=0.1)
        assert all(a is b for a, b in zip(given, layer.parameters(), strict=True))
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        def in_use(parameter, model):
            return any(parameter is p for p in model.parameters())

        layer = gv.nn.Linear(2, 1)
        old = layer.bias
        layer.bias = gv.nn.Parameter(gv.zeros(1))
        assert in_use(layer.bias, layer) and not in_use(old, layer)
        """
    ),
    handling=code(
        """
        import gradviz as gv

        layer = gv.nn.Linear(2, 1)
        opt = gv.optim.SGD(layer.parameters(), lr=0.1)
        layer.bias = gv.nn.Parameter(gv.zeros(1))
        loss = layer(gv.ones(1, 2)).sum()
        for problem in gv.diagnose(loss, wrt=[layer.bias]).problems:
            if problem.slug == "optimizer-holds-stale-parameter":
                opt = gv.optim.SGD(layer.parameters(), lr=0.1)
        """
    ),
    prevention=(
        "Treat the optimizer as the last thing that is built, and rebuild it after surgery.",
    ),
    tags=("optim", "parameter", "module", "replace"),
)

RECORDS: Final = (NOT_IN_OPTIMIZER, STALE)
