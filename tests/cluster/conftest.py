# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Clusters of network namespaces, where they can be made."""

import functools

import pytest

from benchmarks.cluster import Cluster, refusal

_refusal = functools.cache(refusal)


@pytest.fixture
def cluster():
    """``cluster(4)``: a cluster of so many nodes, until the test ends."""
    if reason := _refusal():
        pytest.skip(reason)
    made = []

    def make(nodes, mbit=200):
        made.append(Cluster(nodes, mbit).__enter__())
        return made[-1]

    yield make
    for each in made:
        each.remove()
