# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""``import lux`` is quick and starts nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import lux

REPOSITORY = Path(__file__).parents[1]


def python(program):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.check
def test_nothing_is_started():
    heavy = {"legate", "numba", "numpy", "scipy", "networkx", "pandas", "pyarrow", "rich", "cupynumeric"}
    assert eval(python("import sys, lux; print(sorted(m for m in sys.modules if '.' not in m))")) != []
    loaded = set(eval(python("import sys, lux; print([m for m in sys.modules if '.' not in m])")))
    assert not loaded & heavy


def test_a_program_can_be_defined_and_files_opened_before_anything_starts():
    loaded = eval(
        python(
            "import sys, lux; lux.Program, lux.Graph, lux.pagerank, lux.read_graph, lux.toy; print(list(sys.modules))"
        )
    )
    assert not {m.partition(".")[0] for m in loaded} & {"legate", "numba"}


def test_a_run_on_cpu_cores_loads_neither_the_model_nor_runs_on_gpus_and_partitions():
    run = "with lux.using(device='cpu'): lux.pagerank(lux.toy.kite())"
    loaded = set(eval(python(f"import sys, lux\n{run}\nprint(list(sys.modules))")))
    assert "lux.engine.executor" in loaded
    assert not loaded & {"perfmodel.profile", "lux.engine.gpu.parts", "lux.engine.cpu.partitioned_run"}


def test_strategies_load_none_of_gpus():
    names = [f"lux.algorithms.{name}.strategies" for name in ("betweenness", "bfs", "components", "sssp")]
    loaded = set(eval(python(f"import sys\nimport {', '.join(names)}\nprint(list(sys.modules))")))
    assert {*names, "lux.algorithms.components.threads"} <= loaded
    assert not [name for name in loaded if name.startswith("lux.algorithms.") and name.endswith("gpu")]


def test_time():
    program = "import time; began = time.perf_counter(); import lux; print(time.perf_counter() - began)"
    assert min(float(python(program)) for _ in range(3)) < 0.2


def test_every_public_name():
    for name in lux.__all__:
        assert getattr(lux, name) is not None
    with pytest.raises(AttributeError, match="module 'lux' has no attribute 'nonsense'"):
        lux.nonsense  # noqa: B018


def test_names_can_be_found():
    assert {"bfs", "read_graph", "Program", "toy", "ADD"} <= {*lux.__all__} <= {*dir(lux)}
    assert "Search breadth-first from" in python("import lux; help(lux)")
    assert (REPOSITORY / "lux" / "py.typed").exists()


def test_graphs_write_themselves_whoever_made_them(tmp_path):
    for name, makes in (("toy", "lux.toy.path(3)"), ("edges", "lux.from_edges([0], [1])")):
        made = f"{tmp_path}/{name}"
        found = python(
            f"import lux; g = {makes}; g.write('{made}.sg'); g.save('{made}.lux'); "
            f"print(lux.load_graph('{made}.lux').n_edges)"
        )
        assert int(found) == {"toy": 2, "edges": 1}[name]
        assert Path(f"{made}.sg").stat().st_size
