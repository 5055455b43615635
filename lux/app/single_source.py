# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Applications that start from one vertex, which is required or chosen by the program."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from lux.app.application import Application

if TYPE_CHECKING:
    from lux.graph.graph import Graph


class SingleSource(Application):
    """Single-source application: a search from the vertex that ``--source`` names."""

    def check_arguments(self, parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
        """Require ``--source`` for a file, whose vertices only the user knows."""
        if options.source is None and options.generate is None:
            parser.error("a search needs --source ID, a vertex of the graph (lux info GRAPH says which ids it has)")

    def check_graph(self, graph: Graph, options: argparse.Namespace) -> None:
        """Find the source; in a synthetic graph, by default, the vertex with the most out-edges."""
        options.source_chosen = options.source is None
        if options.source is None:
            options.source = graph.out_degrees().top(1)[0][0]
        place = graph.ids.dense(options.source)
        options.source = graph.ids.labels(place, place + 1).tolist()[0]  # of the type of the graph's ids
