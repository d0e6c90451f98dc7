"""Programs on their way to other tools and back."""

from __future__ import annotations

from typing import Final

from gradviz.errors.catalogue.record import Record, Scenario, Solution
from gradviz.errors.catalogue.writing import code

NOT_EXPRESSIBLE: Final = Record(
    slug="onnx-not-expressible",
    message="ONNX has no words for {operations}",
    severity="error",
    documentation=(
        "A model in the ONNX format is made of the format's own operations. Most operations here "
        "are one of them or a few together; some have no counterpart, and a file that leaves them "
        "out would compute something else. All of them are listed, each with its places."
    ),
    trigger_scenarios=(
        Scenario(
            "The captured function solves a system of equations",
            code(
                """
                import gradviz as gv

                def forward(x, y):
                    return gv.solve(x, y)

                captured = gv.capture(forward, gv.spec((3, 3)), gv.spec((3, 1)))
                captured.to_onnx()  # fails: ONNX can't solve systems
                """
            ),
        ),
        Scenario(
            "An older operator set is asked for than the operations need",
            code(
                """
                import gradviz as gv

                captured = gv.capture(lambda x: x & 3, gv.spec((4,), "int64"))
                captured.to_onnx(opset=17)  # fails: bits of whole numbers came with 18
                """
            ),
        ),
    ),
    common_situations=(
        "A loss or a decomposition that is only needed for training is part of what was captured.",
        "A runtime is old, and the operator set that it knows is too.",
    ),
    solutions=(
        Solution(
            "Capture the part of the program that is to be exported, without the rest",
            code(
                """
                import gradviz as gv

                def features(x):
                    return gv.matmul(x, x.transpose(0, 1))

                captured = gv.capture(features, gv.spec((3, 2)))
                assert captured.to_onnx()[:1] == bytes([8])  # the first field: the version
                """
            ),
        ),
        Solution(
            "Ask for a later operator set, or leave the choice to the export",
            code(
                """
                import gradviz as gv

                captured = gv.capture(lambda x: x & 3, gv.spec((4,), "int64"))
                assert captured.to_onnx() == captured.to_onnx(opset=18)
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        def forward(x):
            return gv.inv(x).sum()

        gv.capture(forward, gv.spec((2, 2))).to_onnx()  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        def forward(x):
            # The inverse of a 2x2 matrix, written out and added up.
            determinant = x[0, 0] * x[1, 1] - x[0, 1] * x[1, 0]
            return (x[0, 0] + x[1, 1] - x[0, 1] - x[1, 0]) / determinant

        assert gv.capture(forward, gv.spec((2, 2))).to_onnx()
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        def is_exportable(captured):
            try:
                captured.to_onnx()
            except gv.GradvizError as error:
                return error.slug != "onnx-not-expressible"
            return True

        assert is_exportable(gv.capture(gv.tanh, gv.spec((2,))))
        assert not is_exportable(gv.capture(gv.inv, gv.spec((2, 2))))
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        captured = gv.capture(gv.tanh, gv.spec((2,)))
        assert not {operation.op for operation in captured.operations} & {"solve", "inv"}
        """
    ),
    handling=code(
        """
        import gradviz as gv

        captured = gv.capture(gv.inv, gv.spec((2, 2)))
        try:
            model = captured.to_onnx()
        except gv.GradvizError as error:
            if error.slug != "onnx-not-expressible":
                raise
            model = None
            print([name for name, place in error.problem.facts])
        assert model is None
        """
    ),
    prevention=(
        "Keep losses and decompositions out of the function that is captured for export.",
        "Export early: a test that calls to_onnx() finds such operations when they come in.",
    ),
    tags=("onnx", "export", "capture"),
)

UNREADABLE: Final = Record(
    slug="onnx-unreadable",
    message="{name} can't be read as an ONNX model: {complaint}",
    severity="error",
    documentation=(
        "The file is damaged, is of another kind, keeps its weights in other files, or uses "
        "operations that have no counterpart here. Nothing of it is executed, nothing beside it "
        "is opened, and nothing of the size that it claims is allocated."
    ),
    trigger_scenarios=(
        Scenario(
            "The file is no model",
            code(
                """
                import gradviz as gv

                gv.from_onnx(b"this is text")  # fails: no model
                """
            ),
        ),
        Scenario(
            "A download ended early",
            code(
                """
                import gradviz as gv

                model = gv.capture(gv.tanh, gv.spec((2,))).to_onnx()
                gv.from_onnx(model[:-20])  # fails: truncated
                """
            ),
        ),
    ),
    common_situations=(
        "A checkpoint of another tool was given the ending .onnx.",
        "The model was saved with its weights in a second file.",
        "The model uses an operation or a dtype that isn't supported here.",
    ),
    solutions=(
        Solution(
            "Export the model again, into one file and with the standard operations",
            code(
                """
                import gradviz as gv

                model = gv.capture(gv.tanh, gv.spec((2,), name="x")).to_onnx()
                captured = gv.from_onnx(model)
                assert captured.inputs[0].name == "x"
                """
            ),
        ),
        Solution(
            "Give sizes where the model leaves them open",
            code(
                """
                import gradviz as gv

                model = gv.capture(gv.tanh, gv.spec((2,), name="x")).to_onnx()
                captured = gv.from_onnx(model, shapes={"x": (2,)})
                assert captured.run([0.0, 0.0]).tolist() == [0.0, 0.0]
                """
            ),
        ),
    ),
    example_before=code(
        """
        import gradviz as gv

        data = gv.capture(gv.tanh, gv.spec((2,))).to_onnx()
        captured = gv.from_onnx(data[: len(data) // 2])  # fails
        """
    ),
    example_after=code(
        """
        import gradviz as gv

        data = gv.capture(gv.tanh, gv.spec((2,))).to_onnx()
        captured = gv.from_onnx(data)
        assert captured.run([0.0, 0.0]).tolist() == [0.0, 0.0]
        """
    ),
    validation_code=code(
        """
        import gradviz as gv

        def is_model(data):
            try:
                gv.from_onnx(data)
            except gv.GradvizError:
                return False
            return True

        assert not is_model(b"")
        assert is_model(gv.capture(gv.tanh, gv.spec((2,))).to_onnx())
        """
    ),
    type_guard=code(
        """
        import gradviz as gv

        captured = gv.from_onnx(gv.capture(gv.tanh, gv.spec((2,))).to_onnx())
        assert isinstance(captured, gv.CapturedGraph)
        """
    ),
    handling=code(
        """
        import gradviz as gv

        try:
            captured = gv.from_onnx(b"")
        except gv.GradvizError as error:
            if error.slug != "onnx-unreadable":
                raise
            captured = gv.capture(gv.tanh, gv.spec((2,)))
        assert captured.run([0.0, 0.0]).tolist() == [0.0, 0.0]
        """
    ),
    prevention=(
        "Keep models in one file; check downloads against their checksums.",
        "Export with the standard operations of the format, without those of one runtime.",
    ),
    tags=("onnx", "import", "capture", "file"),
)

RECORDS: Final = (NOT_EXPRESSIBLE, UNREADABLE)
