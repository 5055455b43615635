# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Records of tests on GPUs are whole and without failures; the end of a run says what changed since (no GPU needed)."""

import pytest

from lux_cases import gpu_records

RECORD = {
    "commit": "1b5303562ba8",
    "started": "2026-11-22T01:11:01Z",
    "seconds": 12.3,
    "gpus": [{"name": "NVIDIA H200", "memory_bytes": 1 << 37}] * 2,
    "driver": "580.159.04",
    "versions": {"lux": "0.1.0"},
    "collected": 9,
    "passed": 8,
    "skipped": 1,
    "failed": 0,
    "code": {},
}


def test_committed_records_are_whole_and_without_failures():
    records = gpu_records.read()
    assert [(name, wrong) for name, record in records if (wrong := gpu_records.fault(record))] == []
    assert {name for name, _ in records} <= {*gpu_records.recorded_files()}, "a record of tests that are gone"


@pytest.mark.parametrize(
    "changes, said",
    [
        ({}, ""),
        ({"commit": "1b5303562ba8-dirty"}, "its commit is '1b5303562ba8-dirty'"),
        ({"commit": None}, "its commit is None"),
        ({"gpus": []}, "it names no GPU"),
        ({"passed": 7, "failed": 1}, "1 tests failed"),
        ({"passed": 5}, "of 9 tests 5 passed and 1 were skipped"),
        ({"passed": 0, "skipped": 9}, "of 9 tests 0 passed and 9 were skipped"),
    ],
)
def test_faults_of_records(changes, said):
    assert gpu_records.fault(RECORD | changes) == said
    without = {key: value for key, value in RECORD.items() if key != "versions"}
    assert gpu_records.fault(without) == "it has no versions"


def test_what_has_changed_since(tmp_path):
    kernel, test = tmp_path / "lux/algorithms/bfs/bfs.cu", tmp_path / "tests/gpu/test_a.py"
    for path in (kernel, test):
        path.parent.mkdir(parents=True)
        path.write_text("1")
    records = [("test_a.py", RECORD | {"code": gpu_records.hashes("test_a.py", tmp_path)})]
    ran = "tests/gpu: 8 passed and 1 skipped in 1 files on 2 x NVIDIA H200, 2026-11-22, commit 1b53035; changed since: "
    assert gpu_records.report(records, ["test_a.py"], tmp_path) == [f"{ran}nothing"]
    kernel.write_text("2")
    test.write_text("2")
    assert gpu_records.report(records, ["test_a.py", "test_b.py"], tmp_path) == [
        f"{ran}lux/**/*.cu, tests/gpu/test_a.py",
        "tests/gpu: no record of test_b.py",
    ]


def test_a_run_is_recorded(tmp_path):
    """As pytest calls the plugin: a test that passes, one that is skipped, one whose teardown fails, one never run."""

    class Item:
        def __init__(self, nodeid, when="call", outcome="passed"):
            self.nodeid, self.when, self.outcome, self.duration = nodeid, when, outcome, 0.5
            self.items = [self]

    recorder = gpu_records.Recorder(tmp_path, {key: RECORD[key] for key in ("commit", "started", "gpus", "driver")})
    nodes = [f"tests/gpu/test_a.py::test_{k}" for k in range(4)]
    session = Item("")
    session.items = [Item(node) for node in [*nodes, "tests/test_b.py::test_c"]]
    recorder.pytest_collection_finish(session)
    seen = [(0, "setup", "passed"), (0, "call", "passed"), (0, "teardown", "passed"), (1, "setup", "skipped")]
    seen += [(1, "teardown", "passed"), (2, "call", "passed"), (2, "teardown", "failed")]
    for k, when, outcome in seen:
        recorder.pytest_runtest_logreport(Item(nodes[k], when, outcome))
    ((name, record),) = gpu_records.read(tmp_path)
    assert (name, len(record["gpus"])) == ("test_a.py", 2)
    assert (record["collected"], record["passed"], record["skipped"], record["failed"]) == (4, 2, 1, 1)
    assert record["seconds"] == 3.5
    assert gpu_records.fault(record | {"versions": {}}) == "1 tests failed"
