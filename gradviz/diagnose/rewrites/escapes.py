"""Rewrites for values that left and came back: compute with tensors throughout."""

from __future__ import annotations

import ast

from gradviz.diagnose.program import Program, Space, called_name
from gradviz.errors.problem import Fix, Problem, SourceEdit

_READS = ("numpy", "item", "tolist")
_LISTS = {"stack": "stack", "concatenate": "cat", "vstack": "cat"}
_SUMS = {"sum": "sum", "mean": "mean"}


def keep_tensors(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Turns `gv.tensor(...)` of read values into the operation on the tensors themselves."""
    found = []
    for call in program.calls("tensor", "from_numpy"):
        if not call.args:
            continue
        text = _as_tensors(program, call.args[0], space)
        if text is not None:
            found.append(_fix((program.replace(call, text),)))
        elif isinstance(call.args[0], ast.Name):
            edits = _through_variable(program, call, call.args[0].id, space)
            if edits:
                found.append(_fix(edits))
    return found


def _fix(edits: tuple[SourceEdit, ...]) -> Fix:
    return Fix(
        "Compute with the tensors themselves",
        "Numbers read out of tensors don't know where they came from; operations on tensors keep "
        "the path.",
        edits,
    )


def _through_variable(
    program: Program, call: ast.Call, name: str, space: Space
) -> tuple[SourceEdit, ...]:
    """`a = np...(x.numpy()); t = gv.tensor(a)`: both become tensors."""
    edits: list[SourceEdit] = []
    for statement in program.assignments(name):
        text = _as_tensors(program, statement.value, space)
        if text is not None:
            edits.append(program.replace(statement.value, text))
    return (*edits, program.replace(call, name)) if edits else ()


def _as_tensors(program: Program, node: ast.expr, space: Space) -> str | None:
    """The expression on tensors for one on values read out of them; None where it isn't known."""
    if not _reads(node):
        return None
    gv = _own_name(space)
    if isinstance(node, ast.ListComp):
        listed = _listed(program, node)
        return None if listed is None else f"{gv}.stack({listed})"
    if isinstance(node, ast.List | ast.Tuple):
        parts = [_as_tensors(program, item, space) for item in node.elts]
        return None if None in parts else f"{gv}.stack([{', '.join(p for p in parts if p)}])"
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    name = node.func.attr
    if name in _READS and not node.args:
        return program.source(node.func.value)
    if name in _LISTS and node.args:
        listed = _listed(program, node.args[0])
        dim = _axis(program, node)
        return (
            None
            if listed is None
            else f"{gv}.{_LISTS[name]}({listed}{f', dim={dim}' if dim else ''})"
        )
    if name in _SUMS and node.args:
        dim = _axis(program, node)
        inner = _listed(program, node.args[0])
        base = (
            f"{gv}.stack({inner})"
            if inner is not None
            else _as_tensors(program, node.args[0], space)
        )
        return None if base is None else f"{base}.{_SUMS[name]}({f'dim={dim}' if dim else ''})"
    return None


def _reads(node: ast.AST) -> bool:
    return any(called_name(item) in _READS for item in ast.walk(node))


def _listed(program: Program, node: ast.expr) -> str | None:
    """A list of tensors for a list of their values."""
    if isinstance(node, ast.ListComp) and len(node.generators) == 1:
        element = node.elt
        if (
            called_name(element) in _READS
            and isinstance(element, ast.Call)
            and isinstance(element.func, ast.Attribute)
        ):
            generator = node.generators[0]
            kept = element.func.value
            plain = isinstance(kept, ast.Name) and isinstance(generator.target, ast.Name)
            if (
                plain
                and program.source(kept) == program.source(generator.target)
                and not generator.ifs
            ):
                return program.source(generator.iter)
            tail = program.source(node)[len(program.source(element)) + 1 :].rstrip("]").strip()
            return f"[{program.source(kept)} {tail}]"
    if isinstance(node, ast.List | ast.Tuple):
        parts = []
        for item in node.elts:
            if (
                called_name(item) not in _READS
                or not isinstance(item, ast.Call)
                or not isinstance(item.func, ast.Attribute)
            ):
                return None
            parts.append(program.source(item.func.value))
        return f"[{', '.join(parts)}]"
    return None


def _axis(program: Program, call: ast.Call) -> str | None:
    for item in call.keywords:
        if item.arg == "axis":
            return program.source(item.value)
    return program.source(call.args[1]) if len(call.args) > 1 else None


def _own_name(space: Space) -> str:
    """What the program calls this package."""
    for name, value in space.items():
        if getattr(value, "__name__", None) == "gradviz" and not name.startswith("_"):
            return name
    return "gv"
