# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The strategies of `lux.bfs` on several nodes: ``python benchmarks/engines_nodes.py --output bfs-nodes.json``.

Brings up clusters of network namespaces on this machine (`benchmarks.cluster`; it needs to be the superuser), and runs
`benchmarks.engines` on each, with a process, a core and a processor of the strategies for a node. Times on more nodes
than cores say nothing; bytes are right.
"""

from __future__ import annotations

import sys
from pathlib import Path

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import on_clusters

ENGINES = Path(__file__).with_name("engines.py")
CLUSTERS = ("2@200", "2@50", "4@200")


def main() -> None:
    """Run the benchmark."""
    parser = on_clusters.parser("The strategies of lux.bfs on several nodes.", CLUSTERS, "bfs-nodes.json")
    parser.add_argument("--scale", type=int, default=18)
    parser.add_argument("--roots", type=int, default=8)
    options = parser.parse_args()
    asked = ["--scale", options.scale, "--roots", options.roots, "--trials", options.trials]
    on_clusters.measure(
        options,
        ENGINES,
        lambda nodes, output: [*asked, "--parts", nodes, "--output", output],
        lambda document: {name: document[name] for name in ("graph", "rows")},
    )


if __name__ == "__main__":
    main()
