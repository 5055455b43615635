# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Heartbeats between several processes: if one is lost, or its node, the others end instead of waiting for ever.

Launchers notice a process that ends. They do not notice, or only after many minutes, a node that has lost its power or
its network. A helper beside each process does (`lux.runtime.heartbeat_process`).
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

import legate_config
from lux.runtime.agreement import text_of_one

HELPER = Path(__file__).with_name("heartbeat_process.py")
SWITCH = "LUX_HEARTBEAT"
"""Environment variable: 0 starts no helpers."""
MOST_ADDRESSES = 100
_SIOCGIFADDR, _IFREQ_BYTES = 0x8915, 40

_helper: subprocess.Popen[str] | None = None


def begin(rank: int, ranks: int) -> None:
    """Start this process's helper. All processes must call this at the same place."""
    document = ""
    if rank == 0 and os.environ.get(SWITCH) != "0":
        token, port = secrets.token_hex(8), 0
        with suppress(OSError):  # this process must not stop before the others hear of it
            port = start_helper(0, ranks, {"token": token})
        document = json.dumps({"token": token, "port": port, "addresses": addresses()[:MOST_ADDRESSES]}) if port else ""
    document = text_of_one(document)
    if rank and document:
        start_helper(rank, ranks, json.loads(document))


def start_helper(rank: int, ranks: int, hub: dict[str, object]) -> int:
    """Start the helper of this process, one of several; return the port of that of process 0, for the others 0.

    Parameters
    ----------
    hub : dict
        The ``token`` of the job and, but for process 0, ``port`` and ``addresses`` of the helper of process 0.
    """
    global _helper
    legate_config.leave_launchers_to_others()
    _exit_at_hang_up()
    given = json.dumps({"launchers": legate_config.nearest_launchers(os.getpid())} | hub)
    _helper = subprocess.Popen(
        [sys.executable, "-I", "-S", str(HELPER), str(rank), str(ranks), given],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE if rank == 0 else subprocess.DEVNULL,
        text=True,
    )
    return 0 if _helper.stdout is None else int(_helper.stdout.readline() or 0)


def expect_end() -> None:
    """Tell the helper that this process will end, so that its end is no loss to the others."""
    if _helper is not None and _helper.stdin is not None:
        with suppress(OSError):
            _helper.stdin.write("end\n")
            _helper.stdin.flush()


def _exit_at_hang_up() -> None:
    """Have this process exit with code 1, SIGHUP's number, at SIGHUP: in C, as Python's handlers wait for its lock."""
    libc = ctypes.CDLL(None)
    libc.signal.argtypes, libc.signal.restype = (ctypes.c_int, ctypes.c_void_p), ctypes.c_void_p
    if signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:  # nohup's stays
        libc.signal(signal.SIGHUP, ctypes.cast(libc["_exit"], ctypes.c_void_p))


def addresses(names: Collection[str] | None = None) -> list[str]:
    """Return the IPv4 address of each of this machine's interfaces, those that no other machine reaches last.

    ``names`` are the interfaces asked for.
    """
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for _, name in socket.if_nameindex():
            if names is not None and name not in names:
                continue
            with suppress(OSError):  # it has none
                answer = fcntl.ioctl(any_socket.fileno(), _SIOCGIFADDR, name.encode().ljust(_IFREQ_BYTES, b"\0"))
                found.append(socket.inet_ntoa(answer[20:24]))
    return sorted(found, key=lambda address: address.startswith("127."))
