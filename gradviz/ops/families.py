"""Loads every family of the operation table."""

from gradviz.ops import activation as activation
from gradviz.ops import comparison as comparison
from gradviz.ops import elementwise as elementwise
from gradviz.ops import gathering as gathering
from gradviz.ops import indexing as indexing
from gradviz.ops import linear as linear
from gradviz.ops import loss as loss
from gradviz.ops import movement as movement
from gradviz.ops import reduction as reduction
