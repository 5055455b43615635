# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Placement: the device and the memory that a run uses, by rates and room."""
