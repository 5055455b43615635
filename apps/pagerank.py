# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""PageRank of every vertex: ``legate --cpus 2 apps/pagerank.py --generate kronecker:18``."""

import sys

from lux.app.main import run

if __name__ == "__main__":
    sys.exit(run("pagerank"))
