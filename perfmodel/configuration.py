# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Configuration of a run: model, placement and processors; written for the apps and the launcher."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from os import PathLike

from perfmodel import json_files
from perfmodel.errors import ModelError

VERSION = 1
KIND = "Lux configuration"
REMEDY = "lux autotune GRAPH --program NAME --output FILE writes one"
MODELS = ("pull", "push", "auto")
PLACEMENTS = ("host", "peer", "device", "zero-copy")


@dataclass(frozen=True)
class Configuration:
    """Configuration of one run of a program.

    Attributes
    ----------
    program : str
    model : {"pull", "push", "auto"}
    placement : {"host", "peer", "device", "zero-copy"}
        Memory of the vertex values: host memory for CPU cores; else the memory of the GPU that owns them, all GPUs'
        memories, or zero-copy memory.
    nodes : int
        The paper's x.
    per_node : int
        The paper's y: GPUs, or CPU cores, that work on each node.
    parts : int or None
        Partitions; None for one task that holds the whole graph and has a thread for each core, or for one GPU.
    cpus : int
        CPU cores that work beside the GPUs in the same iteration, each on one of the last partitions (section 4.3 of
        the paper); 0 if one kind of processor has all edges.
    cpu_share : float
        Part of the edges on these CPU cores.
    overflow : float
        Part of the edges that the GPUs have no room for and read from zero-copy memory (section 4.2): the edges of the
        last partitions of each GPU, which then has several.
    fbmem, zcmem : int
        MiB of a GPU's memory and of zero-copy memory for Legate; 0 if `legate_config`'s defaults are enough.
    """

    program: str
    model: str = "pull"
    placement: str = "host"
    nodes: int = 1
    per_node: int = 1
    parts: int | None = 1
    cpus: int = 0
    cpu_share: float = 0.0
    overflow: float = 0.0
    fbmem: int = 0
    zcmem: int = 0

    def __post_init__(self) -> None:
        for name, value, allowed in (("model", self.model, MODELS), ("placement", self.placement, PLACEMENTS)):
            if value not in allowed:
                raise ModelError(f"{name}={value!r} was passed; allowed are {', '.join(allowed)}")
        for name, number in (("nodes", self.nodes), ("per_node", self.per_node), ("parts", self.parts)):
            if number is not None and number < 1:
                raise ModelError(f"{name}={number!r} was passed; allowed are whole numbers from 1")
        for name, share in (("cpu_share", self.cpu_share), ("overflow", self.overflow)):
            if not 0 <= share <= 1:
                raise ModelError(f"{name}={share!r} was passed; allowed are numbers from 0 to 1")
        for name, number in (("cpus", self.cpus), ("fbmem", self.fbmem), ("zcmem", self.zcmem)):
            if number < 0:
                raise ModelError(f"{name}={number!r} was passed; allowed are whole numbers from 0")
        if self.cpus and (self.placement, self.nodes, self.overflow) != ("zero-copy", 1, 0):
            raise ModelError(
                f"cpus={self.cpus} was passed with placement={self.placement!r}, nodes={self.nodes} and "
                f"overflow={self.overflow:g}: CPU cores work beside the GPUs of one node, with zero-copy placement and "
                "without overflow"
            )
        if self.cpus and self.parts != self.per_node + self.cpus:
            raise ModelError(
                f"parts={self.parts} was passed with {self.per_node} GPUs and {self.cpus} CPU cores, each of which has "
                f"a partition: pass parts={self.per_node + self.cpus}"
            )

    @property
    def device(self) -> str:
        """Processors that work: ``cpu``, ``gpu`` or ``gpu+cpu``.

        >>> Configuration("pagerank", placement="zero-copy", parts=9, cpus=8, cpu_share=0.1).device
        'gpu+cpu'
        """
        if self.cpus:
            return "gpu+cpu"
        return "cpu" if self.placement == "host" else "gpu"

    @property
    def sends_early(self) -> bool:
        """True if values travel between nodes while kernels run: between CPU cores that pull.

        >>> Configuration("pagerank", "pull", nodes=2).sends_early, Configuration("pagerank", "push").sends_early
        (True, False)
        """
        return self.device == "cpu" and self.model == "pull"

    @property
    def workers(self) -> int:
        """Number of processors: x times y, without CPU cores beside GPUs.

        >>> Configuration("pagerank", nodes=2, per_node=4, parts=8).workers
        8
        """
        return self.nodes * self.per_node

    @property
    def one_task(self) -> bool:
        """True if one task runs all iterations."""
        return self.parts in (None, 1) and self.nodes == 1 and self.placement != "zero-copy"

    def write(self, path: str | PathLike[str]) -> None:
        """Write the configuration as JSON, with what the launcher needs."""
        json_files.write(path, KIND, VERSION, asdict(self) | {"device": self.device, "launch": self.launch})

    @property
    def launch(self) -> dict[str, int]:
        """Nodes and, on each, processors and MiB of memories that differ from Legate's defaults.

        >>> Configuration("bfs", placement="zero-copy", parts=9, cpus=8, cpu_share=0.1, zcmem=5000).launch
        {'nodes': 1, 'gpus': 1, 'cpus': 8, 'zcmem': 5000}
        """
        processors = {"cpus": self.per_node, "gpus": 0} if self.device == "cpu" else {"gpus": self.per_node}
        more = {"cpus": self.cpus, "fbmem": self.fbmem, "zcmem": self.zcmem}
        return {"nodes": self.nodes} | processors | {name: number for name, number in more.items() if number}

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Configuration:
        """Read a configuration; raises `ModelError` for anything else."""
        found = json_files.read(path, KIND, VERSION, REMEDY)
        found.pop("launch", None)
        found.pop("device", None)
        return json_files.build_dataclass(path, "is a configuration", REMEDY, lambda: cls(**found))
