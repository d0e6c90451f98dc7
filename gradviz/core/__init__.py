"""Facts every layer shares: kinds, dtypes, shapes, source positions. Standard library only."""
