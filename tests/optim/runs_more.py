"""Optimizers and schedulers that mean the same in PyTorch and here; `runs_more.json` has its truths.

The truths were computed in float64 by `python -m tests.optim.make_runs_more` with PyTorch 2.13,
which the tests themselves don't need.
"""

from __future__ import annotations

import numpy as np

OPTIMIZERS = [
    "RMSprop([p], lr=0.05)",
    "RMSprop([p], lr=0.05, alpha=0.8, eps=1e-3)",
    "RMSprop([p], lr=0.05, momentum=0.9)",
    "RMSprop([p], lr=0.05, centered=True)",
    "RMSprop([p], lr=0.05, centered=True, momentum=0.5, weight_decay=0.1, maximize=True)",
    "Adagrad([p], lr=0.05)",
    "Adagrad([p], lr=0.05, lr_decay=0.1, weight_decay=0.1)",
    "Adagrad([p], lr=0.05, initial_accumulator_value=0.5, eps=1e-3, maximize=True)",
]
SCHEDULERS = [
    "StepLR(opt, 3)",
    "StepLR(opt, step_size=2, gamma=0.5)",
    "MultiStepLR(opt, [2, 5], gamma=0.3)",
    "ExponentialLR(opt, 0.9)",
    "LinearLR(opt)",
    "LinearLR(opt, start_factor=0.5, end_factor=0.25, total_iters=4)",
    "CosineAnnealingLR(opt, T_max=4)",
    "CosineAnnealingLR(opt, T_max=10, eta_min=0.01)",
    "LambdaLR(opt, lambda epoch: 0.95 ** epoch)",
    "OneCycleLR(opt, max_lr=0.7, total_steps=13)",
    "OneCycleLR(opt, max_lr=0.7, total_steps=13, pct_start=0.5, anneal_strategy='linear', div_factor=10.0)",
    "ReduceLROnPlateau(opt, patience=1)",
    "ReduceLROnPlateau(opt, mode='max', factor=0.5, patience=0, cooldown=2)",
    "ReduceLROnPlateau(opt, threshold=0.5, threshold_mode='abs', patience=2, min_lr=0.05)",
]
LOSSES = [5.0, 4.0, 4.0, 4.5, 4.1, 3.9, 3.9, 3.9, 3.9, 3.7, 3.8, 3.8]
CLIPPED = [(1.0, 2.0), (100.0, 2.0), (0.5, 1.0), (0.5, float("inf")), (2.0, 3.0)]


def start():
    """The first value of a parameter, and its gradients."""
    rng = np.random.default_rng(11)
    return rng.normal(size=(3, 2)), [rng.normal(size=(3, 2)) for _ in range(12)]
