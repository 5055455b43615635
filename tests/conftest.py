# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What all tests share."""

import gc
import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

from lux.kernels.deferred import when_compiling
from lux_cases import gpu_records, quick_kernels
from lux_cases.examples import QUICK
from lux_cases.machine import little_memory, on_finish, pretend_gpus
from lux_cases.sizes import edge_blocks, edges_at_once, edges_per_thread, made_on_gpus_from, spread_from

__all__ = [
    "edge_blocks",
    "edges_at_once",
    "edges_per_thread",
    "little_memory",
    "made_on_gpus_from",
    "on_finish",
    "pretend_gpus",
    "spread_from",
]

REPOSITORY = Path(__file__).parents[1]

FIRST = (
    *("io/files/test_atomic.py", "runtime/test_stores.py"),  # they fork, which takes long once a process is large
    *("engine/test_executor.py", "algorithms/bfs/distributed/degree_separated/test_degree_separated.py"),
    *("cuda/test_allocation_ledger.py", "algorithms/factorization/test_factorization.py", "program/test_vectors.py"),
    *("test_docs.py", "algorithms/betweenness/test_betweenness.py", "test_checkpoints.py", "test_ranks.py"),
    *("engine/cpu/test_beside_gpus.py", "graph/indexes/test_edge_tiles.py", "cuda/test_checkpoints.py"),
    *("algorithms/bfs/distributed/test_ranks.py", "engine/cpu/test_partitions_of_ranks.py", "cuda/test_searches.py"),
    *("algorithms/sssp/test_sssp.py", "apps/test_apps.py", "engine/test_interpreter.py", "program/test_program.py"),
    *("runtime/test_heartbeat.py", "kernels/test_shared_library.py", "test_notebooks.py", "test_examples.py"),
    *("engine/cpu/test_repartition_of_ranks.py", "cuda/test_vertex_programs.py", "cuda/test_several_gpus.py"),
    *("cluster/test_answers.py", "cluster/test_faults.py", "io/test_shares.py", "io/test_sharded.py"),
)
"""Files that take longest, which begin first, so that workers end together.

Jobs of several processes come after tests that compile the same kernels in one process: each process would compile all
that the user's cache does not have.
"""

# Read once, by the first test that starts Legate in this process.
os.environ.setdefault("LEGATE_CONFIG", "--cpus 2 --sysmem 2000")


def _seed() -> str:
    """Of random tests: another in every run; in CI another for every commit, so that a commit passes or fails alike."""
    if seed := os.environ.get("LUX_TEST_SEED"):
        return seed
    if os.environ.get("CI"):
        git = subprocess.run(["git", "rev-parse", "HEAD"], cwd=REPOSITORY, capture_output=True, text=True, check=False)
        if not git.returncode:
            return str(int(git.stdout[:8], 16))
    return str(random.SystemRandom().randrange(1 << 32))


SEED = _seed()

hypothesis.settings.register_profile(
    "lux", deadline=None, print_blob=True, derandomize=False, max_examples=40 if QUICK else 100
)
hypothesis.settings.load_profile("lux")


def pytest_configure(config: pytest.Config) -> None:
    if QUICK:
        when_compiling(quick_kernels.use)
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = SEED


def pytest_report_header(config: pytest.Config) -> str:
    return f"random tests: LUX_TEST_SEED={config.option.hypothesis_seed} replays them"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say after failures how random tests are replayed, where -q or a long log hides the header."""
    gpu_records.pytest_terminal_summary(terminalreporter)
    if failed := terminalreporter.stats.get("failed"):
        seed = f"LUX_TEST_SEED={config.option.hypothesis_seed}"
        quick = "LUX_TEST_QUICK=1 " if os.environ.get("LUX_TEST_QUICK") else ""
        terminalreporter.write_line(f"replay of random tests: {quick}{seed} python -m pytest '{failed[0].nodeid}'")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    from legate_config import Machine

    order = {REPOSITORY / "tests" / name: k for k, name in enumerate(FIRST)}
    items.sort(key=lambda item: order.get(item.path, len(order)))
    if any(item.get_closest_marker("gpu") for item in items) and not Machine.detect().gpus:
        for item in items:
            if item.get_closest_marker("gpu"):
                item.add_marker(pytest.mark.skip(reason="there is no GPU"))


@pytest.fixture(scope="session")
def chance(pytestconfig: pytest.Config) -> str:
    """What tests draw from that draw once: another in each run, and replayed by ``LUX_TEST_SEED``."""
    return str(pytestconfig.option.hypothesis_seed)


@pytest.fixture(scope="module", autouse=True)
def _unsearched() -> None:
    """Leave what earlier modules keep, mostly compiled kernels, out of searches for garbage.

    Refusals for memory search (`gc.collect`), and compiling makes Python search; each search took up to a second.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _threads_on_small_graphs() -> None:
    """Without ``parts=``, runs use all threads even on graphs that are not worth it."""
    import lux.graph.graph

    lux.graph.graph.EDGES_PER_THREAD = 1


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the example graphs."""
    folder = Path(os.environ.get("LUX_TEST_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no example graphs in {folder}: name their folder in LUX_TEST_DATA")
    return folder


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """On GPUs moves are prepared while no iteration runs, so that they are as early as they can be."""
    from lux import runtime
    from lux.engine.repartition.overlapped_repartition import OverlappedRepartition
    from lux.engine.repartition.repartitionable_run import RepartitionableRun

    making = RepartitionableRun.start_background_build

    def made(run):
        found = making(run)
        found.result()
        return found

    def wait(_driver, _stretch, ready=lambda: True):
        runtime.finish()
        assert ready()

    monkeypatch.setattr(RepartitionableRun, "start_background_build", made)
    monkeypatch.setattr(OverlappedRepartition, "go_on", wait)


@pytest.fixture(scope="session")
def random_moves() -> type:
    """``random_moves(seed)``, instead of a `Balancer`: moves by chance, also such that partitions are empty.

    The first three decisions move. With ``random_moves(seed, stay)`` the first so many points stay.
    """
    import numpy as np

    from lux.partition.repartitioner import RepartitionDecision

    class RandomMoves:
        def __init__(self, seed: int, stay: int = 1) -> None:
            self.random, self.made, self.stay = random.Random(seed), 0, stay

        def __call__(self, *_arguments: object, **_named: object) -> "RandomMoves":
            return self

        def decide(self, points, seconds, *, iteration, remaining, pieces=None):
            n, after = int(points[-1]), points
            self.made += 1
            # Where launches have several iterations, the rest of a run is launched as soon as nothing moves.
            phase = "global" if self.made <= 3 or self.random.random() < 0.8 else "none"
            if phase == "global":
                low = int(points[self.stay - 1])
                inner = sorted(self.random.randint(low, n) for _ in points[self.stay + 1 :])
                after = np.array([*points[: self.stay], *inner, n])
            return RepartitionDecision(iteration, seconds, phase, 1.0, 0.0, remaining, points, after, 0.0)

    return RandomMoves


@pytest.fixture
def force_moves(monkeypatch: pytest.MonkeyPatch, random_moves: type) -> Callable[[int], None]:
    """``force_moves(seed)``: the next run on GPUs moves its split points by chance, as early and as often as it can."""
    from lux.engine.repartition import repartition_loop

    def force(seed: int) -> None:
        monkeypatch.setattr(repartition_loop, "LEAST_GAIN", -1.0)
        monkeypatch.setattr(repartition_loop, "LOOKS", 2)
        monkeypatch.setattr(repartition_loop, "Repartitioner", random_moves(seed))

    return force


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[object, str, str]]:
    """Run ``lux`` in this process: exit code, standard output, standard error."""
    from lux import cli
    from lux.app.console import interrupt

    monkeypatch.setattr(interrupt, "watch", lambda: None)

    def run(*words: object) -> tuple[object, str, str]:
        try:
            code: object = cli.main(list(map(str, words)))
        except SystemExit as end:
            code = end.code
        return (code, *capsys.readouterr())

    return run
