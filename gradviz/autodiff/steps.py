"""Steps: what one node does in a backward pass, compiled from its row's formulas.

There is one step for each set of tracked inputs of a row, and it is compiled when it is first
needed. A step saves exactly what the formulas of those inputs ask for.

Large gradients that nobody else holds are reused: a sum made here is added to in place, and the
last formula of a step may work in the incoming gradient's own memory.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from typing import Any, Final

from gradviz.core.source import GENERATED
from gradviz.ops.spec import Row

IN_PLACE_FROM: Final = 4096
"""Elements from which a gradient's memory is used again, where nobody else holds it."""


class Step:
    """The backward of one row for one set of tracked inputs.

    Attributes:
        row: the operation.
        saved: names of the values it needs, in the order they are saved; one name is saved bare.
        run: `run(g, saved, node, pending, xp, sums)` adds the inputs' gradients to `pending`;
            `sums` are the nodes whose gradient there is a sum that only `pending` holds; without
            them nothing is done in place.
        fed: positions of the tracked inputs; None where a row takes any number of them.
    """

    __slots__ = ("fed", "row", "run", "saved", "tracked")

    def __init__(
        self,
        row: Row,
        saved: tuple[str, ...],
        tracked: tuple[str, ...],
        run: Callable[..., None],
        fed: tuple[int, ...] | None = None,
    ) -> None:
        self.row = row
        self.saved = saved
        self.tracked = tracked
        self.run = run
        self.fed = fed


def compile_source(name: str, source: str, scope: dict[str, Any]) -> dict[str, Any]:
    """Runs generated source so that tracebacks can show it."""
    filename = f"{GENERATED}{name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    exec(compile(source, filename, "exec"), scope)
    return scope


def saved_names(row: Row, tracked: tuple[str, ...]) -> tuple[str, ...]:
    """The values that the formulas of the tracked inputs ask for, each once."""
    values = {item.name for item in row.inputs} | {"out", *row.several}
    wanted: dict[str, None] = {}
    for name in tracked:
        for need in row.needs[name]:
            if need in values:
                wanted[need] = None
    return tuple(wanted)


_steps: dict[tuple[str, tuple[str, ...], bool], Step] = {}


def step_for(row: Row, tracked: tuple[str, ...], broadcasts: bool) -> Step:
    """The step of a row for these tracked inputs; `broadcasts` when shapes may differ."""
    key = (row.name, tracked, broadcasts)
    step = _steps.get(key)
    if step is None:
        saved = saved_names(row, tracked)
        run = _variadic(row) if row.variadic else _compiled(row, tracked, saved, broadcasts)
        fed = None if row.variadic else tuple(map(row.input_names().index, tracked))
        step = _steps[key] = Step(row, saved, tracked, run, fed)
    return step


def _compiled(
    row: Row, tracked: tuple[str, ...], saved: tuple[str, ...], broadcasts: bool
) -> Callable[..., None]:
    scope: dict[str, Any] = {f"vjp_{name}": row.vjp[name] for name in tracked}
    scope |= {"__name__": __name__, "references": sys.getrefcount}
    names = row.input_names()
    lines = ["def run(g, saved, node, pending, xp, sums=None):"]
    if len(saved) == 1:
        lines.append(f"    v_{saved[0]} = saved")
    elif saved:
        lines.append(f"    {', '.join('v_' + name for name in saved)} = saved")
    needs = {need for name in tracked for need in row.needs[name]}
    attrs = [attr.name for attr in row.attrs]
    if needs & set(attrs):
        lines.append(f"    {', '.join('a_' + name for name in attrs)}, = node.attrs")
    pair = is_pair(row)
    if not pair:
        lines.append("    parents = node.parents")
    for name in tracked:
        arguments = [_argument(need, names, attrs, row) for need in row.needs[name]]
        lines.append(f"    target = {_input(names.index(name), pair)}")
        lines += _derivative(row, name, arguments, last=name == tracked[-1])
        if broadcasts:
            lines += [
                "    shape = target.meta.shape",
                "    if d.shape != shape:",
                "        d = xp.sum_to(d, shape)",
            ]
        lines += [
            "    old = pending.get(target)",
            "    if old is None:",
            "        pending[target] = d",
            # Symbols and tensors own nothing, and sizes may have been left open.
            f"    elif sums is None or old.size < {IN_PLACE_FROM}:",
            "        pending[target] = old + d",
            "    elif target in sums:",
            "        old += d",
            "    else:",
            "        pending[target] = old + d",
            "        sums.add(target)",
        ]
    source = "\n".join(lines) + "\n"
    built = compile_source(f"{row.name} backward of {','.join(tracked)}", source, scope)
    run: Callable[..., None] = built["run"]
    return run


_OPERATORS: Final = {
    (lambda g: g).__code__.co_code: "",
    (lambda g: -g).__code__.co_code: "-",
    (lambda g, other: g * other).__code__.co_code: "*",
    (lambda g, other: g / other).__code__.co_code: "/",
}
"""Formulas that are one operator on the gradient, by their code."""


def _derivative(row: Row, name: str, arguments: list[str], *, last: bool) -> list[str]:
    """Lines that set `d`; a formula of one operator is written out, the others are called."""
    code = row.vjp[name].__code__
    operator = _OPERATORS.get(code.co_code) if arguments[:1] == ["g"] else None
    if operator is None:
        return [f"    d = vjp_{name}({', '.join(arguments)})"]
    if len(arguments) == 1:
        return [f"    d = {operator}g"]
    other = arguments[1]
    plain = f"d = g {operator} {other}"
    if not last:
        return [f"    {plain}"]
    # Nothing reads the gradient after the last formula: if it owns memory that the result may take,
    # and nobody else holds it, it is changed.
    fits = "" if other.startswith("a_") else f" and g.dtype == {other}.dtype"
    sole = f"references(g) <= {_HELD} and g.base is None and g.flags.writeable{fits}"
    return [
        f"    if sums is not None and g.size >= {IN_PLACE_FROM} and {sole}:",
        f"        g {operator}= {other}",
        "        d = g",
        "    else:",
        f"        {plain}",
    ]


def _count_references() -> int:
    """What `sys.getrefcount` says in a step of a gradient that only the running pass holds."""
    probe = compile_source(
        "probe", "def run(g, saved):\n    return references(g)\n", {"references": sys.getrefcount}
    )
    row: Any = None
    step = Step(row, (), (), probe["run"])
    call: Any = step.run
    pending: dict[int, Any] = {0: object()}
    g = pending.pop(0, None)
    return int(call(g, None))


_HELD: Final = _count_references()


def _argument(need: str, names: tuple[str, ...], attrs: list[str], row: Row) -> str:
    if need in ("g", "xp"):
        return need
    if need == "out_shape":
        return "node.meta.shape"
    if need in attrs:
        return f"a_{need}"
    if need in names or need == "out" or need in row.several:
        return f"v_{need}"
    name, _, fact = need.rpartition("_")
    return f"{_input(names.index(name), is_pair(row))}.meta.{fact}"


def _input(at: int, pair: bool) -> str:
    """How a step reaches the node of an input."""
    if pair:
        return "node.second" if at else "node.first"
    return f"parents[{at}]"


def is_pair(row: Row) -> bool:
    """Whether a row's nodes are `PairNode`s: one or two inputs, no attributes."""
    return not row.attrs and not row.variadic and len(row.inputs) <= 2


def _variadic(row: Row) -> Callable[..., None]:
    """The step of a row over a list of tensors: every tracked one gets its part."""
    formula = row.vjp[row.inputs[-1].name]
    wanted = row.needs[row.inputs[-1].name]
    attrs = [attr.name for attr in row.attrs]

    def run(
        g: Any, _saved: Any, node: Any, pending: dict[Any, Any], xp: Any, _sums: Any = None
    ) -> None:
        parents = node.parents
        facts = dict(zip(attrs, node.attrs, strict=True))
        facts |= {"g": g, "xp": xp, "shapes": [parent.meta.shape for parent in parents]}
        for at, parent in enumerate(parents):
            # A leaf that was marked only after this operation had used it was a constant here.
            late = parent.extra is not None and parent.extra.marked_at > node.id
            if parent.requirement and not late:
                facts["index"] = at
                d = formula(**{name: facts[name] for name in wanted})
                old = pending.get(parent)
                pending[parent] = d if old is None else old + d

    return run
