# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Every mistake is one message and exit code 2."""

import pytest

from lux.app import main
from lux.app.console import interrupt


@pytest.fixture
def refused(monkeypatch, capsys):
    """Run an application in this process; the message it ends with."""
    monkeypatch.setattr(interrupt, "watch", lambda: None)

    def message(app, *arguments):
        try:
            code = main.run(app, list(map(str, arguments)))
        except SystemExit as end:
            code = end.code
        out, err = capsys.readouterr()
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert err.startswith(f"lux {app}: error: ")
        return err

    return message


@pytest.mark.check
@pytest.mark.parametrize(
    "app, arguments, message",
    [
        ("pagerank", [], "there is no graph"),
        ("pagerank", ["g.el", "--generate", "kronecker:4"], "two graphs"),
        ("pagerank", ["g.el", "--seed", "2"], "--seed is for --generate"),
        ("pagerank", ["--generate", "kronecker:4", "--format", "el"], "--format says how to read a file"),
        ("pagerank", ["--generate", "kronecker:99"], "scale 99 is out of range"),
        ("pagerank", ["--generate", "cube:3"], "is no synthetic graph"),
        ("pagerank", ["kronecker:4"], "pass --generate kronecker:4"),
        ("pagerank", ["nowhere.el"], "there is no file nowhere.el"),
        ("pagerank", ["g.el", "--source", "1"], "--source has no meaning here"),
        ("pagerank", ["g.el", "--alpha", "1.5"], "1.5 is out of range: pass a number from 0 to 1"),
        ("pagerank", ["g.el", "--tol", "nan"], "nan is out of range"),
        ("pagerank", ["g.el", "--max-iter", "-1"], "-1 is out of range"),
        ("pagerank", ["g.el", "--parts", "two"], "'two' is no whole number"),
        ("pagerank", ["g.el", "--model", "sideways"], "invalid choice: 'sideways'"),
        ("pagerank", ["g.el", "--partitioner", "metis"], "without a number of partitions: pass --parts too"),
        ("pagerank", ["g.el", "--parts", "2", "--partitioner", "random", "--order", "auto"], "leave one out"),
        ("pagerank", ["g.el", "--cpu-share", "0.5"], "--cpu-share is for --device gpu+cpu, and --device auto runs"),
        ("pagerank", ["g.el", "--output", "ranks.doc"], "end it in .npy, .tsv, .csv, .parquet"),
        ("components", ["g.el", "--tol", "1"], "--tol has no meaning here"),
        ("components", ["g.el", "--verify", "--max-iter", "1"], "leave one out"),
        ("components", ["g.el", "--deterministic"], "unrecognized arguments: --deterministic"),
        ("bfs", ["g.el"], "a search needs --source"),
        ("bfs", ["g.el", "--source", "1", "--strategy", "fast"], "invalid choice: 'fast'"),
        (
            "components",
            ["g.el", "--strategy", "link"],
            "choose from 'auto', 'gpus', 'gpu', 'threads', 'partitions', 'prog",
        ),
        ("betweenness", ["g.el", "--strategy", "link"], "invalid choice: 'link'"),
        ("factorize", ["g.el", "--device", "gpu+cpu"], "pass gpu or cpu, or --method gd"),
        ("bfs", ["g.el", "--source", "1", "--strategy", "hybrid", "--model", "pull"], "hybrid has no --model pull"),
        ("bfs", ["g.el", "--source", "1", "--strategy", "hybrid", "--deterministic"], "hybrid has no --deterministic"),
        ("bfs", ["g.el", "--source", "1", "--direction", "up"], "invalid choice: 'up'"),
        ("bfs", ["g.el", "--source", "1", "--do-a", "1"], "--do-a is a factor of --direction estimates"),
        ("bfs", ["g.el", "--source", "1", "--direction", "estimates", "--do-b", "-1"], "--do-b -1.0 was passed"),
        ("bfs", ["g.el", "--source", "1", "--direction", "edges", "--model", "pull"], "edges has no --model pull"),
        ("bfs", ["g.el", "--source", "1", "--direction", "edges", "--strategy", "hybrid"], "has no --strategy hybrid"),
        ("bfs", ["g.el", "--source", "1", "--direction", "estimates", "--device", "gpu"], "has no --device gpu"),
        ("sssp", ["g.wel"], "a search needs --source"),
        ("sssp", ["g.wel", "--source", "1", "--delta", "0"], "pass a number above 0"),
        ("sssp", ["g.wel", "--source", "1", "--delta", "2", "--model", "pull"], "--delta is not for Bellman-Ford"),
        ("sssp", ["g.wel", "--source", "1", "--weights", "1,9"], "--weights is for --generate"),
        ("sssp", ["g.wel", "--source", "1", "--cutoff", "-1"], "-1 is out of range"),
        ("sssp", ["g.wel", "--source", "1", "--tol", "1"], "--tol has no meaning here"),
        (
            "factorize",
            ["g.csv", "--model", "pull"],
            "--model has no meaning here: --method says what is done",
        ),
        ("betweenness", ["g.csv", "--config", "auto"], "--config has no meaning here: there is no model of its time"),
        ("pagerank", ["g.csv", "--weights", "1,9"], "--weights is for --generate"),
        ("factorize", ["g.csv", "--source", "1"], "--source has no meaning here"),
        ("factorize", ["g.csv", "--test", "2"], "2 is out of range: pass a number from 0 to 1"),
    ],
)
def test_before_legate_starts(refused, app, arguments, message):
    assert message in refused(app, *arguments)


def test_a_graph_is_not_overwritten_by_its_values(refused, tmp_path):
    table = tmp_path / "edges.csv"
    table.write_text("1,2\n2,3\n")
    for graph in (table, tmp_path, tmp_path / "edges*.csv"):
        assert "is a file of the graph, which would be lost" in refused("components", graph, "--output", table)
    assert table.read_text() == "1,2\n2,3\n"


def test_graph_and_options_that_do_not_fit(refused, tmp_path):
    small = tmp_path / "small.wel"
    small.write_text("1 2 5\n2 3 6\n")
    assert "vertex '9' is not in the graph" in refused("bfs", small, "--source", "9")
    assert "none 'cost'" in refused("sssp", small, "--source", "1", "--weight", "cost")
    assert "--device cpu was passed with --loading cores" in refused(
        "bfs", small, "--source", "1", "--device", "cpu", "--loading", "cores"
    )
    assert "--weight cost" in refused("pagerank", small, "--weight", "cost")
    assert "allowed are 1 to 3" in refused("components", small, "--parts", "9")
    assert "there is no folder" in refused("components", small, "--output", tmp_path / "no" / "x.npy")
    assert "it is a folder" in refused("components", small, "--output", _folder(tmp_path / "x.npy"))
    assert "PageRank did not reach" in refused("pagerank", small, "--max-iter", "1", "--tol", "1e-9")
    assert "not bipartite: vertex 2 (1 in all)" in refused("factorize", small)
    assert "'right:2' is a right vertex" in refused("factorize", small, "--bipartite", "--recommend", "right:2")
    assert "has no edge property 'stars'" in refused("factorize", small, "--bipartite", "--weight", "stars")
    small.write_text("1 2 5\n2 x 6\n")
    assert "line 2" in refused("components", small)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["small.wel", "x.npy"]


def _folder(path):
    path.mkdir()
    return path
