"""ONNX: recorded programs as models of the exchange format, and such models as programs."""
