# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Error that this package raises."""


class ConfigError(RuntimeError):
    """Configuration error: this machine, or the flags given to Legate, do not allow the request.

    The message says what was passed, what is allowed and what to do.
    """
