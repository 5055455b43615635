# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What this package raises."""


class ModelError(ValueError):
    """A profile, a summary or limits from which no prediction can be made.

    The message says what was passed, what is allowed and what to do.
    """
