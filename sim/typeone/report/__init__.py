"""One self-contained HTML page from a run's folder, or from the file that ``typeone apply`` wrote."""
