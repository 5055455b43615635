# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The channel between processes: what each tells reaches all, and strangers are kept out."""

import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from lux.runtime import channel


@contextmanager
def opened(ranks, strangers=()):
    """Open channels of so many processes, here of threads, after strangers have connected and said something."""
    listener, token = channel.listen(ranks)
    port = listener.getsockname()[1]
    others = []
    for words in strangers:
        stranger = socket.create_connection(("127.0.0.1", port))
        stranger.sendall(words)
        stranger.shutdown(socket.SHUT_WR)
        others.append(stranger)
    links = [channel.connect(["127.0.0.1"], port, token, rank) for rank in range(1, ranks)]
    accepted = channel.accept(listener, token, range(1, ranks))
    assert all(map(channel.welcomed, links))
    for each in [listener, *others]:
        each.close()
    channels = [channel.Channel(accepted, first=True), *(channel.Channel([link], first=False) for link in links)]
    yield channels
    for each in channels:
        each.close()


@pytest.mark.check
def test_all_learn_what_each_tells():
    told = [b"", b"two", None, bytes(3 << 20)]
    with opened(4) as channels, ThreadPoolExecutor(4) as pool:
        for content in (told, told[::-1]):
            found = list(pool.map(lambda own, each: each.gathered(own), content, channels))
            assert found == [content] * 4


def test_strangers_are_sent_away():
    token = b"0" * 32
    strangers = [b"", b"GET / HTTP/1.1\r\n\r\n", channel._HELLO.pack(token, 1)]
    with opened(3, strangers) as channels, ThreadPoolExecutor(3) as pool:
        assert list(pool.map(lambda each: each.gathered(b"x"), channels)) == [[b"x"] * 3] * 3


def test_without_one_process_there_is_no_channel(monkeypatch):
    monkeypatch.setattr(channel, "CONNECT_S", 0.05)
    listener, token = channel.listen(3)
    port = listener.getsockname()[1]
    link = channel.connect(["127.0.0.1"], port, token, 1)
    assert channel.accept(listener, token, range(1, 3)) == []
    listener.close()
    assert channel.connect(["127.0.0.1"], port, token, 2) is None
    link.close()


@pytest.mark.check
@pytest.mark.parametrize(
    "nodes, within", [("ab", False), ("aabb", False), ("abac", False), ("aa", True), ("aabc", True)]
)
def test_streams_reach_all_processes_of_other_nodes(nodes, within):
    ranks = range(len(nodes))
    with opened(len(nodes)) as channels, ThreadPoolExecutor(len(nodes)) as pool:
        given = [(rank, nodes[rank], ["127.0.0.1"]) for rank in ranks]
        found = list(pool.map(lambda each: channels[each[0]].streams(*each, within_nodes=within), given))
    links = {(a, b): socket.socket(fileno=each) for a in ranks for b, each in enumerate(found[a]) if each >= 0}
    assert links.keys() == {(a, b) for a in ranks for b in ranks if nodes[a] != nodes[b] or (within and a != b)}
    for (a, b), link in links.items():
        link.sendall(bytes([a, b]))
    for (a, b), link in links.items():
        assert link.recv(2) == bytes([b, a])
        link.close()


@pytest.mark.parametrize("nodes, addresses", [("aa", ["127.0.0.1"] * 2), ("abc", ["127.0.0.1", "", "127.0.0.1"])])
def test_there_are_no_streams_within_a_node_or_to_some_only(nodes, addresses):
    ranks = range(len(nodes))
    with opened(len(nodes)) as channels, ThreadPoolExecutor(len(nodes)) as pool:
        called = pool.map(lambda rank: channels[rank].streams(rank, nodes[rank], addresses[rank].split()), ranks)
        assert list(called) == [[]] * len(nodes)


def test_a_lost_process_is_an_error(monkeypatch):
    monkeypatch.setattr(channel, "PATIENCE_S", 0.0)
    monkeypatch.setattr(channel, "finish", lambda: None)
    with opened(2) as (first, second):
        second.close()
        channel.begin(first)
        try:
            with pytest.raises(channel.LuxError, match="another process of this run has ended"):
                channel.gathered(b"x")
        finally:
            channel.begin(None)
