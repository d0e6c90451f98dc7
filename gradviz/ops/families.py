"""Loads every family of the operation table."""

from gradviz.ops import activation as activation
from gradviz.ops import activation_more as activation_more
from gradviz.ops import attention as attention
from gradviz.ops import comparison as comparison
from gradviz.ops import convolution as convolution
from gradviz.ops import cumulative as cumulative
from gradviz.ops import deformable as deformable
from gradviz.ops import elementwise as elementwise
from gradviz.ops import gathering as gathering
from gradviz.ops import indexing as indexing
from gradviz.ops import linalg as linalg
from gradviz.ops import linear as linear
from gradviz.ops import loss as loss
from gradviz.ops import losses_more as losses_more
from gradviz.ops import movement as movement
from gradviz.ops import normalization as normalization
from gradviz.ops import pooling as pooling
from gradviz.ops import quantization as quantization
from gradviz.ops import recurrent as recurrent
from gradviz.ops import reduction as reduction
from gradviz.ops import resampling as resampling
from gradviz.ops import scatter_nd as scatter_nd
from gradviz.ops import sorting as sorting
from gradviz.ops import special as special
from gradviz.ops import spectral as spectral
from gradviz.ops import windows as windows
