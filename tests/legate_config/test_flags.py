# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from legate_config import ConfigError, Gpu, Machine, flags

GIB = 1 << 30
LAPTOP = Machine(frozenset(range(4)), 4, 16 * GIB, 10 * GIB, ())
SERVER = Machine(
    frozenset(range(64)), 64, 512 * GIB, 400 * GIB, tuple(Gpu(i, f"GPU-{i}", "H", 80 * GIB, 70 * GIB) for i in range(4))
)


def test_parse_reads_both_spellings_and_quotes():
    assert flags.parse("--cpus 2 --gpus=0 --logdir '/a b' --profile --cpus 3") == {
        "--cpus": "3",
        "--gpus": "0",
        "--logdir": "/a b",
        "--profile": "",
    }


@pytest.mark.parametrize("text", ["--cpus two", "--cpus -1", "--sysmem 4GB", "--gpus", "--cpus 1.5", "--logdir 'x"])
def test_parse_refuses_what_legate_would_not_read(text):
    with pytest.raises(ConfigError, match=r"whole number|close every quote"):
        flags.parse(text)


@pytest.mark.check
def test_plain_python_on_a_machine_without_gpu_gets_everything():
    settings = flags.read(flags.complete("", LAPTOP, 1, {}))
    assert (settings.cpus, settings.gpus, settings.fbmem_bytes, settings.zcmem_bytes) == (4, 0, 0, 0)
    assert settings.sysmem_bytes == pytest.approx(0.6 * 10 * GIB, abs=1 << 20)


def test_gpus_get_memory_and_cores_are_kept_for_them():
    settings = flags.read(flags.complete("", SERVER, 1, {}))
    assert (settings.cpus, settings.gpus) == (64 - 7, 4)
    assert settings.fbmem_bytes == pytest.approx(0.8 * 70 * GIB, abs=1 << 20)
    assert settings.zcmem_bytes == GIB


def test_processes_of_a_machine_share_its_memory():
    one, two = (flags.read(flags.complete("", LAPTOP, ranks, {})).sysmem_bytes for ranks in (1, 2))
    assert two == pytest.approx(one / 2, abs=1 << 20)


def test_variables_keep_their_flags_out():
    assert "--min-cpu-chunk" not in flags.complete("", LAPTOP, 1, {"LEGATE_MIN_CPU_CHUNK": "4"})
    assert "--min-cpu-chunk 1" in flags.complete("", LAPTOP, 1, {})


GIVEN = st.fixed_dictionaries(
    {},
    optional={
        "--cpus": st.integers(1, 8).map(str),
        "--gpus": st.integers(0, 4).map(str),
        "--sysmem": st.integers(1, 10_000).map(str),
        "--zcmem": st.integers(0, 1000).map(str),
        "--logging": st.just("legate=2"),
        "--min-gpu-chunk": st.just("7"),
    },
)


@given(GIVEN, st.sampled_from([LAPTOP, SERVER]), st.integers(1, 4))
def test_what_was_given_stays_and_completing_twice_changes_nothing(given_flags, machine, ranks):
    text = " ".join(f"{name} {value}" for name, value in given_flags.items())
    full = flags.complete(text, machine, ranks, {})
    assert full.startswith(text)
    assert flags.parse(full).items() >= given_flags.items()
    assert flags.complete(full, machine, ranks, {}) == full


@pytest.mark.check
@pytest.mark.parametrize(
    "text, says",
    [
        ("--cpus 0", "pass --cpus 1 to --cpus 4"),
        ("--cpus 2 --gpus 1", "pass --gpus 0"),
        ("--cpus 2 --sysmem 99999", "pass --sysmem 9830"),
        ("--cpus 2 --utility 0", "pass --utility 1"),
    ],
)
def test_contradictions_say_what_to_do(text, says):
    with pytest.raises(ConfigError, match=says):
        flags.check(flags.read(flags.complete(text, LAPTOP, 1, {})), LAPTOP)


def test_more_fbmem_than_a_gpu_has():
    with pytest.raises(ConfigError, match="a GPU here has 81920"):
        flags.check(flags.read("--cpus 1 --gpus 1 --fbmem 90000"), SERVER)


@given(st.integers(1, 128), st.floats(0.1, 4096), st.integers(1, 8))
def test_defaults_pass_the_check_on_any_machine(cores, gibibytes, ranks):
    size = math.ceil(gibibytes * GIB)
    machine = Machine(frozenset(range(cores)), cores, size, size, ())
    flags.check(flags.read(flags.complete("", machine, ranks, {})), machine, ranks)
