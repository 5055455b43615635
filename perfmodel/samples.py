# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What a calibration measured, in a file: rates can be fitted again without the machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from os import PathLike

from perfmodel import documents
from perfmodel.errors import ModelError
from perfmodel.fit import Sample
from perfmodel.profile import Machine
from perfmodel.programs import program
from perfmodel.summary import GraphSummary

VERSION = 1
KIND = "Lux calibration samples"
REMEDY = "python -m perfmodel.calibrate --samples FILE writes one"


def write(path: str | PathLike[str], machine: Machine, samples: Sequence[Sample]) -> None:
    """Write samples, with each graph's summary once."""
    graphs = {_graph(s): asdict(s.summary) for s in samples if s.summary is not None}
    rows = [asdict(replace(s, summary=None)) for s in samples]
    documents.write(path, KIND, VERSION, {"machine": asdict(machine), "graphs": graphs, "samples": rows})


def read(path: str | PathLike[str]) -> tuple[Machine, list[Sample]]:
    """Read what `write` wrote; raises `ModelError` for anything else."""
    found = documents.read(path, KIND, VERSION, REMEDY)
    try:
        graphs = {name: GraphSummary.of_json(given) for name, given in found["graphs"].items()}
        samples = [Sample(**row) for row in found["samples"]]
        return Machine(**found["machine"]), [replace(s, summary=graphs.get(_graph(s))) for s in samples]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"{path} are samples with something missing or wrong ({error}): {REMEDY}") from None


def _graph(sample: Sample) -> str:
    return f"{sample.graph} in both directions" if program(sample.program).both else sample.graph
