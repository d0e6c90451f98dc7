"""`gv.Function`: operations with a backward pass of their own."""

from __future__ import annotations

import gc
from weakref import ref

import numpy as np
import pytest

import gradviz as gv
from tests.asserting import refused


class Power(gv.Function):
    """x to a power."""

    @staticmethod
    def forward(ctx, x, power):
        ctx.save_for_backward(x)
        ctx.power = power
        return x**power

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (ctx.power * x ** (ctx.power - 1.0)), None


class Exp(gv.Function):
    """Saves its result."""

    @staticmethod
    def forward(ctx, x):
        out = x.exp()
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, g):
        (out,) = ctx.saved_tensors
        return g * out


class Both(gv.Function):
    """Two results with gradients, a whole number and a count."""

    @staticmethod
    def forward(ctx, x, y):
        product = x * y
        ctx.save_for_backward(x, y, product)
        return (x + y).sum(), product, x.argmax(), 7

    @staticmethod
    def backward(ctx, total, product, best, count):
        x, y, kept = ctx.saved_tensors
        ctx.seen = (best.tolist(), count, kept.tolist())
        wide = total.expand(*x.shape)
        return wide + product * y, wide + product * x


class Straight(gv.Function):
    """Rounds, with the gradient of doing nothing."""

    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


class Reverse(gv.Function):
    """Gives its input back, and the opposite gradient."""

    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return -g


class Reciprocal(gv.Function):
    """In the form with a context apart, on NumPy's arrays."""

    @staticmethod
    def forward(x):
        return gv.tensor(1.0 / x.numpy())

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, g):
        (out,) = ctx.saved_tensors
        return -g.numpy() * out.numpy() ** 2


def leaf(*values, dtype="float32", device=None):
    return gv.tensor(np.array(values, dtype), device=device, requires_grad=device is None)


def test_the_gradient_is_what_backward_says():
    x = leaf(1.0, 2.0)
    y = Power.apply(x, 3.0)
    assert y.tolist() == [1.0, 8.0]
    assert (y.requirement, y.node.op) == ("grad_in_backward", "Power")
    assert y.sum().backward()[x].tolist() == [3.0, 12.0]


@pytest.mark.parametrize("function", [Exp, Reciprocal])
def test_results_can_be_saved(function):
    x = leaf(0.5, 2.0)
    plain = x.exp() if function is Exp else 1.0 / x
    expected = plain.sum().backward()[x].tolist()
    assert function.apply(x).sum().backward()[x].tolist() == pytest.approx(expected)


def test_several_results_hand_back_one_gradient():
    x, y = leaf(1.0, 2.0), leaf(3.0, 5.0)
    total, product, best, count = Both.apply(x, y)
    assert (total.tolist(), product.tolist(), best.tolist(), count) == (11.0, [3.0, 10.0], 1, 7)
    assert best.requirement == "none"
    grads = (total * 2.0 + (product * product).sum()).backward()
    assert grads[x].tolist() == [2.0 + 2.0 * 3.0 * 3.0, 2.0 + 2.0 * 10.0 * 5.0]
    assert grads[y].tolist() == [2.0 + 2.0 * 3.0 * 1.0, 2.0 + 2.0 * 10.0 * 2.0]
    assert product.node.source.text == "Both.apply(x, y)"


def test_a_result_that_nothing_follows_from_gets_zeros():
    x, y = leaf(1.0, 2.0), leaf(3.0, 5.0)
    total, *_ = Both.apply(x, y)
    assert total.backward()[x].tolist() == [1.0, 1.0]


def test_the_context_says_who_needs_a_gradient():
    seen = []

    class Product(gv.Function):
        @staticmethod
        def forward(ctx, x, factor, y):
            seen.append(ctx.needs_input_grad)
            ctx.save_for_backward(x, None, y)
            return x * y * factor

        @staticmethod
        def backward(ctx, g):
            x, nothing, y = ctx.saved_tensors
            assert nothing is None
            return g * y, None, g * x

    x, y = leaf(2.0), gv.tensor([3.0])
    grads = Product.apply(x, 1.0, y).backward()
    assert seen == [(True, False, False)]
    assert grads[x].tolist() == [3.0]
    assert y not in grads


def test_gradients_of_gradients_go_through_saved_inputs_and_results():
    x = leaf(0.5, 2.0, dtype="float64")
    for function, second in (
        (lambda t: Power.apply(t, 3.0), 6.0 * x.numpy()),
        (Exp.apply, np.exp(x.numpy())),
        (lambda t: Both.apply(t, t * 1.0)[1], np.full(2, 2.0)),
    ):
        first = function(x).sum().backward(create_graph=True)[x]
        assert first.requirement == "grad_in_backward"
        assert np.allclose(first.sum().backward()[x].numpy(), second)


def test_inputs_may_come_back_as_they_are():
    x = leaf(1.0, 2.0)
    y = Reverse.apply(x)
    assert y is not x
    assert (y * 3.0).sum().backward()[x].tolist() == [-3.0, -3.0]


def test_a_graph_that_is_kept_runs_again():
    x = leaf(1.0, 2.0)
    loss = Exp.apply(Power.apply(x, 2.0)).sum()
    once = loss.backward(retain_graph=True)[x].tolist()
    assert loss.backward()[x].tolist() == once
    refused(loss.backward, "graph-consumed")


@pytest.mark.parametrize("checkpointing", ["none", "balanced"])
def test_it_stands_among_other_operations(checkpointing):
    device = gv.device("ndarray").autodiff(checkpointing)
    x = leaf(0.3, 0.7, device=device).require_grad()
    found = (Exp.apply((x * x).tanh()).sigmoid() * x).sum().backward()[x]
    expected = ((x * x).tanh().exp().sigmoid() * x).sum().backward()[x]
    assert np.allclose(found.numpy(), expected.numpy(), rtol=1e-6)


def test_without_tracking_it_is_a_constant():
    x = leaf(1.0, 2.0)
    with gv.no_grad():
        assert Exp.apply(x).requirement == "none"
    assert str(Exp.apply(x.inner()).kind) == "NdArray"
    assert Exp.apply(x.detach()).requirement == "none"
    loss = (Exp.apply(x.detach()) * x).sum()
    assert loss.backward()[x].tolist() == pytest.approx(np.exp([1.0, 2.0]))


def test_gradients_are_summed_and_cast_to_their_inputs():
    class Scale(gv.Function):
        @staticmethod
        def forward(ctx, x, scale):
            ctx.save_for_backward(x, scale)
            return x * scale

        @staticmethod
        def backward(ctx, g):
            x, scale = ctx.saved_tensors
            return (g * scale).double(), g * x

    x, scale = gv.ones(2, 3, requires_grad=True), leaf(2.0)
    grads = Scale.apply(x, scale).sum().backward()
    assert grads[scale].tolist() == [6.0]
    assert (grads[x].dtype, grads[x].shape) == (gv.float32, (2, 3))


def test_what_is_marked_gets_no_gradient():
    class Split(gv.Function):
        @staticmethod
        def forward(ctx, x):
            whole, rest = x.floor(), x - x.floor()
            ctx.mark_non_differentiable(whole)
            ctx.set_materialize_grads(False)
            return whole, rest

        @staticmethod
        def backward(ctx, _, g):
            return g

    x = leaf(1.5, 2.25)
    whole, rest = Split.apply(x)
    assert (whole.requirement, rest.requirement) == ("none", "grad_in_backward")
    assert (whole * rest).sum().backward()[x].tolist() == [1.0, 2.0]
    assert gv.diagnose(whole.sum(), wrt=[x]).problems[0].slug == "untracked-root"


# --- failures ------------------------------------------------------------------------------------
def _function(forward=None, backward=None, **more):
    members = {"forward": forward, "backward": backward, **more}
    given = {name: staticmethod(member) for name, member in members.items() if member is not None}
    return type("Odd", (gv.Function,), given)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (_function(lambda _, x: x * 1.0), "no `backward`"),
        (_function(None, lambda _, g: g), "no `forward`"),
        (_function(lambda _, x: x.item(), lambda _, g: g), "a float was returned"),
        (_function(lambda ctx, _: ctx.save_for_backward(3), lambda _, g: g), "int in place 0"),
    ],
)
def test_functions_that_make_no_sense_are_refused_at_once(function, said):
    x = leaf(2.0)
    error = refused(lambda: function.apply(x), "invalid-argument", builtin=TypeError)
    assert said in str(error).splitlines()[0]


def test_who_calls_the_class_is_told_to_apply_it():
    error = refused(lambda: Exp(leaf(1.0)), "invalid-argument", builtin=TypeError)
    assert "Exp.apply(...)" in error.problem.advice


def test_inputs_that_were_changed_are_none():
    dirty = _function(lambda ctx, x: ctx.mark_dirty(x), lambda _, g: g)
    refused(lambda: dirty.apply(leaf(1.0)), "in-place-on-tensor")


@pytest.mark.parametrize(
    ("backward", "slug"),
    [
        (lambda _, g: (g, g), "invalid-argument"),
        (lambda _, g: g.reshape(1, 2, 1), "shape-mismatch"),
        (lambda _, g: "no", "not-a-tensor"),
    ],
)
def test_answers_that_make_no_sense_are_refused_and_nothing_is_consumed(backward, slug):
    x = leaf(1.0, 2.0)
    odd = _function(lambda _, x: x * 1.0, backward)
    before = Exp.apply(x)
    loss = Exp.apply(odd.apply(before)).sum()
    error = refused(loss.backward, slug)
    assert slug == "not-a-tensor" or error.problem.cause.text == "odd.apply(before)"
    assert not loss.node.consumed
    assert before.sum().backward()[x].tolist() == pytest.approx(np.exp([1.0, 2.0]))


def test_a_backward_that_fails_leaves_the_graph_whole():
    broken = [True]

    def backward(ctx, g):
        if broken[0]:
            raise RuntimeError("not today")
        return g * 2.0

    x = leaf(1.0, 2.0)
    shaky = _function(lambda _, x: x * 2.0, backward)
    loss = Exp.apply(shaky.apply(x * x)).tanh().sum()
    with pytest.raises(RuntimeError, match="not today"):
        loss.backward()
    broken[0] = False
    expected = (x * x * 2.0).exp().tanh().sum().backward()[x].tolist()
    assert loss.backward()[x].tolist() == pytest.approx(expected)


def test_what_was_saved_is_freed_with_the_graph_or_by_its_pass():
    x = leaf(*np.zeros(1000))
    contexts = []
    keeping = _function(
        lambda ctx, x: (contexts.append(ctx), ctx.save_for_backward(x, y := x * 2.0), y)[-1],
        lambda ctx, g: (ctx.saved_tensors, g * 2.0)[-1],
    )
    gc.disable()
    try:
        y = keeping.apply(x)
        node, array = ref(y.node), ref(y.prim)
        contexts.clear()
        del y
        assert node() is None
        assert array() is None
        y = keeping.apply(x)
        array, loss = ref(y.prim), y.sum()
        del y
        assert array() is not None
        loss.backward()
        assert array() is None
    finally:
        gc.enable()
    refused(lambda: contexts[0].saved_tensors, "graph-consumed")


# --- looking -------------------------------------------------------------------------------------
def test_looking_runs_nobodys_code():
    calls = []

    def backward(ctx, g):
        calls.append(g)
        return g

    x = leaf(0.0, 2.0)
    loss = (_function(lambda _, x: x * 1.0, backward).apply(x).log() * x).sum()
    assert loss.verdict.backward.ok
    gv.diagnose(loss, wrt=[x])
    gv.graph(loss).to_json()
    assert calls == []
    loss.backward()
    assert len(calls) == 1


def test_pictures_and_steps_name_it_and_what_it_saved():
    x = gv.tensor([1.0, 2.0], requires_grad=True, name="x")
    loss = Power.apply(x, 3.0).sum()
    node = next(node for node in gv.graph(loss).nodes if node.op == "Power")
    assert node.source.text == "Power.apply(x, 3.0)"
    trace = gv.trace_backward(loss)
    step = trace.steps[1]
    assert (step.op, step.tracked, step.saved[0].name) == ("Power", ("x",), "x")
    assert step.freed_bytes == 0  # x has its own name
    assert trace.grads[x].tolist() == [3.0, 12.0]


def test_a_name_is_never_markup():
    members = {
        "forward": staticmethod(lambda _, x: x * 1.0),
        "backward": staticmethod(lambda _, g: g),
    }
    odd = type('<b>"x"</b>', (gv.Function,), members)
    graph = gv.graph(odd.apply(leaf(1.0)))
    for text in (graph.to_svg(), graph.to_html()):
        assert "<b>" not in text
    assert r"<b>\"x\"</b>" in graph.to_dot()


def test_a_dry_run_believes_in_it():
    x = leaf(0.4, 1.6)
    report = gv.check(lambda x: (Straight.apply(x) * 2.0).sum().backward(), x, wrt=[x])
    assert report.ok


def test_modules_are_trained_through_it():
    gv.manual_seed(0)

    class Net(gv.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = gv.nn.Linear(3, 4)
            self.outer = gv.nn.Linear(4, 1)

        def forward(self, x):
            return self.outer(Exp.apply(-self.inner(x).square()))

    net, x, y = Net(), gv.randn(16, 3), gv.randn(16, 1)
    optimizer = gv.optim.Adam(net.parameters(), lr=0.05)
    losses = []
    for _ in range(60):
        loss = ((net(x) - y) ** 2).mean()
        losses.append(loss.item())
        optimizer.step(loss.backward())
    assert losses[-1] < 0.5 * losses[0]


# --- recordings ----------------------------------------------------------------------------------
def test_a_recording_holds_what_forward_computes():
    captured = gv.capture(lambda x: Straight.apply(x) * 2.0, gv.spec((2,), name="x"))
    again = gv.CapturedGraph.from_json(captured.to_json())
    for program in (captured, again, gv.capture(lambda x: program_of(x, captured), gv.spec((2,)))):
        assert program.run(np.array([0.4, 1.6], "f")).tolist() == [0.0, 4.0]


def program_of(x, captured):
    return Straight.apply(x) * 2.0


def test_a_gradient_program_through_it_is_refused():
    captured = gv.capture(lambda x, w: (Straight.apply(x) * x * w).sum(), *[gv.spec((2,))] * 2)
    error = refused(captured.backward, "invalid-argument")
    assert error.problem.cause.text == "Straight.apply(x)"
    only = captured.backward(wrt="w")
    assert only.run(np.array([0.4, 1.6], "f"), np.ones(2, "f")).tolist() == pytest.approx([0, 3.2])


def test_it_is_exported(tmp_path):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    captured = gv.capture(lambda x: Straight.apply(x) * 2.0, gv.spec((2,), name="x"))
    captured.to_onnx(tmp_path / "straight.onnx")
    session = runtime.InferenceSession(str(tmp_path / "straight.onnx"))
    name = session.get_inputs()[0].name
    (found,) = session.run(None, {name: np.array([0.4, 1.6], "f")})
    assert found.tolist() == [0.0, 4.0]
