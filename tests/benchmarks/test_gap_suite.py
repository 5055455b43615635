# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What the GAP Benchmark Suite's programs print, by a stand-in for them."""

import pytest

from benchmarks import gap_suite
from benchmarks.agreement import DisagreementError

OUTPUT = """\
Read Time:           0.00158
Graph has 4 nodes and 3 undirected edges for degree: 0
Trial Time:          0.25000
Trial Time:          0.12500
Average Time:        0.18750
"""


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """A folder of programs that print their arguments, their threads, and what a test has written to ``said``."""
    for name in gap_suite.PROGRAMS:
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\necho "{name} $*, $OMP_NUM_THREADS threads"\ncat {tmp_path}/said\n')
        program.chmod(0o755)
    (tmp_path / "said").write_text(OUTPUT)
    monkeypatch.setenv(gap_suite.VARIABLE, str(tmp_path))
    return tmp_path


def test_trials_and_arguments(suite):
    output = gap_suite.run("bfs", suite / "graph.sg", 3, "-n", "2", "-r", "7")
    assert output.splitlines()[0] == f"bfs -f {suite}/graph.sg -n 2 -r 7, 3 threads"
    assert gap_suite.trials(output) == [0.25, 0.125]


def test_a_run_without_trials_is_an_error(suite):
    (suite / "said").write_text("Couldn't open file graph.sg\n")
    with pytest.raises(DisagreementError, match=r"pr -f graph.sg ended with 0: Couldn't open file graph.sg"):
        gap_suite.run("pr", "graph.sg", 1)


@pytest.mark.parametrize(
    "output,passed",
    [
        ("Verification:           PASS\nVerification Time:    0.1\n", True),
        ("Verification:           PASS\nVerification:           FAIL\n", False),
        ("** verify unimplemented **\n", False),
    ],
)
def test_verdicts(output, passed):
    assert gap_suite.verified(output) == passed


def test_what_is_missing_is_named(suite, monkeypatch):
    assert gap_suite.missing() == ""
    (suite / "bc").unlink()
    assert gap_suite.missing() == f"GAPBS_DIR={suite} has no program bc: run make there"
    monkeypatch.delenv(gap_suite.VARIABLE)
    assert gap_suite.missing() == "GAPBS_DIR does not name the folder of a built copy"
