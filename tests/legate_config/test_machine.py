# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import math
import os

import pytest

from legate_config import Gpu, Machine, cgroup
from legate_config.gpus import select

KIB, GIB = 1 << 10, 1 << 30


def tree(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


MEMINFO = {"proc/meminfo": f"MemTotal: {8 * GIB // KIB} kB\nMemFree: 1 kB\nMemAvailable: {6 * GIB // KIB} kB\n"}


def test_no_control_groups(tmp_path):
    machine = Machine.detect(tree(tmp_path, MEMINFO))
    assert (machine.memory_bytes, machine.available_bytes) == (8 * GIB, 6 * GIB)
    assert machine.cpu_ids == os.sched_getaffinity(0)
    assert machine.cores == len(machine.cpu_ids)


def test_version_2_takes_the_tightest_level(tmp_path):
    tree(
        tmp_path,
        MEMINFO
        | {
            "proc/self/cgroup": "0::/a/b\n",
            "sys/fs/cgroup/a/memory.max": f"{4 * GIB}\n",
            "sys/fs/cgroup/a/memory.current": f"{3 * GIB}\n",
            "sys/fs/cgroup/a/memory.stat": f"anon 5\ninactive_file {GIB}\n",
            "sys/fs/cgroup/a/b/memory.max": "max\n",
            "sys/fs/cgroup/a/cpu.max": "150000 100000\n",
            "sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
        },
    )
    machine = Machine.detect(tmp_path)
    assert (machine.memory_bytes, machine.available_bytes) == (4 * GIB, 2 * GIB)
    assert machine.cores == 1
    assert cgroup.cpu_quota(tmp_path) == 1.5


def test_version_1_and_a_path_that_exists_only_outside(tmp_path):
    tree(
        tmp_path,
        MEMINFO
        | {
            "proc/self/cgroup": "4:memory:/docker/0123\n2:cpu,cpuacct:/docker/0123\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": f"{2 * GIB}\n",
            "sys/fs/cgroup/memory/memory.usage_in_bytes": f"{GIB}\n",
            "sys/fs/cgroup/memory/memory.stat": "total_inactive_file 0\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "200000\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
        },
    )
    assert cgroup.memory_limit(tmp_path) == (2 * GIB, GIB)
    assert cgroup.cpu_quota(tmp_path) == 2


def test_version_1_without_limits(tmp_path):
    tree(
        tmp_path,
        {
            "proc/self/cgroup": "4:memory:/\n1:cpu:/\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
            "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
            "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
        },
    )
    assert cgroup.memory_limit(tmp_path) == (math.inf, math.inf)
    assert cgroup.cpu_quota(tmp_path) == math.inf


def test_this_machine():
    machine = Machine.detect()
    assert 1 <= machine.cores <= len(machine.cpu_ids)
    assert 0 < machine.available_bytes <= machine.memory_bytes


GPUS = tuple(Gpu(i, f"GPU-{i}abc", "H200", 141 * GIB, 140 * GIB) for i in range(4))


@pytest.mark.parametrize(
    "visible, expected",
    [(None, [0, 1, 2, 3]), ("", []), ("2,0", [2, 0]), ("1,9,2", [1]), ("GPU-3a", [3]), ("GPU-", []), ("-1", [])],
)
def test_cuda_visible_devices(visible, expected):
    assert [gpu.index for gpu in select(GPUS, visible)] == expected
