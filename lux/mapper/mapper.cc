// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Lux's library and mapper in Legate. The mapper takes Legate's default for every store, except those that a
// task was marked to want in zero-copy memory (ZCMEM): host memory that every GPU of the process reads in place,
// so that one instance serves them all.
#include <legate.h>
#include <legate/mapping/mapping.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

void lux_register_tasks(legate::Library library);        // call.cc
void lux_register_kernel_task(legate::Library library);  // gpu.cc

namespace {

namespace mapping = legate::mapping;

// Local task id -> set of stores; bit i stands for the i-th of inputs, then outputs, then reductions.
// Python marks tasks while Legion's threads map others, hence the lock.
class ZeroCopyTasks {
 public:
  void mark(std::int64_t task, std::uint64_t stores)
  {
    const std::lock_guard<std::mutex> guard{mutex_};
    stores_[task] = stores;
  }

  [[nodiscard]] std::uint64_t stores(std::int64_t task) const
  {
    const std::lock_guard<std::mutex> guard{mutex_};
    const auto found = stores_.find(task);
    return found == stores_.end() ? 0 : found->second;
  }

 private:
  mutable std::mutex mutex_{};
  std::unordered_map<std::int64_t, std::uint64_t> stores_{};
};

ZeroCopyTasks& zero_copy_tasks()
{
  static ZeroCopyTasks tasks;
  return tasks;
}

class LuxMapper final : public mapping::Mapper {
 public:
  std::vector<mapping::StoreMapping> store_mappings(
    const mapping::Task& task, const std::vector<mapping::StoreTarget>& options) override
  {
    std::vector<mapping::StoreMapping> chosen;
    const auto wanted = zero_copy_tasks().stores(static_cast<std::int64_t>(task.task_id()));
    const auto on_gpu =
      std::find(options.begin(), options.end(), mapping::StoreTarget::FBMEM) != options.end();
    if (wanted == 0 || !on_gpu) {
      return chosen;
    }
    unsigned position = 0;
    for (const auto& arrays : {task.inputs(), task.outputs(), task.reductions()}) {
      for (const auto& array : arrays) {
        if (position < 64 && ((wanted >> position) & 1U) != 0) {
          chosen.push_back(mapping::StoreMapping::default_mapping(array.data(), mapping::StoreTarget::ZCMEM));
        }
        ++position;
      }
    }
    return chosen;
  }

  std::optional<std::size_t> allocation_pool_size(const mapping::Task&, mapping::StoreTarget) override
  {
    return std::nullopt;
  }

  legate::Scalar tunable_value(legate::TunableID) override { return legate::Scalar{std::int64_t{0}}; }
};

}  // namespace

extern "C" {

// Creates the library, or finds it where it exists already. Returns 1 if it was created.
__attribute__((visibility("default"))) int lux_register_library()
{
  legate::ResourceConfig resources;
  resources.max_tasks     = 4096;
  resources.max_dyn_tasks = 4094;  // Python tasks take their ids from these
  bool created            = false;
  const auto library = legate::Runtime::get_runtime()->find_or_create_library(
    "lux", resources, std::make_unique<LuxMapper>(), {}, &created);
  if (created) {
    lux_register_tasks(library);
    lux_register_kernel_task(library);
  }
  return created ? 1 : 0;
}

__attribute__((visibility("default"))) void lux_zero_copy(std::int64_t task, std::uint64_t stores)
{
  zero_copy_tasks().mark(task, stores);
}

}  // extern "C"
