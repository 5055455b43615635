# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""``python -m lux`` runs the program ``lux``."""

import sys

from lux.cli import main

if __name__ == "__main__":
    sys.exit(main())
