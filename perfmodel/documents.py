# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""JSON files with a kind and a version."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import Any

from perfmodel.errors import ModelError


def write(path: str | PathLike[str], kind: str, version: int, content: dict[str, Any]) -> None:
    """Write a file, which appears whole or not at all; raises `ModelError` where that fails."""
    from lux.errors import FileError
    from lux.io.atomic import write_text

    text = json.dumps({"kind": kind, "version": version} | content, indent=1) + "\n"
    try:
        write_text(path, text)
    except FileError as error:
        raise ModelError(str(error)) from None


def read(path: str | PathLike[str], kind: str, version: int, remedy: str, *before: int) -> dict[str, Any]:
    """Read a file of a kind and version, or of one of those before.

    Parameters
    ----------
    remedy : str
        What makes a right file, for messages.

    Raises
    ------
    ModelError
        There is no such file, or it holds something else.
    """
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}): {remedy}") from None
    except ValueError as error:
        raise ModelError(f"{path} is no JSON file ({error}): {remedy}") from None
    if not isinstance(found, dict) or found.pop("kind", None) != kind:
        raise ModelError(f"{path} is no {kind}: {remedy}")
    passed = found.pop("version", None)
    if passed not in (version, *before):
        raise ModelError(f"{path} is a {kind} of version {passed}, and this Lux reads version {version}: {remedy}")
    return found
