# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Files of profiles and configurations."""

import json
from dataclasses import replace

import pytest

from legate_config import ConfigError, Layout
from perfmodel import Configuration, Machine, ModelError, Profile, profile


def test_profiles_come_back(gpu, tmp_path):
    file = tmp_path / "p.json"
    gpu.write(file)
    assert profile.load(file) == gpu


@pytest.mark.parametrize("name", profile.shipped())
def test_shipped_profiles_can_be_read_and_are_found(name):
    found = profile.load(name)
    assert found.rates["pagerank"]["pull"].edge_near > 0
    assert profile.matching(found.machine) == found


def test_wrong_profiles(gpu, tmp_path):
    file = tmp_path / "p.json"
    gpu.write(file)
    found = json.loads(file.read_text())
    for change, message in (
        ({"version": 0}, "of version 0, and this Lux reads version 3: python -m lux.calibration"),
        ({"exchange": "none"}, "not one of maximum, sum"),
        ({"speed": 3}, "something missing or wrong"),
    ):
        file.write_text(json.dumps(found | change))
        with pytest.raises(ModelError, match=message):
            Profile.read(file)
    with pytest.raises(ModelError, match=r"there is no profile h100: pass a file, or one of .*epyc-2-cores"):
        profile.load("h100")


def test_profiles_of_version_1_know_nothing_of_several_nodes(gpu, tmp_path):
    file = tmp_path / "p.json"
    gpu.write(file)
    older = json.loads(file.read_text()) | {"version": 1}
    del older["between"]
    file.write_text(json.dumps(older))
    assert Profile.read(file) == gpu


def test_other_machines_have_no_profile():
    machine = Machine("cpu", "Abacus", 3, 0, 1 << 30, 0)
    with pytest.raises(ModelError, match=r"no profile of this machine \(Abacus, 3 cores, 1 GiB\).*LUX_PROFILE"):
        profile.matching(machine)


@pytest.mark.parametrize(
    "name, cores, of",
    [("Intel(R) Xeon(R) Gold 6338", 64, "xeon-2-cores"), ("AMD EPYC 9654", 2, "epyc-2-cores"), ("", 8, None)],
)
def test_a_machine_without_a_profile_takes_that_of_a_similar_one(name, cores, of):
    machine = Machine("cpu", name, cores, 0, 1 << 34, 0)
    found = profile.nearest(machine)
    assert (found.machine, found.machine.workers()) == (machine, cores)
    if of is not None:
        assert found == replace(profile.load(of), machine=machine)


def test_a_machine_with_a_profile_takes_its_own(gpu):
    known = profile.load("h200-4")
    assert profile.nearest(known.machine) == known
    other = replace(known.machine, name="NVIDIA H100", gpus=2)
    assert profile.nearest(other) == replace(known, machine=other)


def test_no_profile_is_of_such_a_device(tmp_path, monkeypatch, cpu, gpu):
    monkeypatch.setattr(profile, "FOLDER", tmp_path)
    cpu.write(tmp_path / "x.json")
    with pytest.raises(ModelError, match="no profile of this machine"):
        profile.nearest(gpu.machine)


def test_of_several_profiles_the_one_with_enough_gpus(gpu, tmp_path, monkeypatch):
    for gpus in (1, 2, 4):
        replace(gpu, machine=replace(gpu.machine, gpus=gpus)).write(tmp_path / f"x{gpus}.json")
    monkeypatch.setattr(profile, "FOLDER", tmp_path)
    found = {n: profile.matching(replace(gpu.machine, gpus=n)).machine.gpus for n in (1, 2, 3, 4, 8)}
    assert found == {1: 1, 2: 2, 3: 4, 4: 4, 8: 4}


def test_alike(cpu, gpu):
    assert not profile.alike(cpu.machine, replace(cpu.machine, cores=5))
    assert profile.alike(gpu.machine, replace(gpu.machine, cores=5, gpus=1))
    assert not profile.alike(cpu.machine, gpu.machine)


@pytest.mark.parametrize(
    "configuration, command",
    [
        (Configuration("bfs", "auto", "host", 1, 4, None), "legate --cpus 4 --gpus 0 apps/bfs.py"),
        (
            Configuration("bfs", "pull", "device", 2, 8, 16),
            "legate --launcher srun --launcher-extra=--mpi=pmix --nodes 2 --ranks-per-node 1 --gpus 8 apps/bfs.py",
        ),
    ],
)
def test_configurations_come_back_and_launch(configuration, command, tmp_path):
    from legate_config import command as command_of

    file = tmp_path / "c.json"
    configuration.write(file)
    assert Configuration.read(file) == configuration
    assert command_of(Layout.of_file(file, "srun"), ["apps/bfs.py"], as_root=False) == command


def test_wrong_configurations(tmp_path):
    with pytest.raises(ModelError, match="model='pll' was passed; allowed are pull, push, auto"):
        Configuration("bfs", "pll")
    with pytest.raises(ModelError, match="nodes=0 was passed"):
        Configuration("bfs", nodes=0)
    file = tmp_path / "c.json"
    file.write_text("[]")
    with pytest.raises(ModelError, match="is no Lux configuration: lux autotune"):
        Configuration.read(file)
    with pytest.raises(ConfigError, match=r"no configuration can be read there .*lux autotune"):
        Layout.of_file(file)
