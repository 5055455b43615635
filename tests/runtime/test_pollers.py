# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
import os
import threading
import time

import pytest

from lux.runtime import pollers


@pytest.mark.check
def test_a_thread_that_never_sleeps_and_one_that_does():
    ready, over, ids = threading.Barrier(3), threading.Event(), {}

    def spin():
        ids["spins"] = threading.get_native_id()
        ready.wait()
        while not over.is_set():
            pass

    def sleep():
        ids["sleeps"] = threading.get_native_id()
        ready.wait()
        over.wait()

    threads = [threading.Thread(target=spin), threading.Thread(target=sleep)]
    for thread in threads:
        thread.start()
    ready.wait()
    mine = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    try:
        time.sleep(0.05)
        found = pollers.lower_priority()
        assert ids["spins"] in found
        assert ids["sleeps"] not in found
        assert os.getpriority(os.PRIO_PROCESS, ids["spins"]) == pollers.NICE
        assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == mine
    finally:
        over.set()
        for thread in threads:
            thread.join()
