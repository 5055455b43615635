# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""``lux.run(check=True)``: each mistake is an error that names program, field and vertex."""

import math

import numpy as np
import pytest

import lux
from lux.engine import interpreter
from lux.errors import ProgramError
from lux_cases.runs import RUNS, agree

STAR = lux.from_edges([f"leaf {k}" for k in range(200)], ["hub"] * 200)


class Counts(lux.Program):
    count = lux.field(np.uint8, reduce=lux.ADD)

    def start(v, params):
        v.count = 0

    def compute(v, u, edge, params):
        return 1

    def update(v, old, params):
        pass


class Widens(Counts):
    def compute(v, u, edge, params):
        return params.size


class Assigns(Counts):
    count = lux.field(np.uint8)
    given = lux.field(np.int64, reduce=lux.ADD)

    def update(v, old, params):
        v.count = v.given * 2


class Bounds(lux.Program):
    sum = lux.field(np.int64, reduce=lux.ADD)

    def start(v, params):
        v.sum = 0

    def compute(v, u, edge, params):
        return 2**62

    def update(v, old, params):
        pass


class Least(lux.Program):
    least = lux.field(float, reduce=lux.MIN)
    of = lux.field(lux.VERTEX, arg_of="least")

    def start(v, params):
        v.least = float(v.id)

    def compute(v, u, edge, params):
        return math.sqrt(u.least - params.low) if u.least > params.low else u.least * math.inf, u.id

    def update(v, old, params):
        pass


def checked(program, graph=STAR, **params):
    return lux.run(program, graph, max_iter=1, check=True, **params)


@pytest.mark.check
@pytest.mark.parametrize("case", RUNS)
def test_right_programs_pass(case):
    program, arguments, double = RUNS[case]
    if program.__name__ == "Small":  # its numbers wrap around
        return
    chance = np.random.default_rng(6)
    graph = lux.from_edges(*chance.integers(0, 20, (2, 60)), chance.integers(1, 9, 60).astype(np.int32), n_vertices=31)
    agree(lux.run(program, graph, **arguments), lux.run(program, graph, check=True, **arguments), double=double)


@pytest.mark.check
@pytest.mark.parametrize(
    "program, params, message",
    [
        (
            Widens,
            {"size": 300},
            r"Widens.compute made a value of 300 for the field 'count' at vertex 'hub': uint8 holds 0 to 255",
        ),
        (Widens, {"size": -1}, "made a value of -1 for the field 'count' at vertex 'hub'"),
        (Widens, {"size": 1e300}, "made a value of 1000000.* for the field 'count' at vertex 'hub'"),
        (Widens, {"size": math.inf}, "made inf for the field 'count' at vertex 'hub'"),
        (Widens, {"size": 2}, r"made a sum, 254 \+ 2, of 256 for the field 'count' at vertex 'hub'"),
        (Assigns, {}, "Assigns.update made a value of 400 for the field 'count' at vertex 'hub'"),
        (Bounds, {}, f"made a sum, .*of {2**63} for the field 'sum' at vertex 'hub'"),
    ],
)
def test_numbers_that_fields_cannot_hold(program, params, message):
    lux.run(program, STAR, max_iter=1, interpret=True, **params)  # without a word
    with pytest.raises(ProgramError, match=message):
        checked(program, **params)


def test_sums_that_fit():
    assert checked(Counts)["count"]["hub"] == 200


def test_not_a_number_for_a_minimum():
    graph = lux.from_edges([3, 3, 5], [5, 7, 7])
    assert checked(Least, graph, low=-1)["of"][7] == 3
    with pytest.raises(
        ProgramError, match=r"Least.compute returned NaN .* 'least' on the edge from vertex 3 at vertex 5"
    ):
        lux.run(Least, graph, low=4.0, check=True, max_iter=1, start={"least": {3: 0.0, 5: 9.0, 7: 9.0}})


@pytest.mark.parametrize(
    "compute, message",
    [
        (lambda v, u, edge, params: (setattr(v, "count", 3), 1)[1], r"Counts.compute changed v.count .*'leaf 0'"),
        (
            lambda v, u, edge, params: (setattr(params, "n_vertices", 3), 1)[1],
            "Counts.compute changed params.n_vertices",
        ),
        (lambda v, u, edge, params: np.random.default_rng().integers(0, 200), "when it was called again"),
    ],
)
def test_a_compute_with_side_effects(monkeypatch, compute, message):
    """The parser refuses such functions, so that only one put in its place can be tried."""
    monkeypatch.setattr(Counts, "compute", staticmethod(compute))
    with pytest.raises(ProgramError, match=message):
        interpreter.interpret(Counts, STAR, {}, max_iterations=1, check=True)
