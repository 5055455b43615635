# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The backend ``lux`` of NetworkX: functions of NetworkX that Lux answers.

NetworkX finds it by the entry points in ``pyproject.toml``: `lux.networkx_backend.info` when it is imported, which
loads nothing else, and `lux.networkx_backend.interface` with the first call. ``docs/how-to/networkx.md`` is for users.
"""
