# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A helper of each of several processes, which ends it once another one has gone (`lux.runtime.heartbeat` starts it).

The helper is a program of its own, so that it never waits for Python's lock: a process that computes, however long, is
alive. Helpers hold TCP connections to that of process 0, the hub, and send a line a second through them. Lines are
``hello TOKEN RANK HOST`` and, as the answer, ``welcome HOST``; ``beat``, or ``stopped`` while the process is stopped by
a signal; ``bye`` before a regular end; and ``lost SIGNAL``, by which the hub tells all others that the job ends. A
process is lost if nothing, or only ``stopped``, has come from its helper for `SILENCE_S`, or if its connection was
closed without ``bye`` and the launcher has not ended the others within `GRACE_S`. A process that is stopped itself
takes no other for lost because it is stopped: a whole job may be stopped, and go on later.

The job ends, too, if a launcher that started a process, on its machine, has ended before it. A launcher that waits for
a node out of reach would not end. So the helper ends its own process first, and then, if they have not ended by
themselves within `LAUNCHER_S`, the launchers.

A process is ended by SIGHUP, at which it exits with code 1 (`lux.runtime.heartbeat`), or by SIGTERM where the network
is lost: Open MPI's ``mpirun`` waits for ever for a node out of reach once a process has exited by itself.

A process that has come to the end of its program waits for the others. If it has waited for `WAIT_S`, the helper says
so: where one process makes a call of Lux that the others do not make, all would wait for ever.

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
KILL_S = 2.0
"""Seconds for a process to end by a signal before it is sent a stronger one."""
LAUNCHER_S = 8.0
"""Seconds for launchers to end after their process."""
SPEAK_S, MOST_SPEAK_S = 2.0, 6.0
"""Seconds between the ends of processes that lost the hub, and the most: the first one's end ends the others."""
WAIT_S = 60.0
"""Seconds that a process has waited at its end for the others when its helper says so."""
LONGEST_LINE = 1000
"""Bytes of a line, at most; a connection with a longer one is closed."""
CONNECT_S = 5.0
"""Seconds for a connection to one address of the hub."""


class Link:
    """A connection to another helper.

    Attributes
    ----------
    rank, host : int, str
        The other process; -1 until its first line.
    heard, ran : float
        Time of its last line, and of its last line other than ``stopped``.
    regular : bool
        True after ``bye``.
    """

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self.connection = connection
        self.rank, self.host = -1, ""
        self.heard = self.ran = time.monotonic()
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
        if len(self._unread) > LONGEST_LINE:
            return None
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
    launchers : dict of str to str
        Numbers of the launchers that started it on this machine, the nearest first, and their names.
    silence_s, grace_s, launcher_s, wait_s : float
        `SILENCE_S`, `GRACE_S`, `LAUNCHER_S` and `WAIT_S`.
    """

    def __init__(
        self,
        rank: int,
        ranks: int,
        process: int,
        token: str,
        launchers: dict[str, str],
        silence_s: float = SILENCE_S,
        grace_s: float = GRACE_S,
        launcher_s: float = LAUNCHER_S,
        wait_s: float = WAIT_S,
    ) -> None:
        self.rank, self.ranks, self.process, self.token = rank, ranks, process, token
        self.silence_s, self.grace_s, self.launcher_s, self.wait_s = silence_s, grace_s, launcher_s, wait_s
        self._launchers = {int(number): (name, began_at(int(number))) for number, name in launchers.items()}
        self._outer_output: int | None = None
        with suppress(OSError, StopIteration):  # where messages go if there is no launcher any more to pass them on
            outermost = next(reversed(self._launchers))
            self._outer_output = os.open(f"/proc/{outermost}/fd/2", os.O_WRONLY | os.O_APPEND | os.O_NOCTTY)
        self.host = socket.gethostname()
        self.links: list[Link] = []
        self._selector = selectors.DefaultSelector()
        self._listener: socket.socket | None = None
        self._regular = False
        self._speaks_at = float("inf")
        self._closed: dict[int, tuple[str, float]] = {}
        self._lost: tuple[str, float] | None = None
        self._signal = int(signal.SIGHUP)

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
                    link.heard = link.ran = now
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
                self._tell("stopped" if stopped(self.process) else "beat")
            self._look(now)

    def _process_lives(self) -> bool:
        """Read the pipe from the process; at its end take leave if that is regular."""
        try:
            found = os.read(0, 64)
        except BlockingIOError:
            return True
        if b"end" in found:
            self._regular = True
            if self.rank in {0, 1, self.ranks - 1}:  # not as many messages as processes
                self._speaks_at = time.monotonic() + self.wait_s
        if found:
            return True
        if self._regular:
            self._tell("bye")
        elif self.rank == 0 and self._lost is None and (reason := self._launcher_fault()):
            self._print(self._message(reason))  # the process has noticed the end of its launcher first
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
                case ["hello", self.token, rank, host] if self._listener is not None and rank.isdecimal():
                    link.rank, link.host = int(rank), host
                    link.send(f"welcome {self.host}")
                case _ if link.rank < 0:  # somebody who does not know the token
                    self._remove(link)
                    return
                case ["welcome", host]:
                    link.host = host
                case ["bye"]:
                    link.regular = True
                case ["lost", ("1" | "15") as number]:
                    self._signal = int(number)
                    self._tell(f"lost {number}")
                    self.end("")
                case ["beat"]:
                    link.ran = link.heard
                case ["stopped"]:
                    pass
                case _:  # no line of a helper
                    self._remove(link)
                    return

    def _tell(self, line: str) -> None:
        for link in self.links:
            if link.rank >= 0:
                link.send(line)

    def _look(self, now: float) -> None:
        """End the process if another one is lost, and say so if it waits long for the others to end."""
        if now >= self._speaks_at:
            self._speaks_at = float("inf")
            self._print(
                f"process {self.rank} on node {self.host} came to the end of its program {self.wait_s:.0f} s ago, and"
                " waits for the others. If they do not end, they wait in a call of Lux that it did not make: all"
                " processes must make the same calls, in the same order"
            )
        if self._lost is not None:
            message, when = self._lost
            if now >= when:
                self.end(message)
            return
        reason, order = self._fault(now), max(self.rank - 1, 0)
        if not reason:
            reason, order = self._launcher_fault(), self.rank
        if reason:
            self._lost = self._message(reason), now + min(SPEAK_S * order, MOST_SPEAK_S)

    def _message(self, reason: str) -> str:
        return f"Lux ends all {self.ranks} processes, as {reason}"

    def _launcher_fault(self) -> str:
        """Say which launchers have ended; empty if none has."""
        ended = [name for number, (name, began) in self._launchers.items() if began_at(number) != began]
        return f"{' and '.join(ended)}, which launched them, has ended on node {self.host}" if ended else ""

    def _fault(self, now: float) -> str:
        """Say which processes are lost, and why; empty if none is."""
        if stopped(self.process):
            for link in self.links:
                link.ran = now
        gone = list[tuple[int, str, str]]()
        for link in self.links:
            silent, idle = now - link.heard > self.silence_s, now - link.ran > self.silence_s
            if link.rank < 0 or link.regular or not (silent or idle):
                continue
            why = "nothing has come from it" if silent else "it has been stopped by a signal"
            self._signal = int(signal.SIGTERM if silent else self._signal)
            gone.append((link.rank, link.host, f"{why} for {now - (link.heard if silent else link.ran):.0f} s"))
        gone += [
            (rank, host, "it has ended without the others")
            for rank, (host, when) in self._closed.items()
            if now - when > self.grace_s
        ]
        if not gone:
            return ""
        gone.sort()
        named = "; ".join(f"process {rank} on node {host} is lost: {why}" for rank, host, why in gone)
        if len(gone) == self.ranks - 1 > 1:
            named += f", or node {self.host} of this process, {self.rank}, has lost its network"
        return named

    def end(self, message: str) -> None:
        """Print a message, end the process and what has launched it, and this helper."""
        if message:
            self._tell(f"lost {self._signal}")
            self._print(message)
        end_process(self.process, began_at(self.process), self._signal)
        self._hang_up()
        limit = time.monotonic() + self.launcher_s
        while any(began_at(number) == began for number, (_, began) in self._launchers.items()):
            if time.monotonic() > limit:
                for number, (_, began) in self._launchers.items():
                    end_process(number, began)
                break
            time.sleep(BEAT_S / 4)
        os._exit(1)

    def _print(self, message: str) -> None:
        """Print a message where the job was started, with or without the help of launchers."""
        for output in (2, self._outer_output):
            with suppress(OSError):
                if output is not None and os.write(output, f"{message}\n".encode()):
                    return

    def _hang_up(self) -> None:
        """Close all connections, so that the launcher finds no output open and the others hear of the end."""
        for link in self.links:
            link.connection.close()
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2, *([] if self._outer_output is None else [self._outer_output])):
            os.dup2(null, stream)


def began_at(process: int) -> str:
    """Return when a process began, by which it differs from a later one of its number; empty once it has ended."""
    fields = _facts(process)
    return "" if not fields or fields[0] in "ZX" else fields[19]


def stopped(process: int) -> bool:
    """Tell whether a process is stopped by a signal (not by a debugger)."""
    return _facts(process)[:1] == ["T"]


def _facts(process: int) -> list[str]:
    """Return what the system says of a process, from its state on; empty once it has gone."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:  # noqa: PTH123  # pathlib is slow to load
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []


def end_process(process: int, began: str, first: int = signal.SIGTERM) -> None:
    """End a process by signals, each `KILL_S` after the one before: the one given, SIGTERM, and SIGKILL."""
    for number in dict.fromkeys((first, signal.SIGTERM, signal.SIGKILL)):
        end = time.monotonic() + KILL_S
        with suppress(ProcessLookupError, PermissionError):
            if began and began_at(process) == began:
                os.kill(process, number)
                if number != signal.SIGKILL and stopped(process):
                    os.kill(process, signal.SIGCONT)  # otherwise it would not hear the signal
        while began and began_at(process) == began and time.monotonic() < end:
            time.sleep(BEAT_S / 20)


def main() -> None:
    """Run the helper that the arguments describe."""
    process = os.getppid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # it ends with its process, not before
        signal.signal(number, signal.SIG_IGN)
    rank, ranks = int(sys.argv[1]), int(sys.argv[2])
    hub = json.loads(sys.argv[3])
    limits = {name: float(hub[name]) for name in ("silence_s", "grace_s", "launcher_s", "wait_s") if name in hub}
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
    helper.run()


if __name__ == "__main__":
    main()
