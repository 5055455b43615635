# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""What the plan of a launch on GPUs holds: arguments, stores, offsets."""

import ctypes

import numpy as np


def table(plan, name, *shape):
    """Copy the numbers at an address in a plan, as an array of this shape."""
    found = (ctypes.c_int64 * int(np.prod(shape))).from_address(getattr(plan.struct, name))
    return np.frombuffer(found, np.int64).reshape(shape).copy()


def stores_of(plan):
    """List the arguments that are addresses of stores, each with its store's place among the launch's arrays."""
    return table(plan, "stores", plan.struct.n_stores, 2)
