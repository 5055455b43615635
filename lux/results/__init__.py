# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What a run gives back: values by vertex, tables, files, explanations."""
