# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Settings that exclude one another are refused, wherever they were made."""

import pytest

import lux
from lux import settings
from lux.errors import ParameterError


@pytest.mark.parametrize(
    "given, said",
    [
        ({"exchange": "all"}, "exchange='all' was passed; allowed are selective, broadcast"),
        (
            {"exchanges": "broadcast"},
            r"using\(exchanges=...\): there is no such setting; allowed are device, .*exchange",
        ),
        ({"device": "cpu", "placement": "peer"}, "device='cpu' was passed with placement='peer', which is for GPUs"),
        (
            {"device": "gpu", "exchange": "broadcast"},
            "exchange='broadcast' was passed with device='gpu'.*leave one out",
        ),
    ],
)
def test_refused(given, said):
    with pytest.raises(ParameterError, match=said), lux.using(**given):
        pass


def test_a_broadcast_takes_cpu_cores():
    with lux.using(exchange="broadcast"):
        assert settings.current().device == "cpu"
        with lux.using(exchange="selective", device="auto"):
            assert settings.current().device == "auto"
        with pytest.raises(ParameterError, match="placement='device'"), lux.using(device="gpu+cpu"):
            pass
    assert settings.current() == settings.Settings()
