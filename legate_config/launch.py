# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Preparation of this process for Legate."""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import replace

from legate_config import flags
from legate_config.affinity import bind_rank, rank_cores
from legate_config.launched import end_with_launcher
from legate_config.machine import Machine
from legate_config.preload import link_mpi, preload_cuda, preload_gather
from legate_config.ranks import RankInfo, rank_info

_settings: flags.Settings | None = None
_shared: Machine | None = None
_preparing = threading.RLock()


def prepare() -> None:
    """Make this process ready for ``import legate``; call it before that import, as often as you like.

    Under plain ``python``, configures Legate for the whole machine; under the ``legate`` launcher, or with
    ``LEGATE_CONFIG`` set, adds what is missing there. Each of several processes on a machine gets cores and GPUs of
    its own. If Legate runs already, only reads its configuration. From now on this process ends with its launcher.

    Raises
    ------
    ConfigError
        The flags contradict the machine, or the C++ compiler that a machine without a GPU needs is missing.
    """
    with _preparing:
        if _settings is None:
            _prepare()


def _prepare() -> None:
    global _settings, _shared
    end_with_launcher()
    if "legate.core" in sys.modules:
        _settings = flags.read(os.environ.get("LEGATE_CONFIG", ""))
        return
    info = rank_info()
    text = os.environ.get("LEGATE_CONFIG", "")
    _assign_gpus(text, info)
    _shared = machine = Machine.detect()
    bind_rank(info)
    cpu_ids = rank_cores()
    cores = max(1, min(len(cpu_ids), machine.cores // info.local_ranks))
    mine = replace(machine, cpu_ids=cpu_ids, cores=cores)
    text = flags.complete(text, mine, info.local_ranks, os.environ)
    settings = flags.read(text)
    flags.check(settings, mine, info.local_ranks)
    preload_cuda()
    link_mpi()
    if info.ranks > 1:
        preload_gather()
    os.environ["LEGATE_CONFIG"] = text
    os.environ.setdefault("LEGATE_AUTO_CONFIG", "0")
    os.environ.setdefault("UCX_LOG_LEVEL", "error")
    _leave_few_cores_to_work(cores, settings.gpus)
    if os.geteuid() == 0:
        os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
        os.environ.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    _settings = settings


def settings() -> flags.Settings:
    """Return the settings with which Legate is, or will be, started; prepares this process if need be."""
    prepare()
    assert _settings is not None
    return _settings


def shared_machine() -> Machine:
    """Describe the machine as shared by this job's processes on it, each bound to its share of the cores."""
    return Machine.detect() if _shared is None else _shared


def _leave_few_cores_to_work(cores: int, gpus: int) -> None:
    """Leave cores to the work where they are few: Realm's background threads poll the network without rest.

    Two processes with a core each took 1.5 ms a launch with one such thread, and 100 ms by Realm's default. Threads
    that wait for a lock of UCX sleep: spinning, they would keep the thread that holds it from their only core. Not so
    with GPUs, nor where there are many cores: two processes with a GPU each waited for each other for good, presumably
    as threads that poll take the lock again before one that slept for it is there.
    """
    if cores >= flags.SMALL_MACHINE:
        return
    if not gpus:
        os.environ.setdefault("UCX_USE_MT_MUTEX", "y")
    realm = os.environ.get("REALM_DEFAULT_ARGS", "")
    if "-ll:bgwork" not in realm:
        os.environ["REALM_DEFAULT_ARGS"] = f"{realm} -ll:bgwork 1".strip()


def _assign_gpus(text: str, info: RankInfo) -> None:
    """Show each of several processes on a machine its own share of the GPUs.

    Otherwise every process would take the first GPUs. A ``CUDA_VISIBLE_DEVICES`` that is set (by the user,
    ``legate --gpu-bind`` or SLURM) stands.
    """
    if info.local_ranks == 1 or "CUDA_VISIBLE_DEVICES" in os.environ:
        return
    gpus = Machine.detect().gpus
    each = int(flags.parse(text).get("--gpus", len(gpus) // info.local_ranks))
    first = each * info.local_rank
    if each and first + each <= len(gpus):
        os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(str(gpu.index) for gpu in gpus[first : first + each])
