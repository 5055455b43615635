# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Programs that the model knows: bytes of a vertex and of an edge."""

from __future__ import annotations

from dataclasses import dataclass

from perfmodel.errors import ModelError


@dataclass(frozen=True)
class Program:
    """Program as the model sees it.

    Attributes
    ----------
    name : str
        ``labels`` is label propagation by `lux.run`: a frontier, and no strategy.
    value_bytes : int
        Bytes that an edge reads of its source: the paper's |T_v|.
    state_bytes : int
        Bytes of all fields of a vertex, second copies included.
    edge_bytes : int
        Bytes of the edge properties that the program reads.
    both : bool
        Edges are taken in both directions: sizes are the symmetrised graph's.
    frontier : bool
        Only a frontier pushes; without one, ``auto`` is ``pull``.
    crosses : bool
        Edges read a value of their source, so GPUs need the values of other partitions; else the frontier is enough.
    strategy : str
        Strategy that ``model="auto"`` runs if it is neither pull nor push; else empty.
    like : str
        The program whose rates and frontiers hold for this one as well; else empty.
    factors : bool
        Vertices have factors of K numbers, and rates depend on K: `perfmodel.factors`.
    sources : bool
        Sources are shared out, and an iteration is a source: `perfmodel.predict_sources`.
    """

    name: str
    value_bytes: int
    state_bytes: int
    edge_bytes: int = 0
    both: bool = False
    frontier: bool = True
    crosses: bool = True
    strategy: str = ""
    like: str = ""
    factors: bool = False
    sources: bool = False

    @property
    def rates_of(self) -> str:
        """Name of the program that was calibrated."""
        return self.like or self.name


PROGRAMS = {
    p.name: p
    for p in (
        Program("pagerank", 8, 32, frontier=False),
        Program("components", 4, 8, both=True, strategy="links edges in forests"),
        Program("labels", 4, 8, both=True, like="components"),
        Program("bfs", 4, 16, crosses=False, strategy="has threads share each level"),
        Program("sssp", 8, 16, edge_bytes=4, strategy="steps through buckets of distances"),
        Program("factorize", 0, 0, edge_bytes=8, both=True, frontier=False, factors=True),
        Program("betweenness", 0, 0, frontier=False, sources=True),
    )
}

BUILT_IN = tuple(PROGRAMS)
"""Names of programs that are known without a run; `lux.autotune.short_run` adds those of users."""


def program(name: str) -> Program:
    """Return the program of a name.

    >>> program("pagerank").value_bytes
    8
    >>> program("sort")
    Traceback (most recent call last):
        ...
    perfmodel.errors.ModelError: there is no model of 'sort': pass one of pagerank, components, labels, bfs, sssp, \
factorize, betweenness
    """
    if name not in PROGRAMS:
        raise ModelError(f"there is no model of {name!r}: pass one of {', '.join(BUILT_IN)}")
    return PROGRAMS[name]
