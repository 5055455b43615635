# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Shortest paths along weights: ``legate --cpus 2 apps/sssp.py roads.gr.gz --source 1 --output distances.tsv``."""

import sys

from lux.app.main import run

if __name__ == "__main__":
    sys.exit(run("sssp"))
