# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Error that this package raises."""


class ModelError(ValueError):
    """Error in a profile, a summary or limits: no prediction can be made.

    The message says what was passed, what is allowed and what to do.
    """
