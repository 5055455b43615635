# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Figures, one module for each benchmark whose JSON is drawn; a function takes the JSON and returns a figure."""
