"""Rewrites for values that left and came back: compute with tensors throughout.

What a tensor is made of again is followed back to where the values were read: through variables,
loops, lists that were filled, and functions of the program. Every expression on the way is written
for tensors; whether that computes the same numbers is seen when the program is run.
"""

from __future__ import annotations

import ast

from gradviz.diagnose.program import Program, Space, called_name
from gradviz.diagnose.rewrites.origins import READS, Origins, returns
from gradviz.errors.problem import Fix, Problem

_MADE_AGAIN = ("tensor", "from_numpy")
_WRAPS = frozenset({"asarray", "array", "float32", "float64", "asanyarray", "ascontiguousarray"})
_DROPPED = frozenset({"detach", "inner", "copy", "astype", "cpu"})
_OTHER_NAMES = {
    "concatenate": "cat",
    "vstack": "cat",
    "clip": "clamp",
    "power": "pow",
    "absolute": "abs",
    "fabs": "abs",
    "max": "amax",
    "min": "amin",
    "arctan": "atan",
    "arcsin": "asin",
    "arccos": "acos",
    "dot": "matmul",
}
_OTHER_METHODS = {"clip": "clamp", "dot": "matmul"}
_PASSED_ON = frozenset({"sum", "zip", "enumerate", "list", "tuple", "reversed", "abs", "iter"})
_LISTS_TAKEN = frozenset({"stack", "cat"})


def keep_tensors(problem: Problem, program: Program, space: Space) -> list[Fix]:
    """Turns `gv.tensor(...)` of read values into the operation on the tensors themselves."""
    found = []
    together: dict[ast.expr, str] = {}
    for call in program.calls(*_MADE_AGAIN):
        if not call.args:
            continue
        tracing = _Tracing(program, space)
        text = tracing.as_tensor(call.args[0])
        if text is None:
            continue
        edits = {**tracing.edits, call: text}
        found.append(_fix(program, edits))
        together.update(edits)
    if len(found) > 1:
        found.append(_fix(program, together))
    return found


def _fix(program: Program, edits: dict[ast.expr, str]) -> Fix:
    inner = {node for node in edits if any(other in edits for other in program.ancestors(node))}
    return Fix(
        "Compute with the tensors themselves",
        "Numbers read out of tensors don't know where they came from; operations on tensors keep "
        "the path.",
        tuple(
            program.replace(node, _bare(program, node, text))
            for node, text in edits.items()
            if node not in inner and program.source(node) != text
        ),
    )


class _Tracing(Origins):
    """Follows values back to where they were read, and writes what is on the way for tensors.

    Attributes:
        edits: for expressions elsewhere in the program, the text to put in their place.
    """

    def __init__(self, program: Program, space: Space) -> None:
        super().__init__(program, space)
        self.edits: dict[ast.expr, str] = {}
        self._written: set[ast.expr] = set()

    def as_tensor(self, node: ast.expr) -> str | None:
        """The expression that makes the tensor from tensors; None where it isn't known."""
        if not self.carries(node):
            return None
        text = self.text(node)
        if text is None:
            return None
        parts = node
        while self._wrapped(parts) is not None:
            parts = self._wrapped(parts) or parts
        if not self._is_list(parts):
            return text if _is_atom(node) else f"({text})"
        return f"{self.gv}.stack({text})" if not text.startswith(f"{self.gv}.stack(") else text

    def text(self, node: ast.expr) -> str | None:
        """An expression written for tensors."""
        if not self.carries(node) and not self._takes_values(node):
            return self.program.source(node)
        if self._tired():
            return None
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Name):
            return node.id if self._follow(self._sources(node)) else None
        if isinstance(node, ast.Attribute):
            inner = self.text(node.value)
            if node.attr == "T":
                return None if inner is None else f"{_grouped(node.value, inner)}.t()"
            return self._spliced(node, [node.value])
        if isinstance(node, ast.ListComp | ast.GeneratorExp):
            loop = node.generators[0]
            plain = len(node.generators) == 1 and not loop.ifs and isinstance(loop.iter, ast.Name)
            if plain and self.text(node.elt) == self.program.source(loop.target):
                return self.text(loop.iter)  # every item as it is
            return self._spliced(node, [node.elt, *(item.iter for item in node.generators)])
        if isinstance(node, ast.DictComp):
            return self._spliced(node, [node.value, *(item.iter for item in node.generators)])
        if isinstance(node, ast.Dict):
            return self._spliced(node, node.values)
        if isinstance(node, ast.List | ast.Tuple):
            return self._spliced(node, node.elts)
        if isinstance(node, ast.BinOp):
            return self._spliced(node, [node.left, node.right])
        if isinstance(node, ast.UnaryOp):
            return self._spliced(node, [node.operand])
        if isinstance(node, ast.Subscript | ast.Starred):
            return self._spliced(node, [node.value])
        if isinstance(node, ast.IfExp):
            return self._spliced(node, [node.body, node.orelse])
        return None

    def _takes_values(self, node: ast.AST) -> bool:
        """Whether a function of `math` or NumPy stands in an expression."""
        return any(
            isinstance(item, ast.Attribute) and self._library(item) and not self._is_own(item)
            for item in ast.walk(node)
        ) and any(isinstance(item, ast.Call) for item in ast.walk(node))

    def _follow(self, sources: list[ast.expr]) -> bool:
        """Writes the expressions behind a name, once each."""
        for source in sources:
            if source in self._written or not self.carries(source):
                continue
            self._written.add(source)
            text = self.text(source)
            if text is None:
                return False
            self.edits[source] = text
        return True

    def _spliced(self, node: ast.expr, parts: list[ast.expr]) -> str | None:
        """The text of an expression with some of its parts written for tensors."""
        text, line, col = [], *self.program.position(node)[:2]
        for part in sorted(parts, key=lambda item: (item.lineno, item.col_offset)):
            written = self.text(part)
            if written is None:
                return None
            start_line, start, end_line, end = self.program.position(part)
            text += [self.program.between(line, col, start_line, start), written]
            line, col = end_line, end
        end_line, end = self.program.position(node)[2:]
        return "".join([*text, self.program.between(line, col, end_line, end)])

    def _wrapped(self, node: ast.expr) -> ast.expr | None:
        """What `np.array(...)` and the like, or a read of values, is of."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return None
        if node.func.attr in _WRAPS and node.args and self._library(node.func):
            return node.args[0]
        return node.func.value if node.func.attr in READS and not node.args else None

    def _call(self, node: ast.Call) -> str | None:
        wrapped = self._wrapped(node)
        if wrapped is not None:
            text = self.text(self._undropped(wrapped))
            if text is not None and self._library_list(node, wrapped):
                return f"{self.gv}.stack({text})"
            return None if text is None else _grouped(self._undropped(wrapped), text)
        if isinstance(node.func, ast.Name):
            if node.func.id == "float" and len(node.args) == 1:
                text = self.text(node.args[0])
                return None if text is None else f"({text})" if not _is_atom(node.args[0]) else text
            if node.func.id in _PASSED_ON:
                return self._spliced(node, [*node.args, *(k.value for k in node.keywords)])
        function = self._function(node)
        if function is not None:
            returned = [item.value for item in returns(function) if item.value is not None]
            return self._spliced(node, node.args) if self._follow(returned) else None
        if not isinstance(node.func, ast.Attribute):
            return None
        if self._library(node.func) and not self._is_own(node.func):
            return self._of_library(node, node.func.attr)
        if self._is_own(node.func):
            return self._spliced(node, node.args)
        owner = self.text(node.func.value)
        if owner is None:
            return None
        owner = _grouped(node.func.value, owner)
        if node.func.attr in _DROPPED:
            return owner
        name = _OTHER_METHODS.get(node.func.attr, node.func.attr)
        given = self._given(node)
        return None if given is None else f"{owner}.{name}({given})"

    def _library_list(self, node: ast.Call, wrapped: ast.expr) -> bool:
        return called_name(node) in _WRAPS and self._is_list(wrapped)

    def _of_library(self, node: ast.Call, word: str) -> str | None:
        """A function of `math` or NumPy as the one of the same meaning here."""
        import gradviz

        name = _OTHER_NAMES.get(word, word)
        if word in ("max", "min") and len(node.args) == 1 and not node.keywords:
            name = word  # of everything
        if not callable(getattr(gradviz, name, None)) or not node.args:
            return None
        given = self._given(node)
        if given is None:
            return None
        first = node.args[0]
        if name not in _LISTS_TAKEN and self._is_list(first):
            text = self.text(first)
            rest = given[len(text or "") :].lstrip(", ")
            return f"{self.gv}.stack({text}).{name}({rest})"
        return f"{self.gv}.{name}({given})"

    def _given(self, node: ast.Call) -> str | None:
        """The arguments of a call, with the names they have here."""
        parts: list[str] = []
        for at, argument in enumerate(node.args):
            text = self.text(argument)
            if text is None:
                return None
            positional = at == 1 and called_name(node) in ("stack", "concatenate", "sum", "mean")
            parts.append(f"dim={text}" if positional else text)
        for keyword in node.keywords:
            text = self.text(keyword.value)
            if text is None or keyword.arg is None:
                return None
            word = {"axis": "dim", "keepdims": "keepdim", "a_min": "min", "a_max": "max"}
            parts.append(f"{word.get(keyword.arg, keyword.arg)}={text}")
        return ", ".join(parts)

    def _undropped(self, node: ast.expr) -> ast.expr:
        """What was detached to be read."""
        while isinstance(node, ast.Call) and called_name(node) in ("detach", "inner", "cpu"):
            if not isinstance(node.func, ast.Attribute):
                break
            node = node.func.value
        return node


def _bare(program: Program, node: ast.expr, text: str) -> str:
    """A text without parentheses around the whole of it, where none are needed."""
    around = program.parent(node)
    if not text.startswith("(") or isinstance(
        around, ast.BinOp | ast.UnaryOp | ast.Attribute | ast.Subscript | ast.Compare | ast.BoolOp
    ):
        return text
    try:
        same = ast.dump(ast.parse(text[1:-1], mode="eval")) == ast.dump(
            ast.parse(text, mode="eval")
        )
    except SyntaxError:
        return text
    return text[1:-1] if same else text


def _is_atom(node: ast.expr) -> bool:
    return isinstance(
        node, ast.Call | ast.Name | ast.Attribute | ast.Subscript | ast.List | ast.ListComp
    )


def _grouped(node: ast.expr, text: str) -> str:
    """A text in the place of an expression that another one may stand around."""
    loose = isinstance(node, ast.BinOp | ast.UnaryOp | ast.IfExp)
    return f"({text})" if loose else text
