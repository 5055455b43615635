# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks`` runs Lux beside other libraries on CPU cores."""

from benchmarks.cpu import main

if __name__ == "__main__":
    main()
