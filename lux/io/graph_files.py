# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Register what `Graph.write` and `Graph.save` call: graphs know no files."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from lux.checks import checked_path
from lux.errors import FormatError
from lux.graph.graph import Graph, register_files
from lux.io import export
from lux.io.saved import save as saved


class _Files:
    """Writers of graphs to files."""

    def write(self, graph: Graph, path: str | PathLike[str], format: str | None) -> None:  # noqa: A002
        """Write one file."""
        export.write(graph, path, format)

    def save(self, graph: Graph, path: str | PathLike[str]) -> None:
        """Save the prepared graph."""
        if Path(checked_path("path", path)).suffix.lower() != ".lux":
            raise FormatError(f"a saved graph is a .lux file: pass {str(path)!r} + '.lux', or use graph.write")
        saved.save(graph, path)


def register() -> None:
    """Let all graphs write themselves."""
    register_files(_Files())
