# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What the applications print and write."""

import json

import networkx as nx
import numpy as np
import pytest


def table(path):
    head, *lines = path.read_text().splitlines()
    return head.split("\t"), {line.split("\t")[0]: line.split("\t")[1:] for line in lines}


def test_ranks_are_those_of_networkx(run, edges, tmp_path):
    out = tmp_path / "ranks.tsv"
    exact = ["--tol", "1e-12", "--max-iter", "300"]
    code, text, err = run("pagerank", edges, *exact, "--output", out, "--json", "--verify", "--top", "2")
    assert (code, err) == (0, "")
    found = json.loads(text)
    assert text.count("\n") == 1
    assert (found["graph"]["vertices"], found["graph"]["edges"], found["verified"]) == (6, 6, True)
    assert set(found["seconds"]) >= {"load", "partition", "compile", "run", "verify", "write"}
    expected = nx.pagerank(nx.read_edgelist(edges, create_using=nx.DiGraph), tol=1e-12, max_iter=300)
    head, rows = table(out)
    assert head == ["vertex", "rank"]
    assert list(rows) == ["10", "20", "30", "40", "50", "60"]
    assert {vertex: float(row[0]) for vertex, row in rows.items()} == pytest.approx(expected, rel=1e-9)
    best = sorted(expected, key=lambda vertex: -expected[vertex])[:2]
    assert [str(row["vertex"]) for row in found["top"]] == best


def test_components_under_the_launcher(run, edges, tmp_path):
    out = tmp_path / "labels.npy"
    code, text, err = run("components", edges, "--json", "--output", out, "--verify", starter="legate")
    assert (code, err) == (0, "")
    found = json.loads(text)
    assert found["components"] == nx.number_weakly_connected_components(
        nx.read_edgelist(edges, create_using=nx.DiGraph)
    )
    assert found["top"] == [{"label": 10, "vertices": 4}, {"label": 50, "vertices": 2}]
    assert np.load(out).tolist() == [10, 10, 10, 10, 50, 50]


def test_distances(run, edges, tmp_path):
    out = tmp_path / "distances.npy"
    code, text, err = run("bfs", edges, "--source", "20", "--json", "--output", out, "--verify", "--verbose")
    assert (code, err) == (0, "")
    found = json.loads(text)
    assert (found["source"], found["reached"], found["depth"]) == (20, 4, 2)
    assert [row["vertices"] for row in found["top"]] == [1, 1, 2]
    assert len(found["statistics"]) == found["iterations"]
    values = np.load(out)
    assert values["distance"].tolist() == [2, 0, 1, 2, -1, -1]
    assert values["parent"].tolist() == [30, 20, 20, 30, -1, -1]


def test_a_strategy(run, edges):
    code, text, err = run(
        "bfs", edges, "--source", "20", "--strategy", "hybrid", "--parts", "3", "--json", "--verify", "--verbose"
    )
    assert (code, err) == (0, "")
    found = json.loads(text)
    assert (found["reached"], found["depth"], found["parts"]) == (4, 2, 3)
    assert (found["strategy"], found["refusals"]) == ("hybrid", {})
    assert {row["model"] for row in found["statistics"]} == {"push"}
    assert found["statistics"][0]["exchanged"] > 0


def test_directions(run, edges):
    options = ["--source", "20", "--direction", "estimates", "--do-a", "0.5", "--json", "--verify", "--verbose"]
    code, text, err = run("bfs", edges, *options)
    assert (code, err) == (0, "")
    found = json.loads(text)
    assert (found["reached"], found["depth"]) == (4, 2)
    assert [row["why"].partition(" x ")[0] for row in found["statistics"]] == [
        "the first level goes forward",
        "estimates: 1.0 edges forward < do_a",
        "estimates: 2.0 edges forward > do_a",
    ]


def test_shortest_paths(run, tmp_path):
    path, out = tmp_path / "roads.csv", tmp_path / "paths.npy"
    path.write_text("from,to,miles,toll\n1,2,7.5,0\n1,3,2.0,1\n3,2,1.5,1\n2,4,3.0,0\n5,1,1.0,0\n")
    options = [path, "--source", "1", "--json", "--output", out, "--verify"]
    code, text, err = run("sssp", *options, "--weight", "miles", starter="legate")
    assert (code, err) == (0, "")
    found = json.loads(text)
    assert (found["reached"], found["weight"], found["verified"]) == (4, "miles", True)
    assert found["top"][0] == {"vertex": 4, "distance": 6.5}
    values = np.load(out)
    assert values["distance"].tolist() == [0, 3.5, 2, 6.5, np.inf]
    assert values["parent"].tolist() == [1, 3, 1, 2, -1]
    code, text, err = run("sssp", *options, "--weight", "toll", "--model", "pull", "--parts", "2", "--cutoff", "0")
    assert (code, err) == (0, "")
    assert np.load(out)["distance"].tolist() == [0, 0, -1, 0, -1]
    assert json.loads(text)["models"] == {"pull": 3}


@pytest.mark.parametrize(
    "arguments",
    [
        ["components", "--generate", "uniform:6"],
        ["betweenness", "--generate", "uniform:6", "--k", "3"],
        ["pagerank", "--generate", "uniform:6"],
        pytest.param(
            ["factorize", "ratings.csv", "--bipartite", "--method", "gd", "--max-iter", "3"], marks=pytest.mark.slow
        ),
    ],
    ids=lambda arguments: arguments[0],
)
def test_the_program_runs_when_it_is_asked_for(run, tmp_path, arguments):
    path = tmp_path / "ratings.csv"
    path.write_text("user,item,weight\n7,1,2.0\n7,2,4.0\n8,1,3.0\n8,2,6.0\n9,1,1.0\n")
    arguments = [path if argument == "ratings.csv" else argument for argument in arguments]
    code, text, err = run(*arguments, "--strategy", "program", "--json", "--verify", "--parts", "2")
    assert (code, err) == (0, "")
    found = json.loads(text)
    assert (found["strategy"], found["refusals"], found["parts"]) == ("program", {}, 2)


@pytest.mark.parametrize("starter", ["python", "legate"])
def test_factors_and_recommendations(run, tmp_path, starter):
    path, out = tmp_path / "ratings.csv", tmp_path / "factors.npy"
    rows = [f"{u},{10 * i},{1 + (u + i) % 5}" for u in range(12) for i in range(9) if (u * i) % 7 != 3]
    path.write_text("user,item,stars\n" + "\n".join(rows) + "\n")
    options = ["--bipartite", "--k", "3", "--recommend", "4", "--top", "2", "--max-iter", "30", "--output", out]
    code, text, err = run("factorize", path, *options, "--json", "--verify", starter=starter)
    assert (code, err) == (0, "")
    found = json.loads(text)
    assert found["k"] == 3
    assert found["errors"][-1]["iteration"] == found["iterations"] <= 30
    assert found["test_rmse"] == min(row["test_rmse"] for row in found["errors"])
    assert {row["item"] for row in found["top"]} <= {f"right:{10 * i}" for i in range(9) if 4 * i % 7 == 3}
    assert np.load(out).shape == (21, 3)
    code, text, err = run("factorize", path, *options[:-2], "--method", "gd", "--test", "0", starter=starter)
    assert (code, err) == (0, "")
    for shown in ("train rmse", "objective", "recommended to 4", "right:"):
        assert shown in text
    assert "test rmse" not in text


def test_betweenness(run, edges, tmp_path):
    out = tmp_path / "scores.tsv"
    code, text, err = run(
        "betweenness", edges, "--k", "4", "--seed", "3", "--json", "--output", out, "--verify", "--endpoints"
    )
    assert (code, err) == (0, "")
    found = json.loads(text)
    assert (found["sources"], found["iterations"], found["verified"]) == (4, 4, True)
    graph = nx.DiGraph()
    graph.add_nodes_from(str(vertex) for vertex in range(10, 70, 10))
    graph.add_edges_from(nx.read_edgelist(edges, create_using=nx.DiGraph).edges)
    expected = nx.betweenness_centrality(graph, k=4, seed=3, endpoints=True)
    head, rows = table(out)
    assert head == ["vertex", "score"]
    assert {vertex: float(row[0]) for vertex, row in rows.items()} == pytest.approx(expected, rel=1e-12)
    code, text, err = run("betweenness", edges, "--source", "20", "--no-normalized", "--json", "--parts", "2")
    assert (code, err) == (0, "")
    assert json.loads(text)["top"][0] == {"vertex": 30, "score": 2.0}


def test_tables(run):
    code, out, err = run(
        "pagerank", "--generate", "kronecker:8", "--parts", "2", "--verbose", "--top", "3", starter="legate"
    )
    assert (code, err) == (0, "")
    for shown in (
        "kronecker:8 (seed 1): 256 vertices",
        "2 CPU cores, 1 process",
        "compile",
        "ms in 1",
        "highest ranks",
    ):
        assert shown in out
    assert "\x1b" not in out


def test_help_starts_nothing(run):
    code, out, err = run("components", "--help")
    assert (code, err) == (0, "")
    flags = "format parts model max-iter output json verify verbose version"
    for flag in flags.split(" "):
        assert f"--{flag}" in out
    assert not {"--source", "--tol"} & {*out.split()}  # which have no meaning for components


@pytest.mark.slow
@pytest.mark.multirank
def test_two_processes_speak_once_and_write_the_same(run, tmp_path):
    graph = ["--generate", "kronecker:8", "--parts", "2", "--json"]
    one, two = tmp_path / "one.tsv", tmp_path / "two.tsv"
    for app in ("bfs", "sssp"):
        assert run(app, *graph, "--output", one)[0] == 0
        code, text, err = run(app, *graph, "--output", two, starter="two")
        assert (code, err) == (0, "")
        assert json.loads(text)["machine"]["processes"] == 2
        assert one.read_bytes() == two.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.tsv", "two.tsv"]


@pytest.mark.multirank
def test_two_processes_complain_once(run, tmp_path):
    out = tmp_path / "no" / "x.npy"
    code, text, err = run("components", "--generate", "kronecker:6", "--output", out, starter="two")
    assert (code, text) == (2, "")
    assert err.count("lux components: error: cannot write") == 1
    assert "Traceback" not in err
