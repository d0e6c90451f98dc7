"""Random functions: a dry run finds what the diagnosis of an eager run finds, at the same places."""

from __future__ import annotations

import linecache
import random
from typing import Any

import numpy as np
import pytest

import gradviz as gv

UNARY = ("tanh()", "exp()", "relu()", "sigmoid()", "abs()", "square()")
CUTS = ("detach()", "round()", "set_require_grad(False)", "sign()")
SEEN_BY_VALUES = frozenset(
    {"non-finite-gradient", "zero-gradient", "exploding-gradient", "dead-units"}
)
LEAVES = ("a", "b", "c")
SHAPES = {"a": (2, 3), "b": (3,), "c": (2, 1)}


def program(seed: int) -> str:
    """A function of three leaves that ends in a root, with a cut here and there."""
    draw = random.Random(seed)
    known = list(LEAVES)
    lines = ["def fn(a, b, c):"]
    for at in range(draw.randint(2, 9)):
        name, x, y = f"v{at}", draw.choice(known), draw.choice(known)
        choice = draw.random()
        if choice < 0.35:
            text = f"{name} = {x} {draw.choice('+*-')} {y}"
        elif choice < 0.6:
            text = f"{name} = {x}.{draw.choice(UNARY)}"
        elif choice < 0.7:
            text = f"{name} = {x}.sum(dim=-1, keepdim=True)"
        elif choice < 0.8:
            cut = draw.choice(CUTS)
            text = f"{name} = {x}.{cut}"
        elif choice < 0.87:
            lines.append("    with gv.no_grad():")
            text = f"    {name} = {x} * 2.0"
        elif choice < 0.92:
            text = f"{name} = ({x} > 0.0).float()"
        else:
            text = f"{name} = gv.where({x} > 0.0, {x}, {y})"
        lines.append("    " + text)
        known.append(name)
    root = " + ".join(draw.sample(known[3:], min(2, len(known) - 3)))
    reduced = draw.choice([".mean()", ".sum()", ".sum()", ".sum()", ""])
    lines.append(f"    return ({root}){reduced}")
    return "\n".join(lines) + "\n"


def compiled(seed: int) -> Any:
    text, filename = program(seed), f"<random program {seed}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    space: dict[str, Any] = {"gv": gv}
    exec(compile(text, filename, "exec"), space)
    return space["fn"]


def told(report: Any) -> set[tuple[str, int | None]]:
    return {
        (p.slug, None if p.cause is None else p.cause.line)
        for p in report
        if p.slug not in SEEN_BY_VALUES
        and p.cause is not None
        and p.cause.filename.startswith("<random")
    }


def unplaced(report: Any) -> set[str]:
    return {p.slug for p in report if p.slug not in SEEN_BY_VALUES}


def outcome(seed: int) -> tuple[Any, Any]:
    fn = compiled(seed)
    values = np.random.default_rng(seed)
    arrays = {name: values.normal(size=shape).astype(np.float32) for name, shape in SHAPES.items()}
    leaves = [gv.tensor(array, requires_grad=True, name=name) for name, array in arrays.items()]
    eager = gv.diagnose(fn(*leaves), wrt=leaves)
    specs = [gv.spec(shape) for shape in SHAPES.values()]
    return eager, gv.check(fn, *specs, wrt=list(LEAVES))


@pytest.mark.parametrize("start", range(0, 200, 25))
def test_a_dry_run_finds_what_an_eager_one_does(start: int) -> None:
    for seed in range(start, start + 25):
        eager, dry = outcome(seed)
        assert told(dry) == told(eager), f"seed {seed}\n{program(seed)}\n{eager}\n---\n{dry}"
        assert unplaced(dry) == unplaced(eager), (
            f"seed {seed}\n{program(seed)}\n{eager}\n---\n{dry}"
        )


@pytest.mark.parametrize("start", range(1000, 1200, 25))
def test_gradient_programs_give_the_eager_gradients(start: int) -> None:
    for seed in range(start, start + 25):
        fn = compiled(seed)
        values = np.random.default_rng(seed)
        arrays = [values.uniform(-1, 1, shape).astype(np.float32) for shape in SHAPES.values()]
        leaves = [gv.tensor(array, requires_grad=True) for array in arrays]
        root = fn(*leaves)
        grads = root.backward() if root.is_tracked else None
        program = gv.capture(fn, *map(gv.tensor, arrays)).backward(allow_unused=True)
        for leaf, found in zip(leaves, program.run(*arrays), strict=True):
            expected = None if grads is None else leaf.grad(grads)
            wanted = np.zeros(leaf.shape) if expected is None else expected.numpy()
            np.testing.assert_allclose(
                found.numpy(), wanted, rtol=1e-5, atol=1e-6, err_msg=f"seed {seed}\n{program}"
            )
        again = type(program).from_json(program.to_json())
        for one, two in zip(program.run(*arrays), again.run(*arrays), strict=True):
            np.testing.assert_array_equal(one.numpy(), two.numpy())
