# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of Lux beside its peers on the same work: a table on the terminal, and JSON."""
