# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Figures of the committed results, and of made-up ones of several GPUs."""

import doctest
import importlib.util
import json
import re
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from benchmarks import plots
from benchmarks.figures import balance, cpu, model, scaling, style
from benchmarks.model_tables import rules
from lux_cases.examples import some

DRAWS = pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="Matplotlib is not installed")
DOCS = Path(__file__).parents[2] / "docs"
EDGES = {24: 520_000_000, 25: 1_040_000_000, 26: 2_080_000_000}


def several_gpus(scale, runs, gpus=4, ranks=1):
    """What `benchmarks/gpus.py` writes."""
    return {
        "machine": {"cpu": "Abacus", "cores": 8},
        "gpus": [{"name": "NVIDIA H200", "memory_bytes": 1 << 37}] * gpus,
        "ranks": ranks,
        "versions": {"lux": "0.1.0", "legate": "26.1.0"},
        "graph": {"file": f"k{scale}.sg", "vertices": 1 << scale, "edges": EDGES[scale]},
        "iterations": 20,
        "results": [{"run": run, "pagerank_ms": ms, "kernel_ms": ms / 2} | more for run, ms, more in runs],
    }


@pytest.fixture
def documents():
    return [
        several_gpus(24, [("1/device", 4.0, {"bfs_gteps": 100.0}), ("2/zero-copy", 7.0, {}), ("8/peer", 9.0, {})]),
        several_gpus(
            25,
            [
                ("1/device", 8.0, {"bfs_gteps": 120.0}),
                ("2/peer", 4.5, {"bfs_gteps": 200.0}),
                ("4/peer", 2.5, {"bfs_gteps": 330.0}),
                ("4/device", 3.0, {}),
                ("1/device/launches", 8.5, {}),
            ],
        ),
        several_gpus(26, [("4/peer", 5.0, {})]),
    ]


def test_strong_and_weak_scaling_take_runs_with_a_gpu_for_each_partition(documents):
    found = scaling.points(documents)
    assert len(found) == 8  # not the one of 8 partitions on 4 GPUs
    assert scaling.strong(found, "pagerank_ms") == {
        "2^25 vertices, peer": {1: 8.0, 2: 4.5, 4: 2.5},
        "2^25 vertices, device": {1: 8.0, 4: 3.0},
    }
    assert scaling.strong(found, "bfs_gteps") == {"2^25 vertices, peer": {1: 120.0, 2: 200.0, 4: 330.0}}
    assert scaling.weak(found, "pagerank_ms") == {"2^29 edges a GPU, device or peer": {1: 4.0, 2: 4.5, 4: 5.0}}
    with pytest.raises(ValueError, match="of one kind, and these are Abacus GPU, NVIDIA H200"):
        scaling.points([*documents, several_gpus(24, []) | {"gpus": [{"name": "Abacus GPU"}]}])


def test_ranks_of_choices():
    def row(program, model, predicted, measured):
        return {"graph": "g", "program": program, "model": model} | {
            "predicted": {"all": predicted},
            "measured": {"all": measured},
        }

    rows = [row("pagerank", "pull", 1, 2), row("pagerank", "push", 2, 1), row("sssp", "pull", 3, 3)]
    assert model.ranks(rows) == [("g", "pagerank", 2, [2.0, 1.0], 0), ("g", "sssp", 1, [1.0], 0)]


def test_the_model_beside_a_rule_that_always_takes_the_same():
    def case(graph, times):
        return [
            {"graph": graph, "program": "pagerank", "model": model, "parts": parts}
            | {"predicted": {"all": predicted}, "measured": {"all": measured}}
            for (model, parts), (predicted, measured) in times.items()
        ]

    rows = case("a", {("pull", 1): (1, 10), ("push", 1): (2, 20), ("pull", 2): (3, 30)})
    rows += case("b", {("pull", 1): (9, 20), ("push", 1): (1, 10.4), ("pull", 2): (2, 10)})
    rows += case("c", {("pull", 1): (9, 10), ("push", 1): (1, 12)})  # not on two partitions
    model_, always = rules(rows)
    assert (model_.within, model_.of, model_.worst) == (2, 3, pytest.approx(0.2))
    assert (always.within, always.of, always.worst) == (2, 3, pytest.approx(1.0))
    assert str(always) == "always pull, 1: within 5% of the best in 2 of 3, at worst +100%"
    assert rules([row | {"model": "als"} for row in rows]) is None


def test_examples():
    for module in (balance, cpu, model, scaling, style):
        assert doctest.testmod(module).failed == 0


@DRAWS
def test_committed_results_are_drawn_and_drawn_alike(tmp_path, capsys, chance):
    names = [name for name, (pattern, _) in plots.FIGURES.items() if list(plots.RESULTS.glob(pattern))]
    assert {"gpu", "cpu", "balance", "model-steps", "model-choices", "model-pull-push"} <= {*names}
    names = [name for name in names if name in {"cpu", "balance", *some(names, chance)}]
    plots.main(["--output", str(tmp_path / "one"), "--only", *names])
    written = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert [path.stem for path in written] == names
    for again in plots.draw(plots.RESULTS, tmp_path / "two", ["cpu", "balance"]):
        assert again.read_bytes() == (tmp_path / "one" / again.name).read_bytes()
    for one in written:
        text = "".join(ET.parse(one).getroot().itertext())
        assert "Lux 0.1.0, Legate" in text
        assert "2026-" not in text


def test_committed_figures_are_of_the_committed_results():
    """Neither the results nor the code that draws them has changed since."""
    for name, (pattern, _) in plots.FIGURES.items():
        if list(plots.RESULTS.glob(pattern)):
            drawn = (plots.IMAGES / f"{name}.svg").read_text(encoding="utf-8")
            assert plots.digest(name) in drawn, f"python benchmarks/plots.py --only {name}"


def test_other_results_have_another_digest(tmp_path):
    for name in ("cpu", "gpus"):
        for file in plots.RESULTS.glob(plots.FIGURES[name][0]):
            (tmp_path / file.name).write_bytes(file.read_bytes())
        assert plots.digest(name, tmp_path) == plots.digest(name)
        (tmp_path / file.name).write_bytes(file.read_bytes() + b" ")
        assert plots.digest(name, tmp_path) != plots.digest(name)


@DRAWS
def test_the_model_on_gpus(tmp_path):
    """Drawn from the file with the most GPUs."""

    def row(model, parts, placement, milliseconds):
        steps = {"load": 0.1e-3 * (placement == "peer"), "kernel": 1e-3 * milliseconds, "launch": 1e-4}
        steps |= {"all": sum(steps.values())}
        each = {"seconds": [1e-3, 5e-4], "vertices": [1.0, 0.5], "models": [model] * 2}
        where = {"model": model, "parts": parts, "workers": parts, "placement": placement}
        return {"graph": "g", "program": "components", "predicted": steps, "measured": steps, "each": each} | where

    rows = [row(m, *where) for where in ((1, "device", 2), (2, "peer", 1)) for m in ("pull", "push")]
    results = tmp_path / "results"
    results.mkdir()
    for gpus in (1, 2):
        facts = {k: v for k, v in several_gpus(24, [], gpus).items() if k not in ("graph", "results")}
        (results / f"model-gpu{gpus}.json").write_text(json.dumps(facts | {"rows": rows}))
    names = [name for name in plots.FIGURES if name.startswith("gpu-model")]
    for path in plots.draw(results, tmp_path / "images", names):
        text = "".join(ET.parse(path).getroot().itertext())
        assert "2 x NVIDIA H200" in text
    assert len(list((tmp_path / "images").iterdir())) == 3


@DRAWS
def test_several_gpus(tmp_path, capsys, documents):
    results, output = tmp_path / "results", tmp_path / "images"
    results.mkdir()
    assert plots.draw(results, output) == []
    said = capsys.readouterr().err
    assert f"gpus: left out, as {results / 'gpus*.json'} has nothing for it" in said
    assert not output.exists()
    for number, document in enumerate(documents):
        (results / f"gpus-{number}.json").write_text(json.dumps(document))
    (path,) = plots.draw(results, output)
    text = "".join(ET.parse(path).getroot().itertext())
    for words in ("strong scaling: PageRank", "weak scaling: PageRank", "GTEPS", "2^25 vertices, peer"):
        assert words in text
    assert scaling.draw(documents[2:]) is None  # one number of GPUs


@DRAWS
def test_results_of_another_form(tmp_path):
    (tmp_path / "balance.json").write_text('{"cases": {}}')
    with pytest.raises(SystemExit, match=r"balance.json is not as its benchmark writes it \(KeyError\('machine'\)\)"):
        plots.draw(tmp_path, tmp_path, ["balance"])
    (tmp_path / "gpu.json").write_text("[")
    with pytest.raises(SystemExit, match="run the benchmark again"):
        plots.draw(tmp_path, tmp_path, ["gpu"])


def test_without_matplotlib(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        SystemExit, match=r"figures need Matplotlib, and it is not installed: pip install -e '.\[plots\]'"
    ):
        plots.main(["--output", str(tmp_path)])
    assert not list(tmp_path.iterdir())


def test_pages_show_figures_that_are_there():
    shown = set()
    for page in [*DOCS.rglob("*.md"), DOCS.parent / "README.md"]:
        for image in re.findall(r"!\[[^\]]*\]\(([^)]+\.svg)\)", page.read_text()):
            assert (page.parent / image).exists(), f"{page.name} shows {image}"
            shown.add(Path(image).stem)
    assert shown == {path.stem for path in (DOCS / "images").glob("*.svg")}
    assert shown <= {*plots.FIGURES}
