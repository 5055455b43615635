# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""How a program is run: the model, the placement, and the processors; written for the apps and the launcher."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from os import PathLike

from perfmodel import documents
from perfmodel.errors import ModelError

VERSION = 1
KIND = "Lux configuration"
REMEDY = "lux autotune GRAPH --program NAME --output FILE writes one"
MODELS = ("pull", "push", "auto")
PLACEMENTS = ("host", "peer", "device", "zero-copy")


@dataclass(frozen=True)
class Configuration:
    """One way to run a program.

    Attributes
    ----------
    program : str
    model : {"pull", "push", "auto"}
    placement : {"host", "peer", "device", "zero-copy"}
        Where vertex values are: in host memory for CPU cores; else in the memory of the GPU that owns them, in all
        GPUs' memories, or in zero-copy memory.
    nodes : int
        The paper's x.
    per_node : int
        The paper's y: GPUs, or CPU cores, that work on each node.
    parts : int or None
        Partitions; None for one task that holds the whole graph and has a thread for each core, or for one GPU.
    """

    program: str
    model: str = "pull"
    placement: str = "host"
    nodes: int = 1
    per_node: int = 1
    parts: int | None = 1

    def __post_init__(self) -> None:
        for name, value, allowed in (("model", self.model, MODELS), ("placement", self.placement, PLACEMENTS)):
            if value not in allowed:
                raise ModelError(f"{name}={value!r} was passed; allowed are {', '.join(allowed)}")
        for name, number in (("nodes", self.nodes), ("per_node", self.per_node), ("parts", self.parts)):
            if number is not None and number < 1:
                raise ModelError(f"{name}={number!r} was passed; allowed are whole numbers from 1")

    @property
    def device(self) -> str:
        """``cpu`` or ``gpu``."""
        return "cpu" if self.placement == "host" else "gpu"

    @property
    def workers(self) -> int:
        """All processors: x times y.

        >>> Configuration("pagerank", nodes=2, per_node=4, parts=8).workers
        8
        """
        return self.nodes * self.per_node

    @property
    def one_task(self) -> bool:
        """Whether one task runs all iterations."""
        return self.parts in (None, 1) and self.nodes == 1 and self.placement != "zero-copy"

    def write(self, path: str | PathLike[str]) -> None:
        """Write the configuration as JSON, with ``cpus`` and ``gpus`` on each node for the launcher."""
        processors = {"cpus": self.per_node, "gpus": 0} if self.device == "cpu" else {"gpus": self.per_node}
        documents.write(path, KIND, VERSION, asdict(self) | {"launch": {"nodes": self.nodes} | processors})

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Configuration:
        """Read a configuration; raises `ModelError` for anything else."""
        found = documents.read(path, KIND, VERSION, REMEDY)
        found.pop("launch", None)
        try:
            return cls(**found)
        except TypeError as error:
            raise ModelError(f"{path} is a configuration with something missing or wrong ({error}): {REMEDY}") from None
