# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
from lux.app.installation import calls
from lux.app.installation.claims import claimed


def named(*names):
    return [(name, name.upper) for name in names]


def test_a_process_stays_with_the_kind_of_its_last_call(tmp_path):
    names = ("bfs small", "sssp small", "bfs large", "sssp large")
    first, second = (claimed(tmp_path, named(*names)) for _ in range(2))
    taken = [next(process)[0] for process in (first, second, first, second)]
    assert taken == ["bfs small", "sssp small", "bfs large", "sssp large"]
    assert not [*first, *second]


def test_a_process_without_a_kind_of_its_own_helps_the_others(tmp_path):
    names = ("bfs 1", "sssp 1", "bfs 2", "bfs 3", "bfs 4")
    first, second = (claimed(tmp_path, named(*names)) for _ in range(2))
    taken = [next(process)[0] for process in (first, second, second, first, second)]
    assert taken == ["bfs 1", "sssp 1", "bfs 2", "bfs 3", "bfs 4"]
    assert not [*first, *second]


def test_one_process_alone_makes_all_calls(tmp_path):
    found = dict(claimed(tmp_path, calls.usual()))
    assert found.keys() == dict(calls.usual()).keys()
