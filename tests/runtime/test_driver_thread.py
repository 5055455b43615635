# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The driver's thread, without Legate: results, errors, settings and interrupts cross over."""

import contextvars
import gc
import signal
import subprocess
import sys
import threading
import time
import traceback
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from lux import runtime
from lux.runtime import driver_thread

pytestmark = pytest.mark.check


def call(work, most=-1):
    return driver_thread.call(work, sys._getframe(), most)


class AlarmError(Exception):
    """Raised by a signal's handler."""


@pytest.fixture
def alarm():
    """``alarm(seconds)``: a signal whose handler raises `AlarmError` then."""

    def ring(*_):
        raise AlarmError

    before = signal.signal(signal.SIGALRM, ring)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_results_and_context_variables_cross_over():
    setting = contextvars.ContextVar("setting")
    setting.set("off")
    assert call(setting.get) == "off"
    assert call(lambda: threading.current_thread().name) == "lux-driver"
    assert call(driver_thread.is_driver)
    assert not driver_thread.is_driver()


def test_errors_have_the_functions_frames_alone():
    def fail():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no") as caught:
        call(fail)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-1] == "fail"
    assert "_serve" not in names


def test_nothing_is_kept_of_a_call():
    class Thing:
        pass

    thing = Thing()
    gone = weakref.ref(thing)
    assert call(lambda thing=thing: thing) is thing
    del thing
    call(int)  # the call before has ended in the driver, too
    gc.collect()
    assert gone() is None


def test_a_signal_interrupts_a_step_in_python(alarm):
    seen = []

    def work():
        try:
            while True:
                time.sleep(0.01)
        except KeyboardInterrupt:
            seen.append("interrupted")
            raise

    alarm(0.05)
    with pytest.raises(AlarmError):
        call(work)
    assert seen == ["interrupted"]
    assert call(lambda: 3) == 3


def test_the_next_call_waits_for_what_cannot_be_interrupted(alarm, monkeypatch):
    monkeypatch.setattr(driver_thread, "PATIENCE", 0.05)
    hold, seen = threading.Event(), []

    def work():
        with driver_thread.uninterrupted():
            hold.wait(10)
        seen.append("after the shield")

    alarm(0.05)
    with pytest.raises(AlarmError):
        call(work)
    threading.Timer(0.1, hold.set).start()
    assert call(lambda: list(seen)) == []  # the interrupt came with the shield's end


def test_a_call_that_has_not_begun_is_dropped(alarm):
    hold, begun, seen = threading.Event(), threading.Event(), []
    other = threading.Thread(target=lambda: call(lambda: (begun.set(), hold.wait(10))))
    other.start()
    begun.wait(10)
    threading.Timer(0.2, hold.set).start()
    alarm(0.05)
    with pytest.raises(AlarmError):
        call(lambda: seen.append(1))
    other.join()
    assert call(lambda: list(seen)) == []


def test_a_wait_may_have_an_end():
    with pytest.raises(TimeoutError):
        call(lambda: time.sleep(0.2), 0.05)
    assert call(lambda: 1) == 1


def test_threads_that_work_for_the_driver_do_not_wait_for_it():
    def help_driver():
        with ThreadPoolExecutor(1, initializer=driver_thread.works_for_driver) as pool:
            return pool.submit(driver_thread.of_lux).result()

    assert call(help_driver)
    assert not driver_thread.of_lux()


def test_tasks_do_not_wait_for_the_driver():
    seen = []

    @runtime.task(outputs={"x": None})
    def _ask(_point, x):  # a launch needs a store
        seen.append(driver_thread.of_lux())
        runtime.run_team([lambda: seen.append(driver_thread.of_lux())] * 2)

    _ask(1, x=runtime.new_store("int32", 1))
    runtime.finish()
    assert seen == [True] * 3


TRACED = """
import sys, threading
from lux.runtime import driver_thread

def call(work, most=-1):
    return driver_thread.call(work, sys._getframe(), most)

def work():
    for k in range(3):
        seen.append(k)

if sys.argv[1] == "interrupted":
    try:
        call(lambda: threading.Event().wait(0.3), most=0.1)
    except TimeoutError:
        pass
call(int)
for begin in (sys.setprofile, sys.settrace):
    seen, told = [], []
    begin(lambda *what: told.append(what))
    work()
    begin(None)
    assert len(seen) == 3 and told
print("traced")
"""


@pytest.mark.parametrize("how", ["plain", "interrupted"])
def test_profilers_and_debuggers_work_after_a_call(how):
    """An exception that was set and taken back had Python 3.11 stop at every traced step for ever."""
    done = subprocess.run([sys.executable, "-c", TRACED, how], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout == "traced\n", done.stderr
