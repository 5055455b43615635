# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Calibration: measuring a machine, and fitting the profile that the performance model reads."""
