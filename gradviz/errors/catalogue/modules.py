"""Bookkeeping of modules: parameters that a module doesn't know, or that are frozen."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

NOT_REGISTERED: Final = Record(
    slug="parameter-not-registered",
    message="{parameter} isn't registered with a module, so parameters() doesn't list it",
    severity="warning",
    documentation=(
        "A module finds its parameters among its own attributes: Parameter objects and modules, "
        "directly or in a ModuleList. What is kept in a plain list, in a local variable or as a "
        "bare tensor takes part in the computation and even gets a gradient, but no optimizer "
        "ever hears of it."
    ),
    trigger_scenarios=(
        Scenario(
            "Layers are kept in a Python list",
            code(
                """
                import gradviz as gv

                class Net(gv.nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.layers = [gv.nn.Linear(2, 2), gv.nn.Linear(2, 1)]  # cause: a list

                    def forward(self, x):
                        for layer in self.layers:
                            x = layer(x)
                        return x

                model = Net()
                loss = model(gv.ones(1, 2)).sum()
                # gv.diagnose(loss, wrt=[model.layers[0].weight])
                assert list(model.parameters()) == []
                assert model.layers[0].weight.grad(loss.backward()) is not None
                """
            ),
        ),
        Scenario(
            "A weight is a bare tensor",
            code(
                """
                import gradviz as gv

                class Scale(gv.nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.gain = gv.ones(3, requires_grad=True)  # cause: not a Parameter

                    def forward(self, x):
                        return x * self.gain

                model = Scale()
                loss = model(gv.ones(3)).sum()
                # gv.diagnose(loss, wrt=[model.gain])
                assert list(model.parameters()) == []
                """
            ),
        ),
        Scenario(
            "A layer is created on every call",
            code(
                """
                import gradviz as gv

                class Net(gv.nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.head = gv.nn.Linear(3, 1)

                    def forward(self, x):
                        hidden = gv.nn.Linear(2, 3)  # cause: fresh weights, forgotten at once
                        return self.head(hidden(x))

                model = Net()
                loss = model(gv.ones(1, 2)).sum()
                # gv.diagnose(loss, wrt=list(model.parameters()))
                assert len(list(model.parameters())) == 2
                """
            ),
        ),
    ),
    common_situations=(
        "A model is built in a loop and its layers are appended to a list or a dict.",
        "Loaded weights are assigned to attributes as tensors.",
        "self. was forgotten in the constructor.",
    ),
    solutions=(
        Solution(
            "Keep layers in a ModuleList or Sequential",
            code(
                """
                import gradviz as gv

                class Net(gv.nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.layers = gv.nn.ModuleList([gv.nn.Linear(2, 2), gv.nn.Linear(2, 1)])

                    def forward(self, x):
                        for layer in self.layers:
                            x = layer(x)
                        return x

                assert len(list(Net().parameters())) == 4
                """
            ),
        ),
        Solution(
            "Wrap a weight in gv.nn.Parameter",
            code(
                """
                import gradviz as gv

                class Scale(gv.nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.gain = gv.nn.Parameter(gv.ones(3))

                    def forward(self, x):
                        return x * self.gain

                model = Scale()
                assert [name for name, _ in model.named_parameters()] == ["gain"]
                """
            ),
        ),
        Solution(
            "Create layers in the constructor and use them in forward",
            code(
                """
                import gradviz as gv

                class Net(gv.nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.hidden = gv.nn.Linear(2, 3)
                        self.head = gv.nn.Linear(3, 1)

                    def forward(self, x):
                        return self.head(self.hidden(x))

                assert len(list(Net().parameters())) == 4
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        class Blend(gv.nn.Module):
            def __init__(self):
                super().__init__()
                self.mix = gv.tensor(0.5, requires_grad=True)

        assert not list(Blend().parameters())
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        class Blend(gv.nn.Module):
            def __init__(self):
                super().__init__()
                self.mix = gv.nn.Parameter(gv.tensor(0.5))

        assert len(list(Blend().parameters())) == 1
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        model = gv.nn.Sequential(gv.nn.Linear(2, 3), gv.nn.ReLU(), gv.nn.Linear(3, 1))
        names = [name for name, _ in model.named_parameters()]
        assert len(names) == 4, names
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        layer = gv.nn.Linear(2, 3)
        assert isinstance(layer.weight, gv.nn.Parameter)
        assert not isinstance(gv.ones(3, requires_grad=True), gv.nn.Parameter)
        """
    ),
    handling=code(
        """
        import gradviz as gv

        gain = gv.ones(3, requires_grad=True)
        for problem in gv.diagnose((gain * 2.0).sum(), wrt=[gain]).problems:
            if problem.slug == "parameter-not-registered":
                print(problem.cause)
        """
    ),
    prevention=(
        "Print the names of model.named_parameters() once for every new module.",
        "Use Parameter, ModuleList and ParameterList, never bare tensors and lists, in a module.",
    ),
    tags=("nn", "module", "parameter", "optimizer"),
)

FROZEN: Final = Record(
    slug="parameter-frozen",
    message="{parameter} is frozen and gets no gradient",
    severity="warning",
    documentation=(
        "freeze() takes the mark off a module's parameters, so that they enter the graph as "
        "constants. As long as that is wanted there is nothing to do. A parameter that was "
        "asked about and is frozen was probably left over from an earlier phase."
    ),
    trigger_scenarios=(
        Scenario(
            "A module was frozen and never unfrozen",
            code(
                """
                import gradviz as gv

                backbone, head = gv.nn.Linear(3, 2), gv.nn.Linear(2, 1)
                backbone.freeze()  # cause: from here on its parameters are constants
                loss = head(backbone(gv.ones(1, 3))).sum()
                # gv.diagnose(loss, wrt=[backbone.weight, head.weight])
                grads = loss.backward()
                assert head.weight.grad(grads) is not None
                assert backbone.weight.grad(grads) is None
                """
            ),
        ),
        Scenario(
            "It was unfrozen after the forward pass",
            code(
                """
                import gradviz as gv

                backbone, head = gv.nn.Linear(3, 2), gv.nn.Linear(2, 1)
                backbone.freeze()  # cause: still in force when the forward pass runs
                loss = head(backbone(gv.ones(1, 3))).sum()
                backbone.unfreeze()
                # gv.diagnose(loss, wrt=[backbone.weight])
                assert backbone.weight.grad(loss.backward()) is None
                """
            ),
        ),
    ),
    common_situations=(
        "Fine-tuning in two phases, and the second begins without unfreeze().",
        "freeze() was called on the whole model instead of a part.",
    ),
    solutions=(
        Solution(
            "Call unfreeze() before the forward pass",
            code(
                """
                import gradviz as gv

                backbone, head = gv.nn.Linear(3, 2), gv.nn.Linear(2, 1)
                backbone.freeze()
                backbone.unfreeze()
                grads = head(backbone(gv.ones(1, 3))).sum().backward()
                assert backbone.weight.grad(grads) is not None
                """
            ),
        ),
        Solution(
            "Freeze only the part that should rest",
            code(
                """
                import gradviz as gv

                model = gv.nn.Sequential(gv.nn.Linear(3, 2), gv.nn.Linear(2, 1))
                model[0].freeze()
                grads = model(gv.ones(1, 3)).sum().backward()
                assert model[1].weight.grad(grads) is not None
                assert model[0].weight.grad(grads) is None
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        model = gv.nn.Sequential(gv.nn.Linear(3, 2), gv.nn.Linear(2, 1))
        model.freeze()
        assert not model(gv.ones(1, 3)).is_tracked
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        model = gv.nn.Sequential(gv.nn.Linear(3, 2), gv.nn.Linear(2, 1))
        model.freeze()
        model[1].unfreeze()
        assert model(gv.ones(1, 3)).is_tracked
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        model = gv.nn.Linear(3, 2)
        frozen = [name for name, p in model.named_parameters() if not p.is_require_grad]
        assert not frozen, frozen
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        layer = gv.nn.Linear(3, 2)
        assert layer.weight.is_require_grad
        layer.freeze()
        assert not layer.weight.is_require_grad
        """
    ),
    handling=code(
        """
        import gradviz as gv

        layer, head = gv.nn.Linear(3, 2), gv.nn.Linear(2, 1)
        layer.freeze()
        loss = head(layer(gv.ones(1, 3))).sum()
        for problem in gv.diagnose(loss, wrt=[layer.weight, head.weight]).problems:
            if problem.slug == "parameter-frozen":
                layer.unfreeze()
        """
    ),
    prevention=("Write freeze() and unfreeze() as a pair, at the two ends of a phase.",),
    tags=("nn", "freeze", "unfreeze", "fine-tuning"),
)

RECORDS: Final = (NOT_REGISTERED, FROZEN)
