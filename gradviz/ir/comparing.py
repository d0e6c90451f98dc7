"""What two programs do differently: as data, and as text that reads like a listing.

Operations are compared by what they do, not by the numbers of their tensors: name, attributes,
shapes and dtypes of inputs and results, and scope. What is common is found by the longest common
subsequence, so that an operation put in between doesn't make everything after it look new.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from gradviz.ir.graph import GraphIr, OperationIr
from gradviz.ir.keys import key
from gradviz.ir.listing import attributes_text

Change = Literal["same", "removed", "added"]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a comparison.

    Attributes:
        change: whether it stands in both programs, in the first only or in the second only.
        part: "input", "constant", "operation" or "output".
        text: what it says, without numbers of tensors.
        before: the operation in the first program.
        after: the operation in the second program.
    """

    change: Change
    part: str
    text: str
    before: OperationIr | None = None
    after: OperationIr | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """What two programs do differently.

    Attributes:
        lines: everything in order, what is common included.
    """

    lines: tuple[Line, ...]

    @property
    def same(self) -> bool:
        """Whether the programs do the same, tensors' contents aside."""
        return all(line.change == "same" for line in self.lines)

    @property
    def added(self) -> tuple[OperationIr, ...]:
        """Operations of the second program only."""
        return tuple(line.after for line in self.lines if line.after and not line.before)

    @property
    def removed(self) -> tuple[OperationIr, ...]:
        """Operations of the first program only."""
        return tuple(line.before for line in self.lines if line.before and not line.after)

    def __bool__(self) -> bool:
        return not self.same

    def __str__(self) -> str:
        if self.same:
            return "no difference"
        marks = {"same": " ", "removed": "-", "added": "+"}
        shown: list[str] = []
        part = ""
        for at, line in enumerate(self.lines):
            near = self.lines[max(at - _AROUND, 0) : at + _AROUND + 1]
            if all(other.change == "same" for other in near):
                if not shown or shown[-1] != "  ...":
                    shown.append("  ...")
                continue
            if line.part != part:
                part = line.part
                shown.append(f"{part}s:")
            shown.append(f"{marks[line.change]} {line.text}")
        return "\n".join(shown)


_MOST_COMPARED = 4_000_000
"""Pairs of operations that are compared with each other."""
_AROUND = 2
"""Lines in common that are shown around a difference."""


def compare(one: GraphIr, other: GraphIr) -> Difference:
    """What a second program does differently."""
    lines: list[Line] = []
    for part in ("input", "constant"):
        lines += _matched(part, _tensors(one, part), _tensors(other, part))
    lines += _matched("operation", _operations(one), _operations(other))
    lines += _matched("output", _tensors(one, "output"), _tensors(other, "output"))
    return Difference(tuple(lines))


Item = tuple[Hashable, str, OperationIr | None]


def _matched(part: str, before: list[Item], after: list[Item]) -> list[Line]:
    found: list[Line] = []
    left, right = [item[0] for item in before], [item[0] for item in after]
    for tag, a, b, c, d in _opcodes(left, right):
        if tag == "equal":
            for one, two in zip(before[a:b], after[c:d], strict=True):
                found.append(Line("same", part, two[1], one[2], two[2]))
            continue
        found += [Line("removed", part, text, operation) for _, text, operation in before[a:b]]
        found += [Line("added", part, text, None, operation) for _, text, operation in after[c:d]]
    return found


def _opcodes(left: list[Hashable], right: list[Hashable]) -> list[tuple[str, int, int, int, int]]:
    """What is common and what isn't; of long programs only common beginnings and ends."""
    first, least = 0, min(len(left), len(right))
    while first < least and left[first] == right[first]:
        first += 1
    last = 0
    while last < least - first and left[-1 - last] == right[-1 - last]:
        last += 1
    ends = len(left) - last, len(right) - last
    middle = left[first : ends[0]], right[first : ends[1]]
    inner: list[tuple[str, int, int, int, int]] = [
        ("replace", 0, len(middle[0]), 0, len(middle[1]))
    ]
    if len(middle[0]) * len(middle[1]) <= _MOST_COMPARED:
        inner = list(SequenceMatcher(None, *middle, autojunk=False).get_opcodes())
    return [
        ("equal", 0, first, 0, first),
        *((tag, a + first, b + first, c + first, d + first) for tag, a, b, c, d in inner),
        ("equal", ends[0], len(left), ends[1], len(right)),
    ]


def _tensors(graph: GraphIr, part: str) -> list[Item]:
    numbers = {"input": graph.inputs, "constant": list(graph.constants), "output": graph.outputs}
    found: list[Item] = []
    for number in numbers[part]:
        tensor = graph.tensors[number]
        text = f"{tensor.name or '(no name)'} {tensor.dtype}[{_sizes(tensor.shape)}]"
        found.append((text, text, None))
    return found


def _operations(graph: GraphIr) -> list[Item]:
    # What an operation reads is told by what made it: the name of the operation, input or constant.
    origin: dict[int, str] = {-1: "None"}
    for number, tensor in graph.tensors.items():
        origin[number] = tensor.name or tensor.status
    for operation in graph.operations:
        for number in operation.outputs:
            origin[number] = graph.tensors[number].name or operation.op
    found: list[Item] = []
    for operation in graph.operations:
        results = [graph.tensors[number] for number in operation.outputs]
        facts = tuple((item.dtype, tuple(map(str, item.shape))) for item in results)
        reads = tuple(origin[number] for number in operation.inputs)
        same = (operation.op, reads, facts, operation.scope, key(operation.attributes))
        left = ", ".join(f"{item.dtype}[{_sizes(item.shape)}]" for item in results)
        given = [*reads, *attributes_text(operation)]
        text = f"{left} = {operation.op}({', '.join(given)})"
        if operation.scope:
            text = f"{operation.scope}: {text}"
        source = operation.source
        if source is not None:
            text += f"    # {source.line}: {source.text.splitlines()[0] if source.text else ''}"
        found.append((same, text.rstrip(": "), operation))
    return found


def _sizes(shape: tuple[object, ...]) -> str:
    return ", ".join(map(str, shape))
