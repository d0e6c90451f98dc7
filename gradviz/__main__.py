"""`python -m gradviz check FILE`: runs a script or notebook and prints its problems."""

from __future__ import annotations

import sys

from gradviz.diagnose.command import main

if __name__ == "__main__":
    sys.exit(main())
