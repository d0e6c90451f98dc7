"""What importing costs beside importing NumPy: `python -m tests.bench.import_time`."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile

LIMIT = 2.5
_CODE = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"


def seconds(module: str, cache: str) -> float:
    """Seconds that a fresh interpreter takes to import a module, its byte code cached as usual."""
    command = [sys.executable, "-X", f"pycache_prefix={cache}", "-c", _CODE.format(module)]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    answer = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    return float(answer.stdout)


def measure(rounds: int = 15) -> float:
    """Median time of `import gradviz` over that of `import numpy`, interleaved."""
    times: dict[str, list[float]] = {"numpy": [], "gradviz": []}
    with tempfile.TemporaryDirectory() as cache:
        for number in range(rounds + 1):
            for module, found in times.items():
                spent = seconds(module, cache)
                if number:  # the first round writes the byte code
                    found.append(spent)
    return statistics.median(times["gradviz"]) / statistics.median(times["numpy"])


if __name__ == "__main__":
    print(f"import gradviz: {measure():.2f} x import numpy (to reach: {LIMIT})")
