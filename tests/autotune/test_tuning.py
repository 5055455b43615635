# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""``config=``, and ``lux autotune``."""

import json
import shlex

import pytest

import lux
from lux.autotune import tuning
from lux.autotune.summarize import summarize
from lux.errors import ConfigurationError, ParameterError
from lux_cases.machine import processors, settings
from perfmodel import Configuration, FactorRate, GraphSummary, Machine, Profile, Rate
from perfmodel.factors import ExtraTimes
from perfmodel.profile import RunOverheads
from perfmodel.this_machine import this_machine

PROGRAMS = ("pagerank", "components", "bfs", "sssp")


@pytest.fixture
def made():
    """A profile of this machine, with round rates."""
    rate = Rate(1e-9, 2e-9, 1e-9, 1e-9)
    rates = {name: {"pull": rate, "push": rate} for name in PROGRAMS}
    parted = ExtraTimes(iteration=1e-4)
    factors = {
        "als": FactorRate((1e-9, 1e-9, 1e-9), 0.0, (1e-8, 0.0, 0.0, 1e-9), 1 << 20, parted=parted),
        "gd": FactorRate((1e-9, 1e-9), 0.0, (1e-8, 1e-9), 1 << 20, parted=parted),
    }
    return Profile(this_machine("cpu"), rates, 1 << 20, 1e-4, 0.0, 1e-4, factors=factors)


@pytest.fixture
def profile(made, tmp_path, monkeypatch):
    """Its file, which is also this machine's profile."""
    file = tmp_path / "profile.json"
    made.write(file)
    monkeypatch.setenv(tuning.PROFILE, str(file))
    return file


def test_auto_gives_the_same_answer(profile):
    g = lux.generate("kronecker:10", weights=(1, 9))
    assert lux.pagerank(g, config="auto").ranks.to_numpy() == pytest.approx(lux.pagerank(g).ranks.to_numpy())
    assert (lux.components(g, config="auto").labels.to_numpy() == lux.components(g).labels.to_numpy()).all()
    with lux.using(config="auto"):
        assert (lux.bfs(g, 0).distances.to_numpy() == lux.bfs(g, 0).distances.to_numpy()).all()
        assert (lux.sssp(g, 0).distances.to_numpy() >= -1).all()
    assert g.summary is not None


def test_a_configuration_sets_parts_and_model_unless_they_are_given(profile, tmp_path):
    g = lux.generate("uniform:10")
    given = Configuration("pagerank", "push", "host", 1, 2, 2)
    r = lux.pagerank(g, tol=0, max_iter=2, config=given)
    assert (r.parts, r.statistics[0].model) == (2, "push")
    given.write(tmp_path / "c.json")
    r = lux.pagerank(g, tol=0, max_iter=2, config=tmp_path / "c.json", parts=1, model="pull")
    assert (r.parts, r.statistics[0].model) == (1, "pull")


@pytest.mark.check
@pytest.mark.parametrize(
    "config, message",
    [
        (Configuration("bfs"), "is for bfs, and pagerank runs"),
        (Configuration("pagerank", nodes=2, parts=2), "is for 2 nodes, and 1 process runs: start"),
        ("nowhere.json", "nowhere.json cannot be read"),
    ],
)
def test_configurations_that_do_not_fit(config, message):
    with pytest.raises(ConfigurationError, match=message):
        lux.pagerank(lux.toy.kite(), config=config)


def test_config_of_another_type():
    with pytest.raises(ParameterError, match="allowed are 'auto', a file and a Configuration"):
        lux.pagerank(lux.toy.kite(), config=3)


def test_the_profile_of_another_machine(made, profile):
    from dataclasses import replace

    replace(made, machine=Machine("cpu", "Abacus", 2, 0, 1 << 30, 0)).write(profile)
    with pytest.raises(ConfigurationError, match="is the profile of another machine"):
        lux.pagerank(lux.toy.kite(), config="auto")


def test_autotune_writes_what_the_apps_and_the_launcher_take(call, profile, tmp_path):
    graph, config = tmp_path / "g.lux", tmp_path / "c.json"
    assert call("generate", "uniform:10", graph)[0] == 0
    code, out, err = call("autotune", graph, "--profile", profile, "--output", config, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["configuration"]["model"] == "pull"
    assert not found["estimate"]
    words = shlex.split(found["command"])
    assert words[0] == "legate"
    assert words[-4:] == ["apps/pagerank.py", str(graph), "--config", str(config)]
    assert call("pagerank", graph, "--config", config, "--top", 1)[0] == 0
    code, _, err = call("components", graph, "--config", config)
    assert code == 2
    assert "is for pagerank, and components runs" in err


def test_autotune_counts_once(call, profile, tmp_path):
    graph = tmp_path / "g.lux"
    call("generate", "uniform:10", graph)
    assert call("autotune", graph, "--profile", profile)[0] == 0
    kept = tmp_path / "g.lux.summary.json"
    assert GraphSummary.read(kept).n_vertices == 1024
    written = kept.stat().st_mtime_ns
    code, out, _ = call("autotune", graph, "--profile", profile)
    assert code == 0
    assert "legate --cpus" in out
    assert (kept.stat().st_mtime_ns, "counted again" in out) == (written, False)


def test_a_summary_is_of_one_way_to_read_a_file(call, profile, tmp_path):
    graph = tmp_path / "g.el"
    graph.write_text("1 2\n2 3\n3 3\n")
    (tmp_path / "p.json").write_bytes(profile.read_bytes())
    words = ("autotune", graph, "--json")  # the profile is LUX_PROFILE's
    first = json.loads(call(*words)[1])
    assert (first["graph"]["edges"], len(first["written"])) == (3, 1)
    again = json.loads(call(*words)[1])
    assert (again["graph"]["edges"], again["written"]) == (3, [])
    both = json.loads(call(*words, "--undirected", "--drop-loops", "--no-weighted")[1])
    assert (both["graph"]["edges"], len(both["written"])) == (4, 1)
    given = shlex.split(both["command"])
    assert given[given.index(str(graph)) + 1 :][:3] == ["--undirected", "--no-weighted", "--drop-loops"]
    graph.write_text("1 2\n2 3\n3 3\n4 1\n")
    assert json.loads(call(*words)[1])["graph"]["edges"] == 4
    made = json.loads(call("autotune", "--generate", "kronecker:6", "--seed", 5, "--json")[1])
    assert "--generate kronecker:6 --seed 5" in made["command"]


def test_the_profile_that_the_environment_names(call, made, profile, monkeypatch):
    from dataclasses import replace

    replace(made, machine=Machine("cpu", "Abacus", 2, 0, 1 << 30, 0)).write(profile)
    code, _, err = call("autotune", "--generate", "kronecker:6")
    assert code == 2
    assert "is the profile of another machine" in err


def test_planning_for_machines_one_does_not_have(call, made, tmp_path):
    from dataclasses import replace

    gpus = Machine("gpu", "Big GPU", 64, 8, 1 << 40, 140 << 30)
    profile, summary = tmp_path / "p.json", tmp_path / "s.json"
    replace(made, machine=gpus, device=1e-11).write(profile)
    summarize(lux.generate("kronecker:12"), range(1, 65)).write(summary)
    words = ("autotune", "--summary", summary, "--profile", profile, "--edges", "4e10", "--nodes", 64)
    code, out, _ = call(*words, "--rate", "network=50", "--price-node", 20000, "--price-gpu", 30000, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["estimate"]
    assert found["assumed"] == ["network"]
    low, high = found["best"]["range"]
    assert low <= found["best"]["iteration"] <= high
    assert found["smallest"]["fits"]
    assert found["smallest"]["nodes"] <= found["best"]["nodes"]
    assert found["best"]["per_second_and_dollar"] > 0
    code, out, _ = call(*words, "--rate", "network=50")
    assert code == 0
    assert "estimate: " in out
    assert "per k$" not in out
    replace(made, machine=replace(gpus, memory_bytes=1 << 36), device=1e-11).write(profile)
    code, _, err = call(*words[:-1], 1)
    assert code == 2
    assert "fits nowhere" in err


def test_iterations_per_second_and_dollar(call, made, tmp_path):
    from dataclasses import replace

    profile, summary = tmp_path / "p.json", tmp_path / "s.json"
    replace(made, machine=Machine("gpu", "Big GPU", 64, 2, 1 << 40, 140 << 30), device=1e-11).write(profile)
    summarize(lux.generate("kronecker:9"), range(1, 3)).write(summary)
    words = ("autotune", "--summary", summary, "--profile", profile)
    for flags, of_node, of_gpu in (
        (("--price-node", 20, "--price-gpu", 5), 20, 5),
        (("--price-node", 20), 20, 0),
        (("--price-gpu", 5), 0, 5),
    ):
        code, out, _ = call(*words, *flags, "--json")
        assert code == 0
        for row in json.loads(out)["predictions"]:
            price = row["nodes"] * (of_node + row["per_node"] * of_gpu)
            assert row["per_second_and_dollar"] == pytest.approx(1 / row["iteration"] / price)
    code, out, _ = call(*words, "--price-gpu", 5)
    assert code == 0
    assert "per k$" in out
    code, _, err = call(*words, "--price-gpu", 0)
    assert code == 2
    assert "pass numbers from 0, not both 0" in err


def test_measuring_compares_with_the_strategy(call, profile):
    code, out, _ = call(
        "autotune", "--generate", "kronecker:9", "--program", "components", "--measure", "--profile", profile
    )
    assert code == 0
    assert "auto took" in out


@pytest.mark.parametrize(
    "words, message",
    [
        ((), "there is no graph"),
        (("g.el", "--summary", "s.json"), "--summary stands for a graph: leave graph out"),
        (("--summary", "nowhere.json"), "nowhere.json cannot be read"),
        (("nowhere.el",), "there is no file nowhere.el"),
        (("--generate", "kronecker:4", "--rate", "warp=9"), "names no rate: pass one of zero-copy"),
        (("--generate", "kronecker:4", "--gpus", "4"), "--gpus was passed, and the profile is of"),
        (("--generate", "kronecker:4", "--cpus", "4000"), "4000 processors on each node were asked for"),
        (("--generate", "kronecker:4", "--profile", "h999"), "there is no profile h999"),
    ],
)
def test_mistakes(call, profile, words, message):
    given = words if "--profile" in words else (*words, "--profile", profile)
    code, out, err = call("autotune", *given)
    assert (code, out) == (2, "")
    assert message in err


def test_a_placement_holds_until_the_function_returns():
    @tuning.tuned
    def place(error):
        settings.place(placement="zero-copy")
        if error:
            raise ValueError(settings.current().placement)
        return settings.current().placement

    with lux.using(device="cpu"):
        assert place(False) == "zero-copy"
        with pytest.raises(ValueError, match="zero-copy"):
            place(True)
        assert settings.current() == settings.Settings(device="cpu")


@pytest.fixture
def stars(tmp_path):
    """A file of 100 ratings by 20 users of 9 items."""
    file = tmp_path / "stars.csv"
    file.write_text("\n".join(f"{k % 20},{k * k % 9},{1 + k % 5}" for k in range(100)) + "\n")
    return file


def test_factorizations(call, profile, stars, tmp_path):
    g = lux.read_graph(stars, bipartite=True)
    given = {"k": 3, "method": "gd", "max_iter": 5, "tol": 0}
    auto, plain = lux.factorize(g, config="auto", **given), lux.factorize(g, parts=1, **given)
    assert auto.factors.to_numpy() == pytest.approx(plain.factors.to_numpy())
    assert lux.factorize(g, config=Configuration("factorize", "auto", parts=2), **given).parts == 2
    with pytest.raises(ConfigurationError, match="is for pagerank, and factorize runs"):
        lux.factorize(g, config=Configuration("pagerank"))
    config = tmp_path / "c.json"
    words = ("autotune", stars, "--bipartite", "--program", "factorize", "--k", 3, "--method", "gd")
    found = json.loads(call(*words, "--output", config, "--json")[1])
    assert found["graph"] == {"vertices": 24, "edges": 200, "scale": 1}
    assert found["factors"] == {"k": 3, "method": "gd", "dtype": "float32"}
    assert found["best"]["compute"] > 0
    words_of_app = ["--bipartite", "--k", "3", "--method", "gd", "--dtype", "float32", "--config", str(config)]
    said = shlex.split(found["command"])
    assert said[-11:] == ["apps/factorize.py", str(stars), *words_of_app]
    assert call("factorize", stars, "--bipartite", "--k", 3, "--method", "gd", "--config", config)[0] == 0
    again = shlex.split(json.loads(call(*words, "--json")[1])["command"])
    assert "--model" not in again
    code, out, _ = call(*words)
    assert code == 0
    assert "gd, k = 3, float32" in out


def test_mistakes_with_factorizations(call, made, profile, stars):
    from dataclasses import replace

    code, _, err = call("autotune", stars, "--k", 3)
    assert (code, "--k is for --program factorize: leave it out" in err) == (2, True)
    replace(made, factors={}).write(profile)
    code, _, err = call("autotune", stars, "--bipartite", "--program", "factorize")
    assert code == 2
    assert "has no rate of factorize with method als: add it with python -m lux.calibration" in err
    with pytest.raises(ConfigurationError, match="no rate of factorize with method als"):
        lux.factorize(lux.read_graph(stars, bipartite=True), 2, config="auto")


def test_a_configuration_for_gpus_where_there_are_none(profile):
    with pytest.raises(ConfigurationError, match="is for gpu, and Legate has cpus: start it with --gpus 1"):
        lux.pagerank(lux.toy.kite(), config=Configuration("pagerank", "pull", "peer", 1, 2, 2))


def test_autotune_for_gpus_names_the_placement(call, made, tmp_path):
    rates = {name: {"pull": Rate(1e-11, 1e-11, 0, 0), "push": Rate(1e-9, 1e-9, 0, 0)} for name in PROGRAMS}
    machine = Machine("gpu", "Test GPU", 8, 2, 1 << 36, 1 << 36)
    starts = {"peer": RunOverheads(1e-3, 0, 1e-5), "device": RunOverheads(1e-3, 0, 1e-4)}
    Profile(machine, rates, 1 << 25, 1e-4, 0, 1e-5, starts, peer=1e-12).write(tmp_path / "gpu.json")
    words = ("autotune", "--generate", "kronecker:12", "--profile", tmp_path / "gpu.json", "--rate", "device=100")
    found = json.loads(call(*words, "--json")[1])
    assert found["configuration"]["parts"] == 1  # what a run on two takes besides is more than it saves
    assert shlex.split(found["command"])[-2:] == ["--placement", "device"]
    assert {r["placement"] for r in found["predictions"]} == {"peer", "device"}
    summary = tmp_path / "s.json"
    assert (
        call("autotune", "--generate", "kronecker:12", "--profile", tmp_path / "gpu.json", "--save-summary", summary)[0]
        == 0
    )
    larger = ("autotune", "--summary", summary, "--edges", "1e9", "--profile", tmp_path / "gpu.json", "--json")
    found = json.loads(call(*larger)[1])
    assert (found["configuration"]["placement"], found["configuration"]["parts"]) == ("peer", 2)
    assert shlex.split(found["command"])[-4:] == ["--parts", "2", "--placement", "peer"]


@pytest.fixture
def of_gpus(made, tmp_path, pretend_gpus, monkeypatch):
    """A profile of a GPU and its cores, of which Legate seems to have one; the GPU has room for half of the edges."""
    from dataclasses import replace

    gpu = Machine("gpu", "Test GPU", 8, 1, 1 << 36, 1 << 20)
    beside = replace(made, machine=replace(made.machine, cores=8))
    found = replace(made, machine=gpu, starts={"zero-copy": RunOverheads(1e-3, 0, 1e-4)}, zero_copy=1e-6, beside=beside)
    found.write(tmp_path / "gpu.json")
    monkeypatch.setattr("perfmodel.this_machine.this_machine", lambda device: gpu)
    monkeypatch.setenv(tuning.PROFILE, str(tmp_path / "gpu.json"))
    pretend_gpus(1, fbmem=800_000)
    return tmp_path / "gpu.json"


def test_cpu_cores_beside_gpus(of_gpus, call, tmp_path):
    cores, g = processors(), lux.generate("uniform:12,32")

    @tuning.tuned
    def chosen(config="auto"):
        parts, _ = tuning.apply("pagerank", g, config, None)
        now = settings.current()
        return parts, now.device, now.placement, now.cpu_share

    parts, device, placement, share = chosen()
    assert (parts, device, placement) == (1 + cores, "gpu+cpu", "zero-copy")
    assert 0.2 < share < 1
    with lux.using(device="gpu+cpu", cpu_share=0.75):
        assert chosen() == (1 + cores, "gpu+cpu", "zero-copy", 0.75)
    with lux.using(device="gpu"):
        assert chosen()[:2] == (8, "gpu")  # what does not fit overflows
        with pytest.raises(ConfigurationError, match=r"is for gpu\+cpu, and device='gpu' was asked for: leave"):
            chosen(Configuration("pagerank", "pull", "zero-copy", 1, 1, 2, cpus=1, cpu_share=0.5))
    with pytest.raises(ConfigurationError, match=r"1 GPUs and 99 CPU cores at once, and Legate has 1 and .*--cpus 99"):
        chosen(Configuration("pagerank", "pull", "zero-copy", 1, 1, 100, cpus=99, cpu_share=0.5))
    with lux.using(device="gpu+cpu"), pytest.raises(ConfigurationError, match="is for gpu, and device='gpu"):
        chosen(Configuration("pagerank", "pull", "device", 1, 1, 1))
    words = ("autotune", "--generate", "uniform:12,32", "--profile", of_gpus, "--cpus", 3)
    found = json.loads(call(*words, "--json")[1])
    assert {found["configuration"][n] for n in ("device", "cpus", "parts")} == {"gpu+cpu", 3, 4}
    command = shlex.split(found["command"])
    assert command[:6] == ["legate", "--cpus", "3", "--gpus", "1", "--zcmem"]  # less than a MiB of the GPU
    assert command[-4:-1] == ["--device", "gpu+cpu", "--cpu-share"]
    code, out, _ = call(*words, "--output", tmp_path / "c.json")
    assert code == 0
    assert "of the edges, on CPU cores" in out
    assert json.loads((tmp_path / "c.json").read_text())["cpu_share"] == found["configuration"]["cpu_share"]
