# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Stores of Legate as arrays; sides of bipartite graphs; results, changed and in files; the launches of a run."""

from dataclasses import replace

import numpy as np

from lux.graph.indexes.node_borders import node_points
from lux.graph.sides import LEFT, RIGHT, Sides, sides_in_places
from lux.graph.values import Values
from lux.results.write import write_result
from lux.runtime import finish, from_array, give_spare_back, new_store, recorded, task_context, to_array

__all__ = [
    "LEFT",
    "RIGHT",
    "Sides",
    "contexts",
    "finish",
    "from_array",
    "give_spare_back",
    "new_store",
    "node_points",
    "recorded",
    "sides_in_places",
    "to_array",
    "values_of",
    "with_columns",
    "write_result",
]


def contexts():
    """List the keys of the objects that launches have been given and that are still kept."""
    return set(task_context.shared)


def values_of(graph, array, **more):
    """Make the values of a graph's vertices, as a result has them, of an array."""
    return Values(graph, from_array(np.asarray(array)), **more)


def with_columns(result, **arrays):
    """Copy a result with other values in these columns, which a verifier should refuse."""
    changed = {name: replace(result.columns[name], store=from_array(array)) for name, array in arrays.items()}
    return replace(result, columns=result.columns | changed)
