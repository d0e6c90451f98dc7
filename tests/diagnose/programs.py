"""Random programs: what is predicted is compared with what happens. `python -m tests.diagnose.programs 100000`.

Three accounts must agree on every program: the rules of gradients (`writer.py`), what verdicts and
diagnosis say before anything is run, and what `backward` and `require_grad` then do.
"""

from __future__ import annotations

import json
import linecache
import sys
import time
from typing import Any

import numpy as np

import gradviz as gv
from gradviz.diagnose import trial
from tests.diagnose.moves import written
from tests.diagnose.writer import CAPTURE, LIFTED, LIFTED_CAPTURE, PLAIN, Var, Writer

UNREACHED = frozenset(
    """
    leaf-not-reached path-cut-detach path-cut-no-grad path-cut-non-differentiable
    path-cut-value-escape marked-after-use marked-result parameter-frozen gradient-of-non-leaf
    """.split()
)
PARTIAL = frozenset({"marked-after-use", "path-cut-non-differentiable"})
"""What may also be said of a leaf that gets a gradient: of one way among several, of zeros."""

REFUSED = frozenset(
    """
    requires-autodiff-tensor capture-tensors-do-not-support-autodiff untracked-root graph-consumed
    """.split()
)


def backward_slug(var: Var) -> str | None:
    """What `backward` must raise, by the rules."""
    if var.kind in (PLAIN, CAPTURE):
        return "requires-autodiff-tensor"
    if var.kind == LIFTED_CAPTURE:
        return "capture-tensors-do-not-support-autodiff"
    if not var.tracked:
        return "untracked-root"
    consumed = var.requirement == "grad_in_backward" and any(s.consumed for s in var.steps)
    return "graph-consumed" if consumed else None


def mark_slug(var: Var) -> str | None:
    """What `require_grad` must raise, by the rules."""
    if var.requirement == "grad":
        return None
    if var.requirement == "grad_in_backward":
        return "can-t-convert-a-non-leaf-tensor-into-a-tracked-ten"
    if var.sort != "float":
        return "require-grad-on-non-float"
    return None if var.kind in (LIFTED, LIFTED_CAPTURE) else "require-grad-on-plain-kind"


def gets_gradient(leaf: Var, root: Var) -> bool:
    """Whether `root.backward()` must give a tensor a gradient, by the rules."""
    if backward_slug(root) is not None:
        return False
    if leaf.requirement == "grad_in_backward":
        return leaf.retained and leaf in root.steps
    return leaf in root.reached


class Run:
    """One program, executed."""

    def __init__(self, seed: int) -> None:
        self.writer: Writer = written(seed)
        self.filename = f"<program {seed}>"
        self.space: dict[str, Any] = {"__name__": "__main__", "__file__": self.filename}
        self.wrong: list[str] = []

    def execute(self) -> None:
        text = self.writer.text
        linecache.cache[self.filename] = (len(text), None, text.splitlines(True), self.filename)
        exec(compile(text, self.filename, "exec"), self.space)

    def close(self) -> None:
        if "scope" in self.space:
            self.space["scope"].__exit__(None, None, None)
        linecache.cache.pop(self.filename, None)

    def ask(self, text: str, **names: Any) -> Any:
        """Evaluates a question where the program's variables are in sight."""
        space = self.space | {"_" + name: value for name, value in names.items()}
        return eval(compile(text, self.filename, "eval"), space)

    def same(self, what: str, expected: object, got: object) -> None:
        if expected != got:
            self.wrong.append(f"{what}: expected {expected!r}, got {got!r}")

    def tensors(self) -> dict[str, tuple[Var, gv.Tensor]]:
        return {n: (var, eval(n, self.space)) for n, var in self.writer.names.items()}


def happens(call: Any) -> tuple[str | None, Any]:
    """The slug of what a call raises, and what it returns."""
    try:
        return None, call()
    except gv.GradvizError as error:
        return error.slug, None


def slugs_about(report: Any, tensor: gv.Tensor) -> set[str]:
    return {p.slug for p in report.problems if tensor.node.id in p.nodes}


def check(seed: int, *, fixes: bool = False) -> Run:
    """Predicts, runs, compares."""
    run = Run(seed)
    token = None if fixes else trial.trying.set(True)
    try:
        run.execute()
        _compare(run)
        if fixes:
            _try_fixes(run)
    except Exception as error:
        run.wrong.append(f"{type(error).__name__}: {str(error).splitlines()[0]}")
        if fixes:
            raise
    finally:
        run.close()
        if token is not None:
            trial.trying.reset(token)
    return run


def _compare(run: Run) -> None:
    tensors = run.tensors()
    for name, (var, tensor) in tensors.items():
        run.same(f"{name}.kind", var.kind, str(tensor.kind))
        run.same(f"{name}.requirement", var.requirement, tensor.requirement)
        run.same(f"{name}.shape", var.shape, tensor.shape)
        _verdict(run, name, var, tensor)
    chance = run.writer.random
    names = [n for n, (var, _) in tensors.items() if var.sort == "float" and n.isidentifier()]
    if not names:  # the only floating point tensors have lost their names
        return
    latest = max(names, key=lambda n: tensors[n][1].node.id)
    other = chance.choice(names)
    for name in sorted({latest, other}):
        _root(run, name, tensors)
    _roots(run, latest, other, tensors)
    for name, (var, tensor) in tensors.items():  # asking changed nothing
        _verdict(run, name, var, tensor)
    for name in [latest, *chance.sample(list(tensors), min(3, len(tensors)))]:
        var, tensor = tensors[name]
        slug, _ = happens(lambda tensor=tensor: tensor.backward(retain_graph=True))
        run.same(f"{name}.backward() raises", backward_slug(var), slug)
    for name, (var, tensor) in tensors.items():
        slug, _ = happens(tensor.require_grad)
        run.same(f"{name}.require_grad() raises", mark_slug(var), slug)


def _verdict(run: Run, name: str, var: Var, tensor: gv.Tensor) -> None:
    verdict = tensor.verdict
    run.same(f"{name}.verdict.backward", backward_slug(var), verdict.backward.slug)
    run.same(f"{name}.verdict.require_grad", mark_slug(var), verdict.require_grad.slug)


def _root(run: Run, name: str, tensors: dict[str, tuple[Var, gv.Tensor]]) -> None:
    """What is said about one root and every other tensor as its leaf."""
    var, root = tensors[name]
    refused = backward_slug(var)
    leaves = {n: t for n, (v, t) in tensors.items() if v.sort == "float"}
    joint = run.ask("gv.diagnose(_root, wrt=_wrt)", root=root, wrt=list(leaves.values()))
    alone = run.ask("gv.diagnose(_root)", root=root)
    shown = run.ask("gv.graph(_root)", root=root)
    said = {
        n: run.ask("gv.diagnose(_root, wrt=_leaf)", root=root, leaf=t) for n, t in leaves.items()
    }
    whys = {n: run.ask("gv.why(_leaf, _root)", root=root, leaf=t) for n, t in leaves.items()}
    # The prediction is complete; now it happens.
    slug, grads = happens(lambda: root.backward(retain_graph=True))
    run.same(f"{name}.backward() raises", refused, slug)
    for report, label in ((joint, "joint"), (alone, "alone")):
        errors = {p.slug for p in report.problems if p.severity == "error"} & REFUSED
        run.same(f"errors of {name}, {label}", {refused} - {None}, errors)
        str(report)
    summed = var.tracked and root.size != 1
    run.same(f"{name} non-scalar", summed, "non-scalar-root" in {p.slug for p in alone.problems})
    missing = False
    # Names may have been given to other tensors since: all leaves count, not only those in sight.
    ends = (
        {} if grads is None else {n: a for n, a in grads.store.values.items() if n.requirement != 2}
    )
    sick = any(not np.isfinite(array).all() for array in ends.values())
    for other, leaf in leaves.items():
        model = tensors[other][0]
        gradient = None if grads is None else grads.get(leaf)
        expected = gets_gradient(model, var)
        run.same(f"gradient of {other} from {name}", expected, gradient is not None)
        run.same(f"why({other}, {name})", expected, whys[other].reaches)
        str(whys[other])
        if refused is not None:
            continue
        found = slugs_about(said[other], leaf)
        unreached = found & UNREACHED
        if expected:
            loud = {p.slug for p in said[other].problems if p.severity != "note"} & unreached
            flat = "path-cut-non-differentiable" in loud
            run.same(f"{other} is reached by {name}, but said", set(), loud - PARTIAL)
            if model.requirement != "grad_in_backward":
                run.same(f"{other} is flat for {name}", model not in var.sloped_leaves, flat)
            values = gradient.numpy()
            finite = bool(np.isfinite(values).all())
            run.same(
                f"gradient of {other} from {name} is not finite",
                not finite,
                "non-finite-gradient" in {p.slug for p in said[other].problems},
            )
            if flat and finite:
                run.same(
                    f"largest gradient of {other} from {name}", 0.0, float(np.abs(values).max())
                )
        else:
            missing = True
            run.same(
                f"{other} gets no gradient from {name}, said {sorted(found)}", True, bool(unreached)
            )
            run.same(f"report on {other} is ok", False, said[other].ok)
    if refused is None:
        run.same(f"joint report on {name} is ok", False, missing and joint.ok)
        loud = {p.slug for p in joint.problems if p.severity != "note"}
        run.same(
            f"joint report misses a leaf of {name}",
            False,
            bool(loud & (UNREACHED - PARTIAL)) and not missing,
        )
        run.same(
            f"some gradient of {name} is not finite",
            sick,
            "non-finite-gradient" in {p.slug for p in alone.problems},
        )
    _picture(run, name, var, root, shown)


def _roots(run: Run, one: str, two: str, tensors: dict[str, tuple[Var, gv.Tensor]]) -> None:
    """Of two roots together: a leaf is missed where neither reaches it."""
    models = [tensors[one][0], tensors[two][0]]
    if one == two or any(backward_slug(model) is not None for model in models):
        return
    both = [tensors[one][1], tensors[two][1]]
    for name, (var, leaf) in tensors.items():
        if var.sort != "float" or var.requirement == "grad_in_backward":
            continue
        report = run.ask("gv.diagnose(*_roots, wrt=_leaf)", roots=both, leaf=leaf)
        said = {p.slug for p in report.problems if leaf.node.id in p.nodes and p.severity != "note"}
        missed = bool(said & (UNREACHED - PARTIAL))
        reached = any(gets_gradient(var, model) for model in models)
        if reached:
            run.same(f"{name} is missed by {one} and {two}, said {sorted(said)}", False, missed)
        else:
            run.same(f"{name} is missed by {one} and {two}", True, bool(said & UNREACHED))


def _picture(run: Run, name: str, var: Var, root: gv.Tensor, shown: Any) -> None:
    """The graph's tracked edges lead to the leaves that get gradients, and to no others."""
    nodes = {node.id: node for node in shown.nodes}
    run.same(f"graph of {name} has each node once", len(nodes), len(shown.nodes))
    inputs: dict[int, list[int]] = {}
    for edge in shown.edges:
        run.same(f"edge {edge} joins nodes", True, edge.source in nodes and edge.target in nodes)
        run.same("edges lead forward in time", True, edge.source < edge.target)
        if edge.tracked:
            inputs.setdefault(edge.target, []).append(edge.source)
    seen = {root.node.id}
    queue = [root.node.id]
    for number in queue:
        fresh = [source for source in inputs.get(number, ()) if source not in seen]
        seen.update(fresh)
        queue += fresh
    ends = {number for number in seen if number not in inputs} - (
        set() if var.requirement == "grad" else {root.node.id}
    )
    if not run.writer.capture:
        known = {
            n: eval(v.name, run.space).node.id
            for n, v in run.writer.names.items()
            if v in var.reached
        }
        run.same(f"leaves of {name} in the graph", len(var.reached), len(ends))
        run.same(f"known leaves of {name} in the graph", True, set(known.values()) <= ends)
    json.loads(shown.to_json())


def _try_fixes(run: Run) -> None:
    """Every fix that is offered gives what it promises when the patched program is run."""
    name = max(run.writer.names, key=lambda n: eval(n, run.space).node.id)
    root = eval(name, run.space)
    leaves = [n for n, var in run.writer.names.items() if var.sort == "float" and n != name]
    wanted = run.writer.random.sample(leaves, min(2, len(leaves)))
    report = run.ask(
        "gv.diagnose(_root, wrt=_wrt)", root=root, wrt=[eval(n, run.space) for n in wanted]
    )
    for problem in report.problems:
        for fix in problem.fixes:
            run.same(f"{fix.title} is verified", True, fix.verified)
            space: dict[str, Any] = {"__name__": "__main__", "__file__": run.filename}
            patched = fix.apply_to(run.writer.text)
            exec(compile(patched, run.filename + " patched", "exec"), space)
            slug, grads = happens(eval(name, space).backward)
            run.same(f"{problem.slug}: {fix.title}: backward raises", None, slug)
            got = {n: grads is not None and grads.get(eval(n, space)) is not None for n in wanted}
            run.same(f"{problem.slug}: {fix.title}: gradients", dict.fromkeys(wanted, True), got)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    start = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    began = time.perf_counter()
    failing = 0
    for seed in range(start, start + count):
        run = check(seed)
        if run.wrong:
            failing += 1
            if failing <= 20:
                print(f"--- seed {seed}\n{run.writer.text}\n" + "\n".join(run.wrong[:6]))
        if (seed - start + 1) % 1000 == 0:
            print(
                f"{seed - start + 1} programs, {failing} with disagreements, {time.perf_counter() - began:.0f} s",
                flush=True,
            )
    print(f"{count} programs, {failing} with disagreements, {time.perf_counter() - began:.0f} s")
    sys.exit(failing > 0)


if __name__ == "__main__":
    main()
