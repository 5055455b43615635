# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A channel between the processes of a run, by which all learn a few numbers or words of each without a launch.

Between processes a launch takes milliseconds, and a call has to agree on several things. Each process has a TCP
connection to the first, which sends on what all have told it. Whoever waits there sleeps, so that tasks and pollers of
the process have its cores: Legate's communicators look for messages all the time.

Processes call these functions at the same places, like launches. What was launched before has run when one returns.
"""

from __future__ import annotations

import json
import secrets
import socket
import struct
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress

from lux.errors import LuxError
from lux.runtime.start import finish

CONNECT_S = 1.0
"""Seconds for a connection to one address of the first process, and for a word through it."""
PATIENCE_S = 15.0
"""Seconds between the loss of a process and an error: usually the others are ended before (`lux.runtime.heartbeat`)."""
MOST_BYTES = 1 << 20
"""Bytes of what one process tells, times the processes, at most: more is faster by a launch."""
MOST_WAITING = 1024
"""Processes that may wait until one accepts their connections."""
LOOPBACK = "127.0.0.1"
"""Address by which processes of one node reach each other."""
WELCOME = b"welcome "
_LENGTH, _HELLO, _TOKEN_BYTES = struct.Struct("<q"), struct.Struct("<32sq"), 16
_WITHHELD = -1


class Channel:
    """Connections of the first process to all others in their order, or of another process to the first.

    Parameters
    ----------
    links : sequence of socket.socket
    first : bool
        True in the first process.
    """

    def __init__(self, links: Sequence[socket.socket], *, first: bool) -> None:
        for link in links:
            _set_up(link)
        self._links, self._first = list(links), first

    def gathered(self, own: bytes | None) -> list[bytes | None]:
        """Return what all processes pass, in the order of their numbers."""
        if not self._first:
            self._links[0].sendall(_framed(own))
            return list(_frames(_received(self._links[0]) or b""))
        told = [own, *map(_received, self._links)]
        joined = _framed(b"".join(map(_framed, told)))
        for link in self._links:
            link.sendall(joined)
        return told

    def streams(self, rank: int, node: str, addresses: Sequence[str], *, within_nodes: bool = False) -> list[int]:
        """Connect this process with every one of another node. All processes must call this at the same place.

        Parameters
        ----------
        rank : int
            This process.
        node : str
            Name of its node.
        addresses : sequence of str
            Addresses of its node, those by which others reach it first.
        within_nodes : bool
            Connect it with the other processes of its node, too.

        Returns
        -------
        list of int
            Sockets, which the caller owns: one for each process, or -1 for those that are not connected: this one, and
            without ``within_nodes`` those of this node. Empty, on all processes, if some cannot reach one another, or
            if a process has none to connect with.
        """
        with socket.create_server(("", 0), backlog=MOST_WAITING) as listener:
            token = secrets.token_hex(_TOKEN_BYTES)
            own = json.dumps([node, addresses, listener.getsockname()[1], token])
            doors = [json.loads(door or b"") for door in self.gathered(own.encode())]
            far = [o for o, (there, *_) in enumerate(doors) if there != node or (within_nodes and o != rank)]
            before, after = [other for other in far if other < rank], [other for other in far if other > rank]
            local = {node: [LOOPBACK]}
            links = [
                connect(local.get(there, reached_by), port, key, rank)
                for there, reached_by, port, key in (doors[other] for other in before)
            ]
            links += accept(listener, token, after)
        opened = [link for link in links if link is not None]
        reached = len(opened) == len(far) and all(map(welcomed, opened[: len(before)]))
        if not far or b"" in self.gathered(b"all" if reached else b""):
            for link in opened:
                link.close()
            return []
        found = [-1] * len(doors)
        for other, link in zip(far, opened, strict=True):
            _set_up(link)
            found[other] = link.detach()
        return found

    def close(self) -> None:
        """Close the connections."""
        for link in self._links:
            link.close()


_opened: Channel | None = None


def begin(opened: Channel | None) -> None:
    """Take a channel for this process, or none, alike in every process."""
    global _opened
    _opened = opened


def is_open() -> bool:
    """Tell whether there is a channel, alike on every process."""
    return _opened is not None


def gathered(own: bytes | None) -> list[bytes | None]:
    """Return, on every process, what all processes pass, in the order of their numbers; there must be a channel."""
    with _all_there() as opened:
        return opened.gathered(own)


def streams(rank: int, node: str, addresses: Sequence[str], *, within_nodes: bool) -> list[int]:
    """Connect this process with others, as `Channel.streams`; there must be a channel."""
    with _all_there() as opened:
        return opened.streams(rank, node, addresses, within_nodes=within_nodes)


@contextmanager
def _all_there() -> Iterator[Channel]:
    """Yield the channel once what was launched has run; a process that is lost meanwhile is an error."""
    assert _opened is not None
    finish()
    try:
        yield _opened
    except OSError as error:
        time.sleep(PATIENCE_S)
        raise LuxError(f"another process of this run has ended, or its network is lost: {error}") from None


def _set_up(link: socket.socket) -> None:
    link.settimeout(None)
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _framed(content: bytes | None) -> bytes:
    return _LENGTH.pack(_WITHHELD) if content is None else _LENGTH.pack(len(content)) + content


def _frames(joined: bytes) -> Iterator[bytes | None]:
    at = 0
    while at < len(joined):
        (length,) = _LENGTH.unpack_from(joined, at)
        at += _LENGTH.size
        yield None if length == _WITHHELD else joined[at : at + length]
        at += max(length, 0)


def _received(link: socket.socket) -> bytes | None:
    (length,) = _LENGTH.unpack(_exactly(link, _LENGTH.size))
    return None if length == _WITHHELD else _exactly(link, length)


def _exactly(link: socket.socket, count: int) -> bytes:
    found, at = bytearray(count), 0
    view = memoryview(found)
    while at < count:
        if not (came := link.recv_into(view[at:])):
            raise ConnectionError("a connection was closed")
        at += came
    return bytes(found)


# Opening: all processes agree between these steps that each has succeeded (`lux.runtime.agreement`).


def listen(ranks: int) -> tuple[socket.socket, str]:
    """Listen, in the first process; return where, and the job's token, which a process has to know."""
    return socket.create_server(("", 0), backlog=ranks + 16), secrets.token_hex(_TOKEN_BYTES)


def connect(addresses: Sequence[str], port: int, token: str, rank: int) -> socket.socket | None:
    """Connect to the first process by the first of its addresses that answers; None if none does."""
    for address in addresses:
        with suppress(OSError):
            link = socket.create_connection((address, port), CONNECT_S)
            link.sendall(_HELLO.pack(token.encode(), rank))
            return link
    return None


def accept(listener: socket.socket, token: str, ranks: Collection[int]) -> list[socket.socket]:
    """Welcome other processes, which have connected; return the connections in the order of ``ranks``, or none."""
    found: dict[int, socket.socket] = {}
    listener.settimeout(CONNECT_S)
    with suppress(OSError):  # including time-outs
        while len(found) < len(ranks):
            link, _ = listener.accept()
            link.settimeout(CONNECT_S)
            with suppress(OSError):
                said, rank = _HELLO.unpack(_exactly(link, _HELLO.size))
                if secrets.compare_digest(said, token.encode()) and rank in ranks:
                    link.sendall(WELCOME)
                    found[rank] = link
                    continue
            link.close()
        return [found[rank] for rank in ranks]
    for link in found.values():
        link.close()
    return []


def welcomed(link: socket.socket) -> bool:
    """Tell whether the first process has welcomed this one."""
    with suppress(OSError):
        return _exactly(link, len(WELCOME)) == WELCOME
    return False
