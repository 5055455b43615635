# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A helper of each of several processes, which ends it once another one has gone (`lux.runtime.heartbeat` starts it).

The helper is a program of its own, so that it never waits for Python's lock: a process that computes, however long, is
alive. Helpers hold TCP connections to that of process 0, the hub, and send a line a second through them. Lines are
``hello TOKEN RANK HOST`` and, as the answer, ``welcome HOST``; ``beat``; ``bye`` before a regular end; and ``lost RANK
HOST``, by which the hub tells all others. A process is lost if nothing has come from its helper for `SILENCE_S`, or if
its connection was closed without ``bye`` and the launcher has not ended the others within `GRACE_S`.

A launcher that waits for a node out of reach would not end either. So the helper ends its own process first, and then,
if they have not ended by themselves within `LAUNCHER_S`, the launchers that started its process on its machine.

Arguments: rank, ranks, and a document in JSON (`lux.runtime.heartbeat`). Standard input is a pipe from the process: the
line ``end`` precedes a regular end, and its end of file is that of the process.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import sys
import time
from contextlib import suppress

BEAT_S = 1.0
"""Seconds between two lines, and between two looks at the clock."""
SILENCE_S = 12.0
"""Seconds without a line after which a process is lost."""
GRACE_S = 5.0
"""Seconds that a launcher has for ending all processes after the end of one."""
KILL_S = 3.0
"""Seconds for a process to end by SIGTERM before it is killed."""
LAUNCHER_S = 8.0
"""Seconds for launchers to end after their process."""
SPEAK_S, MOST_SPEAK_S = 2.0, 6.0
"""Seconds between the ends of processes that lost the hub, and the most: the first one's end ends the others."""
CONNECT_S = 5.0
"""Seconds for a connection to one address of the hub."""


class Link:
    """A connection to another helper.

    Attributes
    ----------
    rank, host : int, str
        The other process; -1 until its first line.
    heard : float
        Time of its last line.
    regular : bool
        True after ``bye``.
    """

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self.connection = connection
        self.rank, self.host = -1, ""
        self.heard = time.monotonic()
        self.regular = False
        self._unread = b""

    def send(self, line: str) -> None:
        """Send a line; what a connection does not take at once is lost, as the other end would be."""
        with suppress(OSError):
            self.connection.send(line.encode() + b"\n")

    def read(self) -> list[list[str]] | None:
        """Return the words of the lines that have come; None once the connection is closed."""
        try:
            found = self.connection.recv(4096)
        except BlockingIOError:
            return []
        except OSError:
            return None
        if not found:
            return None
        self.heard = time.monotonic()
        *lines, self._unread = (self._unread + found).split(b"\n")
        return [line.decode(errors="replace").split() for line in lines]


class Helper:
    """A helper's connections and its process.

    Parameters
    ----------
    rank, ranks : int
    process : int
        Number of the process to end.
    token : str
        Name of the job, by which helpers know one another.
    launchers : list of int
        Numbers of the launchers that started it on this machine, the nearest first.
    silence_s, grace_s, launcher_s : float
        `SILENCE_S`, `GRACE_S` and `LAUNCHER_S`.
    """

    def __init__(
        self,
        rank: int,
        ranks: int,
        process: int,
        token: str,
        launchers: list[int],
        silence_s: float = SILENCE_S,
        grace_s: float = GRACE_S,
        launcher_s: float = LAUNCHER_S,
    ) -> None:
        self.rank, self.ranks, self.process, self.token = rank, ranks, process, token
        self.silence_s, self.grace_s, self.launcher_s = silence_s, grace_s, launcher_s
        self._launchers = {number: began_at(number) for number in launchers}
        self.host = socket.gethostname()
        self.links: list[Link] = []
        self._selector = selectors.DefaultSelector()
        self._listener: socket.socket | None = None
        self._regular = False
        self._closed: dict[int, tuple[str, float]] = {}
        self._lost: tuple[str, float] | None = None

    def listen(self) -> int:
        """Wait for connections, as the hub; return the port."""
        self._listener = socket.create_server(("", 0), backlog=self.ranks)
        self._listener.setblocking(False)
        self._selector.register(self._listener, selectors.EVENT_READ)
        return int(self._listener.getsockname()[1])

    def connect(self, addresses: list[str], port: int) -> bool:
        """Connect to the hub by the first of its addresses at which it answers; return True if one did."""
        for address in addresses:
            if os.getppid() != self.process:
                break
            with suppress(OSError, TimeoutError):
                connection = socket.create_connection((address, port), CONNECT_S)
                connection.sendall(f"hello {self.token} {self.rank} {self.host}\n".encode())
                if connection.recv(8, socket.MSG_PEEK) == b"welcome ":
                    link = Link(connection)
                    link.rank = 0
                    self._add(link)
                    return True
                connection.close()
        return False

    def run(self) -> None:
        """Send and receive lines until the process has ended."""
        os.set_blocking(0, False)
        self._selector.register(0, selectors.EVENT_READ)
        beat = seen = time.monotonic()
        while True:
            events = self._selector.select(BEAT_S / 4)
            now = time.monotonic()
            if now - seen > 3 * BEAT_S:  # this helper was stopped itself, and has not read what has come meanwhile
                for link in self.links:
                    link.heard = now
            seen = now
            for key, _ in events:
                if key.fileobj == 0:
                    if not self._process_lives():
                        return
                elif key.fileobj is self._listener:
                    self._accept()
                else:
                    self._hear(key.data)
            if now - beat >= BEAT_S:
                beat = now
                self._tell("beat")
            self._look(now)

    def _process_lives(self) -> bool:
        """Read the pipe from the process; at its end take leave if that is regular."""
        try:
            found = os.read(0, 64)
        except BlockingIOError:
            return True
        self._regular = self._regular or b"end" in found
        if found:
            return True
        if self._regular:
            self._tell("bye")
        return False

    def _accept(self) -> None:
        assert self._listener is not None
        with suppress(OSError):
            self._add(Link(self._listener.accept()[0]))

    def _add(self, link: Link) -> None:
        self.links.append(link)
        self._selector.register(link.connection, selectors.EVENT_READ, link)

    def _remove(self, link: Link) -> None:
        self._selector.unregister(link.connection)
        link.connection.close()
        self.links.remove(link)

    def _hear(self, link: Link) -> None:
        lines = link.read()
        if lines is None:
            self._remove(link)
            if link.rank >= 0 and not link.regular:
                self._closed[link.rank] = link.host, time.monotonic()
            return
        for words in lines:
            match words:
                case ["hello", self.token, rank, host] if self._listener is not None:
                    link.rank, link.host = int(rank), host
                    link.send(f"welcome {self.host}")
                case ["welcome", host]:
                    link.host = host
                case ["bye"]:
                    link.regular = True
                case ["lost", *_]:
                    self.end("")
                case ["beat"]:
                    pass
                case _:  # somebody who is no helper of this job
                    self._remove(link)
                    return

    def _tell(self, line: str) -> None:
        for link in self.links:
            if link.rank >= 0:
                link.send(line)

    def _look(self, now: float) -> None:
        """End the process if another one is lost."""
        if self._lost is not None:
            message, when = self._lost
            if now >= when:
                self.end(message)
            return
        gone = [
            (link.rank, link.host, f"nothing has come from it for {now - link.heard:.0f} s")
            for link in self.links
            if link.rank >= 0 and not link.regular and now - link.heard > self.silence_s
        ]
        gone += [
            (rank, host, "it has ended without the others")
            for rank, (host, when) in self._closed.items()
            if now - when > self.grace_s
        ]
        if not gone:
            return
        gone.sort()
        named = "; ".join(f"process {rank} on node {host} is lost: {why}" for rank, host, why in gone)
        also = ""
        if len(gone) == self.ranks - 1 > 1:
            also = f", or node {self.host} of this process, {self.rank}, has lost its network"
        for rank, host, _ in gone:
            self._tell(f"lost {rank} {host}")
        message = f"Lux ends all {self.ranks} processes, as {named}{also}"
        self._lost = message, now + min(SPEAK_S * max(self.rank - 1, 0), MOST_SPEAK_S)

    def end(self, message: str) -> None:
        """Print a message, end the process and what has launched it, and this helper."""
        if message:
            with suppress(OSError):
                os.write(2, f"{message}\n".encode())
        end_process(self.process, began_at(self.process))
        self._hang_up()
        limit = time.monotonic() + self.launcher_s
        while any(began_at(number) == began for number, began in self._launchers.items()):
            if time.monotonic() > limit:
                for number, began in self._launchers.items():
                    end_process(number, began)
                break
            time.sleep(BEAT_S / 4)
        os._exit(1)

    def _hang_up(self) -> None:
        """Close all connections, so that the launcher finds no output open and the others hear of the end."""
        for link in self.links:
            link.connection.close()
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)


def began_at(process: int) -> str:
    """Return when a process began, by which it differs from a later one of its number; empty once it has ended."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:  # noqa: PTH123  # pathlib is slow to load
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


def end_process(process: int, began: str) -> None:
    """End a process by SIGTERM, or by SIGKILL if it has not ended after `KILL_S`."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        end = time.monotonic() + KILL_S
        with suppress(ProcessLookupError, PermissionError):
            if began and began_at(process) == began:
                os.kill(process, number)
        while began and began_at(process) == began and time.monotonic() < end:
            time.sleep(BEAT_S / 20)


def main() -> None:
    """Run the helper that the arguments describe."""
    process = os.getppid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # it ends with its process, not before
        signal.signal(number, signal.SIG_IGN)
    rank, ranks = int(sys.argv[1]), int(sys.argv[2])
    hub = json.loads(sys.argv[3])
    limits = {name: float(hub[name]) for name in ("silence_s", "grace_s", "launcher_s") if name in hub}
    helper = Helper(rank, ranks, process, hub["token"], hub["launchers"], **limits)
    if rank == 0:
        sys.stdout.write(f"{helper.listen()}\n")
        sys.stdout.flush()
        sys.stdout.close()
    elif not helper.connect(hub["addresses"], hub["port"]):
        sys.stderr.write(
            f"process {rank} on {helper.host} cannot reach process 0 at {' or '.join(hub['addresses'])}, port "
            f"{hub['port']}: if a node is lost, the others will wait for it\n"
        )
        return
    helper.run()


if __name__ == "__main__":
    main()
