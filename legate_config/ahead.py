# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Compilation of C++ before Legate is installed: ``python -m legate_config.ahead FOLDER``.

pip unpacks packages on one core, for as long as the other one takes to compile the files of a library that include no
header of Legate. `legate_config.native` finds their objects. Where Legate is installed the command does nothing, as the
library may be there. Where there is no compiler, or it fails, it says nothing: what builds the library says so.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from legate_config import native
from legate_config.errors import ConfigError


def compile_ahead(folder: Path) -> list[Path]:
    """Compile the C++ files of a folder that include no header of Legate; returns their objects.

    Raises
    ------
    ConfigError
        There is no compiler, or it failed.
    """
    compiler, headers, made = native.find_compiler(), sorted(folder.glob("*.h")), []
    for source in sorted(folder.glob("*.cc")):
        if native.needs_legate(source):
            continue
        target = native.object_ahead(source, headers)
        if not target.is_file():
            with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
                out = Path(scratch, target.name)
                native.run_compiler([*compiler, "-c", str(source), "-o", str(out), *native.FLAGS], source.name)
                out.replace(target)
        made.append(target)
    return made


def legate_is_installed() -> bool:
    """Tell whether this Python has Legate, without importing it."""
    return importlib.util.find_spec("legate") is not None


def main(words: list[str]) -> int:
    """Run the command line; returns the exit code, which is 0: the library is built later in any case."""
    if not legate_is_installed():
        with suppress(ConfigError):
            compile_ahead(Path(words[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
