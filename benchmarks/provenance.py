# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Which code and machine a benchmark's JSON is of."""

from __future__ import annotations

import re
from typing import Any


def fault(found: dict[str, Any]) -> str:
    """Say what is unknown of the code and the machine that a document is of; empty where all is known.

    >>> fault({"commit": "1b5303562ba8", "machine": {"cpu": "A"}, "versions": {"lux": "0.1.0", "legate": "26.1.0"}})
    ''
    >>> fault({"commit": "1b5303562ba8-dirty"}), fault({})
    ('uncommitted changes', 'commit not recorded')
    """
    commit = found.get("commit") or ""
    if commit.endswith("-dirty"):
        return "uncommitted changes"
    if not re.fullmatch(r"[0-9a-f]{7,40}", commit):
        return "commit not recorded"
    if not found.get("machine", {}).get("cpu"):
        return "machine not recorded"
    return "" if {"lux", "legate"} <= {*found.get("versions", {})} else "versions not recorded"


def code(found: dict[str, Any]) -> str:
    """Name the commit that a document is of, or say what is unknown of it.

    >>> code({"commit": "1b5303562ba8-dirty"}), code({})
    ('commit 1b53035, uncommitted changes', 'commit not recorded')
    """
    commit = str(found.get("commit") or "").removesuffix("-dirty")
    return ", ".join(part for part in (commit and f"commit {commit[:7]}", fault(found)) if part)
