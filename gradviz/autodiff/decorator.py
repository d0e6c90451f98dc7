"""The decorator: from a row and a backend's kernel to the function that tensors call.

This is the hot path. Each function is written out for its row (inputs, attributes and saved values
by name) and compiled when it is first used, so that a call does only what that operation needs: run
the kernel, make a node and a tensor, note the caller's place, and for tracked inputs pick the step.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from gradviz.autodiff.checkpoint import recall, recipe, redone
from gradviz.autodiff.node import (
    ABSENT,
    GRAD_IN_BACKWARD,
    NONE,
    AttrNode,
    Node,
    Origin,
    PairNode,
    Plain,
    next_id,
)
from gradviz.autodiff.provenance import settle
from gradviz.autodiff.steps import Step, compile_source, is_pair, saved_names, step_for
from gradviz.core.context import current
from gradviz.ops.spec import Row

_PART_OF: dict[tuple[str, str], Origin] = {}


def part(row: Row, name: str) -> Origin:
    """The origin of a further result, such as the indices of a maximum."""
    key = (row.name, name)
    if key not in _PART_OF:
        _PART_OF[key] = Origin(f"{row.name}.{name}")
    return _PART_OF[key]


def _leave(_: Node) -> None:
    """Leaves a node's history whole."""


def build(
    row: Row,
    kernel: Callable[..., Any],
    *,
    tensor_type: type,
    tracking: bool,
    shared_meta: bool,
    meta_of: Callable[[Any], Any],
    checkpointing: bool = False,
    keeps_data: bool = True,
) -> Callable[..., Any]:
    """The function of a row.

    Args:
        row: the operation.
        kernel: computes values from values and canonical attributes.
        tensor_type: the class of results; has the slots `prim` and `node`.
        tracking: whether tracked inputs make a tracked result.
        shared_meta: whether all inputs are known to share a meta, given as the first argument;
            otherwise shapes may differ and the result's meta is worked out by `meta_of`.
        meta_of: the meta of a value.
        checkpointing: whether cheap results are recomputed in backward instead of kept.
        keeps_data: whether a graph holds arrays, so that untracked results must not hold graphs.
    """
    writer = _Writer(row, tracking and row.differentiable, shared_meta, checkpointing)
    scope: dict[str, Any] = {
        "kernel": kernel,
        "Node": PairNode if is_pair(row) else AttrNode,
        "AttrNode": AttrNode,
        "ABSENT": ABSENT,
        "plain": Plain(row),
        "Tensor": tensor_type,
        "next_id": next_id,
        "getframe": sys._getframe,
        "current": current,
        "settle": settle if keeps_data else _leave,
        "recall": recall,
        "recipe": recipe,
        "redone": redone,
        "meta_of": meta_of,
        "step_of": _StepCache(row, not shared_meta and row.elementwise),
        "NONE": NONE,
        "__name__": __name__,
    }
    scope |= {f"part_{name}": part(row, name) for name in row.extra_results}
    flavour = "tracked" if writer.tracks else "plain"
    if checkpointing:
        flavour += " balanced"
    built = compile_source(
        f"{row.name} {flavour}{' same' if shared_meta else ''}", writer.source(), scope
    )
    function: Callable[..., Any] = built[row.name]
    return function


class _StepCache(dict[int, Step]):
    """Steps by bit mask of tracked inputs, compiled on first use."""

    def __init__(self, row: Row, broadcasts: bool) -> None:
        super().__init__()
        self._row = row
        self._broadcasts = broadcasts

    def __missing__(self, mask: int) -> Step:
        names = self._row.input_names()
        tracked = tuple(n for at, n in enumerate(names) if mask >> at & 1 and n in self._row.vjp)
        step = self[mask] = step_for(self._row, tracked, self._broadcasts)
        return step


class _Writer:
    """Writes the source of one function."""

    def __init__(self, row: Row, tracks: bool, shared_meta: bool, checkpointing: bool) -> None:
        self.checkpointing = checkpointing
        self.row = row
        self.tracks = tracks
        self.shared_meta = shared_meta
        self.names = row.input_names()
        self.attrs = [attr.name for attr in row.attrs]

    def source(self) -> str:
        first = ["meta"] if self.shared_meta else []
        arguments = ", ".join([*first, *self.names, *self.attrs])
        lines = [f"def {self.row.name}({arguments}):"]
        lines += ["    " + line for line in self._body()]
        return "\n".join(lines) + "\n"

    def _body(self) -> list[str]:
        row = self.row
        lines = [f"{self._results()} = kernel({self._kernel_arguments()})"]
        lines += self._nodes()
        lines.append("node = Node()")
        lines.append(f"node.meta = {self._meta()}")
        if is_pair(row):
            second = f"n_{self.names[1]}" if len(self.names) == 2 else "None"
            lines += [f"node.first = n_{self.names[0]}", f"node.second = {second}"]
        else:
            attrs = f"({', '.join(self.attrs)},)" if self.attrs else "()"
            lines += [f"node.parents = {self._parents()}", f"node.attrs = {attrs}"]
        lines += [
            "node.id = next_id()",
            "node.extra = None",
            # Two frames up: the public function called this one, the user called that.
            "frame = getframe(2)",
            "node.code = frame.f_code",
            "node.lasti = frame.f_lasti",
            "node.context = context = current()",
        ]
        lines += self._tracking() if self.tracks else self._untracked()
        lines += ["out = Tensor()", "out.prim = v_out", "out.node = node"]
        if not row.extra_results:
            return [*lines, "return out"]
        for name in row.extra_results:
            lines += self._extra(name)
        return [*lines, f"return out, {', '.join('t_' + n for n in row.extra_results)}"]

    def _results(self) -> str:
        return ", ".join(["v_out", *("v_" + name for name in self.row.several)])

    def _kernel_arguments(self) -> str:
        parts = []
        for item in self.row.inputs:
            if item.variadic:
                parts.append(f"[t.prim for t in {item.name}]")
            elif item.optional:
                parts.append(f"None if {item.name} is None else {item.name}.prim")
            else:
                parts.append(f"{item.name}.prim")
        return ", ".join([*parts, *self.attrs])

    def _nodes(self) -> list[str]:
        lines = []
        for item in self.row.inputs:
            if item.variadic:
                lines.append(f"n_{item.name} = tuple([t.node for t in {item.name}])")
            elif item.optional:
                lines.append(f"n_{item.name} = ABSENT if {item.name} is None else {item.name}.node")
            else:
                lines.append(f"n_{item.name} = {item.name}.node")
        return lines

    def _parents(self) -> str:
        if self.row.variadic:
            fixed = ", ".join(f"n_{name}" for name in self.names[:-1])
            return f"({fixed + ', ' if fixed else ''}*n_{self.names[-1]},)"
        return f"({', '.join('n_' + name for name in self.names)},)"

    def _meta(self) -> str:
        if self.shared_meta:
            return "meta.bool_meta" if self.row.result == "bool" else "meta"
        if self.row.result == "same" and not self.row.elementwise:
            return f"n_{self.names[0]}.meta"
        return "meta_of(v_out)"

    def _untracked(self) -> list[str]:
        return [
            "node.requirement = NONE",
            "node.step = plain",
            "node.saved = None",
            "settle(node)",
        ]

    def _tracking(self) -> list[str]:
        row = self.row
        if row.variadic:
            name = self.names[-1]
            return [
                "tracked = False",
                f"for n in n_{name}:",
                "    if n.requirement:",
                "        tracked = True",
                "        break",
                "if tracked and context.grad_enabled:",
                f"    node.requirement = {GRAD_IN_BACKWARD}",
                "    node.step = step_of[1]",
                f"    node.saved = {self._recipe() if self.checkpointing else None}",
                "else:",
                *("    " + line for line in self._untracked()),
            ]
        sources = [item for item in row.inputs if item.name in row.vjp]
        for_mask = []
        for item in sources:
            bit = 1 << self.names.index(item.name)
            for_mask.append((item.name, bit, f"n_{item.name}.requirement"))
        if len(for_mask) == 1:
            name, bit, test = for_mask[0]
            return [
                f"if {test} and context.grad_enabled:",
                *("    " + line for line in self._tracked_by((name,), bit)),
                "else:",
                *("    " + line for line in self._untracked()),
            ]
        lines = [f"r_{name} = {test}" for name, _, test in for_mask]
        either = " or ".join(f"r_{name}" for name, _, _ in for_mask)
        lines.append(f"if ({either}) and context.grad_enabled:")
        if len(for_mask) == 2:
            (first, bit1, _), (second, bit2, _) = for_mask
            branches = [
                (f"if r_{first} and r_{second}:", (first, second), bit1 | bit2),
                (f"elif r_{first}:", (first,), bit1),
                ("else:", (second,), bit2),
            ]
            for head, tracked, mask in branches:
                lines.append("    " + head)
                lines += ["        " + line for line in self._tracked_by(tracked, mask)]
        else:
            # Three or more: one branch for every set would be long; ask the step what it saves.
            mask_text = " | ".join(f"({bit} if r_{name} else 0)" for name, bit, _ in for_mask)
            known = [*self.names, "out", *row.several]
            values = {name: self._value(name) for name in known}
            table = ", ".join(f"{name!r}: {text}" for name, text in values.items())
            lines += [
                f"    node.requirement = {GRAD_IN_BACKWARD}",
                f"    node.step = step = step_of[{mask_text}]",
            ]
            if self.checkpointing and row.memory_bound:
                lines.append(f"    node.saved = {self._recipe()}")
                return [*lines, "else:", *("    " + line for line in self._untracked())]
            keep = [
                f"values = {{{table}}}",
                "kept = [values[name] for name in step.saved]",
                "node.saved = kept[0] if len(kept) == 1 else tuple(kept)",
            ]
            if self._may_be_redone(self.names):
                needed = " and ".join(f"r_{item.name}" for item in row.inputs if not item.optional)
                keep = [
                    f"node.saved = redone({self._inputs()}) if {needed} else None",
                    "if node.saved is None:",
                    *("    " + line for line in keep),
                ]
            lines += ["    " + line for line in keep]
        return [*lines, "else:", *("    " + line for line in self._untracked())]

    def _tracked_by(self, tracked: tuple[str, ...], mask: int) -> list[str]:
        if self.checkpointing and self.row.memory_bound:
            return [
                f"node.requirement = {GRAD_IN_BACKWARD}",
                f"node.step = step_of[{mask}]",
                f"node.saved = {self._recipe()}",
            ]
        saved = saved_names(self.row, tracked)
        values = [self._value(name) for name in saved]
        kept = "None" if not values else values[0] if len(values) == 1 else f"({', '.join(values)})"
        if self._may_be_redone(saved):
            kept = f"redone({self._inputs()}) or {kept}"
        return [
            f"node.requirement = {GRAD_IN_BACKWARD}",
            f"node.step = step_of[{mask}]",
            f"node.saved = {kept}",
        ]

    def _value(self, name: str) -> str:
        if name == "out" or name in self.row.several:
            return f"v_{name}"
        optional = any(item.name == name and item.optional for item in self.row.inputs)
        if self.checkpointing:
            return f"recall({name})"
        return f"(None if {name} is None else {name}.prim)" if optional else f"{name}.prim"

    def _recipe(self) -> str:
        """What a cheap result can be recomputed from: all inputs, or where to recompute them."""
        if self.row.variadic:
            fixed = "".join(f"recall({name}), " for name in self.names[:-1])
            return f"recipe(({fixed}*[recall(t) for t in {self.names[-1]}],))"
        return f"recipe({self._inputs()})"

    def _inputs(self) -> str:
        return f"({', '.join(f'recall({name})' for name in self.names)},)"

    def _may_be_redone(self, saved: tuple[str, ...]) -> bool:
        """Whether a product's inputs are kept for its formulas anyway."""
        needed = {item.name for item in self.row.inputs if not item.optional}
        return self.checkpointing and self.row.redone and needed <= set(saved)

    def _extra(self, name: str) -> list[str]:
        return [
            "extra = AttrNode()",
            f"extra.meta = meta_of(v_{name})",
            "extra.parents = node.parents",
            "extra.id = next_id()",
            "extra.attrs = node.attrs",
            "extra.extra = None",
            "extra.code, extra.lasti, extra.context = node.code, node.lasti, context",
            "extra.requirement = NONE",
            f"extra.step = part_{name}",
            "extra.saved = None",
            "settle(extra)",
            f"t_{name} = Tensor()",
            f"t_{name}.prim = v_{name}",
            f"t_{name}.node = extra",
        ]
