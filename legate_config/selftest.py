# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Self-test: runs one index task on two cores and prints how many points it had; the doctor starts it as a program."""

import sys

import legate_config


def main() -> int:
    """Run the task; returns the exit code."""
    legate_config.prepare()
    import legate.core.types as ty
    import numpy as np
    from legate.core import get_legate_runtime
    from legate.core.task import ADD, OutputStore, ReductionStore, task

    runtime = get_legate_runtime()

    @task
    def count(values: OutputStore, points: ReductionStore[ADD]) -> None:
        np.asarray(values)[...] = 1
        np.asarray(points)[...] += 1

    values = runtime.create_store(ty.float64, (1000,))
    points = runtime.create_store(ty.int64, (1,), optimize_scalar=True)
    points.fill(0)
    count(values, points)
    found = int(np.asarray(points.get_physical_store())[0])
    sys.stdout.write(f"Legate ran {found} point tasks on {runtime.node_count} node(s)\n")
    return 0 if found == legate_config.settings().cpus * runtime.node_count else 1


if __name__ == "__main__":
    sys.exit(main())
