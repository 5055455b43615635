// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Legion's context of the program, for threads beside the one that started Legate. Legion finds the context in a
// variable of each thread; one thread at a time may use it.
#include <legate.h>

#include <legion.h>

namespace {

Legion::Context context{};

}  // namespace

// Keeps the context of this thread, which has started Legate. Returns 0 if another thread has.
extern "C" int lux_keep_context()
{
  if (!Legion::Runtime::has_context()) return 0;
  context = Legion::Runtime::get_context();
  return 1;
}

// Gives this thread the context that was kept.
extern "C" void lux_bind_context()
{
  if (!Legion::Runtime::has_context()) Legion::Runtime::get_runtime()->bind_implicit_task_to_external_thread(context);
}
