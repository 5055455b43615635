# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""``python -m lux.calibration`` measures this machine and fits its profile."""

import sys

from lux.calibration.calibrate import main

if __name__ == "__main__":
    sys.exit(main())
