# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
from hypothesis import given
from hypothesis import strategies as st

from legate_config import RankInfo, rank_info
from legate_config.affinity import by_core, share


def test_single_process():
    assert rank_info({}) == RankInfo(0, 1, 0, 1)


def test_open_mpi():
    env = {"OMPI_COMM_WORLD_RANK": "5", "OMPI_COMM_WORLD_SIZE": "8"}
    env |= {"OMPI_COMM_WORLD_LOCAL_RANK": "1", "OMPI_COMM_WORLD_LOCAL_SIZE": "4"}
    assert rank_info(env) == (5, 8, 1, 4)


def test_mpich():
    env = {"PMI_RANK": "2", "PMI_SIZE": "4", "MPI_LOCALRANKID": "0", "MPI_LOCALNRANKS": "2"}
    assert rank_info(env) == (2, 4, 0, 2)


def test_slurm_step():
    env = {"SLURM_STEP_NUM_TASKS": "5", "SLURM_PROCID": "4", "SLURM_LOCALID": "0"}
    env |= {"SLURM_STEP_TASKS_PER_NODE": "2(x2),1", "SLURM_NODEID": "2"}
    assert rank_info(env) == (4, 5, 0, 1)


def test_the_shell_of_a_slurm_allocation_is_no_rank():
    assert rank_info({"SLURM_NTASKS": "8", "SLURM_PROCID": "0", "SLURM_LOCALID": "0"}) == (0, 1, 0, 1)


@given(st.sets(st.integers(0, 200), min_size=1), st.integers(1, 3), st.integers(1, 16))
def test_shares_are_disjoint_and_cover_all_cores(ids, threads, ranks):
    cores = [tuple(core + 1000 * thread for thread in range(threads)) for core in sorted(ids)]
    shares = [share(cores, rank, ranks) for rank in range(ranks)]
    assert all(shares)
    if ranks <= len(cores):
        assert sorted(cpu for part in shares for cpu in part) == sorted(cpu for core in cores for cpu in core)
        assert all(part.issuperset(core) for core in cores for part in shares if not part.isdisjoint(core))
        assert max(map(len, shares)) - min(map(len, shares)) <= threads


def test_second_threads_go_with_their_cores(tmp_path):
    for cpu, (socket, core) in enumerate([(0, 0), (0, 1), (1, 0), (1, 1)] * 2):
        folder = tmp_path / f"sys/devices/system/cpu/cpu{cpu}/topology"
        folder.mkdir(parents=True)
        (folder / "physical_package_id").write_text(f"{socket}\n")
        (folder / "core_id").write_text(f"{core}\n")
    cores = by_core(range(8), tmp_path)
    assert cores == [(0, 4), (1, 5), (2, 6), (3, 7)]
    assert share(cores, 1, 2) == {2, 6, 3, 7}


def test_without_topology_each_logical_cpu_stands_alone(tmp_path):
    assert by_core({5, 2}, tmp_path) == [(2,), (5,)]
