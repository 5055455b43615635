# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Files of the model in which one value is wrong: each is refused when it is read, and not when it is used."""

import errno
import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

import lux
from lux_cases.profiles import summarize
from perfmodel import Configuration, GraphSummary, ModelError, Profile, json_files
from perfmodel.profile import FOLDER

FREE = {"source", "versions"}
"""Fields that hold anything, or text by any name."""


MAPPINGS = {"rates", "starts", "measured", "sizes", "footprints", "parted", "factors", "between", "slower"}


def shortened(value: Any, of: Any = None) -> Any:
    """A document with one entry of each mapping by names, and of each list of lists."""
    if isinstance(value, dict):
        kept = list(value)[: 1 if of in MAPPINGS else None]
        return {key: shortened(value[key], key) for key in kept}
    if isinstance(value, list):
        return [shortened(each) for each in (value[:1] if value and isinstance(value[0], list) else value)]
    return value


def places(value: Any, path: tuple = ()) -> Iterator[tuple]:
    """The place of every number, text and flag in a document, and of the first in each list."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from places(each, (*path, key))
    elif isinstance(value, list):
        for each in value[:1]:
            yield from places(each, (*path, 0))
    else:
        yield path


def changed(found: dict, path: tuple, value: Any) -> dict:
    copy = json.loads(json.dumps(found))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return copy


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documents")
    graph = lux.toy.kite()
    summarize(graph).write(folder / "summary.json")
    Configuration("pagerank", parts=2).write(folder / "configuration.json")
    return {
        "profile": (Profile, shortened(json.loads((FOLDER / "h200-4.json").read_text()) | {"beside": None})),
        "summary": (GraphSummary, shortened(json.loads((folder / "summary.json").read_text()))),
        "configuration": (Configuration, json.loads((folder / "configuration.json").read_text())),
    }


@pytest.mark.parametrize("name", ["profile", "summary", "configuration"])
def test_every_field_is_checked(documents, name, tmp_path):
    kind, found = documents[name]
    file = tmp_path / "x.json"
    accepted = []
    spoilt = 0
    for path in places(found):
        if path[0] in FREE | {"kind", "version", "launch", "device"}:
            continue
        old = found
        for key in path:
            old = old[key]
        wrong = [[], 3] if isinstance(old, str) else ["x", -1, float("nan"), 10**400]
        for value in wrong:
            file.write_text(json.dumps(changed(found, path, value)))
            spoilt += 1
            try:
                kind.read(file)
                accepted.append((path, value))
            except ModelError:
                pass
    assert accepted == []
    assert spoilt > 20


@pytest.mark.parametrize("kind", [Profile, GraphSummary, Configuration])
@pytest.mark.parametrize(
    "content", ["[" * 100_000, '{"kind": ' + "9" * 5000 + "}", '{"a":' * 100_000, b"\xff\xfe", "null", "[]", "NaN", ""]
)
def test_no_documents(kind, content, tmp_path):
    file = tmp_path / "x.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ModelError, match=r"x\.json is no"):
        kind.read(file)


def test_fields_whose_numbers_contradict_each_other(documents, tmp_path):
    file = tmp_path / "x.json"
    for name, path, value in (
        ("summary", ("n_vertices",), 0),
        ("summary", ("scale",), 0),
        ("summary", ("sizes", "0"), {}),
        ("summary", ("reads", "footprints", "4"), []),
        ("profile", ("machine", "device"), "tpu"),
        ("profile", ("machine", "gpus"), 0),
        ("profile", ("between",), {"host": {"exchange": "none"}}),
        ("profile", ("beside",), []),
        ("configuration", ("parts",), 2.5),
        ("configuration", ("unknown",), 1),
    ):
        kind, found = documents[name]
        file.write_text(json.dumps(changed(found, path, value)))
        with pytest.raises(ModelError, match="something missing or wrong"):
            kind.read(file)


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    file = tmp_path / "a.json"
    json_files.write(file, "kind", 1, {"value": 1})

    def full(_handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ModelError, match=r"cannot write .*a\.json: No space left on device"):
        json_files.write(file, "kind", 1, {"value": 2})
    assert json_files.read(file, "kind", 1, "") == {"value": 1}
    assert list(tmp_path.iterdir()) == [file]


def test_files_that_cannot_be_written(tmp_path):
    with pytest.raises(ModelError, match="it is a folder"):
        json_files.write(tmp_path, "kind", 1, {})
    with pytest.raises(ModelError, match="there is no folder"):
        json_files.write(tmp_path / "none" / "a.json", "kind", 1, {})
