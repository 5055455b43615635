# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Runtime: Legate, started on first use, with stores, index launches, and answers that every rank agrees on.

Nothing outside this package names a Legate type. Importing the package starts nothing.
"""

from lux.runtime import allocations
from lux.runtime.agreement import (
    allreduce_max,
    check_gpu_memory,
    check_memory,
    check_zero_copy_memory,
    fits_memory,
    gpu_room,
    on_first_rank,
    processes_share_gpus,
    raise_on_all_ranks,
)
from lux.runtime.compiled_launch import NativeLauncher, forget_records, records, register_body, unregister_body
from lux.runtime.cuda_driver import block_memory, capability, peer_access
from lux.runtime.driver_thread import works_for_driver
from lux.runtime.garbage import unsearched
from lux.runtime.gpu import (
    WARM_UP,
    GpuLauncher,
    encode_launch,
    on_distinct_gpus,
    zero_copy_arrays,
)
from lux.runtime.gpu_plan import (
    GpuPlan,
    Kernel,
    limit_blocks,
    register_copies,
    unregister_copies,
)
from lux.runtime.host_copies import uploaded
from lux.runtime.launcher import (
    CheckedLauncher,
    Launch,
    Launcher,
    Task,
    check_points,
    internal,
    record,
    recorded,
    slice_to_array,
    task,
    to_array,
)
from lux.runtime.process_memory import check_process_memory
from lux.runtime.start import (
    all_has_run,
    driver,
    end_at_once,
    finish,
    gpus,
    on_driver,
    processors,
    rank,
    ranks,
    why_not_here,
)
from lux.runtime.stores import (
    Store,
    attached,
    even_ranges,
    from_array,
    from_arrays,
    give_spare_back,
    length_of,
    new_scalar,
    new_store,
    ranges,
    read_scalar,
    rectangles,
    touched_together,
    view,
)
from lux.runtime.task_context import context, register, registered, unregister
from lux.runtime.team import run_pool, run_team, team_size

__all__ = [
    "WARM_UP",
    "CheckedLauncher",
    "GpuLauncher",
    "GpuPlan",
    "Kernel",
    "Launch",
    "Launcher",
    "NativeLauncher",
    "Store",
    "Task",
    "all_has_run",
    "allocations",
    "allreduce_max",
    "attached",
    "block_memory",
    "capability",
    "check_gpu_memory",
    "check_memory",
    "check_points",
    "check_process_memory",
    "check_zero_copy_memory",
    "context",
    "driver",
    "encode_launch",
    "end_at_once",
    "even_ranges",
    "finish",
    "fits_memory",
    "forget_records",
    "from_array",
    "from_arrays",
    "give_spare_back",
    "gpu_room",
    "gpus",
    "internal",
    "length_of",
    "limit_blocks",
    "new_scalar",
    "new_store",
    "on_distinct_gpus",
    "on_driver",
    "on_first_rank",
    "peer_access",
    "processes_share_gpus",
    "processors",
    "raise_on_all_ranks",
    "ranges",
    "rank",
    "ranks",
    "read_scalar",
    "record",
    "recorded",
    "records",
    "rectangles",
    "register",
    "register_body",
    "register_copies",
    "registered",
    "run_pool",
    "run_team",
    "slice_to_array",
    "task",
    "team_size",
    "to_array",
    "touched_together",
    "unregister",
    "unregister_body",
    "unregister_copies",
    "unsearched",
    "uploaded",
    "view",
    "why_not_here",
    "works_for_driver",
    "zero_copy_arrays",
]
