# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Construction of graphs: generators, edge lists, sorting by destination."""
