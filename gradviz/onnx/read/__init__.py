"""Reading models: checked as data, then recorded node by node with the operations of tensors."""
