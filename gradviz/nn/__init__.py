"""Modules, parameters and losses, under PyTorch's names."""

from gradviz.nn import init as init
from gradviz.nn.activation import ELU as ELU
from gradviz.nn.activation import GELU as GELU
from gradviz.nn.activation import LeakyReLU as LeakyReLU
from gradviz.nn.activation import LogSoftmax as LogSoftmax
from gradviz.nn.activation import ReLU as ReLU
from gradviz.nn.activation import Sigmoid as Sigmoid
from gradviz.nn.activation import SiLU as SiLU
from gradviz.nn.activation import Softmax as Softmax
from gradviz.nn.activation import Softplus as Softplus
from gradviz.nn.activation import Tanh as Tanh
from gradviz.nn.containers import ModuleDict as ModuleDict
from gradviz.nn.containers import ModuleList as ModuleList
from gradviz.nn.containers import Sequential as Sequential
from gradviz.nn.dropout import Dropout as Dropout
from gradviz.nn.linear import Identity as Identity
from gradviz.nn.linear import Linear as Linear
from gradviz.nn.loss import CrossEntropyLoss as CrossEntropyLoss
from gradviz.nn.loss import L1Loss as L1Loss
from gradviz.nn.loss import MSELoss as MSELoss
from gradviz.nn.loss import NLLLoss as NLLLoss
from gradviz.nn.module import Module as Module
from gradviz.nn.parameter import Buffer as Buffer
from gradviz.nn.parameter import Parameter as Parameter
from gradviz.nn.reshaping import Flatten as Flatten
from gradviz.nn.reshaping import Unflatten as Unflatten
