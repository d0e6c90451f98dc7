"""The view-model of graphs: plain data. No rendering."""
