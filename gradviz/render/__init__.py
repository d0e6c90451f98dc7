"""Graphs and tensors written down: DOT, SVG, PNG, HTML, JSON and text."""
