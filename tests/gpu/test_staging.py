# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Programs on GPUs whose values CPU cores gather give the same as where kernels do."""

import numpy as np
import pytest

import lux
from lux.engine import executor
from lux.engine.gpu.parts import PartitionedGpuRun
from lux_cases import programs
from lux_cases.builtin import PageRank32
from lux_cases.graphs import graph
from lux_cases.runs import RUNS, Case, agree
from lux_cases.stores import to_array

pytestmark = pytest.mark.gpu


CASES = {
    **{name: RUNS[name] for name in ("ranks in float32", "labels", "vectors", "sums")},
    "small": Case(programs.Small, {"max_iter": 4}),
}


@pytest.mark.parametrize("run", CASES)
@pytest.mark.parametrize("name, order", [("kronecker:11", "given"), ("star", "given")])
def test_cores_gather(name, order, run):
    g, (program, arguments, double) = graph(name, order), CASES[run]
    if run == "small":
        arguments = arguments | {"constants": {"height": np.linspace(0, 1, g.n_vertices, dtype=np.float32)}}
    with lux.using(device="cpu", repartition="off"):
        expected = lux.run(program, g, parts=2, **arguments)
    for parts in (1, 2, 3):
        with lux.using(device="gpu", placement="zero-copy", loading="cores"):
            found = lux.run(program, g, parts=parts, **arguments)
        assert (found.device, found.parts) == ("gpu", parts)
        assert found.statistics[0].why.endswith("; CPU cores gather INS")
        agree(expected, found, double=double)


@pytest.mark.parametrize("parts", [1, 2])
def test_both_are_measured(parts):
    g = graph("kronecker:12", "degree")
    values = {"alpha": 0.85, "stop": 0.0}
    with lux.using(device="cpu"):
        expected = executor.execute(PageRank32, g, values, max_iterations=6)
    with lux.using(device="gpu", loading="auto"):
        run = PartitionedGpuRun(PageRank32, g, {}, values, "auto", 6, parts, placement="zero-copy")
        found = run.execute(None)
    assert "gather INS (kernel " in found.statistics[0].why
    assert found.loads.nbytes == 6 * 4 * int(g.layout(parts).members.sizes.sum())
    for name, store in expected.fields.items():
        values = to_array(found.fields[name])
        np.testing.assert_allclose(values, to_array(store), rtol=1e-5)
