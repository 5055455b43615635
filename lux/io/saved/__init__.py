# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Saved graphs: a .lux file of version 2, which has all of a graph and is loaded without parsing or sorting."""
