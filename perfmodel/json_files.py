# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""JSON files with a kind and a version, and their checks."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from perfmodel.check import check
from perfmodel.errors import ModelError

T = TypeVar("T")


def write(path: str | PathLike[str], kind: str, version: int, content: dict[str, Any]) -> None:
    """Write a file, which appears whole or not at all; raises `ModelError` on failure."""
    text = json.dumps({"kind": kind, "version": version} | content, indent=1) + "\n"
    target = Path(os.path.realpath(path))
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        if target.exists() and not target.is_file():
            raise ModelError(f"cannot write {path}: it is a folder, a device or a pipe; pass the name of a file")
        if not target.parent.is_dir():
            raise ModelError(f"cannot write {path}: there is no folder {target.parent}; create it first")
        with part.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise ModelError(f"cannot write {path}: {error.strerror or error}") from None


def read(path: str | PathLike[str], kind: str, version: int, remedy: str, *before: int) -> dict[str, Any]:
    """Read a file of the given kind, in this version or an older one.

    Parameters
    ----------
    remedy : str
        Command that makes a valid file, for messages.

    Raises
    ------
    ModelError
        There is no such file, or it holds something else.
    """
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}): {remedy}") from None
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{path} is no JSON file ({error}): {remedy}") from None
    if not isinstance(found, dict) or found.pop("kind", None) != kind:
        raise ModelError(f"{path} is no {kind}: {remedy}")
    passed = found.pop("version", None)
    if isinstance(passed, bool) or passed not in (version, *before):
        raise ModelError(
            f"{path} is a {kind} of version {str(passed)[:60]}, and this Lux reads version {version}: {remedy}"
        )
    return found


def build_dataclass(path: str | PathLike[str], what: str, remedy: str, make: Callable[[], T]) -> T:
    """Build the dataclass of a file's content, and check the type and range of every field.

    Parameters
    ----------
    what : str
        Kind of the file, for messages: "is a profile".

    Raises
    ------
    ModelError
        Something is missing, unknown, of another type, negative or not finite.
    """
    wrong = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError)
    try:
        result = make()
        check(result, type(result), "")
    except wrong as error:
        raise ModelError(f"{path} {what} with something missing or wrong ({str(error)[:200]}): {remedy}") from None
    return result
