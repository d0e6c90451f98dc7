"""Gives tensors their operations."""

from __future__ import annotations

from gradviz.tensor import backward as _backward  # noqa: F401 - attaches backward and grad
from gradviz.tensor import composed, functions
from gradviz.tensor import copying as _copying  # noqa: F401 - gives tensors their copies
from gradviz.tensor import hooks as _hooks  # noqa: F401 - attaches register_hook
from gradviz.tensor.base import Tensor
from gradviz.tensor.elsewhere import OF_TENSORS, answer, in_place
from gradviz.tensor.methods import COMPOSED, METHODS, OPERATORS

RENAMED = {"float": "float_", "int": "int_", "bool": "bool_", "where": "where_method"}
"""Methods whose functions have another name."""

for _name in METHODS:
    setattr(Tensor, _name, getattr(functions, _name))
for _name in COMPOSED:
    setattr(Tensor, _name, getattr(composed, RENAMED.get(_name, _name)))
for _name, (_dunder, _reflected) in OPERATORS.items():
    setattr(Tensor, _dunder, getattr(functions, _name))
    if _reflected:
        setattr(Tensor, _reflected, getattr(functions, f"reflected_{_name}"))
_SPECIAL = {
    "__pow__": composed.pow,
    "__rpow__": composed.reflected_pow,
    "__matmul__": functions.matmul,
    "__rmatmul__": composed.reflected_matmul,
    "__getitem__": composed.getitem,
    "__eq__": composed.equals,
    "__ne__": composed.differs,
    "__pos__": lambda self: self,
}
for _name, _function in _SPECIAL.items():
    setattr(Tensor, _name, _function)
for _name in [name for name in dir(Tensor) if name[0] != "_" and callable(getattr(Tensor, name))]:
    if not hasattr(Tensor, f"{_name}_"):
        answer(Tensor, f"{_name}_", in_place(_name))
for _name, _advice in OF_TENSORS.items():
    answer(Tensor, _name, _advice)
