# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Algorithms: one file each, with its program, its public function and its verifier."""
