# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Connected components: ``legate --cpus 2 apps/components.py graph.lux --output labels.npy``."""

import sys

from lux.app.main import run

if __name__ == "__main__":
    sys.exit(run("components"))
