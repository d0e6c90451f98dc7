"""Optimizers written out once more in plain NumPy, from the papers' and PyTorch's own formulas.

Nothing is shared with the implementation: one function for each, on float64 arrays.
"""

from __future__ import annotations

import numpy as np


def sgd(
    value,
    gradients,
    lr,
    momentum=0.0,
    dampening=0.0,
    weight_decay=0.0,
    nesterov=False,
    maximize=False,
):
    velocity = None
    for gradient in gradients:
        g = -gradient if maximize else gradient
        g = g + weight_decay * value
        if momentum:
            velocity = g if velocity is None else momentum * velocity + (1 - dampening) * g
            g = g + momentum * velocity if nesterov else velocity
        value = value - lr * g
    return value


def adam(
    value,
    gradients,
    lr,
    betas=(0.9, 0.999),
    eps=1e-8,
    weight_decay=0.0,
    amsgrad=False,
    maximize=False,
    decoupled=False,
):
    m = v = top = np.zeros_like(value)
    for t, gradient in enumerate(gradients, 1):
        g = -gradient if maximize else gradient
        if decoupled:
            value = value * (1 - lr * weight_decay)
        else:
            g = g + weight_decay * value
        m = betas[0] * m + (1 - betas[0]) * g
        v = betas[1] * v + (1 - betas[1]) * g**2
        top = np.maximum(top, v) if amsgrad else v
        m_hat = m / (1 - betas[0] ** t)
        v_hat = top / (1 - betas[1] ** t)
        value = value - lr * m_hat / (np.sqrt(v_hat) + eps)
    return value


def adamw(value, gradients, lr, weight_decay=0.01, **options):
    return adam(value, gradients, lr, weight_decay=weight_decay, decoupled=True, **options)
