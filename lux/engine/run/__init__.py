# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Results, statistics, arguments and checks of runs, on any processors."""
