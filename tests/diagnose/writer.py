"""Random programs, and what the rules of gradients say about every tensor in them.

The writer never runs the library. It keeps its own account of kinds, requirements, the leaves that a
gradient reaches and the graphs that were consumed; `programs.py` compares it with what is predicted
and with what happens.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

ONE, VEC, MAT = (), (3,), (2, 3)
NUMBERS = (-2.0, -1.0, -0.5, 0.5, 1.0, 1.5, 2.0, 3.0)
SMOOTH = ("tanh", "sin", "exp", "sigmoid", "abs", "relu", "neg", "square", "sqrt", "log")
FLAT = ("round", "floor", "ceil", "sign", "trunc")
PLAIN, LIFTED = "NdArray", "Autodiff(NdArray)"
CAPTURE, LIFTED_CAPTURE = "Capture", "Autodiff(Capture)"


@dataclass(eq=False)
class Var:
    """A tensor as the rules see it.

    Attributes:
        name: its variable.
        sort: "float", "int" or "bool".
        shape: its shape.
        kind: its kind.
        requirement: "none", "grad" or "grad_in_backward".
        leaves: the marked leaves its gradient reaches.
        steps: the computed tensors its gradient passes through, itself included.
        flat: leaves some of whose ways avoid every operation with a zero gradient.
        retained: whether its gradient is kept on the way.
    """

    name: str
    sort: str
    shape: tuple[int, ...]
    kind: str
    requirement: str = "none"
    leaves: frozenset[Var] = frozenset()
    steps: frozenset[Var] = frozenset()
    sloped: frozenset[Var] = frozenset()
    retained: bool = False
    consumed: bool = False

    @property
    def tracked(self) -> bool:
        return self.requirement != "none"

    @property
    def reached(self) -> frozenset[Var]:
        """The leaves a gradient from here reaches; a marked leaf is its own."""
        return frozenset([self]) if self.requirement == "grad" else self.leaves

    @property
    def sloped_leaves(self) -> frozenset[Var]:
        return frozenset([self]) if self.requirement == "grad" else self.sloped


@dataclass
class Writer:
    """Writes one program."""

    seed: int
    lines: list[str] = field(default_factory=list)
    names: dict[str, Var] = field(default_factory=dict)
    indent: str = ""
    grad_enabled: bool = True
    modules: dict[str, list[Var]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.capture = self.random.random() < 0.12
        self.count = 0

    # --- the text ----------------------------------------------------------------------------
    @property
    def text(self) -> str:
        return "\n".join(["import gradviz as gv", *self.lines]) + "\n"

    def say(self, line: str) -> None:
        self.lines.append(self.indent + line)

    def fresh(self) -> str:
        """A new name, or now and then one that is taken and loses its tensor."""
        taken = [name for name in self.names if name.isidentifier()]
        if taken and self.random.random() < 0.1:
            return self.random.choice(taken)
        self.count += 1
        return f"v{self.count}"

    def add(self, text: str, var: Var) -> Var:
        self.say(f"{var.name} = {text}")
        self.names[var.name] = var
        return var

    def pick(
        self,
        sort: str = "float",
        shapes: tuple[tuple[int, ...], ...] = (ONE, VEC, MAT),
        **facts: object,
    ) -> Var | None:
        """A variable of a sort; the latest ones are likelier, so that programs grow deep."""
        found = [
            var
            for var in self.names.values()
            if var.name.isidentifier()
            and var.sort == sort
            and var.shape in shapes
            and all(getattr(var, key) == value for key, value in facts.items())
        ]
        if not found:
            return None
        return found[-1] if self.random.random() < 0.4 else self.random.choice(found)

    def numbers(self, shape: tuple[int, ...]) -> str:
        choice = self.random.choice

        def one() -> float:
            return 0.0 if self.random.random() < 0.04 else choice(NUMBERS)

        if shape == ONE:
            return str(one())
        row = [one() for _ in range(3)]
        return str(row) if shape == VEC else str([row, [one() for _ in range(3)]])

    # --- results -----------------------------------------------------------------------------
    def result(
        self,
        text: str,
        parents: list[Var],
        shape: tuple[int, ...],
        sort: str = "float",
        *,
        differentiable: bool = True,
        flat: bool = False,
        name: str | None = None,
        say: bool = True,
    ) -> Var:
        """A computed tensor, by the rules."""
        lifted = [var.kind for var in parents if var.kind in (LIFTED, LIFTED_CAPTURE)]
        var = Var(name or self.fresh(), sort, shape, lifted[0] if lifted else parents[0].kind)
        tracked = [p for p in parents if p.tracked]
        if tracked and differentiable and self.grad_enabled and sort == "float":
            var.requirement = "grad_in_backward"
            var.leaves = frozenset().union(*(p.reached for p in tracked))
            var.steps = frozenset([var]).union(*(p.steps for p in tracked))
            if not flat:
                var.sloped = frozenset().union(*(p.sloped_leaves for p in tracked))
        if say:
            self.add(text, var)
        else:
            self.names[var.name] = var
        return var

    def leaf(self) -> None:
        shape = self.random.choice((ONE, VEC, VEC, VEC, MAT))
        data = self.numbers(shape)
        if self.capture:
            kind = LIFTED_CAPTURE if self.lifted_capture else CAPTURE
            text = (
                f"scope.input({shape})"
                if self.random.random() < 0.5
                else f"gv.tensor({data}, device=device)"
            )
            self.add(text, Var(self.fresh(), "float", shape, kind))
            return
        how = self.random.randrange(8)
        var = Var(self.fresh(), "float", shape, LIFTED, "none")
        if how < 3:
            var.requirement = "grad"
            self.add(f"gv.tensor({data}, requires_grad=True)", var)
        elif how == 3:
            var.kind = PLAIN
            self.add(f"gv.tensor({data})", var)
        elif how == 4:
            self.add(f'gv.tensor({data}, device=gv.device("ndarray").autodiff())', var)
        elif how == 5:
            self.add(f"gv.tensor({data}).autodiff()", var)
        elif how == 6:
            var.requirement = "grad"
            self.add(f"gv.nn.Parameter({data})", var)
        else:
            var.kind, var.sort, var.shape = PLAIN, self.random.choice(("int", "bool")), VEC
            self.add(
                f"gv.tensor({'[1, 0, 2]' if var.sort == 'int' else '[True, False, True]'})", var
            )
