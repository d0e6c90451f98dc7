"""Optimizers, gradient clipping and learning rates over time, under PyTorch's names."""

from gradviz.optim.adam import Adam as Adam
from gradviz.optim.adam import AdamW as AdamW
from gradviz.optim.clipping import clip_grad_norm as clip_grad_norm
from gradviz.optim.clipping import clip_grad_value as clip_grad_value
from gradviz.optim.optimizer import Optimizer as Optimizer
from gradviz.optim.plateau import OneCycleLR as OneCycleLR
from gradviz.optim.plateau import ReduceLROnPlateau as ReduceLROnPlateau
from gradviz.optim.rmsprop import Adagrad as Adagrad
from gradviz.optim.rmsprop import RMSprop as RMSprop
from gradviz.optim.scheduling import CosineAnnealingLR as CosineAnnealingLR
from gradviz.optim.scheduling import ExponentialLR as ExponentialLR
from gradviz.optim.scheduling import LambdaLR as LambdaLR
from gradviz.optim.scheduling import LinearLR as LinearLR
from gradviz.optim.scheduling import LRScheduler as LRScheduler
from gradviz.optim.scheduling import MultiStepLR as MultiStepLR
from gradviz.optim.scheduling import StepLR as StepLR
from gradviz.optim.sgd import SGD as SGD
from gradviz.tensor.elsewhere import missing_from as _missing_from

__getattr__ = _missing_from(__name__)
