"""gradviz beside other libraries in one run: `python -m tests.bench.peers` (extra `bench`)."""
