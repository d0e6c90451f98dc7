"""Names that tensors, modules and optimizers have in other libraries."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

ELSEWHERE: Final = Record(
    slug="name-from-elsewhere",
    message="{owner} has no attribute {name}",
    severity="error",
    documentation=(
        "The name belongs to another library. Tensors here never change, live in main memory, and "
        "keep no gradients: backward returns them, and optimizers take them. So methods that end "
        "with an underscore, cuda(), data, zero_grad() and their like aren't there; the error says "
        "what to write."
    ),
    trigger_scenarios=(
        Scenario(
            "A training loop zeroes gradients",
            code(
                """
                import gradviz as gv

                weight = gv.nn.Parameter([1.0, 2.0])
                opt = gv.optim.SGD([weight], lr=0.1)
                opt.zero_grad()  # fails: nothing is accumulated
                """
            ),
        ),
        Scenario(
            "A tensor is changed in place",
            code(
                """
                import gradviz as gv

                total = gv.zeros(2)
                total.add_(gv.ones(2))  # fails: tensors never change
                """
            ),
        ),
    ),
    common_situations=(
        "A training loop is taken over from PyTorch.",
        "A device is chosen with cuda() or to().",
        "Weights are set through data.",
    ),
    solutions=(
        Solution(
            "Hand the gradients from backward to step",
            code(
                """
                import gradviz as gv

                weight = gv.nn.Parameter([1.0, 2.0])
                opt = gv.optim.SGD([weight], lr=0.25)
                grads = (weight * weight).sum().backward()
                opt.step(grads)
                assert weight.tolist() == [0.5, 1.0]
                """
            ),
        ),
        Solution(
            "Give the name the new tensor",
            code(
                """
                import gradviz as gv

                total = gv.zeros(2)
                total = total + gv.ones(2)
                assert total.tolist() == [1.0, 1.0]
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        weight = gv.nn.Parameter([1.0, 2.0])
        values = weight.data  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        weight = gv.nn.Parameter([1.0, 2.0])
        values = weight.detach()
        assert values.tolist() == [1.0, 2.0]
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        tensor = gv.ones(2)
        assert not hasattr(tensor, "cuda")
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        tensor = gv.ones(2)
        on_host = tensor.cpu() if hasattr(tensor, "cpu") else tensor
        assert on_host.shape == (2,)
        """
    ),
    handling=code(
        """
        import gradviz as gv

        tensor = gv.ones(2)
        try:
            moved = tensor.cuda()
        except gv.GradvizError as error:  # AttributeError works as well
            if error.slug != "name-from-elsewhere":
                raise
            moved = tensor
        assert moved.shape == (2,)
        """
    ),
    prevention=("Write grads = loss.backward() and opt.step(grads) from the start.",),
    tags=("attribute", "pytorch", "zero_grad", "attributeerror"),
)

RECORDS: Final = (ELSEWHERE,)
