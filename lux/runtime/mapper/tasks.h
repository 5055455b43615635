// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// The tasks of Lux's library: what they do is in other files (calls.h, iteration_exchange.h). No Python runs in them.
#pragma once

#include "calls.h"
#include "iteration_exchange.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

namespace coll = legate::comm::coll;

template <typename T>
std::uint64_t first_element(const legate::PhysicalStore& store)
{
  const auto shape = store.shape<1>();
  return reinterpret_cast<std::uint64_t>(
    store.is_readable() ? store.read_accessor<T, 1, false>(shape).ptr(shape.lo) : store.write_accessor<T, 1, false>(shape).ptr(shape.lo));
}

// Returns the address of a point's part of a store. (get_inline_allocation refuses stores that share a region with one in
// another memory.)
std::uint64_t address_of(const legate::PhysicalStore& store)
{
  if (store.domain().empty()) return 0;
  switch (store.type().size()) {
    case 1: return first_element<std::uint8_t>(store);
    case 2: return first_element<std::uint16_t>(store);
    case 4: return first_element<std::uint32_t>(store);
    case 8: return first_element<std::uint64_t>(store);
    default: return 0;  // rectangles, which only Legion reads
  }
}

void append(std::vector<lux::Array>& arrays, const std::vector<legate::PhysicalArray>& given, bool reduced = false)
{
  for (const auto& each : given) {
    const auto store = each.data();
    const auto size  = static_cast<std::int64_t>(store.domain().get_volume());
    if (reduced) arrays.push_back({size == 0 ? nullptr : store.get_inline_allocation().ptr, size});
    else arrays.push_back({reinterpret_cast<void*>(address_of(store)), size});
  }
}

void append(std::vector<std::uint64_t>& arrays, const std::vector<legate::PhysicalArray>& given)
{
  for (const auto& each : given) arrays.push_back(address_of(each.data()));
}

// A task whose body is a compiled function that Python passes by address. It has no interpreter lock, and no views of stores.
class CallTask : public legate::LegateTask<CallTask> {
 public:
  static inline const auto TASK_CONFIG = legate::TaskConfig{legate::LocalTaskID{0}};

  static void cpu_variant(legate::TaskContext context)
  {
    const auto point = context.input(0).data().domain().lo()[0];
    auto* const call = lux::call_of(context.scalar(0).value<std::int64_t>(), point);
    if (call == nullptr) return;
    std::vector<lux::Array> arrays;
    append(arrays, context.inputs());
    append(arrays, context.outputs());
    append(arrays, context.reductions(), true);
    lux::run(*call, context.scalar(1).value<std::int64_t>(), point, arrays);
  }
};

// A GPU task that launches one CUDA kernel on the addresses of its stores.
class KernelTask : public legate::LegateTask<KernelTask> {
 public:
  static inline const auto TASK_CONFIG = legate::TaskConfig{legate::LocalTaskID{1}};
  static constexpr auto GPU_VARIANT_OPTIONS = legate::VariantOptions{}.with_elide_device_ctx_sync(true);

  static void gpu_variant(legate::TaskContext context)
  {
    const auto key = context.scalar(0).value<std::int64_t>();
    if (key == 0) return;  // the launch only makes Legion allocate its outputs
    const auto inputs = context.inputs();
    const auto point  = inputs.at(0).data().domain().lo()[0];
    if (!lux::plan_has(key, point)) return;
    std::vector<std::uint64_t> arrays;
    append(arrays, inputs);
    append(arrays, context.outputs());
    append(arrays, context.reductions());
    lux::launch_kernel(key, point, context.scalar(1).value<std::int64_t>(), arrays, context.get_task_stream());
  }
};

// A process's share of a launch of many iterations.
class IterateTask : public legate::LegateTask<IterateTask> {
 public:
  static inline const auto TASK_CONFIG      = legate::TaskConfig{legate::LocalTaskID{2}};
  static constexpr auto CPU_VARIANT_OPTIONS = legate::VariantOptions{}.with_concurrent(true);

  static void cpu_variant(legate::TaskContext context)
  {
    auto& exchange   = lux::find(context.scalar(0).value<std::int64_t>());
    const auto point = exchange.ranks > 1 ? static_cast<int>(context.get_task_index()[0]) : 0;
    if (point != exchange.rank) {
      std::fprintf(stderr, "Legate runs point %d of a launch over processes in process %d\n", point, exchange.rank);
      std::abort();
    }
    const auto comm = exchange.ranks > 1 ? context.communicators().at(0).get<coll::CollComm>() : nullptr;
    exchange.launch(comm, context.scalar(1).value<std::int64_t>());
  }
};

// Words that every process sends to every other one, some times, to see how long that takes.
class WordsTask : public legate::LegateTask<WordsTask> {
 public:
  static inline const auto TASK_CONFIG      = legate::TaskConfig{legate::LocalTaskID{3}};
  static constexpr auto CPU_VARIANT_OPTIONS = legate::VariantOptions{}.with_concurrent(true);

  static void cpu_variant(legate::TaskContext context)
  {
    const auto each  = lux::words_of_key(context.scalar(0).value<std::int64_t>());
    const auto comm  = context.communicators().at(0).get<coll::CollComm>();
    const auto began = std::chrono::steady_clock::now();
    for (std::int64_t k = 0; k < each.times; ++k)
      lux::all_to_all(each.out, each.counts, each.displacements, each.in, each.in_counts, each.in_displacements, comm);
    const auto passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    *each.seconds     = passed / static_cast<double>(each.times);
  }
};

// A GPU's share of a launch of many iterations on GPUs of several processes.
class IterateOnGpusTask : public legate::LegateTask<IterateOnGpusTask> {
 public:
  static inline const auto TASK_CONFIG      = legate::TaskConfig{legate::LocalTaskID{4}};
  static constexpr auto GPU_VARIANT_OPTIONS = legate::VariantOptions{}.with_concurrent(true).with_elide_device_ctx_sync(true);

  static void gpu_variant(legate::TaskContext context)
  {
    auto* const comm = *context.communicators().at(0).get<void**>();
    const auto number = [&](std::uint32_t scalar) { return context.scalar(scalar).value<std::int64_t>(); };
    lux::iterate_on_gpu(number(0), comm, context.get_task_stream(), number(1), number(2));
  }
};

void register_tasks(legate::Library library)
{
  CallTask::register_variants(library);
  KernelTask::register_variants(library);
  IterateTask::register_variants(library);
  WordsTask::register_variants(library);
  IterateOnGpusTask::register_variants(library);
}

}  // namespace

void lux::all_to_all(const Word* out,
                     const int* counts,
                     const int* displacements,
                     Word* in,
                     const int* in_counts,
                     const int* in_displacements,
                     void* comm)
{
  coll::collAlltoallv(
    out, counts, displacements, in, in_counts, in_displacements, coll::CollDataType::CollUint64, static_cast<coll::CollComm>(comm));
}
