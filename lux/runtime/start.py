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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import legate_config
from legate_config.flags import SMALL_MACHINE
from legate_config.legate_import import without_tables
from lux.errors import ConfigurationError, LuxError
from lux.runtime import driver_thread, pollers
from lux.runtime.garbage import call_old, leave_to_the_system, unsearched

SIGACTION = 256
"""Bytes with room for C's ``struct sigaction``."""


P = ParamSpec("P")
R = TypeVar("R")


class _Thread(threading.local):
    """State of the calling thread.

    A thread's number would not identify it: once the thread has ended, another may get the number.
    """

    bound = False
    """True in threads that may call Legate: the one that started it, the driver and Python's main thread."""
    home = False
    """True in the thread that started Legate, or is starting it."""


_thread = _Thread()
_begun = threading.Lock()
"""Lock that a thread holds while it starts Legate, or joins the thread that has."""
_runtime: Any = None
_gone = ""
"""The reason why Legate is no longer there."""


def on_driver(function: Callable[P, R]) -> Callable[P, R]:
    """Wrap a function that calls Legate: it runs on the driver (`lux.runtime.driver_thread`), whoever calls it.

    Where several processes run together it runs in the caller's thread, their main thread.
    """

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if driver_thread.of_lux() or _gone or legate_config.rank_info().ranks > 1:
            return function(*args, **kwargs)
        _adopt()
        try:
            found: R = driver_thread.call(functools.partial(function, *args, **kwargs), sys._getframe(1))  # noqa: SLF001
        finally:
            _bind_main_thread()
        return found

    return call


def driver() -> Any:
    """Return Legate's runtime; the first call starts Legate.

    Every path to Legate calls this function first: a call of another thread than the driver or the main thread would
    end the process, or wait for ever.

    Raises
    ------
    LuxError
        This is a third thread, a forked process, one of several processes but not its main thread, or Legate has ended.
    """
    if _gone:
        raise LuxError(f"Lux was called {_gone}")
    if not _thread.bound:
        _bind()
    return _runtime


def _bind() -> None:
    """Start Legate, or let this thread use what another has started."""
    check_main_thread()
    with _begun, driver_thread.uninterrupted():
        if _runtime is None:
            _start_here()
        elif driver_thread.is_driver() or threading.current_thread() is threading.main_thread():
            _thread.bound = True
            _native().lux_bind_context()
        else:
            raise LuxError(
                "a part of Lux that is not public was called by another thread than the main one: call public "
                "functions of Lux, which any thread may"
            )


def _adopt() -> None:
    """Take over, in the thread that has started it, Legate that the program had started before it called Lux."""
    if _runtime is None and "legate.core" in sys.modules:
        with _begun:
            if _runtime is None:
                _start_here()
                handler = signal.getsignal(signal.SIGINT)
                if handler is not None and threading.current_thread() is threading.main_thread():
                    signal.signal(signal.SIGINT, handler)  # Legate has replaced it


def _start_here() -> None:
    global _runtime
    _thread.bound = _thread.home = True
    try:
        _start()
    except BaseException:
        _thread.bound = _thread.home = False
        _runtime = None
        raise


def _bind_main_thread() -> None:
    """Let the main thread use Legate, too: the program may call cuPyNumeric there, after Lux has started Legate."""
    if _runtime is not None and not _thread.bound and threading.current_thread() is threading.main_thread():
        driver()


def _native() -> ctypes.CDLL:
    from lux.runtime.mapper_library import functions

    return functions()


def check_main_thread() -> None:
    """Refuse another thread than Python's main thread where there are several processes, which end Legate together."""
    if threading.current_thread() is threading.main_thread():
        return
    if (ranks := legate_config.rank_info().ranks) > 1:
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
            " install the extra nodes (pip install 'lux-graph[nodes]') and take the"
            " launcher mpirun, or srun --mpi=pmix"
        )


def why_not_here() -> str:
    """Say why this thread or process cannot call Lux; empty if it can. Starts nothing."""
    if _gone:
        return f"Lux was called {_gone}"
    try:
        check_main_thread()
    except LuxError as error:
        return str(error)
    return ""


def drives() -> bool:
    """Tell whether this thread may call Legate."""
    return _thread.bound and not _gone


def _start() -> None:
    """Start Legate."""
    global _runtime
    from lux.runtime import mapper_library

    ours = "legate.core" not in sys.modules
    try:
        legate_config.prepare()
        with unsearched(), without_tables(), _kept_interrupts():
            if ours:
                mapper_library.share_events()
            import legate.core

            _runtime = legate.core.get_legate_runtime()
            call_old()
    except legate_config.ConfigError as error:
        raise ConfigurationError(str(error)) from None
    from lux.runtime import agreement, heartbeat, process_memory

    check_together(legate_config.rank_info().ranks, _runtime.node_count)
    if ranks() == 1 and not _native().lux_keep_context() and not ours:
        raise LuxError(
            "the program has imported Legate in another thread, which started it there: make the first call of Lux in "
            "that thread, or import legate and cupynumeric after it"
        )
    if ranks() == 1 and legate_config.Machine.detect().cores >= SMALL_MACHINE:
        driver_thread.stay_awake(_native().lux_hand_over)
    process_memory.note_start()
    atexit.register(_end)  # runs before Legate's, which its import has registered
    os.register_at_fork(after_in_child=_leave)
    if ranks() == 1:  # in one process, a seed of Python's random numbers endangers nothing
        warnings.filterwarnings("ignore", r"\s*Seeding the random number generator")
    if ranks() > 1:
        _runtime.issue_execution_fence(block=True)  # only pollers work from here on
        pollers.lower_priority()
        heartbeat.begin(rank(), ranks())
        agreement.open_channel(heartbeat.addresses()[: heartbeat.MOST_ADDRESSES])


@contextmanager
def _kept_interrupts() -> Iterator[None]:
    """Keep the handler of Ctrl-C, which Legate replaces by one that ends the process with a list of C functions.

    With several processes Legate's handler stays: a process that goes on alone would wait for the others. Python lets
    only the main thread set handlers, and its own are C's until the next signal comes.
    """
    if legate_config.rank_info().ranks > 1:
        yield
        return
    libc, kept = ctypes.CDLL(None), ctypes.create_string_buffer(SIGACTION)
    libc.sigaction(signal.SIGINT, None, kept)
    try:
        yield
    finally:
        libc.sigaction(signal.SIGINT, kept, None)


def _end() -> None:
    """End Legate's use before Legate shuts down."""
    global _gone
    from lux.runtime import heartbeat

    heartbeat.expect_end()
    if not _gone:
        leave_to_the_system()  # first, as Legate's end searches for garbage, too
        if _thread.home:  # Legate's own exit handler, which runs next, ends it
            _close_stores()
        else:
            _end_on_driver()
        _gone = "after Legate has ended with the program: call it earlier"


def _end_on_driver() -> None:
    """End Legate in the driver, which started it: in another thread Legate would end the process by a signal.

    An interrupted call may still run, and may last. Then the process ends without Legate.
    """
    legate = _OfLegate()
    atexit.unregister(legate)  # type: ignore[arg-type]  # it only compares

    def end() -> None:
        if not _thread.home:  # a third thread has started Legate
            raise TimeoutError
        _close_stores()
        for function in legate.found:
            function()

    try:
        driver_thread.call(end, sys._getframe(), driver_thread.PATIENCE)  # noqa: SLF001
    except TimeoutError:
        _end_without_legate()


def _close_stores() -> None:
    from lux.runtime.stores import close

    close()


class _OfLegate:
    """Object that equals the function by which Legate shuts down, which has no name that Python can reach.

    Attributes
    ----------
    found : list of callable
        The function, once it was compared.
    """

    __hash__ = None  # type: ignore[assignment]  # nobody looks for it

    def __init__(self) -> None:
        self.found: list[Callable[[], object]] = []

    def __eq__(self, other: object) -> bool:
        equal = callable(other) and "legate" in getattr(other, "__qualname__", "")
        if equal:
            self.found.append(other)  # type: ignore[arg-type]  # it is callable
        return equal


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
    on_driver(finish)()
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
