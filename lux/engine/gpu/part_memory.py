# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Memory of a run on partitions: on GPUs and in zero-copy memory."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import legate_config
from lux import runtime, settings
from lux.engine.gpu.control import PIECES
from lux.engine.gpu.messages import CHUNK_BITS
from lux.engine.gpu.placement.allocation_ledger import OtherAllocations, describe_holders, other_allocations
from lux.engine.gpu.single import CHUNK, of_reductions, writer_of
from lux.graph.indexes.degree_bins import most_items
from lux.kernels import frontier as fr
from lux.launch.memory import Scratch, bitmap_bytes

if TYPE_CHECKING:
    from lux.codegen.cuda_writer import Writer
    from lux.graph.graph import Graph
    from lux.graph.layout import PartitionedGraph
    from lux.program.program import Program
    from lux.runtime import Store


CONTROL_BYTES = 2**9
"""Bytes of a partition's control stores at most, in both copies: state, position, and one more word of the frontier."""


OWNERS = ("edges of a partition", "partition", "GPU", "zero-copy memory of a process")
"""Owners of arrays, in the order of `PartitionBytes`."""


class ArrayBytes(NamedTuple):
    """Bytes that one of `OWNERS` has of an array, at most.

    >>> ArrayBytes("members of INS", "partition", 400).nbytes
    400
    """

    name: str
    owner: str
    nbytes: int


class PartitionBytes(NamedTuple):
    """Bytes needed by the largest partition of a run.

    Attributes
    ----------
    edges : int
    other : int
        All other stores of the partition on its GPU.
    shared_per_gpu : int
        Stores that all partitions of a GPU share.
    zero_copy : int
        Bytes of zero-copy memory in each process.
    """

    edges: int
    other: int
    shared_per_gpu: int
    zero_copy: int


class PartMemory:
    """One run on partitions. The other parameters are those of `lux.engine.gpu.single.GpuRun`.

    The first ``on_gpus`` partitions are on GPUs: all, unless CPU cores take part (`lux.engine.mixed`).

    Parameters
    ----------
    parts : int
    placement : {"peer", "device", "zero-copy"}
    overflow : bool or int
        True: edges for which the GPUs have no room are read from zero-copy memory (section 4.2 of the Lux paper), by
        whole partitions. A number: the edges of so many partitions of each GPU, whether there is room or not.

    Attributes
    ----------
    relocates : bool
        True if GPUs make members of INS and local ids from those of the previous partitions
        (`lux.engine.gpu.ins_rebuild`).
    """

    def __init__(
        self,
        program: type[Program],
        graph: Graph,
        given: Mapping[str, Store],
        values: Mapping[str, Any],
        model: str,
        max_iterations: int,
        parts: int,
        *,
        placement: str,
        overflow: bool | int = False,
    ) -> None:
        self.relocates = False
        self.program, self.spec, self.graph, self.model, self.limit = (
            program,
            program.spec,
            graph,
            model,
            max_iterations,
        )
        self.given, self.values, self.placement = given, values, placement
        self.zero_copy, self.peers = placement == "zero-copy", parts if placement == "peer" else 0
        self.pushes = model == "push" or (model == "auto" and self.spec.frontier)
        self.layout: PartitionedGraph = graph.layout(parts)
        self.parts = self.on_gpus = parts
        self.local = placement != "device" or self.packed
        how: dict[str, Any] = {"part": True, "local": self.local, "peers": self.peers, "packed": self.packed}
        self.writer: Writer = writer_of(program, graph, values, **how)
        self.loading = settings.current().loading
        self.lists = self.local or (self.pushes and parts > 1)
        self.overflows = int(overflow)
        if overflow is True:
            self.overflows = self.partitions_without_room()

    @property
    def packed(self) -> bool:
        """True if partitions send one another messages inside launches (`lux.engine.gpu.messages`)."""
        return self.placement == "device" and self.parts > 1 and self.ranks > 1

    @property
    def ranks(self) -> int:
        """Processes that share the run."""
        return runtime.ranks()

    @property
    def gpus(self) -> int:
        """GPUs of all processes."""
        return runtime.gpus()

    @property
    def owned(self) -> bool:
        """True if a GPU has values of its own vertices alone, beside compact copies of the values they read."""
        return bool(self.peers) or self.packed

    def bytes_of(self, names: list[str]) -> int:
        """Count the bytes of a vertex in these fields."""
        return sum(map(self.writer.bytes_of, names))

    @property
    def crossing_bytes(self) -> int:
        """Bytes of a vertex that neighbours read and iterations write."""
        return self.bytes_of(self.writer.crossing)

    @cached_property
    def _largest(self) -> tuple[int, int]:
        """Vertices and in-edges of a partition on a GPU, at most."""
        ends = self.on_gpus + 1
        return int(np.diff(self.layout.points[:ends]).max()), int(np.diff(self.layout.edge_points[:ends]).max())

    @cached_property
    def held(self) -> OtherAllocations:
        """Bytes of other graphs, results and runs on GPUs and in zero-copy memory; every process has to ask."""
        return other_allocations(self.graph, self.parts)

    @property
    def own_degrees(self) -> bool:
        """True if a partition's kernel reads the out-degrees of its own vertices alone."""
        spec = self.spec
        return (spec.frontier or spec.uses("v", "out_degree")) and not spec.read_from_neighbours("out_degree")

    @property
    def mixed(self) -> bool:
        """True if CPU cores have some of the partitions."""
        return self.on_gpus < self.parts

    @property
    def staged(self) -> list[str]:
        """Fields that CPU cores can gather (`lux.engine.gpu.host_gather`)."""
        return self.writer.exchanged

    @cached_property
    def stages(self) -> bool:
        """True if CPU cores may gather fields; with ``auto`` only if there is room."""
        possible = self.zero_copy and not self.mixed and runtime.ranks() == 1 and bool(self.staged)
        if not possible or self.loading != "auto":
            return possible and self.loading == "cores"
        return (
            self._staged_bytes
            <= legate_config.settings().zcmem_bytes - self.partition_bytes.zero_copy - self.held.zero_copy
        )

    @property
    def _staged_bytes(self) -> int:
        members = min(self.graph.n_vertices, self._largest[1])
        return self.parts * (members * self.bytes_of(self.staged) + 2**12)

    def memory_bytes(self) -> tuple[int, int]:
        """Count the bytes of the run on the GPU that needs most, and in zero-copy memory of each process."""
        edges, others, once, shared = self.partition_bytes
        beside = self.overflows * edges * max(self.gpus // self.ranks, 1)
        shared += beside + (self._staged_bytes if self.stages else 0)
        return (self._each - self.overflows) * edges + self._each * others + once, shared

    @property
    def _each(self) -> int:
        """Partitions on a GPU, at most."""
        return -(-self.on_gpus // (self.gpus or self.on_gpus))

    def partitions_without_room(self) -> int:
        """Count the partitions of each GPU whose edges do not fit."""
        edges, others, once, _ = self.partition_bytes
        room = legate_config.settings().fbmem_bytes - self.held.on_gpu - self._each * others - once
        return self._each - min(max(room // max(edges, 1), 0), self._each)

    @cached_property
    def overflowing(self) -> NDArray[np.bool_]:
        """True for each partition whose edges are in zero-copy memory: the last ones of a GPU."""
        gpu = np.arange(self.on_gpus) * (runtime.gpus() or self.on_gpus) // self.on_gpus
        later = np.array([np.count_nonzero(gpu[p:] == gpu[p]) for p in range(self.on_gpus)])
        return np.asarray(later <= self.overflows)

    @cached_property
    def partition_bytes(self) -> PartitionBytes:
        """Bytes needed by the largest partition."""
        found = dict.fromkeys(OWNERS, 0)
        for array in self.array_bytes:
            found[array.owner] += array.nbytes
        return PartitionBytes(*found.values())

    @cached_property
    def array_bytes(self) -> list[ArrayBytes]:
        """All arrays of the run on GPUs and in zero-copy memory."""
        vertices, edges = self._largest
        properties = {e: self.graph.property_types[e].itemsize for e in self.spec.edge_properties}
        ends = {"sources of in-edges": 4, **{f"{e} of in-edges": size for e, size in properties.items()}}
        if self.pushes:
            ends |= {"destinations of out-edges": 4, **{f"{e} of out-edges": size for e, size in properties.items()}}
        # Offsets of neighbours share one, so Legate gives each partition the offsets of all before it on its GPU, too.
        before = {"offsets of partitions before": 8 * vertices * (self._each * (self._each - 1) // 2)}
        owned = (
            {name: size * edges for name, size in ends.items()},
            self._arrays_of_partition(vertices, edges),
            self._shared_arrays() | before,
            self._zero_copy_arrays(),
        )
        return [
            ArrayBytes(name, owner, size)
            for owner, sizes in zip(OWNERS, owned, strict=True)
            for name, size in sizes.items()
            if size
        ]

    @property
    def _read_by_neighbours(self) -> list[str]:
        """Fields in two copies that neighbours read."""
        return [f for f in self.writer.swapped if self.spec.read_from_neighbours(f)]

    def _arrays_of_partition(self, vertices: int, edges: int) -> dict[str, int]:
        """Count the bytes of a partition's own arrays besides edges."""
        writer, n, whole = self.writer, self.graph.n_vertices, self._read_by_neighbours
        members, items = min(n, edges) if self.lists else 0, most_items(vertices, edges)
        own = [f for f in writer.state if f not in whole]
        found = {"offsets of in-edges": 8 * vertices, "out-degrees": 8 * vertices}
        found |= {"offsets of out-edges": 8 * ((members if self.lists else n) + 1)} if self.pushes else {}
        found |= {"members of INS": 4 * members, "work for warps": 8 * items, "split points": 16 * (self.parts + 1)}
        found["rows by class of degrees"] = 4 * vertices
        found |= {f"field {f}, two copies": 2 * self.bytes_of([f]) * vertices for f in own + whole * self.owned}
        return found | {f"scratch: {name}": size for name, size in self.scratch(items, members).sizes.items()}

    def _shared_arrays(self) -> dict[str, int]:
        """Count the bytes of arrays that all partitions of a GPU share."""
        writer, n = self.writer, self.graph.n_vertices
        found = {"positions by id": 4 * n} if writer.ordered else {}
        if self.spec.read_from_neighbours("out_degree"):
            found["out-degrees of all vertices"] = self.graph.degree_dtype.itemsize * n
        found |= {f"constant field {f}": self.bytes_of([f]) * n for f in writer.constant}
        if not (self.owned or self.zero_copy):
            found |= {f"field {f}, two copies": 2 * self.bytes_of([f]) * n for f in self._read_by_neighbours}
        return found | ({"messages and their lists": self.messages_bytes} if self.packed else {})

    def _zero_copy_arrays(self) -> dict[str, int]:
        """Count the bytes of arrays in a process's zero-copy memory."""
        n = self.graph.n_vertices
        found = {"frontier": n // 2 * self.spec.frontier, "state": 2**16 + CONTROL_BYTES * self.parts}
        if self.zero_copy:
            found |= {f"field {f}, two copies": 2 * self.bytes_of([f]) * n for f in self._read_by_neighbours}
        return found

    @property
    def messages_bytes(self) -> int:
        """Bytes of the slots that a GPU reads and writes, and of their lists, at most."""
        layout, names = self.layout, self.writer.exchanged
        own, edges = np.diff(layout.points), np.diff(layout.edge_points)
        read = int(np.minimum(self.graph.n_vertices - own, edges).max())
        sent = int((least_with_each(own, edges) - np.minimum(own, edges)).max())
        each = (read + sent) * (self.bytes_of(names) + 1) + 4 * sent
        heads = 2 * 8 * (fr.STATE_COLUMNS + CHUNK_BITS // 64 + len(names) + 1) + 32
        return self._each * (each + heads * (self.parts - 1))

    @property
    def makes_members(self) -> bool:
        """True if GPUs make members of INS, or what is made with them; all processes must ask."""
        return False

    @property
    def groups_on_gpus(self) -> bool:
        """True if GPUs group their edges by source; all processes must ask."""
        return False

    @property
    def _has_local(self) -> bool:
        """True if the sources of edges are there as positions among the members of INS."""
        return "members" in vars(self.layout) and "local_sources" in vars(self.layout.members)

    def host_bytes(self) -> int:
        """Count the bytes that CPU cores have still to make: local ids, members of INS, edges by source.

        Edges that lie on GPUs are copied to the host, too, where cores group them.
        """
        layout, n, m = self.layout, self.graph.n_vertices, self.graph.n_edges
        names, members = tuple(self.writer.edge), min(n * self.parts, m)
        on_gpus = self.relocates or self.makes_members
        found = 4 * members if self.lists and "members" not in vars(layout) and not on_gpus else 0
        found += 4 * members if self.packed and not layout.has_cached("exports") else 0
        found += 4 * m if self.local and not (on_gpus or self._has_local) else 0
        whole = self.parts == 1 and not self.local
        same = whole and not self.graph.directed
        if self.pushes and not same and not layout.has_by_source(names, listed=self.local) and not self.groups_on_gpus:
            properties = sum(self.graph.property_types[e].itemsize for e in names)
            found += (4 + properties) * m + 8 * (n if whole else members)
            found += (4 + properties) * m + 8 * n if self.graph.edges_on_gpus else 0
        return found

    def fits_host(self) -> bool:
        """Tell whether `host_bytes` fit beside all stores there are; every process has to ask."""
        return runtime.fits_memory(self.host_bytes())

    def check_memory(self) -> None:
        """Raise an error if the run does not fit."""
        on_gpu, shared = self.memory_bytes()
        what = f"{self.program.__name__} on {self.parts} partitions"
        held, by = self.held, lambda: describe_holders(self.graph, self.parts)
        runtime.check_gpu_memory(on_gpu, what, held.on_gpu, by)
        if not self.fits_host():
            runtime.check_memory(self.host_bytes(), what)
        runtime.check_zero_copy_memory(shared, what, "use placement='device'", held.zero_copy, by)

    def scratch(self, n_items: int, members: int, boxes: tuple[int, int] = (0, 0)) -> Scratch:
        """Lay out a partition's scratch memory; ``boxes``: bytes of the messages that it sends, and receives."""
        n, spec, writer = self._largest[0], self.spec, self.writer
        lengths = spec.lengths
        rows = members if self.lists else self.graph.n_vertices
        zeroed, others = of_reductions(writer, n, n_items, pushes=self.pushes)
        zeroed["spent"] = 8 * PIECES
        if spec.frontier:
            others |= {"all_front": bitmap_bytes(self.graph.n_vertices), "bits": bitmap_bytes(n)}
            others |= {"front": bitmap_bytes(members)} if self.local else {}
        if self.packed:
            others |= {"sent": 8 * self.parts, "outbox": boxes[0], "inbox": boxes[1]}
        if spec.frontier and self.pushes:
            others |= {"small": 4 * rows, "chunks": 8 * self._chunks}
        if spec.sparse:
            zeroed["marks"] = bitmap_bytes(n)
            others["touched"] = 4 * n
        for f in writer.remote:
            others |= dict.fromkeys((f"m0_{f}", f"m1_{f}"), self.bytes_of([f]) * n)
        for f in writer.gathered:
            others[f"near_{f}"] = writer.neighbour_type(f).itemsize * lengths.get(f, 1) * members
        return Scratch(zeroed, others)

    @property
    def _chunks(self) -> int:
        return 2 * self._largest[1] // CHUNK + 1

    def _moved_back(self, name: str) -> int:
        """Count the bytes by which an array in scratch memory, indexed by vertex, is moved back for each vertex."""
        writer, lengths = self.writer, self.spec.lengths
        kind, _, field = name.partition("_")
        if name in ("pend", "locks"):
            return 8 if name == "pend" else 4
        if kind == "pend":
            return writer.pending(field).itemsize * lengths.get(field, 1)
        return self.bytes_of([field]) if kind in ("m0", "m1") else 0


def least_with_each(own: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sum, for each number, the lesser of it and each of the others: without a table of all pairs.

    >>> least_with_each(np.array([3, 10]), np.array([1, 5, 7])).tolist()
    [7, 13]
    """
    rising = np.sort(others)
    less = np.searchsorted(rising, own)
    return np.asarray(np.append(0, np.cumsum(rising))[less] + own * (len(rising) - less))
