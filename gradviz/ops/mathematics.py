"""Formulas as mathematics: from the syntax tree of a row's formula to MathML as data.

The translation knows the few functions that formulas use; whatever it doesn't know is set as a
function's name with its arguments. Nothing is run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType
from typing import Any, Final

from gradviz.ops.mathml import Element, mi, mo, row
from gradviz.ops.written import Written, written


def formula_of(formula: Callable[..., Any], name: str) -> Element | None:
    """`dL/d<name>` = the formula, as a `math` element; None where it can't be set.

    Args:
        formula: a row's formula.
        name: the input it is the gradient of.
    """
    how = written(formula)
    if how is None:
        return None
    try:
        rows = _rows(how, _derivative(_name(name)), getattr(formula, "__globals__", {}))
    except _UnknownError:
        return None
    if len(rows) == 1:
        return Element("math", children=(rows[0],))
    cells = tuple(Element("mtr", children=(Element("mtd", children=(row,)),)) for row in rows)
    return Element("math", children=(Element("mtable", children=cells),))


class _UnknownError(Exception):
    """A statement that has no place in a formula."""


_GREEK: Final = {
    "alpha": "\u03b1",
    "beta": "\u03b2",
    "gamma": "\u03b3",
    "delta": "\u03b4",
    "eps": "\u03b5",
    "lambd": "\u03bb",
}
_FUNCTIONS: Final = frozenset(
    "sin cos tan sinh cosh tanh log sign erf gamma digamma sigmoid softmax arctan max min".split()
)
_COMPARISONS: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "=", ast.NotEq: "≠", ast.Lt: "<", ast.LtE: "≤", ast.Gt: ">", ast.GtE: "≥",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "∈", ast.NotIn: "∉",
}  # fmt: skip
_SUM, _PRODUCT, _POWER, _ATOM = 1, 2, 3, 4


def _words(text: str) -> Element:
    # Browsers leave out plain blanks where a text begins or ends.
    return Element("mtext", text.replace(" ", "\u00a0"))


def _derivative(of: Element) -> Element:
    top, bottom = row(mo("∂"), mi("L")), row(mo("∂"), of)
    return Element("mfrac", children=(top, bottom))


def _name(name: str) -> Element:
    base, _, fact = name.rpartition("_")
    if fact in ("shape", "dtype") and base:
        return row(_words(fact), mo("("), _name(base), mo(")"))
    if name in _GREEK:
        return mi(_GREEK[name])
    if base in _GREEK or (len(base) == 1 and fact):
        return Element("msub", children=(_name(base), mi(fact)))
    return mi(name.strip("_"))


def _rows(how: Written, left: Element, scope: dict[str, Any]) -> list[Element]:
    setter = _Setter(scope)
    if isinstance(how.tree, ast.expr):
        return [row(left, mo("="), setter.set(how.tree))]
    return setter.statements(how.tree.body, left, ())


class _Setter:
    """Sets expressions; `scope` are the names that the formula's file knows."""

    def __init__(self, scope: dict[str, Any], depth: int = 0) -> None:
        self._scope = scope
        self._depth = depth

    def statements(
        self, body: list[ast.stmt], left: Element, only: tuple[Element, ...]
    ) -> list[Element]:
        """One row for each assignment and each result; `only` says when they hold.

        Special cases, which return early, come after the usual one.
        """
        found: list[Element] = []
        special: list[Element] = []
        when = (_words("  if "), *only) if only else ()
        for statement in body:
            match statement:
                case ast.Return(value=ast.expr() as value):
                    found.append(row(left, mo("="), self.set(value), *when))
                case ast.Assign(targets=[ast.expr() as target], value=value):
                    found += self._assigned(target, value, when)
                case ast.If(test=test, body=inner, orelse=other):
                    asked = self.set(test)
                    both = (*only, mo("∧"), asked) if only else (asked,)
                    early = not other and isinstance(inner[-1], ast.Return)
                    (special if early else found).extend(self.statements(inner, left, both))
                    found += self.statements(other, left, (_words("not "), *both))
                case ast.Expr(value=ast.Constant()):
                    continue
                case _:
                    raise _UnknownError
        return found + special

    def _assigned(
        self, target: ast.expr, value: ast.expr, when: tuple[Element, ...]
    ) -> list[Element]:
        if (
            isinstance(target, ast.Tuple)
            and isinstance(value, ast.Tuple)
            and len(target.elts) == len(value.elts)
        ):
            pairs = zip(target.elts, value.elts, strict=True)
            return [row(self.set(name), mo("←"), self.set(item), *when) for name, item in pairs]
        return [row(self.set(target), mo("←"), self.set(value), *when)]

    def set(self, node: ast.expr, above: int = 0) -> Element:
        """An expression, in brackets where it binds less than what stands around it."""
        made, binding = self._set(node)
        return made if binding >= above else row(mo("("), made, mo(")"))

    def _set(self, node: ast.expr) -> tuple[Element, int]:
        match node:
            case ast.Name(id="g"):
                return _derivative(mi("out")), _ATOM
            case ast.Name(id=name):
                return _name(name), _ATOM
            case ast.Constant(value=bool() | None as value):
                return _words(str(value)), _ATOM
            case ast.Constant(value=int() | float() as value):
                return Element("mn", f"{value:g}"), _ATOM
            case ast.Constant(value=value):
                return _words(repr(value)), _ATOM
            case ast.BinOp():
                positive = _without_minus(node)
                if positive is not None:
                    return row(mo("-"), self.set(positive, _PRODUCT)), _SUM
                return self._binary(node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return row(mo("-"), self.set(operand, _PRODUCT)), _SUM
            case ast.UnaryOp(op=ast.Invert() | ast.Not(), operand=operand):
                return row(mo("¬"), self.set(operand, _ATOM)), _POWER
            case ast.Compare(left=left, ops=ops, comparators=others):
                parts = [self.set(left, _SUM)]
                for op, other in zip(ops, others, strict=True):
                    parts += [mo(_COMPARISONS[type(op)]), self.set(other, _SUM)]
                return row(*parts), 0
            case ast.BoolOp(op=op, values=values):
                return self._joined("∧" if isinstance(op, ast.And) else "\u2228", values), 0
            case ast.IfExp(test=test, body=body, orelse=other):
                return self._cases(test, body, other), _ATOM
            case ast.Call():
                return self._call(node)
            case ast.Attribute(value=value, attr=attr):
                if isinstance(value, ast.Name) and value.id == "math":
                    return mi({"pi": "π"}.get(attr, attr)), _ATOM
                return row(_words(attr), mo("("), self.set(value), mo(")")), _ATOM
            case ast.Subscript(value=value, slice=index):
                return Element("msub", children=(self.set(value, _ATOM), self.set(index))), _ATOM
            case ast.Starred(value=value):
                return self._set(value)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return row(mo("("), self._list(elements), mo(")")), _ATOM
            case _:
                # A slice, a comprehension: as written, which is clearer than any notation.
                return _words(ast.unparse(node)), _ATOM

    def _list(self, nodes: list[ast.expr]) -> Element:
        return self._joined(",", nodes) if nodes else row(_words(""))

    def _joined(self, sign: str, nodes: list[ast.expr]) -> Element:
        parts: list[Element] = []
        for node in nodes:
            parts += [mo(sign), self.set(node, 1 if sign != "," else 0)]
        return row(*parts[1:])

    def _binary(self, node: ast.BinOp) -> tuple[Element, int]:
        left, right = node.left, node.right
        match node.op:
            case ast.Add():
                return row(self.set(left, _SUM), mo("+"), self.set(right, _SUM)), _SUM
            case ast.Sub():
                return row(self.set(left, _SUM), mo("-"), self.set(right, _PRODUCT)), _SUM
            case ast.Mult():
                if ast.dump(left) == ast.dump(right):
                    two = Element("mn", "2")
                    return Element("msup", children=(self.set(left, _ATOM), two)), _POWER
                return row(self.set(left, _PRODUCT), mo("·"), self.set(right, _PRODUCT)), _PRODUCT
            case ast.Div():
                return Element("mfrac", children=(self.set(left), self.set(right))), _ATOM
            case ast.Pow():
                return Element("msup", children=(self.set(left, _ATOM), self.set(right))), _POWER
            case ast.BitAnd():
                return self._joined("∧", [left, right]), 0
            case ast.BitOr():
                return self._joined("\u2228", [left, right]), 0
            case ast.FloorDiv():
                inside = Element("mfrac", children=(self.set(left), self.set(right)))
                return row(mo("⌊"), inside, mo("⌋")), _ATOM
            case ast.MatMult():
                return row(self.set(left, _PRODUCT), self.set(right, _PRODUCT)), _PRODUCT
            case _:
                raise _UnknownError

    def _cases(self, test: ast.expr, yes: ast.expr, no: ast.expr) -> Element:
        lines: list[tuple[Element, Element]] = []
        while True:
            lines.append((self.set(yes), row(_words("if "), self.set(test))))
            match no:
                case ast.IfExp(test=test, body=yes, orelse=no):
                    continue
                case ast.Call(func=ast.Attribute(attr="where"), args=[test, yes, no]):
                    continue
                case _:
                    break
        lines.append((self.set(no), _words("otherwise")))
        rows = tuple(
            Element("mtr", children=tuple(Element("mtd", children=(cell,)) for cell in line))
            for line in lines
        )
        return row(mo("{"), Element("mtable", children=rows))

    def _call(self, node: ast.Call) -> tuple[Element, int]:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        arguments = node.args
        if isinstance(node.func, ast.Name):
            name = node.func.id
            inlined = self._inlined(name, node)
            if inlined is not None:
                return inlined
        known = _CALLS.get((name, len(arguments)))
        if known is not None:
            return known(self, arguments)
        if name in _FUNCTIONS and len(arguments) == 1:
            shown = "ln" if name == "log" else name
            return row(mi(shown), mo("("), self.set(arguments[0]), mo(")")), _POWER
        receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
        if isinstance(receiver, ast.Name) and receiver.id in ("xp", "math", "shapes"):
            receiver = None
        everything = [
            *([] if receiver is None else [receiver]),
            *(a for a in arguments if not (isinstance(a, ast.Name) and a.id == "xp")),
            *(keyword.value for keyword in node.keywords),
        ]
        return row(_words(name.strip("_") or "f"), mo("("), self._list(everything), mo(")")), _ATOM

    def _inlined(self, name: str, node: ast.Call) -> tuple[Element, int] | None:
        """A helper of the formula's file that is one expression, with its arguments put in."""
        helper = self._scope.get(name)
        if not isinstance(helper, FunctionType) or self._depth > 2:
            return None
        how = written(helper)
        if how is None or not isinstance(how.tree, ast.FunctionDef) or node.keywords:
            return None
        body = [s for s in how.tree.body if not _is_text(s)]
        names = [argument.arg for argument in how.tree.args.args]
        if len(body) != 1 or len(names) != len(node.args):
            return None
        match body[0]:
            case ast.Return(value=ast.expr() as value):
                given = dict(zip(names, node.args, strict=True))
                filled = _Filled(given).visit(ast.parse(ast.unparse(value), mode="eval").body)
                return _Setter(helper.__globals__, self._depth + 1)._set(filled)
        return None

    def transposed(self, arguments: list[ast.expr]) -> tuple[Element, int]:
        """A matrix with its last two dimensions exchanged."""
        return Element("msup", children=(self.set(arguments[0], _ATOM), mi("T"))), _POWER

    def product(self, arguments: list[ast.expr]) -> tuple[Element, int]:
        """A product of matrices."""
        return row(*(self.set(argument, _PRODUCT) for argument in arguments)), _PRODUCT

    def summed(self, arguments: list[ast.expr]) -> tuple[Element, int]:
        """A sum over dimensions."""
        return self._over("∑", arguments)

    def averaged(self, arguments: list[ast.expr]) -> tuple[Element, int]:
        """A mean over dimensions."""
        return self._over("mean", arguments)

    def _over(self, sign: str, arguments: list[ast.expr]) -> tuple[Element, int]:
        big = mo(sign) if len(sign) == 1 else mi(sign)
        if len(arguments) > 1:
            big = Element("munder", children=(big, self.set(arguments[1])))
        return row(big, self.set(arguments[0], _PRODUCT)), _PRODUCT

    def summed_to(self, arguments: list[ast.expr]) -> tuple[Element, int]:
        """A sum over what broadcasting had repeated."""
        big = Element("munder", children=(mo("∑"), row(mo("→"), self.set(arguments[1]))))
        return row(big, self.set(arguments[0], _PRODUCT)), _PRODUCT

    def where(self, arguments: list[ast.expr]) -> tuple[Element, int]:
        """One of two values, by a condition."""
        return self._cases(*arguments), _ATOM

    def exponential(self, arguments: list[ast.expr]) -> tuple[Element, int]:
        """A power of e."""
        return Element("msup", children=(mi("e"), self.set(arguments[0]))), _POWER

    def root(self, arguments: list[ast.expr]) -> tuple[Element, int]:
        """A square root."""
        return Element("msqrt", children=(self.set(arguments[0]),)), _ATOM

    def inverse_root(self, arguments: list[ast.expr]) -> tuple[Element, int]:
        """One over a square root."""
        return Element("mfrac", children=(Element("mn", "1"), self.root(arguments)[0])), _ATOM

    def size(self, arguments: list[ast.expr]) -> tuple[Element, int]:
        """An absolute value."""
        return row(mo("|"), self.set(arguments[0]), mo("|")), _ATOM

    def floor(self, arguments: list[ast.expr]) -> tuple[Element, int]:
        """A number rounded down."""
        return row(mo("⌊"), self.set(arguments[0]), mo("⌋")), _ATOM


_CALLS: Final[dict[tuple[str, int], Callable[[_Setter, list[ast.expr]], tuple[Element, int]]]] = {
    ("transpose", 3): _Setter.transposed,
    ("matmul", 2): _Setter.product,
    ("sum", 3): _Setter.summed,
    ("mean", 3): _Setter.averaged,
    ("sum_to", 2): _Setter.summed_to,
    ("where", 3): _Setter.where,
    ("exp", 1): _Setter.exponential,
    ("sqrt", 1): _Setter.root,
    ("rsqrt", 1): _Setter.inverse_root,
    ("abs", 1): _Setter.size,
    ("floor", 1): _Setter.floor,
}


def _without_minus(node: ast.expr) -> ast.expr | None:
    """A product or quotient without the sign of its first factor; None where it has none."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return operand
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() as op, right=right):
            positive = _without_minus(left)
            return None if positive is None else ast.BinOp(positive, op, right)
    return None


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


class _Filled(ast.NodeTransformer):
    """Puts arguments in the place of names."""

    def __init__(self, given: dict[str, ast.expr]) -> None:
        self._given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The argument of that name."""
        return self._given.get(node.id, node)
