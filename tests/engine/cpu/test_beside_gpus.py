# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Launches over some of the partitions: two sets of CPU cores share the iterations of a run as GPUs and cores do."""

import numpy as np
import pytest

import lux
from lux.engine import executor
from lux.engine.cpu.beside_gpus import CpuPartitions
from lux.engine.run.check import parameter_values
from lux.engine.run.constants import Constants
from lux.engine.run.instance_addresses import arrays_of
from lux_cases import programs
from lux_cases.builtin import BreadthFirstSearch, PageRank, ShortestPathsFloat32, SmallestLabel
from lux_cases.examples import one_order
from lux_cases.launches import frontier
from lux_cases.moves import shared_points
from lux_cases.stores import finish, new_store, to_array

RUNS = {
    PageRank: {"max_iter": 6, "alpha": 0.85, "stop": 0.0},
    SmallestLabel: {},
    BreadthFirstSearch: {"source": 1},
    ShortestPathsFloat32: {"source": 1, "cutoff": np.inf},
    programs.Vectors: {"max_iter": 3},
    programs.Reached: {"source": 1},
    programs.Spreading: {"max_iter": 5},
}


def graph(order="given"):
    return lux.generate("kronecker:9", seed=3, weights=(1, 255)).reordered(order)


def run_in_two_sets(program, g, parameters, shares, first, model="auto", given=None):
    """A run whose partitions before ``first`` and from there on have launches of their own; its fields and rows."""
    limit = parameters.get("max_iter", executor.NO_LIMIT)
    values = parameter_values(program.spec, {n: v for n, v in parameters.items() if n != "max_iter"})
    constant = Constants(program.spec, g, given or {}).stores
    base = g.layout(len(shares))
    layout = base.moved(shared_points(base.work, np.array(shares)))
    spec, n = program.spec, g.n_vertices

    def store(field):
        return new_store(field.numpy_dtype(g.id_dtype), n * (field.length or 1))

    owned = {f.name: store(f) for f in spec.state if spec.owned(f.name)}
    copies = [{f.name: store(f) for f in spec.state if f.name not in owned} for _ in "ab"]
    for copy in copies:
        copy["state"] = new_store(np.int64, layout.parts * frontier.STATE_COLUMNS)
        if spec.frontier:
            copy["words"] = new_store(np.uint64, int(layout.word_at[-1]))
    there = [f.name for f in spec.state if spec.read_from_neighbours(f.name)] + ["words"] * spec.frontier
    arrays = arrays_of({}, {f"{c}_{n}": copy[n] for c, copy in zip("ab", copies, strict=True) for n in there})
    fixed = (program, layout, constant, values, model, limit)
    sets = [
        CpuPartitions(*fixed, some=some, stores=(owned, *copies), arrays=arrays, zero_copy=False)
        for some in (range(first), range(first, layout.parts))
    ]
    for each in sets:
        each.start()
    launched, state = 0, to_array(copies[0]["state"])
    while state[frontier.FINISHED] == frontier.RUNNING:
        launched += 1
        for each in sets:
            each.launch()
        state = to_array(copies[launched & 1]["state"])
    done = int(state[frontier.ITERATIONS])
    finish()
    rows = np.concatenate([each.rows(0, done) for each in sets]).reshape(
        layout.parts, done, frontier.STATISTICS_COLUMNS
    )
    for each in sets:
        each.close()
    assert len(set(state.reshape(layout.parts, -1)[:, frontier.FINISHED])) == 1
    fields = {name: to_array(s) for name, s in (owned | copies[0]).items() if name not in ("state", "words")}
    again = {name: to_array(s) for name, s in copies[1].items() if name in fields}
    for name, values in again.items():
        np.testing.assert_array_equal(values, fields[name])  # both copies hold the result
    return fields, rows


@pytest.mark.parametrize("model", ["auto", "pull", "push"])
@pytest.mark.parametrize("program", RUNS, ids=lambda p: p.__name__)
def test_two_sets_of_partitions(program, model, chance):
    for order in one_order(chance):
        check_two_sets_of_partitions(graph(order), program, model)


def check_two_sets_of_partitions(g, program, model):
    parameters = RUNS[program]
    limits = {"max_iterations": parameters.get("max_iter")}
    values = {n: v for n, v in parameters.items() if n != "max_iter"}
    with lux.using(device="cpu", repartition="off"):
        expected = executor.execute(program, g, values, parts=3, model=model, **limits)
    for shares, first in (((0.9, 0.1), 1), ((0.5, 0.2, 0.3), 1), ((0.5, 0.0, 0.2, 0.3), 2), ((0.0, 1.0), 1)):
        fields, rows = run_in_two_sets(program, g, parameters, shares, first, model)
        assert rows.shape[1] == expected.iterations
        for name, found in fields.items():
            np.testing.assert_allclose(found, to_array(expected.fields[name]), rtol=1e-12)
        for iteration, row in zip(expected.statistics, rows[0], strict=True):
            assert row[:3].astype(int).tolist() == [
                executor.MODELS[iteration.model], iteration.frontier, iteration.frontier_edges
            ]  # fmt: skip
        assert (rows[:, :, 1] == rows[0, :, 1]).all()


@pytest.mark.check
def test_what_users_give():
    g = graph()
    heights = np.linspace(0, 1, g.n_vertices, dtype=np.float32)
    with lux.using(device="cpu"):
        expected = executor.execute(programs.Small, g, {}, constants={"height": heights}, parts=2, max_iterations=4)
    given = {"height": heights}
    fields, _ = run_in_two_sets(programs.Small, g, {"max_iter": 4}, (0.8, 0.1, 0.1), 1, given=given)
    for name, found in fields.items():
        np.testing.assert_array_equal(found, to_array(expected.fields[name]))
