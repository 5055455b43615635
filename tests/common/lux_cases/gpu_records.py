# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""When tests that need a GPU last ran on so many: a record of each file of tests/gpu, in tests/gpu/records/1, 2, ...

``pytest tests/gpu --record tests/gpu/records`` writes them on a machine with GPUs. A record has the commit, the GPUs,
what passed, and a hash of the code in `COVERED`, so that it can be seen without a repository what has changed since.
"""

import hashlib
import json
import re
from collections import Counter
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
TESTS = REPOSITORY / "tests" / "gpu"
RECORDS = TESTS / "records"
COVERED = (
    "lux/**/*.cu",
    "lux/**/*.cuh",
    "lux/**/gpu*.py",
    "lux/**/multi_gpu*.py",
    "lux/codegen/cuda_*.py",
    "lux/engine/gpu/**/*.py",
    "lux/engine/mixed.py",
    "lux/engine/repartition/*.py",
    "lux/runtime/mapper/*",
    "lux/runtime/mapper_library.py",
    "lux/runtime/cuda_driver.py",
    "lux/graph500/on_gpu.py",
    "lux/algorithms/multi_gpu/*.py",
)
"""Code that only runs with GPUs, as patterns of files."""
FEW = 4
"""Files that are named; of more the number is."""
OUTCOMES = ("passed", "skipped", "failed")


def hashes(test_file, root=REPOSITORY):
    """By pattern a hash of the names and contents of its files; of the test file, too."""
    found = {}
    for pattern in (*COVERED, f"tests/gpu/{test_file}"):
        hashed = hashlib.sha256()
        for path in sorted(p for p in root.glob(pattern) if p.is_file() and p.suffix != ".pyc"):
            hashed.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
        found[pattern] = hashed.hexdigest()[:16]
    return found


def fault(record):
    """Say what is wrong with a record; empty if it is one of tests that all passed or were skipped."""
    wanted = {"commit", "started", "seconds", "gpus", "driver", "versions", "collected", *OUTCOMES, "code"}
    if missing := wanted - {*record}:
        return f"it has no {', '.join(sorted(missing))}"
    if not re.fullmatch(r"[0-9a-f]{7,40}", str(record["commit"])):
        return f"its commit is {record['commit']!r}"
    if not record["gpus"] or not all(gpu.get("name") for gpu in record["gpus"]):
        return "it names no GPU"
    if record["failed"]:
        return f"{record['failed']} tests failed"
    if sum(record[outcome] for outcome in OUTCOMES) != record["collected"] or not record["passed"]:
        return f"of {record['collected']} tests {record['passed']} passed and {record['skipped']} were skipped"
    return ""


def read(folder=RECORDS):
    """All records, each with the name of its test file, by the number of GPUs."""
    paths = sorted(folder.glob("*/*.json"))
    return [(path.stem + ".py", json.loads(path.read_text(encoding="utf-8"))) for path in paths]


def report(records, test_files, root=REPOSITORY):
    """Lines that say on which GPUs and at which commits tests ran, and what has changed since."""
    groups = {}
    for name, record in records:
        now = hashes(name, root)
        changed = [pattern for pattern, was in record["code"].items() if now.get(pattern) != was]
        gpus = f"{len(record['gpus'])} x {record['gpus'][0]['name']}"
        groups.setdefault((record["commit"][:7], record["started"][:10], gpus, *changed), []).append(record)
    lines = []
    for (commit, day, gpus, *changed), of in groups.items():
        passed, skipped = (sum(record[outcome] for record in of) for outcome in ("passed", "skipped"))
        ran = f"tests/gpu: {passed} passed and {skipped} skipped in {len(of)} files on {gpus}, {day}, commit {commit}"
        lines.append(f"{ran}; changed since: {', '.join(changed) or 'nothing'}")
    if never := sorted({*test_files} - {name for name, _ in records}):
        names = ", ".join(never) if len(never) <= FEW else f"{len(never)} of {len(test_files)} files"
        lines.append(f"tests/gpu: no record of {names}")
    return lines


class Recorder:
    """A plugin that writes a record of each test file of tests/gpu, as far as it has got."""

    def __init__(self, folder, facts):
        self.folder, self.facts, self.records, self.seconds = folder / str(len(facts["gpus"])), facts, {}, Counter()

    def pytest_collection_finish(self, session):
        self._begin(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids):
        if not self.records:  # every worker collects the same
            self._begin(ids)

    def _begin(self, ids):
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, collected in Counter(filter(None, map(_file, ids))).items():
            none = dict.fromkeys(OUTCOMES, 0)
            self.records[name] = self.facts | {"collected": collected, **none, "code": hashes(name)}
            self._write(name)

    def pytest_runtest_logreport(self, report):
        name = _file(report.nodeid)
        if name not in self.records:
            return
        self.seconds[name] += report.duration
        if report.when == "call" or report.outcome != "passed":
            self.records[name][report.outcome] += 1
        if report.when == "teardown":
            self._write(name)

    def _write(self, name):
        record = self.records[name] | {"seconds": round(self.seconds[name], 1)}
        path = self.folder / Path(name).with_suffix(".json").name
        path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _file(nodeid):
    """The name of a file of tests/gpu; empty for other tests."""
    folder, _, name = nodeid.partition("::")[0].rpartition("/")
    return name if folder.endswith("tests/gpu") and name.startswith("test_") and name != "test_records.py" else ""


def pytest_terminal_summary(terminalreporter):
    """Of runs in which tests of tests/gpu are, or are skipped, say when these last ran on GPUs."""
    reports = (report for reports in terminalreporter.stats.values() for report in reports)
    if any("tests/gpu/" in getattr(report, "nodeid", "") for report in reports):
        for line in report(read(), recorded_files()):
            terminalreporter.write_line(line)


def recorded_files():
    """Names of the files that have records."""
    return [path.name for path in sorted(TESTS.glob("test_*.py")) if path.name != "test_records.py"]
