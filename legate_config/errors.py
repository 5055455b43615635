# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What this package raises."""


class ConfigError(RuntimeError):
    """This machine, or the flags given to Legate, do not allow what was asked.

    The message says what was passed, what is allowed and what to do.
    """
