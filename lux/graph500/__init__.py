# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The Graph500 benchmark (graph500.org, specification of version 3): its graph, its kernels, its validation.

``apps/graph500.py`` runs it, and docs/how-to/graph500.md says what is measured.
"""
