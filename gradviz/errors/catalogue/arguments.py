"""Arguments that an operation can't take."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

ARGUMENT: Final = Record(
    slug="invalid-argument",
    message="{operation}: {complaint}",
    severity="error",
    documentation=(
        "An argument has a type or a value that the operation has no meaning for: a negative "
        "size, a reduction of nothing, a word that isn't one of the choices. Nothing was "
        "computed."
    ),
    trigger_scenarios=(
        Scenario(
            "A reduction has nothing to choose from",
            code(
                """
                import gradviz as gv

                gv.zeros(0).max()  # fails: no element, no largest one
                """
            ),
        ),
        Scenario(
            "A word that isn't one of the choices",
            code(
                """
                import gradviz as gv

                x, y = gv.zeros(3), gv.ones(3)
                gv.mse_loss(x, y, reduction="average")  # fails: it is called mean
                """
            ),
        ),
    ),
    common_situations=(
        "A filter left nothing of a batch.",
        "An option is spelled as in another library.",
        "A size is the result of an integer division that came to 0 or below.",
    ),
    solutions=(
        Solution(
            "Check the argument against the operation's help",
            code(
                """
                import gradviz as gv

                loss = gv.mse_loss(gv.zeros(3), gv.ones(3), reduction="mean")
                assert loss.item() == 1.0
                """
            ),
        ),
        Solution(
            "Treat the empty case on its own",
            code(
                """
                import gradviz as gv

                kept = gv.zeros(0)
                largest = kept.max().item() if kept.size else float("-inf")
                assert largest == float("-inf")
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        chosen = gv.tensor([0.1, 0.2])
        best = chosen[chosen > 0.5].max()  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        chosen = gv.tensor([0.1, 0.2])
        kept = chosen[chosen > 0.5]
        best = kept.max() if kept.size else gv.tensor(0.0)
        assert best.item() == 0.0
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        batch = gv.ones(3, 2)
        assert batch.size, "an empty batch has no largest element"
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        def is_empty(t):
            return t.size == 0

        assert is_empty(gv.zeros(0, 3)) and not is_empty(gv.zeros(1, 3))
        """
    ),
    handling=code(
        """
        import gradviz as gv

        try:
            best = gv.zeros(0).max()
        except gv.GradvizError as error:  # ValueError works as well
            if error.slug != "invalid-argument":
                raise
            best = gv.tensor(0.0)
        assert best.item() == 0.0
        """
    ),
    prevention=("Check what comes from outside, sizes and option names, where it comes in.",),
    tags=("argument", "value", "empty", "option"),
)

DTYPE: Final = Record(
    slug="invalid-dtype",
    message="{operation}: {complaint}",
    severity="error",
    documentation=(
        "The dtype doesn't exist here, the data can't be turned into it, or the operation isn't "
        "defined for it. Tensors hold floats, integers and truth values; text, dates, objects "
        "and complex numbers are no tensor data."
    ),
    trigger_scenarios=(
        Scenario(
            "The name of a dtype is wrong",
            code(
                """
                import gradviz as gv

                gv.zeros(3, dtype="float31")  # fails: there is no such dtype
                """
            ),
        ),
        Scenario(
            "An array holds something other than numbers",
            code(
                """
                import gradviz as gv
                import numpy as np

                labels = np.array(["cat", "dog"])
                gv.tensor(labels)  # fails: text isn't tensor data
                """
            ),
        ),
    ),
    common_situations=(
        "Labels are words and haven't been numbered yet.",
        "A table column with a missing entry became an array of objects.",
        "A Fourier transform of another library gave complex numbers.",
    ),
    solutions=(
        Solution(
            "Use one of the dtypes gradviz has, as an object or by name",
            code(
                """
                import gradviz as gv

                assert gv.zeros(3, dtype="float32").dtype == gv.float32
                """
            ),
        ),
        Solution(
            "Turn the data into numbers first",
            code(
                """
                import gradviz as gv
                import numpy as np

                names, numbers = np.unique(["cat", "dog", "cat"], return_inverse=True)
                assert gv.tensor(numbers).tolist() == [0, 1, 0]
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv
        import numpy as np

        column = np.array([1.0, None, 3.0])
        x = gv.tensor(column)  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv
        import numpy as np

        column = np.array([1.0, None, 3.0]).astype("float32")
        x = gv.tensor(np.nan_to_num(column))
        assert x.tolist() == [1.0, 0.0, 3.0]
        """
    ),
    validation_code=code(
        """
        import numpy as np

        column = np.array([1, 2, 3])
        assert column.dtype.kind in "fiub", f"{column.dtype} can't become a tensor"
        """
    ),
    type_guard=code(
        """
        import numpy as np

        def is_numeric(array):
            return array.dtype.kind in "fiub"

        assert is_numeric(np.zeros(2)) and not is_numeric(np.array(["a"]))
        """
    ),
    handling=code(
        """
        import gradviz as gv
        import numpy as np

        column = np.array([1.0, 2.0], dtype=object)
        try:
            x = gv.tensor(column)
        except gv.GradvizError as error:
            if error.slug != "invalid-dtype":
                raise
            x = gv.tensor(column.astype("float32"))
        assert x.tolist() == [1.0, 2.0]
        """
    ),
    prevention=("Look at array.dtype once after loading data, before it becomes a tensor.",),
    tags=("dtype", "data", "numpy"),
)

NOT_A_TENSOR: Final = Record(
    slug="not-a-tensor",
    message="{operation}: {complaint}",
    severity="error",
    documentation=(
        "The operation works on tensors, and got something that neither is one nor can stand "
        "for one. Numbers and NumPy arrays are taken as constants; lists, strings, None and "
        "tensors of other libraries aren't."
    ),
    trigger_scenarios=(
        Scenario(
            "A function without a return statement hands on None",
            code(
                """
                import gradviz as gv

                def normalise(x):
                    y = x / x.sum()

                out = normalise(gv.ones(3))
                gv.exp(out)  # fails: the return was forgotten
                """
            ),
        ),
        Scenario(
            "A guard is asked about something else",
            code(
                """
                import gradviz as gv

                gv.ensure_leaf("weight")  # fails: the name of a tensor, not the tensor
                """
            ),
        ),
    ),
    common_situations=(
        "A pair of results is passed on as if it were one tensor.",
        "A name or a key is used where the tensor behind it was meant.",
    ),
    solutions=(
        Solution(
            "Pass the tensor itself",
            code(
                """
                import gradviz as gv

                def normalise(x):
                    return x / x.sum()

                assert gv.exp(normalise(gv.ones(3))).shape == (3,)
                """
            ),
        ),
        Solution(
            "Turn data into a tensor first",
            code(
                """
                import gradviz as gv

                assert gv.exp(gv.tensor([0.0, 0.0])).tolist() == [1.0, 1.0]
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        scores = gv.tensor([[0.2, 0.9]])
        best = scores.max(dim=1)
        loss = gv.exp(best)  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        scores = gv.tensor([[0.0, -1.0]])
        best, where = scores.max(dim=1)
        loss = gv.exp(best)
        assert loss.tolist() == [1.0]
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        def as_tensor(value):
            return value if isinstance(value, gv.Tensor) else gv.tensor(value)

        assert as_tensor([1.0]).shape == as_tensor(gv.ones(1)).shape
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        assert isinstance(gv.ones(1), gv.Tensor) and not isinstance([1.0], gv.Tensor)
        """
    ),
    handling=code(
        """
        import gradviz as gv

        value = (gv.zeros(2), None)
        try:
            out = gv.exp(value)
        except gv.GradvizError as error:  # TypeError works as well
            if error.slug != "not-a-tensor":
                raise
            out = gv.exp(value[0])
        assert out.tolist() == [1.0, 1.0]
        """
    ),
    prevention=("Unpack pairs where they are returned: values, indices = x.max(dim=1).",),
    tags=("type", "argument", "tuple"),
)

RECORDS: Final = (ARGUMENT, DTYPE, NOT_A_TENSOR)
