# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Where results come into the order of ids, as far as it can be seen without a GPU."""

from dataclasses import replace

import numpy as np
import pytest

import legate_config
import lux
from lux.engine import to_user_ids
from lux.engine.gpu import to_user_ids as on_gpu
from lux.engine.gpu.placement import device_selection
from lux.engine.run.run import Run
from lux_cases.stores import from_array, new_store, to_array

N = 1 << 8


def graph():
    return lux.generate("kronecker:8", seed=3).reordered("degree")


def given(monkeypatch, nbytes):
    found = replace(legate_config.settings(), fbmem_bytes=nbytes)
    monkeypatch.setattr(legate_config, "settings", lambda: found)


@pytest.mark.check
def test_a_gpu_needs_room_for_all_fields_of_a_run(monkeypatch):
    g, one, wide = graph(), new_store(np.float32, N), new_store(np.float64, 3 * N)
    edges = device_selection.edges_bytes(g, 0, both=True) + 16 * N
    for fields, results in (([one], 12 * N), ([one, wide], 12 * N + 48 * N)):
        needed = int((edges + results) / on_gpu.FILLED) + 1
        given(monkeypatch, needed)
        assert on_gpu.fits(g, one, None, fields)
        given(monkeypatch, needed - 2)
        assert not on_gpu.fits(g, one, None, fields)


@pytest.mark.parametrize("dtype, wanted, known", [(np.bool_, None, True), (np.bool_, np.int64, False)])
def test_types_that_a_gpu_finishes(dtype, wanted, known, monkeypatch):
    given(monkeypatch, 1 << 30)
    store = new_store(dtype, N)
    assert on_gpu.fits(graph(), store, wanted, [store]) == known


def test_who_finishes_a_result(monkeypatch):
    g, store = graph(), from_array(np.arange(N, dtype=np.float32))
    monkeypatch.setattr(on_gpu, "to_user_ids", lambda *_, **how: how)
    given(monkeypatch, 1 << 30)
    expected = {"places": False, "length": 1, "points": None}

    def ended(device, **fields):
        return Run(fields, 1, True, 0.0, 1, [], device=device)

    run = ended("gpu", x=store)
    assert to_user_ids.to_user_ids(g, store, run=run) == expected
    assert to_user_ids.to_user_ids(lux.toy.kite(), store, run=run) is store  # nothing is to be done
    assert to_user_ids.to_user_ids(g, store, run=replace(run, finished=True)) is store
    for other in (ended("cpu"), ended("gpu+cpu"), None):
        found = to_array(to_user_ids.to_user_ids(g, store, run=other))
        np.testing.assert_array_equal(found, to_array(g.order.places))
    given(monkeypatch, 0)
    assert to_user_ids.to_user_ids(g, store, run=run) != expected
