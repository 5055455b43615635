# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Cross-validation of a fit of GPUs over graphs: ``python -m lux.calibration.cross_validation SAMPLES``.

Each graph of a calibration is left out in turn, and predicted by rates that were fitted to the others. A property of
one graph alone (values larger than the last cache, say) is extrapolated when that graph is left out, so errors are
larger than of a fit to all.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from lux.calibration import fit_gpu
from lux.calibration.fit import Sample
from lux.calibration.samples import Measured
from perfmodel.configuration import Configuration
from perfmodel.errors import ModelError
from perfmodel.predict_program import predict
from perfmodel.profile import Machine, Profile
from perfmodel.summary import Frontier


def error(profile: Profile, sample: Sample) -> float | None:
    """Return the relative error of an iteration, given its measured frontier; None without a rate, or with overflow."""
    if sample.summary is None or sample.parts != sample.workers:
        return None
    configuration = Configuration(sample.program, sample.model, sample.placement, 1, sample.parts, sample.parts)
    known = replace(sample.summary, frontiers={sample.program: Frontier((sample.active,), (sample.activity,))})
    try:
        one = predict(known, profile, configuration)
    except ModelError:
        return None
    return (one.iteration + one.run / sample.iterations) / (sample.kernel + sample.rest / sample.iterations) - 1


def cross_validate(samples: Sequence[Sample], machine: Machine) -> Iterator[tuple[Sample, float]]:
    """Return each sample with the error of a fit to the other graphs' samples."""
    for graph in dict.fromkeys(s.graph for s in samples):
        profile = fit_gpu.fit([s for s in samples if s.graph != graph], machine)
        for sample in samples:
            found = error(profile, sample) if sample.graph == graph else None
            if found is not None:
                yield sample, found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print errors by graph and by placement; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m lux.calibration.cross_validation", description="Errors of graphs left out."
    )
    parser.add_argument("samples", help="what python -m lux.calibration --samples kept of GPUs")
    try:
        measured = Measured.read(parser.parse_args(arguments).samples)
        found = list(cross_validate(measured.samples, measured.machine))
    except ModelError as wrong:
        sys.stderr.write(f"left_out: error: {wrong}\n")
        return 2
    groups: dict[str, list[float]] = defaultdict(list)
    for sample, e in found:
        for key in (sample.graph, f"{sample.model}, {sample.workers} {sample.placement}", sample.model):
            groups[key].append(abs(e))
    for key, errors in groups.items():
        within = [sum(e <= bound for e in errors) for bound in (0.2, 0.35)]
        sys.stdout.write(
            f"{key:24} {len(errors):4} runs, median {statistics.median(errors):4.0%}, within 20 %: {within[0]}, within "
            f"35 %: {within[1]}\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
