"""Memory that workloads add, each in a process of its own: `python -m tests.bench.memory`.

What is counted is the peak of the process's resident memory over a training step beyond what it held
before, in MiB, so that libraries with allocators of their own are measured alike.
"""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

LIMITS = {
    # (workload, library): most MiB added
    ("200-layer MLP", "gradviz"): 105,
    ("200-layer MLP, balanced", "gradviz"): 60,
    ("100,000 operations", "gradviz"): 50,
    ("200-layer MLP", "torch"): None,
    ("100,000 operations", "torch"): None,
}


def resident(field: str) -> float:
    """A figure of this process in MiB: `VmRSS` now, or `VmHWM` at its highest."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    raise LookupError(field)


def forward_of(workload: str, library: str):
    """The forward pass of a workload, with nothing computed yet."""
    from tests.bench.peers import workloads

    if workload == "100,000 operations":
        return workloads.chain((1,), 100_000)[library]
    strategy = "balanced" if workload.endswith("balanced") else "none"
    sizes = (256,) * 201
    made = workloads.mlp(sizes, 512, checkpointing=strategy, steps=False, libraries=(library,))
    return made[library]


def measure(workload: str, library: str) -> float:
    """MiB added at the peak of one step, after everything that stays is in memory."""
    step = forward_of(workload, library)
    step()  # what the first step loads and compiles stays
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # else what making the workload freed would be used again
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak counts from here
    before = resident("VmRSS")
    step()
    return resident("VmHWM") - before


def in_its_own_process(workload: str, library: str) -> float:
    """MiB added by one step of a workload in a fresh interpreter with one thread."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.bench.memory", workload, library]
    added: float = json.loads(subprocess.check_output(command, env=environment, text=True))
    return added


def main() -> int:
    """Prints a line for each workload and returns how many miss their figure."""
    if len(sys.argv) == 3:
        print(json.dumps(measure(sys.argv[1], sys.argv[2])))
        return 0
    missed = 0
    for (workload, library), most in LIMITS.items():
        if importlib.util.find_spec(library) is None:
            continue
        added = in_its_own_process(workload, library)
        missed += most is not None and added > most
        limit = "" if most is None else f" (at most {most})"
        print(f"{workload:28s} {library:8s} {added:7.1f} MiB{limit}", flush=True)
    return missed


if __name__ == "__main__":
    sys.exit(main())
