# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The exchange between GPUs knows the layout of states and reports."""

import re
from pathlib import Path

from lux.engine.gpu.part_launches import OUTCOME
from lux.kernels import frontier as fr
from lux.runtime import mapper_library


def test_constants_are_the_same():
    source = (Path(mapper_library.__file__).parent / "mapper/gpu_exchange.cc").read_text()
    found = {name: int(value) for name, value in re.findall(r"\b([A-Z_]+)\s*= (\d+)", source)}
    assert (found["STATE_COLUMNS"], found["SENT_WORDS"]) == (fr.STATE_COLUMNS, fr.SENT_WORDS)
    at = {name: place // 8 for name, (_, place, *_) in OUTCOME.fields.items()}
    assert (found["FINISHED"], found["FOUND_BY"]) == (at["finished"], at["found_by"])
