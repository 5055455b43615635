# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""``pytest tests/gpu --record tests/gpu/records`` keeps what passed on which GPUs at which commit."""

import time
from pathlib import Path

import pytest

from lux_cases.gpu_records import Recorder

PACKAGES = ("legate", "numpy", "numba", "numba-cuda", "cuda-core")


def pytest_addoption(parser):
    parser.addoption("--record", type=Path, metavar="FOLDER", help="write a record of each file of tests/gpu")


def pytest_configure(config):
    folder = config.getoption("--record")
    if folder is None or hasattr(config, "workerinput"):  # of several processes, the one that starts the others writes
        return
    from benchmarks.machine import clean_commit, driver, gpus, versions

    if not gpus():
        raise pytest.UsageError("--record is of tests on GPUs, and there is none")
    facts = {"commit": clean_commit(), "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    facts |= {"gpus": gpus(), "driver": driver(), "versions": versions(PACKAGES)}
    config.pluginmanager.register(Recorder(folder, facts))
