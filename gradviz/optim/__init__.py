"""Optimizers, gradient clipping and learning rates over time, under PyTorch's names."""

from gradviz.optim.adam import Adam as Adam
from gradviz.optim.adam import AdamW as AdamW
from gradviz.optim.adam_more import Adamax as Adamax
from gradviz.optim.adam_more import NAdam as NAdam
from gradviz.optim.adam_more import RAdam as RAdam
from gradviz.optim.by_function import LambdaLR as LambdaLR
from gradviz.optim.by_function import MultiplicativeLR as MultiplicativeLR
from gradviz.optim.clipping import clip_grad_norm as clip_grad_norm
from gradviz.optim.clipping import clip_grad_value as clip_grad_value
from gradviz.optim.combined import ChainedScheduler as ChainedScheduler
from gradviz.optim.combined import SequentialLR as SequentialLR
from gradviz.optim.cyclic import CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts
from gradviz.optim.cyclic import CyclicLR as CyclicLR
from gradviz.optim.optimizer import Optimizer as Optimizer
from gradviz.optim.plateau import OneCycleLR as OneCycleLR
from gradviz.optim.plateau import ReduceLROnPlateau as ReduceLROnPlateau
from gradviz.optim.rmsprop import Adadelta as Adadelta
from gradviz.optim.rmsprop import Adagrad as Adagrad
from gradviz.optim.rmsprop import RMSprop as RMSprop
from gradviz.optim.rprop import Rprop as Rprop
from gradviz.optim.scheduling import ConstantLR as ConstantLR
from gradviz.optim.scheduling import CosineAnnealingLR as CosineAnnealingLR
from gradviz.optim.scheduling import ExponentialLR as ExponentialLR
from gradviz.optim.scheduling import LinearLR as LinearLR
from gradviz.optim.scheduling import LRScheduler as LRScheduler
from gradviz.optim.scheduling import MultiStepLR as MultiStepLR
from gradviz.optim.scheduling import PolynomialLR as PolynomialLR
from gradviz.optim.scheduling import StepLR as StepLR
from gradviz.optim.sgd import ASGD as ASGD
from gradviz.optim.sgd import SGD as SGD
from gradviz.tensor.elsewhere import missing_from as _missing_from

__getattr__ = _missing_from(__name__)
