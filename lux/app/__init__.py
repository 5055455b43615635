# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The programs ``lux pagerank``, ``lux components`` and ``lux bfs``, which ``apps/`` also starts one by one."""
