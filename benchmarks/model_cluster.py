# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Performance model of two nodes beside measurements: ``python benchmarks/model_cluster.py --output FOLDER``.

Nodes are network namespaces with a core each (`benchmarks.cluster`; this needs to be the superuser). One core of this
machine is calibrated, then both nodes together at the first rate of their links; at other rates only the network is
measured anew. Then `benchmarks.model` predicts and measures each program on each graph, on one node and, for each rate,
on two. The folder receives the profile, ``one-core.json``, and ``model-nodes-RATE.json``.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.cluster import Cluster

GRAPHS = ("kronecker:19", "uniform:19", "grid:1024x1024")
MODEL = Path(__file__).with_name("model.py")
NODES = 2


def main() -> None:
    """Calibrate, predict and measure."""
    options = _options()
    folder = options.output
    folder.mkdir(parents=True, exist_ok=True)
    core, profile = folder / "profile-one-core.json", folder / "profile.json"
    flags, seconds = ["--module", "lux.calibration"], ["--seconds", str(options.seconds)]
    if options.profile is None:
        _on_one_core([*flags, "--output", str(core), *seconds], options)
        _on_nodes(options.mbit[0], ["--base", str(core), "--output", str(profile), *seconds], options, flags)
    measured = [
        "--profile",
        str(options.profile or profile),
        "--graphs",
        *options.graphs,
        "--rounds",
        str(options.rounds),
    ]
    measured += ["--programs", *options.programs, "--seconds", str(10 * options.seconds)]
    one = folder / "one-core.json"
    if not one.exists():
        _on_one_core([str(MODEL), *measured, "--output", str(one)], options)
    for mbit in options.mbit:
        output = str(folder / f"model-nodes-{mbit:g}.json")
        _on_nodes(mbit, [str(MODEL), *measured, "--beside", str(one), "--all", "--output", output], options)


def _on_one_core(words: list[str], options: argparse.Namespace) -> None:
    """Run a command of ``legate`` on the first core."""
    legate = str(Path(sys.prefix, "bin", "legate"))
    taskset = [str(shutil.which("taskset")), "-c", "0"]
    subprocess.run([*taskset, legate, "--cpus", "1", "--sysmem", str(options.sysmem), *words], check=True)


def _on_nodes(mbit: float, words: list[str], options: argparse.Namespace, flags: list[str] | None = None) -> None:
    with Cluster(NODES, mbit) as cluster:
        command = cluster.command(*words, sysmem=options.sysmem // NODES, flags=flags or [])
        cluster.run(command, options.timeout)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The performance model of two nodes beside measurements.")
    parser.add_argument("--mbit", type=lambda text: [float(m) for m in text.split(",")], default=[200.0, 50.0])
    parser.add_argument("--graphs", nargs="+", default=list(GRAPHS), metavar="SPEC", help="synthetic graphs and files")
    parser.add_argument("--programs", nargs="+", default=["pagerank", "components", "sssp"])
    parser.add_argument("--profile", type=Path, help="a profile of both nodes, instead of a calibration")
    parser.add_argument("--seconds", type=float, default=150, help="of each calibration")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sysmem", type=int, default=6000, help="MiB of memory of all processes")
    parser.add_argument("--timeout", type=float, default=1800)
    parser.add_argument("--output", type=Path, required=True, metavar="FOLDER")
    return parser.parse_args()


if __name__ == "__main__":
    main()
