# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The engine, which runs one program: executor, launches, layouts and repartitioning."""
