"""Optimizers, under PyTorch's names."""

from gradviz.optim.adam import Adam as Adam
from gradviz.optim.adam import AdamW as AdamW
from gradviz.optim.optimizer import Optimizer as Optimizer
from gradviz.optim.sgd import SGD as SGD
