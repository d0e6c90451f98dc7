"""Tensors: facts, operations, creation, formatting."""
