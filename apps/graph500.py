# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The Graph500 benchmark: ``legate --cpus 2 apps/graph500.py --scale 18 --json result.json``."""

import sys

from lux.app.graph500 import run

if __name__ == "__main__":
    sys.exit(run())
