"""The autodiff decorator: nodes, steps, traversal, gradients. Never imports a backend."""
