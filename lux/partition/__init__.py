# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Numbers only: split points, the sizes of what partitions read, and the repartitioner."""
