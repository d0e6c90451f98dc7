"""Dimensions and positions that a tensor doesn't have."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

DIMENSION: Final = Record(
    slug="dimension-out-of-range",
    message="{operation}: {complaint}",
    severity="error",
    documentation=(
        "Dimensions are numbered from 0, or from -1 at the end, and the tensor has fewer than "
        "the number asked for. An earlier step often dropped one: a reduction without keepdim, "
        "or an index in place of a slice."
    ),
    trigger_scenarios=(
        Scenario(
            "A sum over a dimension that isn't there",
            code(
                """
                import gradviz as gv

                gv.ones(4, 3).sum(dim=2)  # fails: the dimensions are 0 and 1
                """
            ),
        ),
        Scenario(
            "A reduction dropped the dimension that the next step names",
            code(
                """
                import gradviz as gv

                mean = gv.ones(4, 3).mean(dim=1)
                gv.softmax(mean, dim=1)  # fails: mean has one dimension left
                """
            ),
        ),
    ),
    common_situations=(
        "Code for batches is tried on a single sample.",
        "keepdim=True was forgotten in a reduction.",
    ),
    solutions=(
        Solution(
            "Count from the end where leading dimensions may come and go",
            code(
                """
                import gradviz as gv

                assert gv.ones(4, 3).sum(dim=-1).shape == gv.ones(2, 4, 3).sum(dim=-1).shape[1:]
                """
            ),
        ),
        Solution(
            "Keep the reduced dimension",
            code(
                """
                import gradviz as gv

                mean = gv.ones(4, 3).mean(dim=1, keepdim=True)
                assert gv.softmax(mean, dim=1).shape == (4, 1)
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        sample = gv.ones(5)
        probabilities = gv.softmax(sample, dim=1)  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        sample = gv.ones(5)
        probabilities = gv.softmax(sample, dim=-1)
        assert probabilities.shape == (5,)
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        x, dim = gv.ones(4, 3), -1
        assert -x.ndim <= dim < x.ndim
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        def has_dim(t, dim):
            return -t.ndim <= dim < t.ndim

        assert has_dim(gv.ones(4, 3), 1) and not has_dim(gv.ones(4), 1)
        """
    ),
    handling=code(
        """
        import gradviz as gv

        sample = gv.ones(5)
        try:
            total = sample.sum(dim=1)
        except gv.GradvizError as error:  # IndexError works as well
            if error.slug != "dimension-out-of-range":
                raise
            total = sample.sum()
        assert total.item() == 5.0
        """
    ),
    prevention=("Name dimensions from the end in code that takes batches and single samples.",),
    tags=("dim", "shape", "reduction"),
)

INDEX: Final = Record(
    slug="index-out-of-range",
    message="{operation}: {complaint}",
    severity="error",
    documentation=(
        "An index points outside its dimension. Valid positions run from 0 to size - 1, or from "
        "-size to -1 counted from the end. Slices are cut to what exists and never fail."
    ),
    trigger_scenarios=(
        Scenario(
            "A position past the end",
            code(
                """
                import gradviz as gv

                x = gv.tensor([1.0, 2.0, 3.0])
                x[3]  # fails: the last position is 2
                """
            ),
        ),
        Scenario(
            "A list of positions holds one that isn't there",
            code(
                """
                import gradviz as gv

                table = gv.ones(4, 2, requires_grad=True)
                table[gv.tensor([0, 4])]  # fails: the table has rows 0 to 3
                """
            ),
        ),
    ),
    common_situations=(
        "Labels count from 1, positions from 0.",
        "A vocabulary grew and its table of vectors didn't.",
    ),
    solutions=(
        Solution(
            "Count from 0, or from the end with negative numbers",
            code(
                """
                import gradviz as gv

                x = gv.tensor([1.0, 2.0, 3.0])
                assert x[2].item() == x[-1].item() == 3.0
                """
            ),
        ),
        Solution(
            "Make the table as large as the largest index plus one",
            code(
                """
                import gradviz as gv

                ids = gv.tensor([0, 4])
                table = gv.ones(int(ids.max()) + 1, 2, requires_grad=True)
                assert table[ids].shape == (2, 2)
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        scores = gv.tensor([0.1, 0.7, 0.2])
        label = 3
        chosen = scores[label]  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        scores = gv.tensor([0.1, 0.5, 0.25])
        label = 3
        chosen = scores[label - 1]
        assert chosen.item() == 0.25
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        table, ids = gv.ones(4, 2), gv.tensor([0, 3])
        assert 0 <= int(ids.min()) and int(ids.max()) < table.shape[0]
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        def holds(t, index):
            return -len(t) <= index < len(t)

        assert holds(gv.ones(3), -3) and not holds(gv.ones(3), 3)
        """
    ),
    handling=code(
        """
        import gradviz as gv

        x = gv.tensor([1.0, 2.0])
        try:
            last = x[2]
        except gv.GradvizError as error:  # IndexError works as well
            if error.slug != "index-out-of-range":
                raise
            last = x[-1]
        assert last.item() == 2.0
        """
    ),
    prevention=("Check ids against the table's size where data is loaded.",),
    tags=("index", "embedding", "label"),
)

RECORDS: Final = (DIMENSION, INDEX)
