"""Where values that were read out of tensors have gone in a program."""

from __future__ import annotations

import ast
from typing import Final

from gradviz.diagnose.program import Program, Space, called_name, own_name

READS: Final = frozenset({"numpy", "item", "tolist"})
_MOST_STEPS: Final = 4000


class Origins:
    """Which expressions of a program carry values that were read out of tensors.

    Values are followed through variables, loops, lists that are filled and functions of the
    program, by name and without running anything: where two things share a name, both count.
    """

    def __init__(self, program: Program, space: Space) -> None:
        self.program = program
        self.gv = own_name(space)
        self._space = space
        self._arrays = {
            name
            for name, value in space.items()
            if getattr(value, "__name__", None) in ("numpy", "math")
        }
        self._known: dict[ast.AST, bool] = {}
        self._asked: set[ast.AST] = set()
        self._steps = 0

    def _tired(self) -> bool:
        """Whether following values has taken so long that it should be left."""
        self._steps += 1
        return self._steps > _MOST_STEPS

    def carries(self, node: ast.AST) -> bool:
        """Whether values read out of tensors are in an expression."""
        if node in self._known:
            return self._known[node]
        if self._tired():
            return False
        self._known[node] = False  # what is asked about itself adds nothing
        found = any(self._carries_here(item) for item in ast.walk(node))
        self._known[node] = found
        return found

    def _carries_here(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Call):
            if self._is_reading(node) or self._reads_by_itself(node):
                return True
            function = self._function(node)
            return function is not None and any(
                returned.value is not None and self.carries(returned.value)
                for returned in returns(function)
            )
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return any(self.carries(source) for source in self._sources(node))
        return False

    def _is_reading(self, node: ast.Call) -> bool:
        if isinstance(node.func, ast.Attribute):
            return node.func.attr in READS and not node.args
        return isinstance(node.func, ast.Name) and node.func.id == "float" and bool(node.args)

    def _reads_by_itself(self, node: ast.Call) -> bool:
        """Whether a function of `math` or NumPy is given a tensor, whose values it reads."""
        return (
            isinstance(node.func, ast.Attribute)
            and self._library(node.func)
            and not self._is_own(node.func)
            and any(isinstance(item, ast.Name) and self._is_tensor(item) for item in node.args)
        )

    def _is_tensor(self, name: ast.Name) -> bool:
        scope = self._scope(name)
        if scope is self.program.tree:
            return hasattr(self._space.get(name.id), "requirement")
        if not isinstance(scope, ast.FunctionDef) or scope in self._asked:
            return False
        places = [item.arg for item in scope.args.args]
        if name.id not in places:
            return False
        self._asked.add(scope)
        at = places.index(name.id)
        given = [
            call.args[at]
            for call in self.program.calls(scope.name)
            if len(call.args) > at and self._function(call) is scope
        ]
        found = any(isinstance(item, ast.Name) and self._is_tensor(item) for item in given)
        self._asked.discard(scope)
        return found

    def _sources(self, name: ast.Name) -> list[ast.expr]:
        """The expressions that give a name its value, or put values into what it stands for."""
        scope = self._scope(name)
        found: list[ast.expr] = []
        for node in ast.walk(scope):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name) and target.id == name.id:
                        found.append(node.value)
                    elif isinstance(target, ast.Tuple) and _holds(target, name.id):
                        found += _matching(target, node.value, name.id)
            elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.NamedExpr):
                if isinstance(node.target, ast.Name) and node.target.id == name.id and node.value:
                    found.append(node.value)
            elif isinstance(node, ast.For | ast.comprehension) and _holds(node.target, name.id):
                found.append(node.iter)
            elif (
                isinstance(node, ast.Call)
                and called_name(node) in ("append", "extend")
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == name.id
            ):
                found += node.args
        return found

    def _scope(self, name: ast.Name) -> ast.AST:
        """The function in which a name is given its value, or the program."""
        for around in self.program.ancestors(name):
            if isinstance(around, ast.FunctionDef | ast.Lambda):
                arguments = around.args
                given = [*arguments.args, *arguments.kwonlyargs]
                if any(item.arg == name.id for item in given) or any(
                    isinstance(node, ast.Name)
                    and isinstance(node.ctx, ast.Store)
                    and node.id == name.id
                    for node in ast.walk(around)
                ):
                    return around
        return self.program.tree

    def _function(self, call: ast.Call) -> ast.FunctionDef | None:
        """The function of the program that is called, where it has one name only."""
        word = called_name(call)
        found = [
            node
            for node in ast.walk(self.program.tree)
            if isinstance(node, ast.FunctionDef) and node.name == word
        ]
        of_library = isinstance(call.func, ast.Attribute) and self._library(call.func)
        return found[0] if len(found) == 1 and not of_library else None

    def _library(self, func: ast.Attribute) -> bool:
        base: ast.expr = func.value
        while isinstance(base, ast.Attribute):
            base = base.value
        return isinstance(base, ast.Name) and base.id in {*self._arrays, self.gv}

    def _is_own(self, node: ast.Attribute) -> bool:
        return isinstance(node.value, ast.Name) and node.value.id == self.gv

    def _is_list(self, node: ast.expr) -> bool:
        """Whether an expression is a list of numbers, which a tensor is stacked from."""
        if isinstance(node, ast.List | ast.Tuple | ast.ListComp | ast.GeneratorExp):
            return True
        if isinstance(node, ast.Name):
            return any(
                isinstance(source, ast.List | ast.ListComp) for source in self._sources(node)
            )
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in ("list", "tuple") and node.args:
                return self._is_list(node.args[0])
            if called_name(node) == "values" and not node.args:
                return True
            function = self._function(node)
            return function is not None and any(
                returned.value is not None and self._is_list(returned.value)
                for returned in returns(function)
            )
        return False


def returns(function: ast.FunctionDef) -> list[ast.Return]:
    """The statements that give a function's results."""
    return [node for node in ast.walk(function) if isinstance(node, ast.Return)]


def _holds(target: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(target))


def _matching(target: ast.Tuple, value: ast.expr, name: str) -> list[ast.expr]:
    """Of `a, b = x, y` what one name gets."""
    if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
        return [
            item for part, item in zip(target.elts, value.elts, strict=True) if _holds(part, name)
        ]
    return [value]
