# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A graph and machines in round numbers."""

from lux_cases.profiles import cpu, gpu, summary

__all__ = ["cpu", "gpu", "summary"]
