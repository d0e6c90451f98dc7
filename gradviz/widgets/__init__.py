"""What notebooks see: explorer, cards, error cards, magics. The only place that imports IPython and anywidget."""
