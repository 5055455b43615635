# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What a user writes: programs, fields, and the parser of their functions."""
