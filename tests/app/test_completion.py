# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Scripts by which shells complete commands."""

import subprocess

import pytest

from lux.app import commands

COMPLETE = """
source "$1"
COMP_WORDS=(lux "${@:2}")
COMP_CWORD=$(($# - 1))
COMP_LINE="lux ${*:2}"
COMP_POINT=${#COMP_LINE}
$(complete -p lux | sed 's/.* -F \\([^ ]*\\) .*/\\1/') lux "${@: -1}" "${@: -2:1}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    path = tmp_path_factory.mktemp("completion") / "lux.bash"
    done = subprocess.run(["lux", "completion", "bash"], capture_output=True, text=True, check=True)
    path.write_text(done.stdout)
    return path


def completed(script, *words):
    done = subprocess.run(
        ["bash", "-c", COMPLETE, "bash", str(script), *words], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_bash_completes_commands_and_options(script):
    assert set(commands.COMMANDS) <= completed(script, "")
    assert completed(script, "page") == {"pagerank"}
    assert {"--max-iter", "--model"} <= completed(script, "pagerank", "--m")
    assert {"pull", "push", "auto"} <= completed(script, "pagerank", "--model", "")
    assert {"degrees", "frontier"} <= completed(script, "plot", "")
    assert "--quick" in completed(script, "doctor", "--")


@pytest.mark.parametrize("shell", ["zsh", "tcsh"])
def test_other_shells_have_scripts(call, shell):
    code, out, _ = call("completion", shell)
    assert code == 0
    assert "pagerank" in out


def test_an_unknown_shell_is_named(call):
    code, _, error = call("completion", "fish")
    assert code == 2
    assert "invalid choice: 'fish' (choose from" in error
