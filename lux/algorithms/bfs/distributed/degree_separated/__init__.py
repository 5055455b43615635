# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The degree-separated search (Pan, Pearce and Owens, IPDPS 2018)."""
