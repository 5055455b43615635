# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A machine of GPUs that are threads on CPU cores, for tests of what kernels and engines compute.

The kernels' own text is compiled by g++ (``cores.h``, ``cores.cc``), and the engine's plans are launched on it as
``lux/runtime/mapper/gpu.cc`` launches them on GPUs; only a program's functions are written in C++ for it
(``functions.py``). It finds wrong answers, barriers that not all threads reach, lanes that meet others elsewhere, waits
without end, writes beside arrays, and what relies on memory that nobody has written. CPU cores beside GPUs
(``device="gpu+cpu"``) run as they do, on the same memory.

It is no replacement of the tests on GPUs (``tests/gpu``). It knows nothing of caches, of the order in which others
see what is written, of two threads at once, of time, nor of Numba's code. Launches follow one another; on GPUs one
may begin before others' last has ended. Copies between memories, which are Legion's, it makes itself.
"""
