# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Programs in plain Python beside compiled ones, and first values of fields that the caller gives."""

import math

import networkx as nx
import numpy as np
import pytest

import lux
from lux.errors import LuxWarning, ParameterError, ProgramError
from lux_cases.examples import QUICK, one_order
from lux_cases.programs import Small
from lux_cases.runs import RUNS, agree

rng = np.random.default_rng(5)
PAIRS, WEIGHTS = rng.integers(0, 30, (2, 90)), rng.integers(1, 9, 90)
DIRECTED = lux.from_edges(*PAIRS, weight=WEIGHTS.astype(np.int32), n_vertices=31)
"""With weights of the type of generated graphs, for which other tests compile the same programs."""
FLOATS = lux.from_edges(*PAIRS, weight=WEIGHTS.astype(np.float32), n_vertices=31)
GRAPHS = {"given": DIRECTED, "degree": DIRECTED.symmetrized().reordered("degree")}


@pytest.mark.check
@pytest.mark.parametrize("case", RUNS)
def test_programs_mean_the_same(case, chance):
    program, arguments, double = RUNS[case]
    for graph in [*(GRAPHS[order] for order in one_order(chance)), *([] if QUICK else [FLOATS])]:
        compiled = lux.run(program, graph, **arguments)
        plain = lux.run(program, graph, interpret=True, **arguments)
        agree(compiled, plain, double=double)
        assert plain.strategy == "interpreter"
        assert [each.frontier for each in plain.statistics] == [each.frontier for each in compiled.statistics]


def test_small_types_wrap_around():
    given = {"constants": {"height": np.arange(31) % 4}, "max_iter": 4}
    agree(lux.run(Small, DIRECTED, **given), lux.run(Small, DIRECTED, interpret=True, **given))


class Talking(lux.Program):
    edges = lux.OUT
    far = lux.field(np.int32, reduce=lux.MAX)

    def start(v, params):
        v.far = 0
        return True

    def compute(v, u, edge, params):
        print("from", u.id, f"to {v.id}")  # noqa: T201  # is what is tested
        return min(u.far + 1, 2)

    def update(v, old, params):
        if v.far > old.far:
            breakpoint()  # noqa: T100  # likewise
        return v.far > old.far


def test_functions_print_and_stop(capsys, monkeypatch):
    stops = []
    monkeypatch.setattr("sys.breakpointhook", lambda: stops.append(1))
    graph = lux.toy.path(4)
    with pytest.warns(LuxWarning, match=r"Talking\.compute, .*test_interpreter\.py, line \d+: print and breakpoint do"):
        compiled = lux.run(Talking, graph)
    assert not capsys.readouterr().out
    plain = lux.run(Talking, graph, interpret=True)
    agree(compiled, plain)
    assert "from 3 to 2" in capsys.readouterr().out
    assert plain["far"].to_dict() == {0: 2, 1: 2, 2: 1, 3: 0}
    assert len(stops) == 5


def test_errors_are_pythons_own():
    class Wrong(lux.Program):
        x = lux.field(float, reduce=lux.ADD)

        def start(v, params):
            v.x = 1.0

        def compute(v, u, edge, params):
            return u.x / int(u.x - 1)

        def update(v, old, params):
            v.x = math.sqrt(-v.x - 1)

    with pytest.raises(ValueError, match="math domain error"):
        lux.run(Wrong, lux.toy.path(3), interpret=True, max_iter=1)


class Cores(lux.Program):
    """Vertices of fewer than k edges leave; k grows once none does."""

    edges = lux.BOTH
    core = lux.field(np.int32)
    lost = lux.field(np.int32, reduce=lux.ADD)
    k = lux.field(np.int32)
    left = lux.field(np.int32)
    gone = lux.field(bool)
    fresh = lux.field(bool)

    def start(v, params):
        v.k = 1

    def compute(v, u, edge, params):
        return 1 if u.fresh else 0

    def update(v, old, params):
        v.left = old.left - v.lost
        v.k = old.k + 1 if params.leaving == 0 and params.iteration > 0 else old.k
        v.fresh = not old.gone and v.left < v.k
        v.gone = old.gone or v.fresh
        if v.fresh:
            v.core = v.k - 1

    @lux.aggregate
    def leaving(v, old, params):
        return 1.0 if v.fresh else 0.0

    @lux.aggregate
    def staying(v, old, params):
        return 0.0 if v.gone else 1.0

    def converged(params):
        return params.staying == 0


@pytest.mark.parametrize("interpret", [False, True])
def test_core_numbers_in_one_run(interpret):
    same = nx.gnm_random_graph(40, 130, seed=3)
    graph = lux.from_networkx(same)
    found = lux.run(Cores, graph, start={"left": graph.out_degrees()}, interpret=interpret)
    assert found["core"].to_dict() == nx.core_number(same)


@pytest.mark.parametrize("interpret", [False, True])
def test_a_run_goes_on_from_another(interpret):
    program, arguments, _ = RUNS["ranks"]
    whole = lux.run(program, DIRECTED, **arguments, interpret=interpret)
    first = lux.run(program, DIRECTED, **(arguments | {"max_iter": 3}), interpret=interpret)
    start = {name: first[name] for name in first.columns}
    rest = lux.run(program, DIRECTED, **(arguments | {"max_iter": 4}), start=start, interpret=interpret)
    np.testing.assert_allclose(rest["rank"].to_numpy(), whole["rank"].to_numpy(), rtol=1e-12)


@pytest.mark.parametrize("interpret", [False, True])
def test_the_first_frontier_follows_from_given_values(interpret):
    graph = lux.from_edges(["a", "b", "c"], ["b", "x", "d"])
    mark = {"a": 0, "b": 1, "c": 0, "d": 1, "x": 0}
    program = RUNS["early"].program
    found = lux.run(program, graph, source="a", start={"mark": mark}, interpret=interpret)
    assert found["mark"].to_dict() == {"a": 0, "b": 1, "c": 0, "d": 1, "x": 1}


def test_what_start_refuses():
    program = RUNS["early"].program
    with pytest.raises(ParameterError, match="start: 'quux' is no field; fields of Reached: mark"):
        lux.run(program, DIRECTED, source=1, start={"quux": 1})
    with pytest.raises(ParameterError, match=r"'height' is constant, and given in constants="):
        lux.run(Small, DIRECTED, start={"height": 1})
    with pytest.raises(ParameterError, match="start maps fields' names to values"):
        lux.run(program, DIRECTED, source=1, start=[1])

    class Taken(Talking):
        far_given = lux.field(np.int32)

    with pytest.raises(ProgramError, match="far_given: start= needs this name"):
        lux.run(Taken, DIRECTED, start={"far": np.zeros(31)})
