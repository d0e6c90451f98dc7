"""Inputs for every row of the operation table, drawn from its samples."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import gradviz as gv
from gradviz.ops.spec import Given, Ints, Mask, Row, Sample, table
from gradviz.tensor.general import general

NDARRAY = gv.device("ndarray")
TRACKED = NDARRAY.autodiff()
BALANCED = NDARRAY.autodiff(checkpointing="balanced")
STEP = 1e-6


@dataclass(frozen=True)
class Case:
    """One row with one of its samples."""

    row: Row
    sample: Sample
    number: int

    def __str__(self) -> str:
        return f"{self.row.name}-{self.number}"

    def arrays(self, dtype: str | None = None) -> list[Any]:
        """An array for every input, the lists of variadic rows laid flat; None where absent."""
        # The same numbers in every process and every order of tests.
        generator = np.random.default_rng(zlib.crc32(str(self).encode()))
        kind = self.sample.dtype if dtype is None else dtype
        return [self._array(item, kind, generator) for item in self.sample.inputs]

    def _array(self, item: Any, dtype: str, generator: np.random.Generator) -> Any:
        if item is None:
            return None
        if isinstance(item, Ints):
            return generator.integers(item.low, item.high, item.shape)
        if isinstance(item, Mask):
            return np.asarray(generator.random(item.shape) < 0.5)
        if isinstance(item, Given):
            return np.array(item.values, item.dtype)
        low, high = self.sample.low, self.sample.high
        values = np.asarray(low + (high - low) * generator.random(item))
        if dtype == "bool":
            return np.asarray(values > (low + high) / 2)
        return values.astype(dtype)

    def attributes(self) -> tuple[Any, ...]:
        """The attributes, arrays in place of what stands for them."""
        return tuple(_filled(value) for value in self.sample.attrs)

    def call(self, tensors: list[Any]) -> Any:
        """The row on tensors (or arrays), through the path that every operation can take."""
        inputs = [tensors] if self.row.variadic else tensors
        return general(self.row, inputs, self.attributes())

    def first(self, tensors: list[Any]) -> Any:
        """The result that carries the gradient."""
        result = self.call(tensors)
        return result[0] if self.row.extra_results else result

    def differentiable(self) -> list[int]:
        """Which inputs can get a gradient."""
        if not self.sample.differentiable or self.sample.dtype != "float64":
            return []
        if self.row.variadic:
            return list(range(len(self.sample.inputs))) if self.row.vjp else []
        return [
            at
            for at, (item, given) in enumerate(
                zip(self.row.inputs, self.sample.inputs, strict=True)
            )
            if item.name in self.row.vjp and given is not None
        ]


def _filled(value: Any) -> Any:
    if isinstance(value, Given):
        return np.array(value.values, value.dtype)
    if isinstance(value, tuple):
        return tuple(_filled(item) for item in value)
    return value


def cases(wanted: Callable[[Case], bool] = lambda _: True) -> list[Case]:
    """Every row with every sample."""
    every = (
        Case(row, sample, number)
        for row in table.values()
        for number, sample in enumerate(row.samples)
    )
    return [case for case in every if wanted(case)]


def tensors(arrays: list[Any], marked: list[int], device: Any = TRACKED) -> list[Any]:
    """Tensors of arrays; those at `marked` places get gradients."""
    return [
        None if array is None else gv.tensor(array, device=device, requires_grad=at in marked)
        for at, array in enumerate(arrays)
    ]


def weights(shape: tuple[int, ...], seed: int = 0) -> np.ndarray[Any, Any]:
    """Fixed factors that make a number of a result without hiding elements from each other."""
    return np.asarray(0.5 + np.random.default_rng(seed).random(shape))


def gradients(case: Case, arrays: list[Any], device: Any = TRACKED) -> list[np.ndarray[Any, Any]]:
    """Gradients of the weighted sum of the result, by backward."""
    marked = case.differentiable()
    leaves = tensors(arrays, marked, device)
    result = case.first(leaves)
    factors = weights(result.shape).astype(result.dtype)
    grads = (result * factors).sum().backward()
    return [grads[leaves[at]].numpy() for at in marked]


def differences(
    function: Callable[[list[Any]], float], arrays: list[Any], at: int
) -> np.ndarray[Any, Any]:
    """The gradient of a function with respect to one of its arrays, by central differences."""
    gradient = np.zeros(arrays[at].shape)
    for place in _places(arrays[at]):
        sides = []
        for step in (STEP, -STEP):
            moved = list(arrays)
            moved[at] = arrays[at].copy()
            moved[at][place] += step
            sides.append(function(moved))
        gradient[place] = (sides[0] - sides[1]) / (2 * STEP)
    return gradient


def _places(array: np.ndarray[Any, Any]) -> Iterator[tuple[int, ...]]:
    return iter(np.ndindex(array.shape))
