# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Configuration of Legate for this machine; importing this package starts nothing."""

from legate_config.affinity import rank_cores
from legate_config.command import Layout, command
from legate_config.errors import ConfigError
from legate_config.flags import Settings
from legate_config.launch import prepare, settings, shared_machine
from legate_config.launched import leave_launchers_to_others, nearest_launchers
from legate_config.machine import Gpu, Machine
from legate_config.native import legate_library, native_library
from legate_config.preload import preload_legate
from legate_config.ranks import RankInfo, rank_info

__all__ = [
    "ConfigError",
    "Gpu",
    "Layout",
    "Machine",
    "RankInfo",
    "Settings",
    "command",
    "leave_launchers_to_others",
    "legate_library",
    "native_library",
    "nearest_launchers",
    "preload_legate",
    "prepare",
    "rank_cores",
    "rank_info",
    "settings",
    "shared_machine",
]
