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
    "Adadelta([p])",
    "Adadelta([p], lr=0.5, rho=0.7, eps=1e-2, weight_decay=0.1)",
    "Adadelta([p], rho=1.0, eps=1e-2, maximize=True)",
    "Adamax([p], lr=0.05)",
    "Adamax([p], lr=0.05, betas=(0.5, 0.8), eps=1e-2, weight_decay=0.1, maximize=True)",
    "NAdam([p], lr=0.05)",
    "NAdam([p], lr=0.05, betas=(0.5, 0.8), eps=1e-2, weight_decay=0.1, momentum_decay=0.3)",
    "NAdam([p], lr=0.05, weight_decay=0.1, decoupled_weight_decay=True, maximize=True)",
    "RAdam([p], lr=0.05)",
    "RAdam([p], lr=0.05, betas=(0.5, 0.6), eps=1e-2, weight_decay=0.1)",
    "RAdam([p], lr=0.05, betas=(0.9, 0.99), weight_decay=0.1, decoupled_weight_decay=True, maximize=True)",
    "Rprop([p], lr=0.05)",
    "Rprop([p], lr=0.05, etas=(0.3, 2.0), step_sizes=(0.02, 0.15), maximize=True)",
    "ASGD([p], lr=0.05)",
    "ASGD([p], lr=0.5, lambd=0.1, alpha=0.6, t0=3.0, weight_decay=0.1, maximize=True)",
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
    "ConstantLR(opt)",
    "ConstantLR(opt, factor=0.2, total_iters=3)",
    "PolynomialLR(opt)",
    "PolynomialLR(opt, total_iters=8, power=1.7)",
    "MultiplicativeLR(opt, lambda epoch: 0.95 + 0.01 * epoch)",
    "CosineAnnealingWarmRestarts(opt, T_0=4)",
    "CosineAnnealingWarmRestarts(opt, T_0=2, T_mult=2, eta_min=0.03)",
    "SequentialLR(opt, [ConstantLR(opt, 0.1, 2), ExponentialLR(opt, 0.9)], milestones=[3])",
    "SequentialLR(opt, [LinearLR(opt, 0.1, total_iters=4), CosineAnnealingLR(opt, 5), StepLR(opt, 2)], [4, 8])",
    "SequentialLR(opt, [StepLR(opt, 2), MultiplicativeLR(opt, lambda e: 0.9 - 0.01 * e), PolynomialLR(opt, 3)], [3, 8])",
    "SequentialLR(opt, [ExponentialLR(opt, 0.7), CosineAnnealingWarmRestarts(opt, 3, 2), LambdaLR(opt, lambda e: 1 / (2 + e))], [2, 9])",
    "SequentialLR(opt, [CyclicLR(opt, 0.05, 0.3, 2), OneCycleLR(opt, 0.5, 9), LinearLR(opt)], [3, 7])",
    "SequentialLR(opt, [CyclicLR(opt, 0.05, 0.3, 2), ExponentialLR(opt, 0.9)], [3])",
    "SequentialLR(opt, [ChainedScheduler([ConstantLR(opt, 0.5, 3), StepLR(opt, 2)]), MultiStepLR(opt, [1, 2])], [8])",
    "ChainedScheduler([ConstantLR(opt, 0.1, 2), ExponentialLR(opt, 0.9)])",
    "ChainedScheduler([CosineAnnealingLR(opt, 4, eta_min=0.02), StepLR(opt, 3, 0.5)])",
    "ChainedScheduler([CosineAnnealingLR(opt, 4, eta_min=0.02), StepLR(opt, 4, 0.5)])",
    "ChainedScheduler([PolynomialLR(opt, 4), CosineAnnealingLR(opt, 3), LinearLR(opt)], optimizer=opt)",
    "ChainedScheduler([LambdaLR(opt, lambda e: 0.95 ** e), MultiStepLR(opt, [2, 4]), MultiplicativeLR(opt, lambda e: 0.9)])",
]
CYCLES = [
    ("SGD([p], lr=0.2, momentum=0.5)", "CyclicLR(opt, 0.05, 0.3, step_size_up=3)"),
    (
        "SGD([p], lr=0.2)",
        "CyclicLR(opt, 0.05, 0.3, 2, 3, mode='triangular2', base_momentum=0.6, max_momentum=0.95)",
    ),
    ("Adam([p], lr=0.2)", "CyclicLR(opt, 0.05, 0.3, 4, 1, mode='exp_range', gamma=0.9)"),
    ("RMSprop([p], lr=0.2)", "CyclicLR(opt, 0.05, 0.3, 2, scale_fn=lambda x: 1 / x)"),
    (
        "Adagrad([p], lr=0.2)",
        "CyclicLR(opt, 0.05, 0.3, 2, scale_fn=lambda x: 0.9 ** x, scale_mode='iterations', cycle_momentum=False)",
    ),
]
GROUPED = [
    "ConstantLR(opt)",
    "PolynomialLR(opt, 4, 2.0)",
    "MultiplicativeLR(opt, [lambda epoch: 0.9, lambda epoch: 0.5])",
    "LambdaLR(opt, [lambda epoch: 0.9 ** epoch, lambda epoch: 1 / (1 + epoch)])",
    "CosineAnnealingLR(opt, 5, eta_min=0.1)",
    "CosineAnnealingWarmRestarts(opt, 3, eta_min=0.01)",
    "CyclicLR(opt, [0.05, 0.1], [0.3, 0.8], 2, cycle_momentum=False)",
    "SequentialLR(opt, [ConstantLR(opt, 0.1, 2), ExponentialLR(opt, 0.9)], milestones=[3])",
    "ChainedScheduler([LinearLR(opt, 0.5), ExponentialLR(opt, 0.9)])",
]
LOSSES = [5.0, 4.0, 4.0, 4.5, 4.1, 3.9, 3.9, 3.9, 3.9, 3.7, 3.8, 3.8]
CLIPPED = [(1.0, 2.0), (100.0, 2.0), (0.5, 1.0), (0.5, float("inf")), (2.0, 3.0)]


def start():
    """The first value of a parameter, and its gradients."""
    rng = np.random.default_rng(11)
    return rng.normal(size=(3, 2)), [rng.normal(size=(3, 2)) for _ in range(12)]
