# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The analysis of `benchmarks.framework` on several nodes: ``python benchmarks/framework_nodes.py``.

Brings up clusters of network namespaces on this machine (`benchmarks.cluster`; it needs to be the superuser), and runs
`benchmarks.framework` on each, with a process, a core and a partition for a node: W, C, H and S, the split of times
into W + H g + S l, and each primitive with both exchanges, selective and broadcast. Times on more nodes than cores say
nothing; bytes are right.
"""

from __future__ import annotations

import sys
from pathlib import Path

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import on_clusters

FRAMEWORK = Path(__file__).with_name("framework.py")
GRAPHS = ("kronecker:14,16", "uniform:14,8", "grid:100x100")
NAME = "framework-nodes.json"
KEPT = ("costs", "split", "exchanges", "latency")
"""Parts of a run's document: borders and memory are those of one process."""


def main() -> None:
    """Run the benchmark."""
    parser = on_clusters.parser("The analysis of benchmarks/framework.py on several nodes.", ("2@200",), NAME)
    parser.add_argument("--graphs", nargs="+", default=list(GRAPHS), metavar="SPEC")
    options = parser.parse_args()
    asked = ["--graphs", *options.graphs, "--trials", options.trials, "--partitioners", "contiguous"]
    on_clusters.measure(
        options,
        FRAMEWORK,
        lambda nodes, output: [*asked, "--parts", nodes, "--json", output],
        lambda document: {name: document[name] for name in KEPT},
    )


if __name__ == "__main__":
    main()
