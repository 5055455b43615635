# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""NetworkX's own tests with Lux: ``python tests/networkx_backend/networkx_suite.py [--jobs N] [MODULE...]``.

NetworkX marks hundreds of its tests as expected failures, whatever backend runs: in 3.7 those that ask VF2 for
symmetries. So tests that are expected to fail with Lux run again without a backend. Those that pass then are Lux's own
expected failures, of which at most `ALLOWED` are allowed, and they are printed with their reasons. ``MODULE`` is a
package or module of tests, by default ``networkx``. The exit code is 1 if a test fails or there are more.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import networkx as nx

ALLOWED = 15
"""Most expected failures that Lux adds to NetworkX's."""
FOUND = re.compile(r"^XFAIL (\S+?\.py::.+?)(?: - (.*))?$", re.MULTILINE)
"""A line of pytest's summary: the test, and the reason."""
PACKAGES = Path(nx.__file__).parents[1]
"""Folder of NetworkX, whose tests are all below it."""


def run(folder: Path, words: Sequence[str], jobs: int, backend: dict[str, str]) -> tuple[int, str, dict[str, str]]:
    """Run pytest in a folder; returns its exit code, its last line, and reasons by the tests expected to fail.

    pytest would take Lux's settings where the packages are in a folder of Lux, so it gets a file without any.
    """
    settings = folder / "pytest.ini"
    settings.write_text("[pytest]\n", encoding="ascii")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NETWORKX_")}
    command = [sys.executable, "-m", "pytest", "-q", "-rxfE", "-p", "no:cacheprovider", "-c", str(settings)]
    command += ["--rootdir", str(PACKAGES), *words, *["-n", str(jobs)] * (jobs > 1)]
    done = subprocess.run(command, cwd=folder, env=kept | backend, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.stdout.write(done.stdout + done.stderr)
    lines = done.stdout.strip().splitlines()
    return done.returncode, lines[-1] if lines else "", dict(FOUND.findall(done.stdout))


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; returns an exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("modules", nargs="*", default=["networkx"], metavar="MODULE")
    parser.add_argument("--jobs", type=int, default=1, help="processes that run tests")
    options = parser.parse_args(words)
    backend = {"NETWORKX_TEST_BACKEND": "lux", "NETWORKX_FALLBACK_TO_NX": "True"}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        code, last, expected = run(folder, ["--pyargs", *options.modules], options.jobs, backend)
        sys.stdout.write(f"with Lux: {last}\n")
        if code:
            return 1
        own: dict[str, str] = {}
        if expected:
            # Pytest names tests from the folder that it runs in.
            (folder / "again").write_text("\n".join(expected), encoding="utf-8")
            code, last, own = run(folder, ["@again"], options.jobs, {})
            sys.stdout.write(f"those expected to fail, without a backend: {last}\n")
            if code:
                return 1
    for reason, count in Counter(own.values()).most_common():
        sys.stdout.write(f"{count:5} expected failures of NetworkX: {reason}\n")
    added = {test: reason for test, reason in expected.items() if test not in own}
    sys.stdout.write(f"{len(added):5} expected failures that Lux adds, of at most {ALLOWED}\n")
    for test, reason in added.items():
        sys.stdout.write(f"      {test.rpartition('/')[2]}: {reason or 'without a reason'}\n")
    return 0 if len(added) <= ALLOWED and all(added.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
