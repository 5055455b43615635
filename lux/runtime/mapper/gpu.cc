// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Launches of CUDA kernels by tasks (calls.h). No Python runs in them, and they do not wait: the report of a kernel lies in
// host memory when its task has ended.
#include "calls.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

constexpr int DYNAMIC_SHARED_BYTES = 8, MULTIPROCESSORS = 16;  // CUfunction_attribute, CUdevice_attribute

// Functions of the CUDA driver, which is loaded by name, because a machine without a GPU has none.
struct Driver {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  template <typename F>
  F find(const char* name) const
  {
    return reinterpret_cast<F>(dlsym(library, name));
  }
#define LUX_CUDA(NAME, ...) int (*NAME)(__VA_ARGS__) = find<int (*)(__VA_ARGS__)>(#NAME)
  LUX_CUDA(cuCtxGetCurrent, void**);
  LUX_CUDA(cuCtxGetDevice, int*);
  LUX_CUDA(cuDeviceGetAttribute, int*, int, int);
  LUX_CUDA(cuModuleLoadData, void**, const void*);
  LUX_CUDA(cuModuleGetFunction, void**, void*, const char*);
  LUX_CUDA(cuFuncSetAttribute, void*, int, int);
  LUX_CUDA(cuOccupancyMaxActiveBlocksPerMultiprocessor, int*, void*, int, std::size_t);
  LUX_CUDA(cuMemHostAlloc, void**, std::size_t, unsigned);
  LUX_CUDA(cuMemsetD8Async, std::uint64_t, unsigned char, std::size_t, void*);
  LUX_CUDA(cuMemcpyDtoHAsync_v2, void*, std::uint64_t, std::size_t, void*);
  LUX_CUDA(cuMemcpyHtoDAsync_v2, std::uint64_t, const void*, std::size_t, void*);
  LUX_CUDA(cuStreamWriteValue32_v2, void*, std::uint64_t, std::uint32_t, unsigned);
  LUX_CUDA(cuLaunchCooperativeKernel, void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**);
  LUX_CUDA(cuGetErrorName, int, const char**);
#undef LUX_CUDA
};

const Driver& driver()
{
  static const Driver found;
  return found;
}

struct Kernel {
  std::string code, name;
  unsigned threads, shared_bytes;
  std::map<void*, std::pair<void*, unsigned>> loaded;  // in each context: the function, and blocks resident at once
};

// Plan of the launches of a key, one in each point. The caller owns all arrays, and keeps them while the key is registered.
struct Plan {
  Kernel* kernel;
  std::int64_t as_struct;        // the arguments are one struct instead of one each
  std::int64_t n_arguments;
  const std::int64_t* arguments;  // (points, n_arguments)
  std::int64_t number_argument;  // the argument that is the launch's number in its run; -1: none
  std::int64_t n_iteration_arguments;
  const std::int64_t* iteration_arguments;  // (n_iteration_arguments): arguments with the number of iterations of the launch,
                                            // which a launch may override
  std::int64_t n_stores;
  const std::int64_t* stores;    // (2, n_stores, 2), for launches of even and of odd number: argument, and array of the task
                                 // or, from ~0 down, of the run's first launch
  const std::int64_t* before;    // (points, n_stores): bytes by which its address is moved back
  std::int64_t n_kept;           // arrays of a run's first launch
  std::int64_t* kept;            // (points, n_kept): their addresses, which that launch writes and later ones read
  std::int64_t keeps;            // this launch writes `kept`: it is the first, or a warm-up
  std::int64_t n_peers;
  const std::int64_t* peers;     // (n_peers, 2): argument from which on are all points' addresses of that row of `stores`
  std::int64_t scratch;          // as in `stores`
  std::int64_t n_scratch;
  const std::int64_t* in_scratch;  // (n_scratch): arguments
  const std::int64_t* scratch_at;  // (points, n_scratch): their places in the scratch memory
  std::int64_t zeroed;           // bytes of it that are zero in a run's first launch
  std::int64_t zeroed_always;    // and in every launch
  std::int64_t reported_at;      // part of it that is copied to the report when the kernel has ended
  std::int64_t reported;
  const char* given;             // (points, given_bytes): copied into it before a run's first launch
  std::int64_t given_at;
  std::int64_t given_bytes;
  std::int64_t n_written;
  const std::int64_t* written;   // (n_written, 2): argument, and its place in the report, to which the kernel writes
  std::int64_t report_bytes;     // of a point
  std::int64_t cleared;          // bytes at the beginning of a new report that are zero
  std::int64_t blocks;           // of a launch at most; 0: as many as are resident at once
  std::int64_t n_copies;         // without a kernel
  const std::int64_t* copies;    // (points, n_copies, 3): address in the GPU's memory, address in the host's, bytes
  const std::int64_t* mapped;    // (points, points): where each point sees each one's memory, for `peers`; null: where it lies
};

struct Shared {
  Plan plan;
  std::vector<void*> reports;   // of each point, in pinned memory, followed by a word that is 1 once a launch has ended
  std::vector<void*> contexts;  // in which each point has looked
  std::string error;
};

std::mutex guard;
unsigned most_blocks = ~0U;  // of a launch
std::vector<std::unique_ptr<Kernel>> kernels;
std::unordered_map<std::int64_t, Shared> plans;
std::multimap<std::size_t, void*> spare;  // pinned memory for reuse, by `rounded_report`

// Says what the driver could not do.
std::string failed(int code, const std::string& what)
{
  const char* name = "?";
  driver().cuGetErrorName(code, &name);
  return "CUDA: " + what + " failed with " + name;
}

#define LUX_CHECK(CALL, WHAT) \
  if (const int code = driver().CALL) return failed(code, WHAT)

// Loads the kernel into the current context, if it is not there.
std::string load(Kernel& kernel, std::pair<void*, unsigned>& found)
{
  void *context = nullptr, *module = nullptr, *function = nullptr;
  LUX_CHECK(cuCtxGetCurrent(&context), "asking for the context");
  if (const auto at = kernel.loaded.find(context); at != kernel.loaded.end()) {
    found = at->second;
    return {};
  }
  int device = 0, count = 0, each = 0;
  LUX_CHECK(cuModuleLoadData(&module, kernel.code.data()), "loading " + kernel.name);
  LUX_CHECK(cuModuleGetFunction(&function, module, kernel.name.c_str()), "finding " + kernel.name);
  LUX_CHECK(cuFuncSetAttribute(function, DYNAMIC_SHARED_BYTES, static_cast<int>(kernel.shared_bytes)), "asking for shared memory");
  LUX_CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&each, function, static_cast<int>(kernel.threads), kernel.shared_bytes), "asking for the occupancy");
  LUX_CHECK(cuCtxGetDevice(&device), "asking for the GPU");
  LUX_CHECK(cuDeviceGetAttribute(&count, MULTIPROCESSORS, device), "asking the GPU");
  found = kernel.loaded[context] = {function, std::min(static_cast<unsigned>(each * count), most_blocks)};
  return {};
}

// The bytes of a report in pinned memory, without the word behind it.
std::size_t rounded_report(const Plan& plan) { return static_cast<std::size_t>((plan.report_bytes + 7) / 8 * 8); }

// The word behind a report.
volatile std::uint32_t& ended(const Plan& plan, void* report)
{
  return *reinterpret_cast<volatile std::uint32_t*>(static_cast<char*>(report) + rounded_report(plan));
}

std::string report_of(Shared& shared, std::size_t point, void*& report)
{
  report = shared.reports.at(point);
  if (report != nullptr || shared.plan.report_bytes == 0) return {};
  const auto size = rounded_report(shared.plan);
  if (const auto at = spare.find(size); at != spare.end()) {
    report = at->second;
    spare.erase(at);
  } else {
    LUX_CHECK(cuMemHostAlloc(&report, size + 8, 3U), "taking pinned memory");  // portable, and seen by devices
  }
  std::memset(report, 0, static_cast<std::size_t>(shared.plan.cleared));
  ended(shared.plan, report) = 0;
  shared.reports[point] = report;
  return {};
}

constexpr std::int64_t WARM_UP = -1;  // number of a launch that only records contexts and addresses, and loads kernels
constexpr std::int64_t LOW_HALF = 0xffffffff;

Shared& shared_of(std::int64_t key)
{
  const std::lock_guard<std::mutex> lock{guard};
  return plans.at(key);
}

// Loads and allocates before the run: later, other GPUs may wait for this one in a kernel.
std::string look(Shared& shared, std::size_t point)
{
  const std::lock_guard<std::mutex> lock{guard};
  LUX_CHECK(cuCtxGetCurrent(&shared.contexts.at(point)), "asking for the context");
  std::pair<void*, unsigned> function;
  void* report = nullptr;
  if (shared.plan.kernel == nullptr) return {};
  if (auto error = load(*shared.plan.kernel, function); !error.empty()) return error;
  return report_of(shared, point, report);
}

std::string copy(const Plan& plan, std::size_t point, void* stream)
{
  const std::int64_t* at = plan.copies + 3 * plan.n_copies * static_cast<std::int64_t>(point);
  for (std::int64_t k = 0; k < plan.n_copies; ++k, at += 3)
    if (at[2] != 0)
      LUX_CHECK(cuMemcpyHtoDAsync_v2(static_cast<std::uint64_t>(at[0]), reinterpret_cast<const void*>(at[1]), static_cast<std::size_t>(at[2]), stream), "copying to the GPU");
  return {};
}

// Launches of a run are numbered from 0, and have `iterations` iterations each (0: as many as the plan says).
std::string run(Shared& shared, std::size_t point, std::int64_t number, std::int64_t iterations, const std::vector<std::uint64_t>& arrays, void* stream)
{
  const Plan& plan = shared.plan;
  if (plan.kernel == nullptr) return copy(plan, point, stream);
  const bool first = number == 0;
  const std::int64_t* stores = plan.stores + 2 * plan.n_stores * (number & 1);
  std::pair<void*, unsigned> function;
  void* report = nullptr;
  {
    const std::lock_guard<std::mutex> lock{guard};
    if (auto error = load(*plan.kernel, function); !error.empty()) return error;
    if (auto error = report_of(shared, point, report); !error.empty()) return error;
  }
  std::vector<std::int64_t> arguments(plan.arguments + point * plan.n_arguments, plan.arguments + (point + 1) * plan.n_arguments);
  const auto at = [&](std::int64_t array) { return static_cast<std::int64_t>(arrays.at(static_cast<std::size_t>(array))); };
  const auto address = [&](std::int64_t k, std::size_t of) {
    const std::int64_t array = stores[2 * k + 1];
    return (array < 0 ? plan.kept[of * plan.n_kept + ~array] : at(array)) - plan.before[of * plan.n_stores + k];
  };
  for (std::int64_t k = 0; k < plan.n_stores; ++k) arguments.at(stores[2 * k]) = address(k, point);
  for (std::int64_t k = 0; k < plan.n_peers; ++k)
    for (std::size_t of = 0; of < shared.reports.size(); ++of)
      arguments.at(plan.peers[2 * k] + of) = plan.mapped != nullptr ? plan.mapped[point * shared.reports.size() + of] : address(plan.peers[2 * k + 1], of);
  const std::int64_t scratch = plan.scratch < 0 ? plan.kept[point * plan.n_kept + ~plan.scratch] : at(plan.scratch);
  for (std::int64_t k = 0; k < plan.n_scratch; ++k) arguments.at(plan.in_scratch[k]) = scratch + plan.scratch_at[point * plan.n_scratch + k];
  for (std::int64_t k = 0; k < plan.n_written; ++k)
    arguments.at(plan.written[2 * k]) = reinterpret_cast<std::int64_t>(report) + plan.written[2 * k + 1];
  if (plan.number_argument >= 0) arguments.at(plan.number_argument) = number;
  for (std::int64_t k = 0; iterations != 0 && k < plan.n_iteration_arguments; ++k) arguments.at(plan.iteration_arguments[k]) = iterations;
  const auto zeroed = static_cast<std::size_t>(first ? plan.zeroed : plan.zeroed_always);
  if (zeroed != 0) LUX_CHECK(cuMemsetD8Async(static_cast<std::uint64_t>(scratch), 0, zeroed, stream), "clearing memory");
  if (first && plan.given_bytes != 0) {
    const auto size = static_cast<std::size_t>(plan.given_bytes);
    LUX_CHECK(cuMemcpyHtoDAsync_v2(static_cast<std::uint64_t>(scratch + plan.given_at), plan.given + point * size, size, stream), "copying to the GPU");
  }
  std::vector<void*> parameters;
  for (std::int64_t k = 0; k < (plan.as_struct != 0 ? 1 : plan.n_arguments); ++k) parameters.push_back(&arguments[k]);
  const Kernel& kernel  = *plan.kernel;
  const unsigned blocks = plan.blocks == 0 ? function.second : std::min(function.second, static_cast<unsigned>(plan.blocks));
  LUX_CHECK(cuLaunchCooperativeKernel(function.first, blocks, 1, 1, kernel.threads, 1, 1, kernel.shared_bytes, stream, parameters.data()), "launching " + kernel.name);
  if (plan.reported != 0)
    LUX_CHECK(cuMemcpyDtoHAsync_v2(report, static_cast<std::uint64_t>(scratch + plan.reported_at), static_cast<std::size_t>(plan.reported), stream), "reading the report");
  if (report != nullptr)
    LUX_CHECK(cuStreamWriteValue32_v2(stream, reinterpret_cast<std::uint64_t>(&ended(plan, report)), 1U, 0U), "marking the end");
  return {};
}

}  // namespace

bool lux::plan_has(std::int64_t key, std::int64_t point)
{
  return static_cast<std::size_t>(point) < shared_of(key).reports.size();
}

void lux::launch_kernel(std::int64_t key, std::int64_t at, std::int64_t number, const std::vector<std::uint64_t>& arrays, void* stream)
{
  Shared& shared   = shared_of(key);
  const Plan& plan = shared.plan;
  const auto point = static_cast<std::size_t>(at);
  if (plan.keeps != 0) std::copy(arrays.begin(), arrays.end(), plan.kept + at * plan.n_kept);
  auto error = number == WARM_UP ? look(shared, point) : run(shared, point, number & LOW_HALF, number >> 32, arrays, stream);
  if (!error.empty()) {
    const std::lock_guard<std::mutex> lock{guard};
    if (shared.error.empty()) shared.error = std::move(error);  // Python keeps a pointer to it
  }
}

// Launches the kernel of a plan with stores of the run's first launch, or of its warm-up (gpu_exchange.cc).
std::string lux_run_kernel(std::int64_t key, std::int64_t point, std::int64_t number, void* stream)
{
  Shared& shared   = shared_of(key);
  const auto* kept = shared.plan.kept + point * shared.plan.n_kept;
  const std::vector<std::uint64_t> arrays(kept, kept + shared.plan.n_kept);
  return run(shared, static_cast<std::size_t>(point), number, 0, arrays, stream);
}

// Returns the context in which a point has looked; null if it runs in another process.
void* lux_context_of(std::int64_t key, std::int64_t point) { return shared_of(key).contexts.at(static_cast<std::size_t>(point)); }

// Returns a point's scratch memory, which the run's first launch was given.
std::uint64_t lux_scratch_of(std::int64_t key, std::int64_t point)
{
  const Plan& plan = shared_of(key).plan;
  return static_cast<std::uint64_t>(plan.kept[point * plan.n_kept + ~plan.scratch]);
}

extern "C" {

// Registers the machine code of a kernel; returns its handle, which stays valid.
__attribute__((visibility("default"))) void* lux_kernel(const char* code, std::int64_t size, const char* name, std::int64_t threads, std::int64_t shared_bytes)
{
  const std::lock_guard<std::mutex> lock{guard};
  kernels.push_back(std::make_unique<Kernel>(Kernel{
    std::string(code, static_cast<std::size_t>(size)), name, static_cast<unsigned>(threads), static_cast<unsigned>(shared_bytes), {}}));
  return kernels.back().get();
}

// Sets the most blocks of a launch, for kernels that are loaded from now on.
__attribute__((visibility("default"))) void lux_limit_blocks(std::int64_t most)
{
  const std::lock_guard<std::mutex> lock{guard};
  most_blocks = static_cast<unsigned>(most);
}

__attribute__((visibility("default"))) void lux_plan(std::int64_t key, const Plan* plan, std::int64_t points)
{
  const std::lock_guard<std::mutex> lock{guard};
  plans[key] = Shared{*plan, std::vector<void*>(static_cast<std::size_t>(points)), std::vector<void*>(static_cast<std::size_t>(points)), {}};
}

// Returns the report of a point whose launches have ended (null: it never ran here), and the error of any point (empty if
// there is none).
__attribute__((visibility("default"))) const void* lux_report(std::int64_t key, std::int64_t point, const char** error)
{
  const std::lock_guard<std::mutex> lock{guard};
  const auto& shared = plans.at(key);
  *error             = shared.error.c_str();
  return shared.reports.at(static_cast<std::size_t>(point));
}

// Tells, once for each launch, whether it has ended on a point of this process, with its report; always where one failed.
__attribute__((visibility("default"))) std::int64_t lux_ended(std::int64_t key, std::int64_t point)
{
  const std::lock_guard<std::mutex> lock{guard};
  const Shared& shared = plans.at(key);
  void* const report   = shared.reports.at(static_cast<std::size_t>(point));
  if (!shared.error.empty()) return 1;
  if (report == nullptr || ended(shared.plan, report) == 0) return 0;
  ended(shared.plan, report) = 0;
  return 1;
}

// Counts the GPUs of this process on which points of the warm-up ran.
__attribute__((visibility("default"))) std::int64_t lux_contexts(std::int64_t key)
{
  const std::lock_guard<std::mutex> lock{guard};
  auto found = plans.at(key).contexts;
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return static_cast<std::int64_t>(found.size()) - std::count(found.begin(), found.end(), nullptr);
}

__attribute__((visibility("default"))) void lux_forget_plan(std::int64_t key)
{
  const std::lock_guard<std::mutex> lock{guard};
  const auto& shared = plans.at(key);
  for (void* report : shared.reports)
    if (report != nullptr) spare.emplace(rounded_report(shared.plan), report);
  plans.erase(key);
}

}  // extern "C"
