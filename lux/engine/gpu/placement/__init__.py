# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Which device and which memory a run uses: rates, room, and the choice."""
