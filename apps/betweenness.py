# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Betweenness centrality: ``legate --cpus 2 apps/betweenness.py graph.lux --k 64 --output scores.tsv``."""

import sys

from lux.app.main import run

if __name__ == "__main__":
    sys.exit(run("betweenness"))
