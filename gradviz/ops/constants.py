"""Numbers that formulas and kernels share."""

from __future__ import annotations

from typing import Final

SELU_SCALE: Final = 1.0507009873554804934193349852946
SELU_ALPHA: Final = 1.6732632423543772848170429916717
"""With both, values keep mean 0 and variance 1 through the layers (Klambauer et al., 2017)."""

LOWEST_LOG: Final = -100.0
"""Logarithms of probabilities are cut off here, as in PyTorch, so that losses stay finite."""
