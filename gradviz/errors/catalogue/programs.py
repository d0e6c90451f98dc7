"""Programs that are none: damaged or hostile files, and graphs put together wrongly by hand."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

INVALID_PROGRAM: Final = Record(
    slug="invalid-program",
    message="{operation}: {complaint}",
    severity="error",
    documentation=(
        "A program is checked whenever it is read: its operations are in the table and have the "
        "inputs and attributes of their rows, every tensor is made once and before it is used, and "
        "shapes and dtypes are those that inference gives. This one breaks a rule, which the "
        "message names. Nothing of it was executed, and nothing was changed."
    ),
    trigger_scenarios=(
        Scenario(
            "A file was cut off while it was written or copied",
            code(
                """
                import gradviz as gv

                text = gv.capture(lambda x: x * 2.0, gv.spec((3,))).to_json()
                gv.CapturedGraph.from_json(text[: len(text) // 2])  # fails: half of it is missing
                """
            ),
        ),
        Scenario(
            "The text was written by a release with a later version of the form",
            code(
                """
                import gradviz as gv

                text = gv.capture(lambda x: x.sum(dim=0), gv.spec((3, 5))).to_json()
                later = text.replace('"version":1', '"version":9')
                gv.CapturedGraph.from_json(later)  # fails: this release can't know version 9
                """
            ),
        ),
        Scenario(
            "The text is JSON, but of something else",
            code(
                """
                import gradviz as gv

                picture = gv.graph(gv.ones(2) * 2.0).to_json()
                gv.CapturedGraph.from_json(picture)  # fails: a picture is no program
                """
            ),
        ),
        Scenario(
            "Contents of a constant that is only referred to are not given",
            code(
                """
                import gradviz as gv

                captured = gv.capture(gv.nn.Linear(2, 1), gv.spec((1, 2)))
                read = gv.CapturedGraph.from_json(captured.to_json(embed=False))
                read.run([[1.0, 2.0]])  # fails: nobody said what weight and bias are
                """
            ),
        ),
    ),
    common_situations=(
        "A download stopped half way.",
        "A program was written by a newer release, in a later version of the form.",
        "A tool rewrote the operations and forgot the tensors, or their order.",
        "A program is put together by hand, from GraphIr, OperationIr and TensorIr.",
    ),
    solutions=(
        Solution(
            "Write the program again from the function it was captured from",
            code(
                """
                import gradviz as gv

                text = gv.capture(lambda x: x * 2.0, gv.spec((3,))).to_json()
                read = gv.CapturedGraph.from_json(text)
                assert read.run([1.0, 2.0, 3.0]).tolist() == [2.0, 4.0, 6.0]
                """
            ),
        ),
        Solution(
            "Give the constants that the text refers to, by their names",
            code(
                """
                import gradviz as gv

                captured = gv.capture(gv.nn.Linear(2, 1), gv.spec((1, 2)))
                text = captured.to_json(embed=False)
                read = gv.CapturedGraph.from_json(text, constants=captured.constants)
                assert read.run([[1.0, 2.0]]).tolist() == captured.run([[1.0, 2.0]]).tolist()
                """
            ),
        ),
        Solution(
            "Check a program that was put together by hand before it is handed on",
            code(
                """
                import gradviz as gv

                graph = gv.capture(lambda x: x.exp(), gv.spec((3,))).graph.copy()
                graph.outputs = [0, 1]
                graph.validate()
                assert [graph.tensors[number].status for number in graph.outputs] == [
                    "input",
                    "computed",
                ]
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        graph = gv.capture(lambda x: x.exp() * 2.0, gv.spec((3,))).graph.copy()
        graph.operations.reverse()
        graph.validate()  # fails: mul reads what exp makes later
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        graph = gv.capture(lambda x: x.exp() * 2.0, gv.spec((3,))).graph.copy()
        graph.validate()
        assert [operation.op for operation in graph.operations] == ["exp", "mul"]
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        captured = gv.capture(lambda x: x * 2.0, gv.spec((3,)))
        captured.graph.validate()
        """
    ),
    type_guard=code(
        """
        import json
        import gradviz as gv

        def is_program(text):
            try:
                found = json.loads(text)
            except (ValueError, RecursionError):
                return False
            return isinstance(found, dict) and found.get("format") == "gradviz-program"

        assert is_program(gv.capture(lambda x: x, gv.spec((3,))).to_json())
        assert not is_program("[1, 2")
        """
    ),
    handling=code(
        """
        import gradviz as gv

        def double(x):
            return x * 2.0

        try:
            captured = gv.CapturedGraph.from_json('{"format": "gradviz-program"')
        except gv.GradvizError as error:  # ValueError works as well
            if error.slug != "invalid-program":
                raise
            captured = gv.capture(double, gv.spec((3,)))
        assert captured.run([1.0, 2.0, 3.0]).tolist() == [2.0, 4.0, 6.0]
        """
    ),
    prevention=(
        "Let save write files: a file appears when it is complete.",
        "Change programs by the passes, or call validate after changes of your own.",
    ),
    tags=("capture", "program", "json", "file", "validation"),
)

RECORDS: Final = (INVALID_PROGRAM,)
