# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Start and end of Legate, and the machine as Legate sees it."""

from __future__ import annotations

import atexit
import ctypes
import functools
import os
import signal
import sys
import threading
import warnings
from typing import Any

import legate_config
from lux.errors import ConfigurationError, LuxError
from lux.runtime import pollers
from lux.runtime.garbage import leave_to_the_system, unsearched


class _Thread(threading.local):
    """State of the calling thread.

    A thread's number would not identify it: once the thread has ended, another may get the number.
    """

    drives = False
    """True in the thread that started Legate, or is starting it."""


_thread = _Thread()
_begun = threading.Lock()
"""Lock that a thread holds from the moment when it begins to start Legate."""
_runtime: Any = None
_gone = ""
"""The reason why Legate is no longer there."""


def driver() -> Any:
    """Return Legate's runtime, for the thread that calls this first, which starts it.

    Any other thread's call would end the process, or wait for ever. So every path to Legate calls this function first.

    Raises
    ------
    LuxError
        This is another thread, a forked process, one of several processes but not its main thread, or Legate has ended.
    """
    if _gone:
        raise LuxError(f"Lux was called {_gone}")
    if not _thread.drives:
        if not _begun.acquire(blocking=False):
            raise LuxError(
                "Lux was called by another thread than the one that started it, which alone may make graphs and run "
                "programs: call it there, or use processes instead of threads"
            )
        _thread.drives = True
        try:
            check_main_thread()
            _start()
        except BaseException:
            _thread.drives = False
            _begun.release()
            raise
    return _runtime


def check_main_thread() -> None:
    """Refuse another thread than Python's main thread where there are several processes, which end Legate together."""
    ranks = legate_config.rank_info().ranks
    if ranks > 1 and threading.current_thread() is not threading.main_thread():
        raise LuxError(
            f"Lux was started by another thread than the main one, which must not be where {ranks} processes run "
            "together: make graphs and run programs in the main thread"
        )


def check_together(started: int, together: int) -> None:
    """Refuse processes that the launcher started together and that Legate runs each on its own.

    Each would run the whole program and write its results.
    """
    if together < started:
        raise ConfigurationError(
            f"the launcher started {started} processes, and Legate runs this one alone: Legate's wheels from 26.6 on"
            " have no networking, and Slurm without PMIx does not tell processes of one another. Start one process; or"
            " install the extra nodes (pip install 'lux-graph[nodes]', or -e .[nodes] where Lux lies) and take the"
            " launcher mpirun, or srun --mpi=pmix"
        )


def why_not_here() -> str:
    """Say why this thread or process cannot call Lux; empty if it can. Starts nothing."""
    if _gone:
        return f"Lux was called {_gone}"
    if not _thread.drives and _begun.locked():
        return "Lux runs in the thread that started it, and this is another"
    return ""


def drives() -> bool:
    """Tell whether this thread may call Legate."""
    return _thread.drives and not _gone


def _start() -> None:
    """Start Legate."""
    global _runtime
    try:
        legate_config.prepare()
        with unsearched():
            import legate.core
    except legate_config.ConfigError as error:
        raise ConfigurationError(str(error)) from None
    from lux.runtime import heartbeat, process_memory

    _runtime = legate.core.get_legate_runtime()
    check_together(legate_config.rank_info().ranks, _runtime.node_count)
    process_memory.note_start()
    atexit.register(_end)  # runs before Legate's, which its import has registered
    os.register_at_fork(after_in_child=_leave)
    _restore_interrupts()
    if ranks() == 1:  # in one process, a seed of Python's random numbers endangers nothing
        warnings.filterwarnings("ignore", r"\s*Seeding the random number generator")
    if ranks() > 1:
        _runtime.issue_execution_fence(block=True)  # only pollers work from here on
        pollers.lower_priority()
        heartbeat.begin(rank(), ranks())


def _restore_interrupts() -> None:
    """Restore the handler of Ctrl-C that Legate replaced by one that ends the process with a list of C functions.

    With several processes Legate's handler stays: a process that goes on alone would wait for the others.
    """
    handler = signal.getsignal(signal.SIGINT)
    if handler is not None and ranks() == 1 and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, handler)


def _end() -> None:
    """End Legate's use before Legate shuts down."""
    global _gone
    from lux.runtime import heartbeat
    from lux.runtime.stores import close

    heartbeat.expect_end()
    if not _gone:
        close()
        if not drives():  # Python ends in its main thread, where Legate would end the process by a signal
            _end_without_legate()
        leave_to_the_system()
        _gone = "after Legate has ended with the program: call it earlier"


class _OfLegate:
    """Object that equals the function by which Legate shuts down, which has no name that Python can reach."""

    __hash__ = None  # type: ignore[assignment]  # nobody looks for it

    def __eq__(self, other: object) -> bool:
        return "legate" in getattr(other, "__qualname__", "")


def _end_without_legate() -> None:
    """Have Python run all its exit handlers, and the process then end at once, with its exit code."""
    atexit.unregister(_OfLegate())  # type: ignore[arg-type]  # it only compares
    # A handler of C's on_exit runs before all handlers of C and C++, and gets the exit code.
    libc = ctypes.CDLL(None)
    libc.on_exit(ctypes.cast(libc["_exit"], ctypes.c_void_p), None)


def end_at_once(code: int) -> None:
    """End the process with an exit code once all launches have run, without the 0.3 s of clearing Legate and Python up.

    Python's exit handlers run. Returns where that would not do: without Legate, with several processes or GPUs, or if
    Legate writes a profile at its end.
    """
    if not drives() or ranks() > 1 or gpus() or "--profile" in os.environ.get("LEGATE_CONFIG", ""):
        return
    finish()
    atexit.unregister(_OfLegate())  # type: ignore[arg-type]  # it only compares
    atexit._run_exitfuncs()  # noqa: SLF001  # as Python does at its end
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _leave() -> None:
    """Leave a process that was forked from this one at once: Legate's threads are not in it, and its end would wait."""
    global _gone
    _end_without_legate()
    _gone = (
        "in a process that was forked from one in which Lux runs, and which cannot use it: start processes otherwise "
        "(multiprocessing.set_start_method('spawn')), or before the first graph"
    )


def processors() -> int:
    """Count the CPU cores that Legate was given, over all ranks."""
    return _count("CPU")


def gpus() -> int:
    """Count the GPUs that Legate was given, over all ranks."""
    return _count("GPU")


@functools.cache
def _count(target: str) -> int:
    runtime = driver()
    from legate.core import TaskTarget

    return int(runtime.get_machine().count(getattr(TaskTarget, target)))


def ranks() -> int:
    """Count the processes, which Legion calls nodes."""
    return _nodes()[0]


def rank() -> int:
    """Return this process's number among `ranks`."""
    return _nodes()[1]


@functools.cache
def _nodes() -> tuple[int, int]:
    """Return the number of processes, and of this one; tasks may ask for it in Legate's threads."""
    runtime = driver()
    return int(runtime.node_count), int(runtime.node_id)


class _Pending:
    """Launches since the driver last knew that all had run."""

    anything = True


def launched() -> None:
    """Note that something was launched."""
    _Pending.anything = True


def all_has_run() -> None:
    """Note that everything launched so far has run, as the driver has seen in another way than by `finish`."""
    _Pending.anything = False


def finish() -> None:
    """Wait until everything launched so far has run; returns at once where that is known (`all_has_run`)."""
    runtime = driver()
    if _Pending.anything:
        runtime.issue_execution_fence(block=True)
        all_has_run()
