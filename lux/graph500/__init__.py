# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graph500 benchmark (graph500.org, specification of version 3): graph, kernels and validation.

``apps/graph500.py`` runs the benchmark; docs/how-to/graph500.md defines the measurements.
"""
