// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Launches of native tasks, each issued by one call from Python instead of one for each store and constraint.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace {

// What a launch does with a store.
enum Use : std::int64_t { SPLIT, READ, WRITE, ADD };

// A store of a launch of several points; stores of a launch are in the order of their uses.
struct Part {
  const legate::LogicalStore* store;
  std::int64_t use;
  std::int64_t split;  // number of the store with its rectangles, among all; -1: every point sees the whole store, or, for a
                       // store of rectangles, those before it and it have a rectangle for each point
  std::int64_t width;  // elements of each point, if all have equally many that follow one another; else 0
  std::int64_t again;  // read a second time, in other parts than before
};

legate::Library library()
{
  static const auto found = legate::Runtime::get_runtime()->find_library("lux");
  return found;
}

legate::Variable add(legate::AutoTask& task, const Part& part)
{
  if (part.use == WRITE) return task.add_output(*part.store);
  if (part.use == ADD) return task.add_reduction(*part.store, legate::ReductionOpKind::ADD);
  return part.again != 0 ? task.add_input(*part.store, task.declare_partition()) : task.add_input(*part.store);
}

template <typename Task>
void submit(Task&& task, const std::int64_t* scalars, std::int64_t n_scalars)
{
  for (std::int64_t k = 0; k < n_scalars; ++k) task.add_scalar_arg(legate::Scalar{scalars[k]});
  legate::Runtime::get_runtime()->submit(std::forward<Task>(task));
}

// Returns what went wrong, or null.
template <typename Launch>
const char* guarded(const Launch& launch)
{
  static std::string error;
  try {
    launch();
    return nullptr;
  } catch (const std::exception& thrown) {
    error = thrown.what();
    return error.c_str();
  }
}

}  // namespace

extern "C" {

// Issues a launch of one point that sees whole stores, inputs first: Legate has no partitions to choose.
__attribute__((visibility("default"))) const char* lux_launch_whole(std::int64_t task,
                                                                    const legate::LogicalStore* const* stores,
                                                                    std::int64_t n_inputs,
                                                                    std::int64_t n_stores,
                                                                    const std::int64_t* scalars,
                                                                    std::int64_t n_scalars)
{
  return guarded([&] {
    auto launch = legate::Runtime::get_runtime()->create_task(library(), legate::LocalTaskID{task}, {std::uint64_t{1}});
    for (std::int64_t k = 0; k < n_stores; ++k) {
      if (k < n_inputs) launch.add_input(*stores[k]);
      else launch.add_output(*stores[k]);
    }
    submit(std::move(launch), scalars, n_scalars);
  });
}

// Issues a launch whose points see parts of stores.
__attribute__((visibility("default"))) const char* lux_launch_parts(
  std::int64_t task, const Part* parts, std::int64_t n_parts, const std::int64_t* scalars, std::int64_t n_scalars)
{
  return guarded([&] {
    auto launch = legate::Runtime::get_runtime()->create_task(library(), legate::LocalTaskID{task});
    std::vector<legate::Variable> variables;
    std::int64_t aligned = -1;  // the last store of rectangles, of which each point has one
    for (std::int64_t k = 0; k < n_parts; ++k) {
      const Part& part = parts[k];
      variables.push_back(add(launch, part));
      const auto& variable = variables.back();
      if (part.split < 0 && part.use == SPLIT) {
        if (aligned >= 0) launch.add_constraint(legate::align(variables[aligned], variable));
        aligned = k;
      } else if (part.split < 0) {
        launch.add_constraint(legate::broadcast(variable));
      } else if (part.width != 0) {
        // An image that is written costs 0.1 KiB each time, as long as its rectangles live (Legate 26.1).
        const std::array<std::uint64_t, 1> factor{static_cast<std::uint64_t>(part.width)};
        launch.add_constraint(legate::scale(factor, variables[part.split], variable));
      } else {
        launch.add_constraint(legate::image(variables[part.split], variable));
      }
    }
    submit(std::move(launch), scalars, n_scalars);
  });
}

}  // extern "C"
