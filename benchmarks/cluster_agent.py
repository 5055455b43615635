#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The program that mpirun starts in the place of ssh on a cluster of `benchmarks.cluster`: ADDRESS COMMAND...

Like ``ssh -o ServerAliveInterval=5 -o ServerAliveCountMax=3``, it ends with the code 255 once it has not reached its
node for 15 s, and leaves there what it has started. ``LUX_CLUSTER`` is the cluster's name. Each node has a core of its
own as long as there are enough.
"""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

LOOK_S = 1.0
SILENCE_S = 15.0


def reached(address: str) -> bool:
    """Tell whether a node answers, if only that nothing listens at the port."""
    try:
        socket.create_connection((address, 9), LOOK_S).close()
    except ConnectionRefusedError:
        return True
    except OSError:
        return False
    return True


def main() -> int:
    """Run the command on the node; return its exit code."""
    address, *words = sys.argv[1:]
    number = int(address.rpartition(".")[2]) - 1
    name = f"{os.environ['LUX_CLUSTER']}-{number}"
    core = number % (os.cpu_count() or 1)
    text = f"hostname {name}; cd '{Path.cwd()}'; {' '.join(words)}"
    inside = ("ip", "netns", "exec", name, "taskset", "--cpu-list", str(core), "unshare", "--uts", "sh", "-c", text)
    started = subprocess.Popen(inside, start_new_session=True)
    heard = time.monotonic()
    while time.monotonic() - heard < SILENCE_S:
        try:
            return started.wait(LOOK_S) % 256
        except subprocess.TimeoutExpired:
            if reached(address):
                heard = time.monotonic()
    sys.stderr.write(f"Timeout, server {name} not responding.\n")
    return 255


if __name__ == "__main__":
    sys.exit(main())
