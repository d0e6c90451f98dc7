"""`grads[x]` without a gradient: the error says where the path ends, and offers what cures it."""

from __future__ import annotations

from pathlib import Path

import pytest

import gradviz as gv
from gradviz.diagnose import missing

W = "w = gv.tensor([1.0, 2.0], requires_grad=True)\n"
B = "b = gv.tensor([0.5], requires_grad=True)\n"
LOOP = """x = gv.tensor([1.0, 3.0])
for epoch in range(3):
    loss = ((w * x) ** 2).sum()
    grads = loss.backward()
    {step}
"""
LEAVES = """params = [gv.tensor([1.0, 2.0], requires_grad=True), gv.tensor([0.5], requires_grad=True)]
for epoch in range(3):
    loss = (params[0] * params[1]).sum()
    grads = loss.backward()
    params = [{step} for p in params]
"""
ASK = "grads = (h ** 2).sum().backward()\nprint(grads[w])\n"

# name: program, slug behind it, text at its cause, program after the first fix (None: there is none)
CASES: dict[str, tuple[str, str, str, str | None]] = {
    "a step of training by hand": (
        W + LOOP.format(step="w = w - 0.1 * grads[w]"),
        "gradient-of-non-leaf",
        "w - 0.1 * grads[w]",
        W + LOOP.format(step="w = (w - 0.1 * grads[w]).detach().require_grad()"),
    ),
    "a step of many parameters": (
        LEAVES.format(step="p - 0.1 * grads[p]"),
        "gradient-of-non-leaf",
        "p - 0.1 * grads[p]",
        LEAVES.format(step="(p - 0.1 * grads[p]).detach().require_grad()"),
    ),
    "a step whose gradient has a name": (
        W + LOOP.format(step="g = grads[w]\n    w = w.sub(0.1 * g)"),
        "gradient-of-non-leaf",
        "w.sub(0.1 * g)",
        W + LOOP.format(step="g = grads[w]\n    w = w.sub(0.1 * g).detach().require_grad()"),
    ),
    "a cut": (
        W + B + "h = (w * 2.0).detach() + b\n" + ASK,
        "path-cut-detach",
        "(w * 2.0).detach()",
        W + B + "h = (w * 2.0) + b\n" + ASK,
    ),
    "gradients switched off": (
        W + B + "with gv.no_grad():\n    k = w * 2.0\nh = k + b\n" + ASK,
        "path-cut-no-grad",
        "w * 2.0",
        W + B + "k = w * 2.0\nh = k + b\n" + ASK,
    ),
    "an intermediate result": (
        W + "h = w * 2.0\ngrads = (h ** 2).sum().backward()\nprint(grads[h])\n",
        "gradient-of-non-leaf",
        "w * 2.0",
        W + "h = (w * 2.0).retain_grad()\ngrads = (h ** 2).sum().backward()\nprint(grads[h])\n",
    ),
    "a leaf that was never marked": (
        W + "x = gv.tensor([1.0, 3.0])\ngrads = (w * x).sum().backward()\nprint(grads[x])\n",
        "leaf-not-reached",
        "gv.tensor([1.0, 3.0])",
        W
        + "x = gv.tensor([1.0, 3.0], requires_grad=True)\ngrads = (w * x).sum().backward()\n"
        + "print(grads[x])\n",
    ),
    "a leaf that nothing used": (
        W + B + "grads = (b * 2.0).sum().backward()\nprint(grads[w])\n",
        "leaf-not-reached",
        "gv.tensor([1.0, 2.0], requires_grad=True)",
        None,
    ),
}


def run(text: str, path: Path) -> gv.GradvizError | None:
    """The error a program ends with."""
    text = "import gradviz as gv\n" + text
    path.write_text(text, encoding="utf-8")
    try:
        exec(compile(text, str(path), "exec"), {"__name__": "__main__"})
    except gv.GradvizError as error:
        return error
    return None


@pytest.mark.parametrize(("program", "slug", "cause", "cured"), CASES.values(), ids=list(CASES))
def test_the_error_names_the_reason_and_the_fix_cures_it(
    program: str, slug: str, cause: str, cured: str | None, tmp_path: Path
) -> None:
    error = run(program, tmp_path / "program.py")
    assert error is not None
    assert error.slug == "no-gradient"
    assert isinstance(error, KeyError)
    problem = error.problem
    assert dict(problem.facts)["because"] == slug
    assert problem.cause is not None
    assert problem.cause.text == cause
    if cured is None:
        assert not problem.fixes
        return
    fix = problem.fixes[0]
    assert fix.verified
    patched = fix.apply_to("import gradviz as gv\n" + program)
    assert patched == "import gradviz as gv\n" + cured
    assert run(cured, tmp_path / "cured.py") is None


def test_the_tensor_is_called_what_the_program_calls_it(tmp_path: Path) -> None:
    error = run(CASES["a cut"][0], tmp_path / "program.py")
    assert str(error).splitlines()[0] == "grads[x]: this backward pass gave no gradient to `w`"


def test_no_fix_is_offered_twice(tmp_path: Path) -> None:
    text = W + "x = gv.tensor([1.0, 3.0]).autodiff()\ngrads = (w * x).sum().backward()\ngrads[x]\n"
    error = run(text, tmp_path / "program.py")
    assert error is not None
    texts = [fix.apply_to("import gradviz as gv\n" + text) for fix in error.problem.fixes]
    assert texts
    assert len(set(texts)) == len(texts)


def test_a_graph_that_takes_long_to_look_through_is_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(missing, "_MOST_WALKED", 10)
    w, other = gv.tensor(1.0, requires_grad=True), gv.tensor(1.0, requires_grad=True)
    y = w
    for _ in range(20):
        y = y * 1.01
    grads = y.backward()
    with pytest.raises(gv.GradvizError) as caught:
        grads[other]
    assert "gv.why" in caught.value.problem.advice
    assert "because" not in dict(caught.value.problem.facts)


def test_a_reason_that_can_t_be_found_hides_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(*_: object) -> None:
        raise RuntimeError("stumbled")

    monkeypatch.setattr(missing, "question_of", stumble)
    w, other = gv.tensor(1.0, requires_grad=True), gv.tensor(1.0, requires_grad=True)
    with pytest.raises(gv.GradvizError) as caught:
        (w * 2.0).backward()[other]
    assert caught.value.slug == "no-gradient"


def test_a_result_of_a_gradient_that_is_no_step_keeps_its_own_advice() -> None:
    w = gv.tensor([1.0, 2.0], requires_grad=True)
    grads = (w * w).sum().backward()
    weighed = w * w * grads[w]  # two ways from the leaf: no parameter moved
    again = weighed.sum().backward()
    with pytest.raises(gv.GradvizError) as caught:
        again[weighed]
    assert "retain_grad" in caught.value.problem.advice
