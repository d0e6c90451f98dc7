"""Functions that the format hasn't got, from their series; and Euclid's algorithm as a loop."""

from __future__ import annotations

import math
from typing import Any, Final

from gradviz.onnx.builder import Builder, Draft, InexpressibleError
from gradviz.onnx.library import CODES
from gradviz.onnx.registry import writes
from gradviz.onnx.value import Value

# The Bernoulli numbers of Stirling's and of Euler and Maclaurin's series.
_BERNOULLI: Final = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
_FAR: Final = 12
"""From here on the series are exact to the last digits."""
_HIGHEST: Final = 100
"""Orders of polygamma whose factors are floating point numbers."""

# M. Giles, "Approximating the erfinv function" (2010): polynomials of w = -log(1 - x^2), near 0
# and in the tails, with seven digits.
_CENTRE: Final = (
    1.50140941,
    0.246640727,
    -0.00417768164,
    -0.00125372503,
    0.00021858087,
    -4.39150654e-06,
    -3.5233877e-06,
    3.43273939e-07,
    2.81022636e-08,
)
_TAIL: Final = (
    2.83297682,
    1.00167406,
    0.00943887047,
    -0.0076224613,
    0.00573950773,
    -0.00367342844,
    0.00134934322,
    0.000100950558,
    -0.000200214257,
)


def _series(coefficients: tuple[float, ...], t: Any) -> Any:
    out: Any = coefficients[-1]
    for value in reversed(coefficients[:-1]):
        out = t * out + value
    return out


@writes("erfinv")
def erfinv(b: Builder, x: Value) -> Any:
    wide: Any = b.cast(x, "float32") if x.dtype == "float16" else x
    dtype = wide.dtype
    w = -(b.Log(1.0 - wide) + b.Log(wide + 1.0))
    far = w > 5.0
    # The tail's formula takes over before the centre's overflows.
    near = b.Where(far, b.constant(2.5, dtype), w) - 2.5
    rest = b.Sqrt(b.Where(far, w, b.constant(9.0, dtype))) - 3.0
    found = b.Where(far, _series(_TAIL, rest), _series(_CENTRE, near)) * wide
    ends = b.Equal(b.Abs(wide), 1.0)
    return b.cast(b.Where(ends, wide * math.inf, found), x.dtype)


def _mirrored(b: Builder, x: Any) -> tuple[Any, Any, Any]:
    """Where numbers lie left of one half, their mirror images, and pi times their fractions."""
    half = b.constant(0.5, "float64")
    left = x < 0.5
    right = b.Where(left, 1.0 - x, x)
    angle = b.Where(left, x - b.Floor(x), half) * math.pi
    return left, right, angle


def _moved(b: Builder, x: Any) -> tuple[Any, Any, Any]:
    """Numbers moved far out, which ones were moved, and where they were (1 for the others)."""
    near = x < float(_FAR)
    far = b.Where(near, x + float(_FAR), x)
    return far, near, b.Where(near, x, b.constant(1.0, "float64"))


@writes("lgamma")
def lgamma(b: Builder, x: Value) -> Any:
    wide: Any = b.cast(x, "float64")
    left, right, angle = _mirrored(b, wide)
    # gamma(x + 1) = x gamma(x) takes the argument out to where Stirling's series is exact.
    far, near, start = _moved(b, right)
    product: Any = start
    for step in range(1, _FAR):
        product = product * (start + float(step))
    below = b.Where(near, b.Log(product), b.constant(0.0, "float64"))
    inverse = b.Reciprocal(far)
    terms = tuple(n / (2 * k * (2 * k - 1)) for k, n in enumerate(_BERNOULLI, 1))
    series = _series(terms, inverse * inverse) * inverse
    found = (far - 0.5) * b.Log(far) - far + 0.5 * math.log(2 * math.pi) + series - below
    endless = b.IsInf(wide)
    found = b.Where(endless, b.constant(math.inf, "float64"), found)
    sine = b.Abs(b.Sin(angle))
    turned = math.log(math.pi) - b.Log(sine) - found
    out = b.Where(left, turned, found)
    return b.cast(b.Where(endless, b.constant(math.inf, "float64"), out), x.dtype)


@writes("polygamma")
def polygamma(b: Builder, x: Value, n: int) -> Any:
    if n > _HIGHEST:
        raise InexpressibleError(f"it is written for orders up to {_HIGHEST} only")
    wide: Any = b.cast(x, "float64")
    if n > 1:
        size = (-1.0) ** (n + 1) * math.factorial(n)
        nan = b.constant(math.nan, "float64")
        return b.cast(b.Where(wide > 0.0, _zeta(b, n + 1, wide) * size, nan), x.dtype)
    left, right, angle = _mirrored(b, wide)
    sine = b.Sin(angle)
    if n == 1:
        # psi'(x) + psi'(1 - x) = (pi / sin(pi x))^2
        found = _zeta(b, 2, right)
        ratio = math.pi / sine
        turned = ratio * ratio - found
    else:
        found = _digamma(b, right)
        turned = found - b.Cos(angle) * math.pi / sine
        whole = b.Equal(angle, 0.0)
        nan = b.constant(math.nan, "float64")
        pole = b.Where(b.Equal(wide, 0.0), -1.0 / wide, nan)
        turned = b.Where(whole, pole, turned)
    return b.cast(b.Where(left, turned, found), x.dtype)


def _digamma(b: Builder, x: Any) -> Any:
    far, near, start = _moved(b, x)
    total: Any = b.Reciprocal(start)
    for step in range(1, _FAR):
        total = total + b.Reciprocal(start + float(step))
    square = b.Reciprocal(far * far)
    terms = tuple(value / (2 * k) for k, value in enumerate(_BERNOULLI, 1))
    found = b.Log(far) - 0.5 / far - _series(terms, square) * square
    return found - b.Where(near, total, b.constant(0.0, "float64"))


def _zeta(b: Builder, s: int, x: Any) -> Any:
    """Hurwitz's sum of (x + k)^-s: the first terms, and Euler and Maclaurin's rest."""

    def power(value: Any, by: float) -> Any:
        return b.Pow(value, float(by))

    total: Any = power(x, -s)
    for k in range(1, _FAR):
        total = total + power(x + float(k), -s)
    far = x + float(_FAR)
    total = total + power(far, 1 - s) / (s - 1.0) + power(far, -s) * 0.5
    factor = float(s)
    for k, bernoulli in enumerate(_BERNOULLI, 1):
        total = total + power(far, -s - 2 * k + 1) * (factor * bernoulli / math.factorial(2 * k))
        factor *= (s + 2 * k - 1) * (s + 2 * k)
    return total


# --- Euclid's algorithm --------------------------------------------------------------------------
def _divisor(b: Builder, lhs: Value, rhs: Value) -> Any:
    """The greatest common divisor, of one shape and in int64."""
    if "uint64" in (lhs.dtype, rhs.dtype):
        raise InexpressibleError("its numbers may not fit into int64")
    one, two = (b.Abs(b.cast(item, "int64")) for item in (lhs, rhs))
    none = one * 0 + two * 0  # of the common shape
    one, two = one + none, two + none
    go = b.constant(True, "bool")
    made = [Value(b, b._temporary(), "int64") for _ in range(2)]
    b.drafts.append(
        Draft(
            "Loop",
            ["", go.name, one.name, two.name],
            [value.name for value in made],
            {"body": _euclid(b)},
        )
    )
    return made[0]


def _euclid(b: Builder) -> Any:
    """One step for all pairs: (a, b) becomes (b, a mod b) where b isn't 0 yet."""
    helper = b.onnx.helper

    def info(name: str, dtype: str, sizes: Any = None) -> Any:
        return helper.make_tensor_value_info(name, CODES[dtype], sizes)

    def number(name: str, value: int) -> Any:
        return helper.make_tensor(name, CODES["int64"], [], [value])

    steps = (
        ("Equal", ["euclid_b", "euclid_0"], "euclid_done"),
        ("Where", ["euclid_done", "euclid_1", "euclid_b"], "euclid_by"),
        ("Mod", ["euclid_a", "euclid_by"], "euclid_rest"),
        ("Where", ["euclid_done", "euclid_a", "euclid_b"], "euclid_next_a"),
        ("Where", ["euclid_done", "euclid_0", "euclid_rest"], "euclid_next_b"),
        ("ReduceSum", ["euclid_next_b"], "euclid_left"),
        ("Greater", ["euclid_left", "euclid_0"], "euclid_on"),
    )
    nodes = [
        helper.make_node(kind, inputs, [output], **({"keepdims": 0} if kind == "ReduceSum" else {}))
        for kind, inputs, output in steps
    ]
    return helper.make_graph(
        nodes,
        "euclid",
        [
            info("euclid_turn", "int64", []),
            info("euclid_go", "bool", []),
            info("euclid_a", "int64"),
            info("euclid_b", "int64"),
        ],
        [
            info("euclid_on", "bool", []),
            info("euclid_next_a", "int64"),
            info("euclid_next_b", "int64"),
        ],
        [number("euclid_0", 0), number("euclid_1", 1)],
    )


@writes("gcd")
def gcd(b: Builder, lhs: Value, rhs: Value) -> Any:
    return b.cast(_divisor(b, lhs, rhs), b.out[0].dtype)


@writes("lcm")
def lcm(b: Builder, lhs: Value, rhs: Value) -> Any:
    found = _divisor(b, lhs, rhs)
    safe = b.Max(found, 1)
    one, two = (b.Abs(b.cast(item, "int64")) for item in (lhs, rhs))
    return b.cast(one / safe * two, b.out[0].dtype)
