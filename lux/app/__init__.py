# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The program ``lux``: a command for each algorithm, which ``apps/`` also starts one by one, and for graph files."""
