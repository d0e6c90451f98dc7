"""Values that can't be changed in place, and shapes that don't fit together."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

IN_PLACE: Final = Record(
    slug="in-place-on-tensor",
    message="Tensors are immutable",
    severity="error",
    documentation=(
        "A tensor never changes once it exists: backward may need the value as it was, and "
        "several results may share it. x[i] = v is therefore refused; x.slice_assign(index, "
        "values) gives a new tensor with that part replaced, and gradients flow through it. x "
        "+= y is allowed, because it only gives the name x to a new tensor."
    ),
    trigger_scenarios=(
        Scenario(
            "An element is overwritten",
            code(
                """
                import gradviz as gv

                x = gv.zeros(3)
                x[1] = 5.0  # fails: x is a value, like a number
                """
            ),
        ),
        Scenario(
            "A mask is used to overwrite a result",
            code(
                """
                import gradviz as gv

                scores = gv.tensor([0.5, -2.0], requires_grad=True) * 3.0
                scores[scores < 0.0] = 0.0  # fails: backward relies on the value as it was
                """
            ),
        ),
        Scenario(
            "A parameter is updated through a slice",
            code(
                """
                import gradviz as gv

                weight = gv.ones(2, 2, requires_grad=True)
                slope = weight.grad((weight * weight).sum().backward())
                with gv.no_grad():
                    weight[:] -= 0.1 * slope  # fails: no_grad doesn't make tensors mutable
                """
            ),
        ),
    ),
    common_situations=(
        "NumPy or PyTorch code that fills a buffer in a loop is carried over.",
        "Padding, masking or position codes are written into part of a tensor.",
        "A hand-written optimizer subtracts from the weights in place.",
    ),
    solutions=(
        Solution(
            "Use slice_assign, and keep what it returns",
            code(
                """
                import gradviz as gv

                x = gv.zeros(3)
                x = x.slice_assign(1, gv.tensor(5.0))
                assert x.tolist() == [0.0, 5.0, 0.0]
                """
            ),
        ),
        Solution(
            "Use masked_fill or where for a mask",
            code(
                """
                import gradviz as gv

                weight = gv.tensor([0.5, -2.0], requires_grad=True)
                scores = weight * 3.0
                kept = scores.masked_fill(scores < 0.0, 0.0)
                assert kept.tolist() == [1.5, 0.0]
                assert weight.grad(kept.sum().backward()).tolist() == [3.0, 0.0]
                """
            ),
        ),
        Solution(
            "Collect parts in a list and join them with stack or cat",
            code(
                """
                import gradviz as gv

                rows = [gv.full((2,), float(n)) for n in range(3)]
                assert gv.stack(rows).tolist() == [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]
                """
            ),
        ),
        Solution(
            "Leave updates to an optimizer, or rebind the name to a new leaf",
            code(
                """
                import gradviz as gv

                weight = gv.ones(2, 2, requires_grad=True)
                slope = weight.grad((weight * weight).sum().backward())
                weight = (weight.detach() - 0.25 * slope).require_grad()
                assert weight.is_leaf and weight.tolist() == [[0.5, 0.5], [0.5, 0.5]]
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        codes = gv.zeros(2, 4)
        for row in range(2):
            codes[row] = gv.arange(4.0) * row  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        codes = gv.stack([gv.arange(4.0) * row for row in range(2)])
        assert codes.tolist() == [[0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 2.0, 3.0]]
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        def put(target, index, values):
            if isinstance(target, gv.Tensor):
                return target.slice_assign(index, values)
            target[index] = values
            return target

        assert put(gv.zeros(2), 0, gv.tensor(1.0)).tolist() == [1.0, 0.0]
        assert put([0.0, 0.0], 0, 1.0) == [1.0, 0.0]
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        assert isinstance(gv.zeros(2), gv.Tensor)
        assert not isinstance(gv.zeros(2).numpy(), gv.Tensor)
        """
    ),
    handling=code(
        """
        import gradviz as gv

        x = gv.zeros(3)
        try:
            x[0] = 1.0
        except gv.GradvizError as error:
            if error.slug != "in-place-on-tensor":
                raise
            x = x.slice_assign(0, gv.tensor(1.0))
        assert x.tolist() == [1.0, 0.0, 0.0]
        """
    ),
    prevention=(
        "Build tensors from parts instead of filling them.",
        "Do buffer work in NumPy before the data becomes a tensor.",
    ),
    tags=("setitem", "in-place", "slice_assign", "mask", "update"),
)

SHAPES: Final = Record(
    slug="shape-mismatch",
    message="{operation}: shapes {lhs} and {rhs} don't fit together",
    severity="error",
    documentation=(
        "Every operation has a rule for its shapes. Elementwise operations broadcast: counted "
        "from the back, sizes must be equal or 1. A matrix product needs the last size on the "
        "left to equal the last but one on the right. reshape keeps the number of elements. The "
        "rule that was broken stands with the error."
    ),
    trigger_scenarios=(
        Scenario(
            "Operands don't broadcast",
            code(
                """
                import gradviz as gv

                gv.ones(4, 3) + gv.ones(4)  # fails: 3 meets 4
                """
            ),
        ),
        Scenario(
            "The inner sizes of a matrix product differ",
            code(
                """
                import gradviz as gv

                batch = gv.ones(8, 5)
                weight = gv.ones(3, 5, requires_grad=True)
                batch @ weight  # fails: 5 meets 3
                """
            ),
        ),
        Scenario(
            "A reshape would lose elements",
            code(
                """
                import gradviz as gv

                gv.arange(10.0).reshape(3, 3)  # fails: 10 elements can't be 9
                """
            ),
        ),
        Scenario(
            "A layer gets inputs of the wrong width",
            code(
                """
                import gradviz as gv

                layer = gv.nn.Linear(4, 2)
                layer(gv.ones(8, 3))  # fails: the layer expects 4 features
                """
            ),
        ),
    ),
    common_situations=(
        "A vector per row is meant where broadcasting makes it a vector per column.",
        "A weight is stored as (out, in) and used as if it were (in, out).",
        "A flattened image has another size than the first layer was built for.",
        "The last batch of an epoch is smaller than the others.",
    ),
    solutions=(
        Solution(
            "Add the dimension that is missing with unsqueeze",
            code(
                """
                import gradviz as gv

                total = gv.ones(4, 3) + gv.ones(4).unsqueeze(1)
                assert total.shape == (4, 3)
                """
            ),
        ),
        Solution(
            "Transpose the operand that is stored the other way round",
            code(
                """
                import gradviz as gv

                batch, weight = gv.ones(8, 5), gv.ones(3, 5, requires_grad=True)
                out = batch @ weight.transpose(0, 1)
                assert out.shape == (8, 3)
                assert weight.grad(out.sum().backward()).shape == (3, 5)
                """
            ),
        ),
        Solution(
            "Let reshape work one size out",
            code(
                """
                import gradviz as gv

                assert gv.arange(12.0).reshape(3, -1).shape == (3, 4)
                """
            ),
        ),
        Solution(
            "Build layers for the width of the data",
            code(
                """
                import gradviz as gv

                batch = gv.ones(8, 3)
                layer = gv.nn.Linear(batch.shape[-1], 2)
                assert layer(batch).shape == (8, 2)
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        weight = gv.ones(10, 784, requires_grad=True)
        images = gv.zeros(32, 28, 28)
        scores = gv.linear(images, weight)  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        weight = gv.ones(10, 784, requires_grad=True)
        images = gv.zeros(32, 28, 28)
        scores = gv.linear(images.flatten(1), weight)
        assert scores.shape == (32, 10)
        """
    ),
    validation_code=code(
        """
        import gradviz as gv
        import numpy as np

        def broadcast(a, b):
            return np.broadcast_shapes(a.shape, b.shape)  # ValueError where they don't fit

        assert broadcast(gv.ones(4, 1), gv.ones(3)) == (4, 3)
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        def can_multiply(a, b):
            return a.shape[-1] == b.shape[-2 if b.ndim > 1 else -1]

        assert can_multiply(gv.ones(8, 5), gv.ones(5, 3))
        assert not can_multiply(gv.ones(8, 5), gv.ones(3, 5))
        """
    ),
    handling=code(
        """
        import gradviz as gv

        batch, weight = gv.ones(8, 5), gv.ones(3, 5)
        try:
            out = batch @ weight
        except gv.GradvizError as error:
            if error.slug != "shape-mismatch":
                raise
            out = batch @ weight.transpose(0, 1)
        assert out.shape == (8, 3)
        """
    ),
    prevention=(
        "Write the shape you expect in a comment, or assert it, after each step of a new model.",
        "Run gv.check(fn, gv.spec(shape)) first: it infers every shape and computes nothing.",
    ),
    tags=("shape", "broadcast", "matmul", "reshape"),
)

RECORDS: Final = (IN_PLACE, SHAPES)
