# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Arguments, launches, and results in the order of ids: shared by all searches on several GPUs."""
