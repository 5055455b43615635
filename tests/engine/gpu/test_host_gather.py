# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""CPU cores gather what GPUs read, as far as it can be seen without a GPU."""

import numpy as np
import pytest

import lux
from lux.engine.gpu.host_gather import PIECES, Pieces
from lux.engine.gpu.host_gather_kernels import gather
from lux.engine.gpu.parts import PartitionedGpuRun
from lux.engine.run.instance_addresses import arrays_of
from lux.errors import ParameterError
from lux_cases.builtin import PageRank, PageRank32, SmallestLabel
from lux_cases.launches import NativeLauncher, body, ranges
from lux_cases.stores import new_store, to_array


@pytest.mark.check
@pytest.mark.parametrize("parts", [1, 3])
def test_what_is_gathered(parts):
    g = lux.generate("kronecker:8", seed=3)
    members = g.layout(parts).members
    rng, n = np.random.default_rng(1), g.n_vertices
    fields = [
        rng.random(n), rng.random(n).astype(np.float32), rng.random(3 * n).astype(np.float32),
        rng.integers(0, 99, n).astype(np.uint8), rng.random(2 * n),
    ]  # fmt: skip
    widths = [8, 4, 12, 1, 16]
    pieces = Pieces(members.sizes, widths)
    assert len(pieces.count) == PIECES * parts
    assert pieces.count.sum() == members.sizes.sum()
    staged = new_store(np.uint8, int(pieces.starts[-1]))
    (to,) = arrays_of({}, {"staged": staged}).values()
    (places,) = arrays_of({"members": members.places}, {}).values()
    other = [array[::-1].copy() for array in fields]
    tables = [pieces.table(places, values, to.ctypes.data + pieces.at) for values in (fields, other)]
    launcher = NativeLauncher("gather_members", outputs={"staged": "rows"})
    with body(gather.address, tables, len(pieces.count)) as key:
        for number, values in enumerate((fields, other)):
            launcher(len(pieces.count), staged=staged, rows=ranges(pieces.starts), key=key, number=number)
            found = to_array(staged)
            for first, count, at in zip(pieces.first, pieces.count, pieces.at, strict=True):
                some = places[first : first + count]
                for array, width, begin in zip(values, widths, at, strict=True):
                    expected = array.view(np.uint8).reshape(n, width)[some].ravel()
                    np.testing.assert_array_equal(found[begin : begin + width * count], expected)


def run(loading, placement="zero-copy", program=PageRank32):
    values = {"alpha": 0.85, "stop": 0.0} if program is not SmallestLabel else {}
    with lux.using(loading=loading):
        return PartitionedGpuRun(program, lux.toy.kite(), {}, values, "auto", 5, 2, placement=placement)


def test_where_cores_may_gather(pretend_gpus):
    pretend_gpus(0)
    assert [run(loading).stages for loading in ("kernel", "cores", "auto")] == [False, True, True]
    assert not run("cores", "device").stages
    assert run("cores").staged == run("cores").writer.crossing
    assert run("cores").memory_bytes()[1] > run("kernel").memory_bytes()[1]
    assert "gathered" in run("cores").launchers(run("cores").static()[1] | {"work": "work_rows"})[1].split_of
    assert run("cores", program=PageRank).memory_bytes()[1] > run("cores").memory_bytes()[1]
    pretend_gpus(0, zcmem=0)
    assert [run(loading).stages for loading in ("cores", "auto")] == [True, False]


def test_ways_of_loading_that_there_are_not():
    with pytest.raises(ParameterError, match="kernel, cores, auto"), lux.using(loading="fast"):
        pass
