// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Shared by the level-synchronous kernels (breadth-first search, betweenness): queues of frontier vertices balanced by
// edges, bitmaps, and levels small enough for one block.
//
// Launch: cooperative, blocks of THREADS threads, one a multiprocessor, static shared memory only.
#pragma once
#include "levels_alone.cuh"
#include "levels_queues.cuh"
#include "levels_state.cuh"
