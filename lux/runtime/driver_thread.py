# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Lux's driver: a thread that starts Legate and issues all launches, for calls from any thread, one at a time.

The caller's thread waits in a lock while the driver works. A signal interrupts that wait at once, though the driver may
be inside Legate or a kernel, where Python cannot raise anything. The driver then gets a `KeyboardInterrupt` at its next
step in Python, and later calls wait until it has cleared up. `lux.runtime.start.on_driver` makes functions run here.
"""

from __future__ import annotations

import contextvars
import ctypes
import os
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

from lux import checks

PATIENCE = 1.0
"""Seconds that an interrupted call waits for the driver to clear up before it raises."""
CALLER, DRIVER = 0, 1
AWAKE_NS = {CALLER: 2_000_000, DRIVER: 200_000}
"""Nanoseconds for which a caller waits awake for the end of its call, and the driver for the next call."""


class _Call:
    """One call of a function on the driver, seen from both threads.

    Attributes
    ----------
    done : Lock
        Held until the function has ended.
    """

    def __init__(self, work: Callable[[], Any], caller: FrameType) -> None:
        self._work: Callable[[], Any] | None = work
        self._context: contextvars.Context | None = contextvars.copy_context()
        self._context.run(checks.calling_frame.set, caller)
        self._result: Any = None
        self._error: BaseException | None = None
        self._guard = threading.Lock()
        self._running = self._stopped = self._told = False
        self._shields = 0
        self.done = threading.Lock()
        self.done.acquire()

    def run(self) -> None:
        """Run the function, on the driver, and then keep nothing of what it was given."""
        try:
            try:
                with self._guard:
                    self._running = not self._stopped
                if self._running and self._context is not None and self._work is not None:
                    self._result = self._context.run(self._work)
            except BaseException as error:  # noqa: BLE001  # the caller's thread raises it
                self._error = error
            with self._guard:
                self._running = False
            if self._told:
                _drop_interrupt()
        except KeyboardInterrupt:  # it came when the function had ended
            self._running = False
        self._work = self._context = None
        if self._stopped:  # nobody waits for them
            self._result = self._error = None
        self.done.release()

    def stop(self, driver: int) -> None:
        """Have the driver's thread raise a `KeyboardInterrupt` at its next step in Python."""
        with self._guard:
            self._stopped = True
            if self._running and not self._told and not self._shields:
                self._told = True
                _raise_in(driver, KeyboardInterrupt)

    @contextmanager
    def shielded(self) -> Iterator[None]:
        """Put an interrupt off until the block has ended."""
        with self._guard:
            self._shields += 1
        try:
            yield
        finally:
            with self._guard:
                self._shields -= 1
                late = self._stopped and not self._told and not self._shields
                self._told |= late
        if late:
            raise KeyboardInterrupt

    def outcome(self) -> Any:
        """Return the function's result, or raise its error with the frames of the function alone."""
        result, error, self._result, self._error = self._result, self._error, None, None
        if error is None:
            return result
        try:
            raise error.with_traceback(_without_driver(error.__traceback__))
        finally:
            del error  # its traceback refers to this frame


def _raise_in(thread: int, kind: type[BaseException]) -> None:
    """Raise an exception in a thread at its next step."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))


def _drop_interrupt() -> None:
    """Raise, and drop, an interrupt that this thread was told to raise and may not have raised yet.

    It is not taken back (by an exception of null): until some exception is raised, Python 3.11 would stop at every step
    to look for it, and with a profiler or a debugger for ever.
    """
    try:
        _raise_in(threading.get_ident(), KeyboardInterrupt)
        while True:
            pass
    except KeyboardInterrupt:
        pass


def _without_driver(traceback: TracebackType | None) -> TracebackType | None:
    """Leave out the first frames, which are the driver's."""
    while traceback is not None and traceback.tb_frame.f_code.co_filename == __file__:
        traceback = traceback.tb_next
    return traceback


class _Driver:
    """The thread, which the first call starts."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._calls: queue.SimpleQueue[_Call] = queue.SimpleQueue()
        self._ident = 0
        self.current: _Call | None = None
        self.hand_over: Callable[[int, int], None] | None = None

    def _start(self) -> None:
        with self._guard:
            if not self._ident:
                # A daemon: Python's end waits for all other threads before its exit handlers, which end Legate here.
                thread = threading.Thread(target=self._serve, name="lux-driver", daemon=True)
                thread.start()
                self._ident = thread.ident or 0

    def _serve(self) -> None:
        _local.is_driver = _local.of_lux = True
        while True:
            self.current = self._calls.get()
            self.current.run()
            self.current = None
            if self.hand_over is not None and self._calls.empty():
                self.hand_over(DRIVER, AWAKE_NS[DRIVER])

    def call(self, work: Callable[[], Any], caller: FrameType, most: float = -1) -> Any:
        if not self._ident:
            self._start()
        call = _Call(work, caller)
        try:
            self._calls.put(call)
            if self.hand_over is not None:
                self.hand_over(CALLER, AWAKE_NS[CALLER])
            if not call.done.acquire(timeout=most):
                raise TimeoutError  # what follows is the same
        except BaseException:  # a signal's handler raised it
            call.stop(self._ident)
            call.done.acquire(timeout=PATIENCE)
            raise
        return call.outcome()


class _Local(threading.local):
    """State of the calling thread.

    Attributes
    ----------
    is_driver : bool
        True in the driver.
    of_lux : bool
        True in the driver, in threads that work for it, and in Legate's, which run tasks. The driver may wait for them.
    """

    def __init__(self) -> None:
        self.is_driver = False
        self.of_lux = isinstance(threading.current_thread(), threading._DummyThread)  # noqa: SLF001  # not of Python


_local = _Local()
_driver = _Driver()


def call(work: Callable[[], Any], caller: FrameType, most: float = -1) -> Any:
    """Call a function on the driver, and return its result or raise its error.

    Parameters
    ----------
    work : callable
    caller : frame
        The caller's frame, for warnings.
    most : float
        Seconds to wait at most; -1 without end.

    Raises
    ------
    TimeoutError
        The time is over. The function gets a `KeyboardInterrupt`, or is not called if it has not begun.
    """
    return _driver.call(work, caller, most)


def stay_awake(hand_over: Callable[[int, int], None]) -> None:
    """Have callers and the driver wait for each other awake at first: waking a thread takes longer than a small call.

    Parameters
    ----------
    hand_over : callable
        The C function ``lux_hand_over`` (``mapper/thread_context.h``).
    """
    _driver.hand_over = hand_over


def is_driver() -> bool:
    """Tell whether this thread is the driver."""
    return _local.is_driver


def of_lux() -> bool:
    """Tell whether this thread is the driver, works for it or runs tasks, so that it must not wait for the driver."""
    return _local.of_lux


def works_for_driver() -> None:
    """Note that this thread works for the driver."""
    _local.of_lux = True


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put the interrupt of a call on the driver off until the block has ended."""
    current = _driver.current if _local.is_driver else None
    if current is None:
        yield
        return
    with current.shielded():
        yield


def _forget() -> None:
    """Forget the driver in a forked process, which has no such thread."""
    global _driver
    _driver = _Driver()
    _local.is_driver = _local.of_lux = False


os.register_at_fork(after_in_child=_forget)
