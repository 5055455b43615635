// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// A task whose body is a compiled function that Python passes by address. It runs without Python: no interpreter lock,
// and no views of stores. Points beyond those that were registered for the body do nothing.
#include <legate.h>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

std::uint64_t lux_address_of(const legate::PhysicalStore& store);  // gpu.cc

namespace {

constexpr std::size_t RECORD = 4;

// A store as a task sees it.
struct Array {
  void* data;
  std::int64_t size;
};

// A compiled body. Arguments: the context that Python has registered, the point, the task's inputs, outputs and
// reductions, and space for a record. Returns the number of values that it has written to the record.
using Body = std::int64_t (*)(
  const void* shared, std::int64_t point, const Array* arrays, std::int64_t n_arrays, double* record);

struct Call {
  Body body;
  std::array<const void*, 2> shared;         // in launches of even and of odd number
  std::vector<std::vector<double>> records;  // one for each point, so that points need no lock
};

std::mutex calls_guard;
std::unordered_map<std::int64_t, std::unique_ptr<Call>> calls;

Call& find(std::int64_t key)
{
  const std::lock_guard<std::mutex> guard{calls_guard};
  return *calls.at(key);
}

void append(std::vector<Array>& arrays, const std::vector<legate::PhysicalArray>& given, bool reduced = false)
{
  for (const auto& each : given) {
    const auto store = each.data();
    const auto size  = static_cast<std::int64_t>(store.domain().get_volume());
    if (reduced) arrays.push_back({size == 0 ? nullptr : store.get_inline_allocation().ptr, size});
    else arrays.push_back({reinterpret_cast<void*>(lux_address_of(store)), size});
  }
}

class CallTask : public legate::LegateTask<CallTask> {
 public:
  static inline const auto TASK_CONFIG = legate::TaskConfig{legate::LocalTaskID{0}};

  static void cpu_variant(legate::TaskContext context)
  {
    const auto point = context.input(0).data().domain().lo()[0];
    auto& call       = find(context.scalar(0).value<std::int64_t>());
    if (static_cast<std::size_t>(point) >= call.records.size()) return;
    std::vector<Array> arrays;
    append(arrays, context.inputs());
    append(arrays, context.outputs());
    append(arrays, context.reductions(), true);
    std::array<double, RECORD> record{};
    const auto n       = static_cast<std::int64_t>(arrays.size());
    const auto* shared = call.shared.at(static_cast<std::size_t>(context.scalar(1).value<std::int64_t>() & 1));
    const auto written = call.body(shared, point, arrays.data(), n, record.data());
    auto& records      = call.records.at(static_cast<std::size_t>(point));
    records.insert(records.end(), record.begin(), record.begin() + written);
  }
};

}  // namespace

void lux_register_tasks(legate::Library library) { CallTask::register_variants(library); }

extern "C" {

__attribute__((visibility("default"))) void lux_share(std::int64_t key,
                                                      Body body,
                                                      const void* even,
                                                      const void* odd,
                                                      std::int64_t points)
{
  const std::lock_guard<std::mutex> guard{calls_guard};
  calls[key] = std::make_unique<Call>(Call{body, {even, odd}, std::vector<std::vector<double>>(points)});
}

// Copies the records of a point, which have so many numbers.
__attribute__((visibility("default"))) const double* lux_records(std::int64_t key,
                                                                 std::int64_t point,
                                                                 std::int64_t* size)
{
  const auto& records = find(key).records.at(static_cast<std::size_t>(point));
  *size               = static_cast<std::int64_t>(records.size());
  return records.data();
}

__attribute__((visibility("default"))) void lux_forget_records(std::int64_t key)
{
  for (auto& records : find(key).records) records = {};
}

__attribute__((visibility("default"))) void lux_unshare(std::int64_t key)
{
  const std::lock_guard<std::mutex> guard{calls_guard};
  calls.erase(key);
}

}  // extern "C"
