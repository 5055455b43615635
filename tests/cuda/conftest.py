# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""GPUs that are threads on CPU cores, for tests that say which (``lux_on_cores``)."""

import pytest

from lux import runtime


@pytest.fixture
def machine():
    """``with machine(gpus, ...) as m``: Lux runs on these; parameters as of `lux_on_cores.machine.Machine`."""
    from lux_on_cores.machine import Machine

    if runtime.gpus():
        pytest.skip("there are GPUs, on which the tests of tests/gpu run")
    return lambda *arguments, **more: Machine(*arguments, **more).running()
