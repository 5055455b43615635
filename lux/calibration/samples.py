# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Measurements of a calibration in a file, and the profile that is fitted to them without the machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike
from typing import Any

from lux.calibration import fit_cpu, fit_gpu, fit_nodes
from lux.calibration.fit import Sample
from lux.calibration.fit_factors import FactorSample, fit_factors
from perfmodel import json_files
from perfmodel.errors import ModelError
from perfmodel.factors import Factors
from perfmodel.internode import Link
from perfmodel.profile import Machine, Profile, alike
from perfmodel.programs import program
from perfmodel.summary import GraphSummary

VERSION, BEFORE = 3, (1, 2)
"""Version 1 has neither factorizations nor CPU cores; versions before 3 have no notes of iterations and no runs on
several nodes."""
KIND = "Lux calibration samples"
REMEDY = "python -m lux.calibration --samples FILE writes one"


@dataclass(frozen=True)
class Measured:
    """Measured runs on a machine.

    Attributes
    ----------
    machine : Machine
    samples : sequence of Sample
        Samples of vertex programs.
    factors : sequence of FactorSample
        Samples of `lux.factorize`.
    beside : Measured or None
        Measurements of the CPU cores of a machine of GPUs.
    link : Link or None
        What the network between several nodes carries, for CPU cores.
    """

    machine: Machine
    samples: Sequence[Sample] = ()
    factors: Sequence[FactorSample] = ()
    beside: Measured | None = None
    link: Link | None = None

    def write(self, path: str | PathLike[str]) -> None:
        """Write all, with each graph's summary once."""
        json_files.write(path, KIND, VERSION, _content(self))

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Measured:
        """Read what `write` wrote; raises `ModelError` for anything else."""
        found = json_files.read(path, KIND, VERSION, REMEDY, *BEFORE)
        try:
            return cls._of(found)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
            raise ModelError(f"{path} are samples with something missing or wrong ({error}): {REMEDY}") from None

    @classmethod
    def _of(cls, found: dict[str, Any]) -> Measured:
        graphs = {name: GraphSummary.of_json(given) for name, given in found["graphs"].items()}
        samples = [Sample.of_json(row, None) for row in found["samples"]]
        factors = [FactorSample(**{**row, "factors": Factors(**row["factors"])}) for row in found.get("factors", ())]
        return cls(
            Machine(**found["machine"]),
            [replace(s, summary=graphs.get(_graph(s))) for s in samples],
            factors,
            None if found.get("beside") is None else cls._of(found["beside"]),
            None if found.get("link") is None else Link(**found["link"]),
        )

    def fitted(self, base: Profile | None = None, lux_version: str = "") -> Profile:
        """Fit the profile of these runs; unmeasured rates are taken from ``base``.

        Runs on several nodes are added to the profile of one.

        Raises
        ------
        ModelError
            Too little was measured, or ``base`` is of another machine.
        """
        if base is not None and not alike(base.machine, self.machine):
            raise ModelError(
                f"the profile of --base is of another machine ({base.machine.describe()}; this one is "
                f"{self.machine.describe()}): measure all programs (leave --programs out)"
            )
        samples, factors = [s for s in self.samples if s.nodes == 1], [f for f in self.factors if f.nodes == 1]
        several, several_factors = [s for s in self.samples if s.nodes > 1], [f for f in self.factors if f.nodes > 1]
        if samples:
            fit = fit_gpu.fit if self.machine.device == "gpu" else fit_cpu.fit
            found = fit(samples, self.machine, lux_version)
        elif base is not None:
            found = base
        else:
            raise ModelError("no vertex program was measured: pass --base PROFILE, to which other rates are added")
        if base is not None:
            overflow = base.overflow if found.overflow is None else found.overflow
            found = replace(found, factors=base.factors, beside=base.beside, between=base.between, overflow=overflow)
            found = replace(found, network=base.network, latency=base.latency, burst=base.burst)
        if factors:
            found = replace(found, factors={**found.factors, **fit_factors(factors)})
        if self.beside is not None:
            cores = fit_cpu.fit_beside(self.beside.samples, self.beside.machine, lux_version)
            found = replace(found, beside=cores or found.beside)
        if several or several_factors or self.link is not None:
            return fit_nodes.added(found, several, several_factors, self.link)
        return found


def _content(of: Measured) -> dict[str, Any]:
    """Build the measurements from their JSON."""
    return {
        "machine": asdict(of.machine),
        "graphs": {_graph(s): asdict(s.summary) for s in of.samples if s.summary is not None},
        "samples": [asdict(replace(s, summary=None)) for s in of.samples],
        "factors": [asdict(s) for s in of.factors],
        "beside": None if of.beside is None else _content(of.beside),
        "link": None if of.link is None else asdict(of.link),
    }


def _graph(sample: Sample) -> str:
    return f"{sample.graph} in both directions" if program(sample.program).both else sample.graph
