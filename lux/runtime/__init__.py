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
    on_first_rank,
    raise_on_all_ranks,
    slowest,
)
from lux.runtime.compiled_launch import NativeLauncher, forget_records, records, share_body, unshare_body
from lux.runtime.cuda_driver import block_memory, capability, peer_access
from lux.runtime.gpu import (
    MOST_OVERFLOWING,
    WARM_UP,
    GpuLauncher,
    apart,
    numbered,
    zero_copy_arrays,
)
from lux.runtime.gpu_plan import (
    GpuPlan,
    Kernel,
    forget_copies,
    limit_blocks,
    share_copies,
)
from lux.runtime.launcher import (
    CheckedLauncher,
    Launch,
    Launcher,
    check_points,
    internal,
    recorded,
    slice_to_array,
    to_array,
)
from lux.runtime.start import driver, finish, gpus, processors, rank, ranks
from lux.runtime.stores import (
    Store,
    attached,
    even_ranges,
    from_array,
    new_scalar,
    new_store,
    ranges,
    read_scalar,
    rectangles,
    view,
)
from lux.runtime.task_context import context, register, registered, unregister
from lux.runtime.team import run_team, team_size

__all__ = [
    "MOST_OVERFLOWING",
    "WARM_UP",
    "CheckedLauncher",
    "GpuLauncher",
    "GpuPlan",
    "Kernel",
    "Launch",
    "Launcher",
    "NativeLauncher",
    "Store",
    "allocations",
    "allreduce_max",
    "apart",
    "attached",
    "block_memory",
    "capability",
    "check_gpu_memory",
    "check_memory",
    "check_points",
    "check_zero_copy_memory",
    "context",
    "driver",
    "even_ranges",
    "finish",
    "fits_memory",
    "forget_copies",
    "forget_records",
    "from_array",
    "gpus",
    "internal",
    "limit_blocks",
    "new_scalar",
    "new_store",
    "numbered",
    "on_first_rank",
    "peer_access",
    "processors",
    "raise_on_all_ranks",
    "ranges",
    "rank",
    "ranks",
    "read_scalar",
    "recorded",
    "records",
    "rectangles",
    "register",
    "registered",
    "run_team",
    "share_body",
    "share_copies",
    "slice_to_array",
    "slowest",
    "team_size",
    "to_array",
    "unregister",
    "unshare_body",
    "view",
    "zero_copy_arrays",
]
