"""Recorded programs."""

from gradviz.ir.graph import GraphIr as GraphIr
from gradviz.ir.graph import OperationIr as OperationIr
from gradviz.ir.graph import TensorIr as TensorIr
