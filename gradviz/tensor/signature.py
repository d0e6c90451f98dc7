"""The public form of a row: what its generated function looks like."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Signature:
    """The public form of a row.

    Attributes:
        name: the public name.
        text: the parameters as written in a `def`.
        canonical: expressions for the row's attributes, separated by commas.
        inputs: the names of the tensor parameters in the row's order.
        before: statements to run first.
        method: whether tensors have it as a method.
        example: an expression; the generator works out what it gives.
    """

    name: str
    text: str = "input: Any"
    canonical: str = ""
    inputs: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    method: bool = True
    example: str = ""
    parameters: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        names = []
        for part in _split(self.text):
            name = part.partition(":")[0].strip().lstrip("*")
            if name and name != "/":
                names.append(name)
        object.__setattr__(self, "parameters", tuple(names))


def _split(text: str) -> list[str]:
    parts, depth, current = [], 0, ""
    for character in text:
        if character == "," and depth == 0:
            parts.append(current)
            current = ""
            continue
        depth += (character in "[(") - (character in "])")
        current += character
    return [*parts, current]


SIGNATURES: dict[str, Signature] = {}


def _add(
    name: str,
    text: str,
    canonical: str,
    example: str,
    *,
    inputs: str = "",
    before: str = "",
    method: bool = True,
) -> None:
    """A signature; in its texts `NAME` stands for the name in quotes."""
    quoted = f'"{name}"'
    SIGNATURES[name] = Signature(
        name,
        text,
        canonical.replace("NAME", quoted),
        tuple(inputs.split()),
        tuple(before.replace("NAME", quoted).splitlines()),
        method,
        example,
    )
