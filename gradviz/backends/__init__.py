"""Backends: the only place that imports an array library."""
