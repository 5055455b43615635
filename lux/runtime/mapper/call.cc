// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Compiled functions that Python passes by address, each the body of a task (calls.h).
#include "calls.h"

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lux {

constexpr std::size_t RECORD = 4;

// A compiled body. Arguments: the context that Python has registered, the point, the task's inputs, outputs and
// reductions, and space for a record. Returns the number of values that it has written to the record.
using Body = std::int64_t (*)(
  const void* shared, std::int64_t point, const Array* arrays, std::int64_t n_arrays, double* record);

struct Call {
  Body body;
  std::array<const void*, 2> shared;         // in launches of even and of odd number
  std::vector<std::vector<double>> records;  // one for each point, so that points need no lock
};

namespace {

std::mutex calls_guard;
std::unordered_map<std::int64_t, std::unique_ptr<Call>> calls;

Call& find(std::int64_t key)
{
  const std::lock_guard<std::mutex> guard{calls_guard};
  return *calls.at(key);
}

}  // namespace

Call* call_of(std::int64_t key, std::int64_t point)
{
  auto& call = find(key);
  return static_cast<std::size_t>(point) < call.records.size() ? &call : nullptr;
}

void run(Call& call, std::int64_t number, std::int64_t point, const std::vector<Array>& arrays)
{
  std::array<double, RECORD> record{};
  const auto n       = static_cast<std::int64_t>(arrays.size());
  const auto* shared = call.shared.at(static_cast<std::size_t>(number & 1));
  const auto written = call.body(shared, point, arrays.data(), n, record.data());
  auto& records      = call.records.at(static_cast<std::size_t>(point));
  records.insert(records.end(), record.begin(), record.begin() + written);
}

}  // namespace lux

extern "C" {

__attribute__((visibility("default"))) void lux_share(std::int64_t key,
                                                      lux::Body body,
                                                      const void* even,
                                                      const void* odd,
                                                      std::int64_t points)
{
  const std::lock_guard<std::mutex> guard{lux::calls_guard};
  lux::calls[key] = std::make_unique<lux::Call>(lux::Call{body, {even, odd}, std::vector<std::vector<double>>(points)});
}

// Copies the records of a point, which have so many numbers.
__attribute__((visibility("default"))) const double* lux_records(std::int64_t key,
                                                                 std::int64_t point,
                                                                 std::int64_t* size)
{
  const auto& records = lux::find(key).records.at(static_cast<std::size_t>(point));
  *size               = static_cast<std::int64_t>(records.size());
  return records.data();
}

__attribute__((visibility("default"))) void lux_forget_records(std::int64_t key)
{
  for (auto& records : lux::find(key).records) records = {};
}

__attribute__((visibility("default"))) void lux_unshare(std::int64_t key)
{
  const std::lock_guard<std::mutex> guard{lux::calls_guard};
  lux::calls.erase(key);
}

}  // extern "C"
