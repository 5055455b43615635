# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Betweenness: sources that processors share out, by hand."""

from dataclasses import replace

import pytest

from perfmodel import Configuration, ModelError, choose
from perfmodel.predict_sources import Sources, predict_sources

FOUR = Configuration("betweenness", "auto", "host", 2, 2, None)


def test_sources_are_shared_out(summary, cpu):
    known, given = replace(cpu, network=1e-9), Sources(100, seconds=1e-3, serial=0.5)
    one = predict_sources(summary, known, FOUR, given)
    assert one.iteration == pytest.approx(1e-3 * 0.75 / 2)
    assert one.total == pytest.approx(100 * one.iteration + 8 * 1000 * 1e-9)  # scores of all vertices, once
    assert predict_sources(summary, cpu, replace(FOUR, nodes=1, per_node=1), given).total == pytest.approx(0.1)
    with pytest.raises(ModelError, match="no rate between nodes"):
        predict_sources(summary, cpu, FOUR, given)


def test_choices(summary, cpu):
    known, given = replace(cpu, network=1e-9), Sources(100, seconds=1e-3)
    assert choose(summary, known, "betweenness", 4, 2, sources=given).configuration.workers == 8
    slow = replace(cpu, network=1.0)
    assert choose(summary, slow, "betweenness", 4, 2, sources=given).configuration.nodes == 1
    small = replace(known, machine=replace(known.machine, memory_bytes=1000))
    with pytest.raises(ModelError, match="fits nowhere"):
        choose(summary, small, "betweenness", 4, 2, sources=given)
    with pytest.raises(ModelError, match="is predicted from a short run"):
        choose(summary, known, "betweenness")
