# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import subprocess
import sys

import pytest

START = (
    "import sys; from lux.kernels.deferred import prepare_numba; prepare_numba(); import numba; "
    "loaded = 'yaml' in sys.modules; import yaml; yaml.safe_load; "
)


@pytest.mark.parametrize("settings", [False, True], ids=["no settings", "settings"])
def test_numba_loads_yaml_for_settings_in_the_working_folder_alone(tmp_path, settings):
    pytest.importorskip("yaml")
    if settings:
        (tmp_path / ".numba_config.yaml").write_text("num_threads: 1\n")
    program = START + f"assert loaded == {settings}; assert not {settings} or numba.config.NUMBA_NUM_THREADS == 1"
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)
