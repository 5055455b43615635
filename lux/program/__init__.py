# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Vertex programs as users write them: programs, fields, and the parser of their functions."""
