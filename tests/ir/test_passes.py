"""Passes: what they do, what they say, and that nothing else changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gradviz as gv
from gradviz.ir.fusion import fusion_groups
from gradviz.ir.passes import dead_code, folded, optimize, shared
from tests.ir.programs import network, same_bits
from tests.ir.test_json import recorded
from tests.ops.sampling import Case, cases

S = gv.spec((4, 3))


def ops(graph: Any) -> list[str]:
    return [operation.op for operation in graph.operations]


def test_dead_code() -> None:
    layer = gv.nn.Linear(3, 2)

    def fn(x: gv.Tensor) -> gv.Tensor:
        _ = layer(x).exp()
        return x.sin()

    graph = gv.capture(
        fn,
        S,
    ).graph
    made, report = dead_code(graph)
    assert ops(made) == ["sin"] and not made.constants and not made.parameters
    assert [operation.op for operation in report.operations] == ["linear", "exp"]
    assert str(report) == "dead code: 2 operations removed (linear, exp), 2 constants with them"
    assert ops(graph) == ["linear", "exp", "sin"]  # the program itself stays as it is
    made.validate()


def test_unused_inputs_and_random_draws_stay() -> None:
    graph = gv.capture(lambda x, y: (gv.rand(3), y * 2.0)[1], S, S).graph
    made, report = dead_code(graph)
    assert made.inputs == graph.inputs and "random" in ops(made)
    assert str(report).startswith("dead code: 0 operations removed")


def test_constant_folding() -> None:
    def fn(x: gv.Tensor) -> gv.Tensor:
        mask = gv.ones(3, 3, device="capture").triu(1) * -5.0
        return x @ (mask + 1.0)

    graph = gv.capture(fn, S).graph
    made, report = folded(graph)
    assert ops(made) == ["matmul"] and len(report.operations) == 3
    (number,) = made.constants
    assert made.tensors[number].status == "constant"
    made.validate()
    x = np.ones((4, 3), np.float32)
    assert same_bits(gv.CapturedGraph(made).run(x), gv.CapturedGraph(graph).run(x))


def test_parameters_large_results_and_failures_are_not_folded() -> None:
    layer = gv.nn.Linear(3, 2)
    graph = gv.capture(lambda x: x @ layer(gv.eye(3, device="capture")), S).graph
    assert ops(folded(graph)[0]) == ops(graph)
    graph = gv.capture(lambda x: x + gv.ones(1, device="capture").expand(300, 300).sum(), S).graph
    assert "expand" in ops(folded(graph)[0]) and "expand" not in ops(
        folded(graph, largest=10**6)[0]
    )
    graph = gv.capture(lambda x: x + gv.tensor([1], device="capture") // 0, S).graph
    assert ops(folded(graph)[0]) == ops(graph)


def test_common_subexpressions() -> None:
    def fn(x: gv.Tensor) -> Any:
        one = (x * 2.0).exp().sum(dim=0)
        other = (x * 2.0).exp().sum(dim=1)
        return one, other, (x * 2.0 + 1).exp(), (x * 2.0).exp()

    graph = gv.capture(fn, S).graph
    made, report = shared(graph)
    # The last exp is an output, and outputs are values of their own.
    assert ops(made) == ["mul", "exp", "sum", "sum", "add", "exp", "exp"]
    assert len(report.operations) == 4 and "mul x3" in str(report)
    made.validate()


def test_equal_is_equal_to_the_last_bit() -> None:
    graph = gv.capture(lambda x: (x * 0.0 + x * -0.0, x.clamp(0, 1) + x.clamp(0.0, 1.0)), S).graph
    assert ops(shared(graph)[0]).count("mul") == 2
    graph = gv.capture(lambda x: gv.rand_like(x) + gv.rand_like(x), S).graph
    assert ops(shared(graph)[0]).count("random") == 2


def test_fusion_groups() -> None:
    def fn(x: gv.Tensor, w: gv.Tensor) -> Any:
        a = (x * 2.0).exp()
        b = a @ w
        c = b.relu() + 1.0
        return c * c, a.sum() * 3.0 + 1.0

    graph = gv.capture(fn, gv.spec((4, 3)), gv.spec((3, 5))).graph
    groups = fusion_groups(graph)
    names = [[graph.operations[at].op for at in group.members] for group in groups]
    assert names == [["mul", "exp"], ["relu", "add", "mul"], ["mul", "add"]]
    first, second, _ = groups
    assert len(first.outputs) == 1 and len(second.outputs) == 1
    made = {
        number
        for group in groups
        for at in group.members
        for number in graph.operations[at].outputs
    }
    for group in groups:
        start = group.members[0]
        ready = {*graph.inputs, *graph.constants}
        for operation in graph.operations[:start]:
            ready.update(operation.outputs)
        assert (
            set(group.inputs) <= ready
        )  # the whole group can run in the place of its first member
    assert made >= set(first.outputs)


def test_an_operation_that_waits_for_something_else_starts_a_group_of_its_own() -> None:
    graph = gv.capture(lambda x: (x.exp() * x.exp().sum(dim=0)).sin(), S).graph
    groups = fusion_groups(graph, least=1)
    members = [[graph.operations[at].op for at in group.members] for group in groups]
    assert members == [["exp", "exp"], ["mul", "sin"]]


def test_all_passes_and_their_reports() -> None:
    captured, arrays = network()
    done = captured.graph.optimized()
    done.graph.validate()
    assert done.reports[0].name == "dead code"
    assert done.reports[-1].name == "fusion"
    assert "fusion:" in str(done) and "operations:" in str(done)
    assert same_bits(captured.optimized().run(*arrays), captured.run(*arrays))
    again = optimize(done.graph)
    assert ops(again.graph) == ops(done.graph)


def test_long_programs_take_little_time() -> None:
    def fn(x: gv.Tensor) -> gv.Tensor:
        for _ in range(3000):
            x = (x * 1.0 + x * 1.0) @ x
        return x

    graph = gv.capture(fn, gv.spec((2, 2))).graph
    done = optimize(graph)
    assert len(done.graph.operations) == 9000 and len(done.groups) == 3000
    assert graph.diff(done.graph).removed


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("case", cases(lambda case: case.number == 0), ids=str)
def test_every_row_of_the_table_optimized_and_planned(case: Case) -> None:
    captured, arrays = recorded(case)
    made = captured.optimized()
    made.graph.validate()
    expected = captured.run(*arrays)
    assert same_bits(made.run(*arrays), expected)
    assert same_bits(captured.compile().run(*arrays), expected)
    assert captured.diff(captured).same
