# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The terminal of a command: live progress, interrupts, closed streams."""
