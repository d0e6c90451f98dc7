"""The process that executes programs of the corpus: requests come in as JSON lines, answers go out.

Every request is answered by a fork, so that modes, patched classes and open scopes end with it.
"""

from __future__ import annotations

import json
import math
import os
import select
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import gradviz as gv

SECONDS = 60.0
"""A program that takes longer is stopped; on an idle machine the slowest takes two."""


def moved(optimizer: Any, grads: Any, *parameters: Any) -> bool:
    """Whether a step changes all these parameters; part of the cases' `check` expressions."""
    before = [parameter.numpy().copy() for parameter in parameters]
    optimizer.step(grads)
    return all((old != new.numpy()).any() for old, new in zip(before, parameters, strict=True))


def flat(expressions: list[str] | None, space: dict[str, Any]) -> list[Any]:
    found: list[Any] = []
    for text in expressions or []:
        value = eval(text, space)
        if isinstance(value, dict):
            value = list(value.values())
        found += value if isinstance(value, list | tuple) else [value]
    return found


def executed(text: str, path: Path) -> dict[str, Any]:
    path.write_text(text, encoding="utf-8")
    space: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
    exec(compile(text, str(path), "exec"), space)
    return space


def described(problem: Any, text: str, path: Path) -> dict[str, Any]:
    def line(span: Any) -> int | None:
        return span.line if span is not None and span.filename == str(path) else None

    return {
        "slug": problem.slug,
        "severity": problem.severity,
        "cause": line(problem.cause),
        "where": line(problem.where),
        "fixes": [
            {"title": fix.title, "verified": fix.verified, "patched": fix.apply_to(text)}
            for fix in problem.fixes
        ],
    }


def look(request: dict[str, Any], path: Path) -> dict[str, Any]:
    """What is raised, or what the diagnosis finds."""
    text, ask = request["text"], request["ask"]
    try:
        space = executed(text, path)
    except gv.GradvizError as error:
        # Fixes of a raised problem are looked for when it is asked for.
        return {"raised": error.slug, "problems": [described(error.problem, text, path)]}
    if ask is None:
        return {"raised": None, "problems": []}
    roots, wrt = flat(ask["roots"], space), flat(ask["wrt"], space) or None
    grads = roots[0].backward(retain_graph=True) if ask.get("grads") else None
    if grads is not None:
        space["grads"] = grads
    report = gv.diagnose(*roots, wrt=wrt, grads=grads)
    return {"raised": None, "problems": [described(p, text, path) for p in report.problems]}


def prove(request: dict[str, Any], path: Path) -> dict[str, Any]:
    """Whether the leaves get finite gradients and the case's own check holds."""
    case, ask = request["case"], request["ask"]
    space = executed(request["text"], path)
    if case["grads"]:
        grads = space[case["grads"]]
    elif ask:
        grads = flat(ask["roots"], space)[0].backward(retain_graph=bool(ask.get("grads")))
    else:
        grads = None
    for leaf in flat(case["leaves"], space):
        got = leaf.grad(grads)
        if got is None:
            return {"flaw": f"a leaf of shape {leaf.shape} gets no gradient"}
        if not math.isfinite(float(np.abs(got.numpy()).sum())):
            return {"flaw": "a gradient is not finite"}
    if case["check"]:
        space |= {"gv": gv, "np": np, "grads": grads, "source": request["text"], "moved": moved}
        if not eval(case["check"], space):
            return {"flaw": f"not true: {case['check']}"}
    return {"flaw": None}


def answer(request: dict[str, Any], folder: Path) -> dict[str, Any]:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            path = folder / f"{request['name']}.py"
            said = {"look": look, "prove": prove}[request["do"]](request, path)
        except BaseException as error:
            said = {"crash": f"{type(error).__name__}: {error}"[:500]}
        with os.fdopen(writer, "w") as out:
            json.dump(said, out)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answers:
        if not select.select([answers], [], [], SECONDS)[0]:
            os.kill(child, signal.SIGKILL)
        text = answers.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"crash": f"no answer within {SECONDS:g} s"}


def serve() -> None:
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what programs print is no answer
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        os.chdir(folder)
        for line in sys.stdin:
            print(json.dumps(answer(json.loads(line), folder)), file=out, flush=True)


if __name__ == "__main__":
    serve()
