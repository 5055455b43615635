# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Provenance of a benchmark's JSON: its code and machine."""

from __future__ import annotations

import re
from typing import Any


def fault(found: dict[str, Any]) -> str:
    """Describe the unknown parts of a document's code and machine; empty if all are known.

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
    """Name the commit of a document, or describe its unknown parts.

    >>> code({"commit": "1b5303562ba8-dirty"}), code({})
    ('commit 1b53035, uncommitted changes', 'commit not recorded')
    """
    commit = str(found.get("commit") or "").removesuffix("-dirty")
    return ", ".join(part for part in (commit and f"commit {commit[:7]}", fault(found)) if part)
