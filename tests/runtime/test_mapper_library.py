# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import re
from pathlib import Path

import numpy as np
import pytest

import legate_config
from lux.runtime import mapper_library
from lux_cases.launches import frontier

legate_config.prepare()


@pytest.mark.check
def test_a_python_task_of_the_library_runs_on_every_core():
    library = mapper_library.library()
    assert mapper_library.library() is library
    assert library.name == "lux"

    import legate.core.types as ty
    from legate.core import VariantCode, align, get_legate_runtime
    from legate.core.task import InputStore, OutputStore, PyTask

    runtime = get_legate_runtime()
    points = []

    def successor(x: InputStore, y: OutputStore) -> None:
        points.append((x.domain.lo[0], x.domain.hi[0]))
        np.asarray(y)[...] = np.asarray(x) + 1

    task = PyTask(func=successor, variants=(VariantCode.CPU,), library=library, constraints=(*align("x", "y"),))
    x, y = (runtime.create_store(ty.int64, (10,)) for _ in range(2))
    x.fill(41)
    task(x, y)
    assert np.asarray(y.get_physical_store()).tolist() == [42] * 10
    assert len(points) == legate_config.settings().cpus
    assert sum(last - first + 1 for first, last in points) == 10


@pytest.mark.check
def test_constants_of_the_frontier():
    """The exchange's C++ has numbers of lux.kernels.frontier."""
    path = Path(mapper_library.__file__).parent / "mapper/fields_exchange.cc"
    declared = dict(re.findall(r"\b([A-Z_]+) = (\d+)", path.read_text()))
    names = ["STATE_COLUMNS", "ACTIVE", "ACTIVE_EDGES", "FORM", "NANOSECONDS", "TOTALS"]
    names += ["QUEUE", "BITMAP", "EVERY", "LISTED"]
    assert {name: int(declared[name]) for name in names} == {name: getattr(frontier, name) for name in names}
