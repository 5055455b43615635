# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""``config=``: from a graph and a machine's profile to partitions, model and placement."""
