# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Breadth-first search: ``legate --cpus 2 apps/bfs.py graph.lux --source 1 --output distances.tsv``."""

import sys

from lux.app.main import run

if __name__ == "__main__":
    sys.exit(run("bfs"))
