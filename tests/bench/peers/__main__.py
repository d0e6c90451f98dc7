"""Runs the comparison: `python -m tests.bench.peers [TEXT]` runs the workloads whose name holds the text."""

from __future__ import annotations

import gc
import os
import sys

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

from tests.bench.peers import workloads  # noqa: E402 - threads are settled before NumPy is loaded
from tests.bench.timing import medians  # noqa: E402

WORKLOADS = {
    # name: (make, rounds, most beside PyTorch, most beside another library)
    "1,000 operations on 1 element": (
        lambda: workloads.chain((1,), 1000),
        15,
        0.45,
        ("autograd", 0.2),
    ),
    "1,000 operations on (64, 64)": (lambda: workloads.chain((64, 64), 1000), 9, 0.60, None),
    "MLP 784-256-128-10, batch 64": (
        lambda: workloads.mlp((784, 256, 128, 10), 64),
        60,
        1.15,
        ("autograd", 0.3),
    ),
    "conv net (8, 1, 28, 28)": (workloads.conv_net, 60, 0.9, ("mygrad", 0.2)),
    "expression on 1e6 elements": (lambda: workloads.expression(1_000_000), 9, 0.9, None),
    "layer norm (256, 512)": (lambda: workloads.layer_norm(256, 512), 60, 0.7, None),
    "attention 4, 4x64, 64": (lambda: workloads.attention(4, 4, 64, 64), 40, 1.1, None),
    "100,000 operations on 1 element": (
        lambda: _without(workloads.chain((1,), 100_000)),
        3,
        0.35,
        None,
    ),
    "10,000 leaves in a tree": (lambda: workloads.leaves(10_000), 7, 0.3, None),
    "200-layer MLP, width 256, batch 512": (
        lambda: _without(workloads.mlp((256,) * 201, 512)),
        3,
        1.2,
        None,
    ),
}


SHORT = 40
"""Workloads with so many rounds are single steps of training, of a millisecond or so."""
IN_A_TURN = 10


def _without(steps: dict[str, workloads.Step]) -> dict[str, workloads.Step]:
    """Only the libraries that end in reasonable time."""
    return {name: step for name, step in steps.items() if name in ("gradviz", "torch")}


def main() -> int:
    """Prints a line for each workload and returns how many miss their figure."""
    import torch

    torch.set_num_threads(1)
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    missed = 0
    for name, (make, rounds, most, other) in WORKLOADS.items():
        if wanted not in name:
            continue
        steps = make()
        # What four loaded libraries keep is no program's heap; the collector need not walk it in anyone's time.
        gc.collect()
        gc.freeze()
        found = medians(steps, rounds, IN_A_TURN if rounds >= SHORT else 1)
        ratio = found["gradviz"] / found["torch"]
        ok = ratio <= most
        text = (
            f"{name:38s} {found['gradviz'] * 1e3:9.2f} ms  {ratio:5.2f} x PyTorch (at most {most})"
        )
        if other is not None:
            peer, limit = other
            beside = found["gradviz"] / found[peer]
            ok = ok and beside <= limit
            text += f"  {beside:5.2f} x {peer} (at most {limit})"
            if workloads.BY_HAND in found:
                least = found[workloads.BY_HAND] / found[peer]
                text += f"; NumPy by hand {least:.2f} x {peer}"
        missed += not ok
        print(f"{'  ' if ok else '! '}{text}", flush=True)
    return missed


if __name__ == "__main__":
    sys.exit(main())
