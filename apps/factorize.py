# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Predict ratings: ``legate --cpus 2 apps/factorize.py ratings.csv --bipartite --recommend 7``."""

import sys

from lux.app.main import run

if __name__ == "__main__":
    sys.exit(run("factorize"))
