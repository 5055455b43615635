// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Legion's context of the program, for threads beside the one that started Legate. Legion finds the context in a
// variable of each thread; one thread at a time may use it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace {

Legion::Context context{};

// Calls that threads of the program have handed to the driver, and those that the driver has ended.
std::atomic<int64_t> handed_over[2]{};

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

// Counts a call: one that a thread hands to the driver (side 0), or that the driver has ended (side 1). Then waits for
// the other side's next count, awake, for so many nanoseconds at most; threads that have work go first. Waking a sleeping
// thread would take longer than small calls; who waits longer goes to sleep in Python.
extern "C" void lux_hand_over(int64_t side, int64_t nanoseconds)
{
  using Clock = std::chrono::steady_clock;
  auto const& other = handed_over[1 - side];
  int64_t const seen = other.load();
  handed_over[side].fetch_add(1);
  auto const end = Clock::now() + std::chrono::nanoseconds(nanoseconds);
  while (other.load(std::memory_order_acquire) == seen && Clock::now() < end) std::this_thread::yield();
}
