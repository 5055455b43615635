// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// All that names Legate. To read its headers takes a fifth of the time that compiling the library takes, so that this
// file alone includes them; others share calls.h and iteration_exchange.h with it, and know nothing of Legate.
#include <legate.h>
#include <legate/comm/coll.h>
#include <legate/mapping/mapping.h>
#include <legion.h>

#include "events.h"
#include "launches.h"
#include "tasks.h"
#include "thread_context.h"

#include "mapper.h"
