"""Whether code may be run again to try a fix: a conservative look at its syntax, nothing is run.

Allowed are arithmetic, tensors, modules and the containers of the language. Files, processes, the
network, dynamic code, attribute calls that aren't known, and changes of objects that the code
didn't make itself are not.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Final

from gradviz.diagnose.bystanders import is_library, names_of, root_of
from gradviz.diagnose.program import Program, given_names

_MODULES: Final = frozenset(
    """
    gradviz numpy math random itertools functools collections dataclasses typing operator
    statistics __future__ enum abc contextlib copy string fractions decimal datetime heapq bisect
    numbers
    """.split()
)
_PARTS: Final = {
    "time": {"time", "perf_counter", "monotonic", "process_time"},
    "warnings": {"warn", "filterwarnings", "simplefilter", "catch_warnings"},
    "types": {"SimpleNamespace", "MappingProxyType"},
    "gc": {"collect"},
}
"""Modules of which only these parts may be used, under their own names."""
_BUILTINS: Final = frozenset(
    """
    abs all any bool dict divmod enumerate filter float format frozenset int isinstance
    issubclass iter len list map max min next object pow print property range repr reversed
    round set slice sorted staticmethod str sum super tuple type zip ValueError TypeError
    RuntimeError KeyError IndexError Exception StopIteration callable hash id ord chr
    classmethod complex bytes hasattr
    """.split()
)
_METHODS: Final = frozenset(
    """
    append extend insert pop remove clear copy count index items keys values get setdefault
    update add discard union join split strip lower upper startswith endswith format replace
    title splitlines ravel astype mean sum min max reshape normal uniform integers random
    standard_normal permutation shuffle choice default_rng cache_info __enter__ __exit__ sort
    reverse partition rsplit zfill ljust rjust encode decode arange linspace appendleft popleft
    extendleft rotate popitem most_common close enter_context callback fill lstrip rstrip isdigit
    center dot flatten swapaxes binomial poisson exponential zero_grad zero_
    """.split()
)
_CHANGING: Final = frozenset(
    """
    append extend insert pop remove clear setdefault update add discard sort reverse shuffle
    step load_state_dict freeze unfreeze train eval requires_grad_ register_buffer
    register_parameter add_module apply require_grad grad_remove grad_replace retain_grad
    set_require_grad appendleft popleft extendleft rotate popitem fill register_hook
    register_forward_hook register_forward_pre_hook
    """.split()
)
_MARKING: Final = frozenset({"require_grad", "set_require_grad", "retain_grad"})
_ANEW: Final = frozenset({"detach", "clone"})
_NEVER: Final = frozenset(
    """
    save savez savez_compressed tofile dump dumps load loads fromfile loadtxt genfromtxt memmap
    system popen run call to_onnx from_onnx write writelines read open unlink rename rmdir mkdir
    open_memmap write_array DataSource ctypeslib load_library f2py methodcaller attrgetter
    """.split()
)


def is_safe(program: Program, space: Mapping[str, Any] | None) -> bool:
    """Whether a program may be run again.

    Args:
        program: the text to run.
        space: the namespace it would share with other code (a notebook's); None for a fresh one.
    """
    bystanders = names_of(program.tree, space)
    own = _own_names(program.tree)
    modules = _imported(program.tree) - bystanders
    for node in ast.walk(program.tree):
        if isinstance(node, ast.Call | ast.Attribute) and root_of(node) in bystanders:
            continue  # nothing happens
        if isinstance(node, ast.Import | ast.ImportFrom) and not _allowed_import(node):
            return False
        if isinstance(node, ast.Await | ast.AsyncFunctionDef):
            return False
        if isinstance(node, ast.Global | ast.Nonlocal) and not own.issuperset(node.names):
            return False
        if isinstance(node, ast.Delete) and not all(_root(t) in own for t in node.targets):
            return False
        if (
            isinstance(node, ast.Attribute)
            and node.attr.startswith("__")
            and node.attr
            not in (
                "__init__",
                "__name__",
                "__enter__",
                "__exit__",
                "__class__",
                "__call__",
            )
        ):
            return False
        if isinstance(node, ast.ExceptHandler) and _catches_all(node):
            return False  # nothing could stop a loop around it
        if isinstance(node, ast.Attribute) and _of_module(node, modules, space) & _NEVER:
            return False  # also where it is only passed on, to be called elsewhere
        if isinstance(node, ast.Attribute) and node.attr in _NEVER and _is_passed(node, program):
            return False
        if isinstance(node, ast.Call) and not _allowed_call(node, own, modules, space, program):
            return False
        if space is not None and _changes_shared(node, own, space):
            return False
    return True


def _is_passed(node: ast.Attribute, program: Program) -> bool:
    """Whether an attribute is read, but not to be called on the spot."""
    call = program.parent(node)
    called = isinstance(call, ast.Call) and call.func is node
    return isinstance(node.ctx, ast.Load) and not called


def _catches_all(handler: ast.ExceptHandler) -> bool:
    """Whether a handler catches even what isn't an error, such as the end of a trial's time."""
    if handler.type is None:
        return True
    names = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}
    return bool(names & {"BaseException", "BaseExceptionGroup"})


def _own_names(tree: ast.AST) -> set[str]:
    """Names that the code itself gives values to, arguments and attributes included."""
    names = given_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
    return names


def _imported(tree: ast.AST) -> set[str]:
    """Names that stand for allowed modules and their parts, and for nothing else."""
    names: set[str] = set()
    others: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            items = [item for item in node.names if not is_library(item.name)]
            names |= {(item.asname or item.name.partition(".")[0]) for item in items}
            names -= set(_PARTS)  # of these, each part is looked at
        elif isinstance(node, ast.ImportFrom) and not is_library(node.module):
            names |= {item.asname or item.name for item in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            others.add(node.id)
        elif isinstance(node, ast.arg):
            others.add(node.arg)
    return names - others


def _allowed_import(node: ast.Import | ast.ImportFrom) -> bool:
    paths = [item.name.split(".") for item in node.names]
    if isinstance(node, ast.ImportFrom):
        home = (node.module or "").split(".")
        paths = [home + path for path in paths]
        if node.level:
            return False
        if node.module in _PARTS:
            return all(item.name in _PARTS[node.module] for item in node.names)
    elif any(item.name in _PARTS for item in node.names):
        return all(item.asname is None for item in node.names) and all(
            path[0] in _PARTS or path[0] in _MODULES for path in paths
        )
    return all(
        is_library(path[0]) or (path[0] in _MODULES and not _NEVER.intersection(path))
        for path in paths
    )


def _allowed_call(
    node: ast.Call,
    own: set[str],
    modules: set[str],
    space: Mapping[str, Any] | None,
    program: Program,
) -> bool:
    func = node.func
    if isinstance(func, ast.Name):
        if func.id in own or func.id in modules:
            return True
        if space is not None and func.id in space:
            return _harmless(space[func.id])
        return func.id in _BUILTINS or _own_attribute(node, own)
    if isinstance(func, ast.Attribute):
        base = _base(func)
        captured = func.attr in ("run", "call") and _is_captured(func, own)
        if func.attr in _NEVER and not (captured or _is_own_method(func, program)):
            return False
        if base in _PARTS and base not in own:
            return func.attr in _PARTS[base]
        if base in modules or (space is not None and _is_module(space.get(base or ""))):
            return True
        return func.attr in _METHODS or func.attr in own or _is_ours(func.attr)
    # `f(x)(y)`, `layers[0](x)`: what is called is a value the code has reached already.
    return isinstance(func, ast.Call | ast.Subscript | ast.Lambda)


def _is_own_method(func: ast.Attribute, program: Program) -> bool:
    """Whether a method is surely one that the code defines itself, whatever its name.

    So it is on `self` inside its class, on a fresh instance, and on a name that only ever holds
    instances of its class. What `self` is given as a layer or another new object counts as well.
    """
    classes = {
        node.name: node
        for node in ast.walk(program.tree)
        if isinstance(node, ast.ClassDef)
        and any(isinstance(d, ast.FunctionDef) and d.name == func.attr for d in node.body)
    }
    if isinstance(func.value, ast.Call):
        maker = func.value.func
        return isinstance(maker, ast.Name) and maker.id in classes
    if not isinstance(func.value, ast.Name):
        return False
    name = func.value.id
    if name == "self":
        home = program.within(func, ast.ClassDef)
        return home in classes.values() or (home is not None and _gives_self(home, func.attr))
    made = [
        node
        for node in ast.walk(program.tree)
        if isinstance(node, ast.Name | ast.arg)
        and not isinstance(getattr(node, "ctx", None), ast.Load)
        and (node.arg if isinstance(node, ast.arg) else node.id) == name
    ]
    return bool(made) and all(_holds_instance(node, program, classes) for node in made)


def _gives_self(home: ast.ClassDef, name: str) -> bool:
    """Whether every `self.name = ...` of a class makes a new object there, and one does."""
    given = [
        node.value
        for node in ast.walk(home)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute) and target.attr == name
    ]
    return bool(given) and all(isinstance(value, ast.Call) for value in given)


def _holds_instance(node: ast.AST, program: Program, classes: Mapping[str, ast.ClassDef]) -> bool:
    """Whether a name is given a fresh instance of one of these classes."""
    given = program.parent(node)
    return (
        isinstance(given, ast.Assign)
        and node in given.targets
        and isinstance(given.value, ast.Call)
        and isinstance(given.value.func, ast.Name)
        and given.value.func.id in classes
    )


def _own_attribute(node: ast.Call, own: set[str]) -> bool:
    """Whether a call reads or sets an attribute of the code's own objects by its name."""
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name not in ("getattr", "setattr") or len(node.args) < 2:
        return False
    owner, key = node.args[0], node.args[1]
    if not isinstance(owner, ast.Name) or owner.id not in own:
        return False
    if name == "setattr":
        return owner.id == "self"
    if isinstance(key, ast.Constant):
        return isinstance(key.value, str) and key.value not in _NEVER and "__" not in key.value
    return isinstance(key, ast.JoinedStr) and owner.id == "self"


def _root(node: ast.expr) -> str | None:
    """The name at the bottom of `name.attribute[item]`."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _base(func: ast.Attribute) -> str | None:
    value: ast.expr = func.value
    while isinstance(value, ast.Attribute):
        value = value.value
    return value.id if isinstance(value, ast.Name) else None


def _of_module(node: ast.Attribute, modules: set[str], space: Mapping[str, Any] | None) -> set[str]:
    """The words of `module.something.other`; none where it begins with no module."""
    base = _base(node)
    if base not in modules and not (space is not None and _is_module(space.get(base or ""))):
        return set()
    words = {node.attr}
    inner = node.value
    while isinstance(inner, ast.Attribute):
        words.add(inner.attr)
        inner = inner.value
    return words


def _is_captured(func: ast.Attribute, own: set[str]) -> bool:
    return isinstance(func.value, ast.Name) and func.value.id in own


def _is_ours(name: str) -> bool:
    """Whether a method is one of our classes', or one that tensors only answer for."""
    from gradviz.capture import CapturedGraph, CaptureScope
    from gradviz.nn.module import Module
    from gradviz.optim.optimizer import Optimizer
    from gradviz.tensor.base import Tensor
    from gradviz.tensor.elsewhere import absent
    from gradviz.tensor.function import Function
    from gradviz.tensor.function_context import FunctionContext

    ours = (Tensor, Module, Optimizer, CapturedGraph, CaptureScope, Function, FunctionContext)
    return name in absent or any(hasattr(cls, name) for cls in ours)


def _is_module(value: Any) -> bool:
    if not issubclass(type(value), ModuleType):
        return False
    return str(getattr(value, "__name__", "")).partition(".")[0] in _MODULES


def _harmless(value: Any) -> bool:
    """Whether something from the shared namespace may be called: our modules and our functions."""
    from gradviz.nn.module import Module

    home = str(getattr(value, "__module__", "") or "").partition(".")[0]
    return isinstance(value, Module) or home in _MODULES


def _is_function(value: Any) -> bool:
    """Whether something is an operation with a backward pass of its own, which changes nothing."""
    from gradviz.tensor.function import Function

    return isinstance(value, type) and issubclass(value, Function)


def _is_fresh(value: ast.expr) -> bool:
    """Whether a tensor is surely a new one: what arithmetic gives, or a cut from another one."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr in _ANEW and not value.args
    return isinstance(value, ast.BinOp | ast.UnaryOp)


def _changes_shared(node: ast.AST, own: set[str], space: Mapping[str, Any]) -> bool:
    """Whether a node changes an object that other code shares."""
    from gradviz.tensor.base import Tensor

    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _CHANGING
    ):
        if node.func.attr in _MARKING and _is_fresh(node.func.value):
            return False
        base = _base(node.func)
        if node.func.attr == "apply" and _is_function(space.get(base or "")):
            return False
        return base is None or base not in own
    if isinstance(node, ast.Assign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(
            isinstance(target, ast.Attribute | ast.Subscript)
            and _root(target) not in own
            # Elements and gradients of tensors can't be set: a fix may be looked for that.
            and not (
                (isinstance(target, ast.Subscript) or target.attr in ("grad", "data"))
                and isinstance(target.value, ast.Name)
                and issubclass(type(space.get(target.value.id)), Tensor)
            )
            for target in targets
        )
    return False
