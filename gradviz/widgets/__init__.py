"""What notebooks see: explorer, cards, error cards, magics.

The only place that imports IPython and anywidget, and only where they are needed. Importing it
tells the graph layer which source files are notebook cells.
"""

from __future__ import annotations

from gradviz.graph.view import set_cell_source
from gradviz.widgets import cells
from gradviz.widgets.explore import explore
from gradviz.widgets.magics import load_ipython_extension, unload_ipython_extension

__all__ = ["explore", "load_ipython_extension", "unload_ipython_extension"]

set_cell_source(cells.label_of, cells.cell_of, cells.source_of)
