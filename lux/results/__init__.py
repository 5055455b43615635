# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Results of a run: values by vertex, tables, files, explanations."""
