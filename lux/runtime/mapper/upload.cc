// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Copies from ordinary host memory to a GPU. CUDA's driver copies such memory by one thread; here several threads copy
// pieces to pinned memory, each with a stream of its own, while the piece before travels.
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

void* lux_context_of(std::int64_t key, std::int64_t point);  // gpu.cc

namespace {

constexpr std::int64_t PIECE = 1 << 20;
constexpr int PIECES = 2;  // of each thread: one is filled while the other travels

struct Driver {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  template <typename F>
  F find(const char* name) const
  {
    return reinterpret_cast<F>(dlsym(library, name));
  }
#define LUX_CUDA(NAME, ...) int (*NAME)(__VA_ARGS__) = find<int (*)(__VA_ARGS__)>(#NAME)
  LUX_CUDA(cuCtxSetCurrent, void*);
  LUX_CUDA(cuMemHostAlloc, void**, std::size_t, unsigned);
  LUX_CUDA(cuStreamCreate, void**, unsigned);
  LUX_CUDA(cuStreamSynchronize, void*);
  LUX_CUDA(cuEventCreate, void**, unsigned);
  LUX_CUDA(cuEventRecord, void*, void*);
  LUX_CUDA(cuEventSynchronize, void*);
  LUX_CUDA(cuMemcpyHtoDAsync_v2, std::uint64_t, const void*, std::size_t, void*);
  LUX_CUDA(cuGetErrorName, int, const char**);
#undef LUX_CUDA
};

const Driver& driver()
{
  static const Driver found;
  return found;
}

// Pinned pieces and a stream for one thread and one GPU, kept for the next upload.
struct Lane {
  void* stream = nullptr;
  void* piece[PIECES] = {};
  void* sent[PIECES] = {};
};

std::mutex guard;
std::map<std::pair<void*, std::int64_t>, Lane> lanes;

#define LUX_CHECK(CALL)                                    \
  if (const int code = driver().CALL) {                    \
    const char* name = "?";                                \
    driver().cuGetErrorName(code, &name);                  \
    return name;                                           \
  }

const char* lane_of(void* context, std::int64_t thread, Lane*& found)
{
  const std::lock_guard<std::mutex> lock{guard};
  Lane& lane = lanes[{context, thread}];
  found = &lane;
  if (lane.stream != nullptr) return nullptr;
  constexpr unsigned NON_BLOCKING = 1U, NO_TIMING = 2U;
  for (int k = 0; k < PIECES; ++k) {
    LUX_CHECK(cuMemHostAlloc(&lane.piece[k], PIECE, 0U));
    LUX_CHECK(cuEventCreate(&lane.sent[k], NO_TIMING));
  }
  LUX_CHECK(cuStreamCreate(&lane.stream, NON_BLOCKING));
  return nullptr;
}

}  // namespace

extern "C" {

// Copies bytes to the GPU on which point 0 of a plan's warm-up ran, and waits. Threads of different numbers may do so at the
// same time. Returns the name of CUDA's error, or null.
__attribute__((visibility("default"))) const char* lux_upload(std::int64_t key, std::int64_t thread, std::int64_t to, std::int64_t of, std::int64_t bytes)
{
  void* const context = lux_context_of(key, 0);
  LUX_CHECK(cuCtxSetCurrent(context));
  Lane* lane = nullptr;
  if (const char* error = lane_of(context, thread, lane); error != nullptr) return error;
  int k = 0;
  for (std::int64_t at = 0; at < bytes; at += PIECE, k = (k + 1) % PIECES) {
    const auto size = static_cast<std::size_t>(std::min(PIECE, bytes - at));
    if (at >= PIECES * PIECE) LUX_CHECK(cuEventSynchronize(lane->sent[k]));
    std::memcpy(lane->piece[k], reinterpret_cast<const void*>(of + at), size);
    LUX_CHECK(cuMemcpyHtoDAsync_v2(static_cast<std::uint64_t>(to + at), lane->piece[k], size, lane->stream));
    LUX_CHECK(cuEventRecord(lane->sent[k], lane->stream));
  }
  LUX_CHECK(cuStreamSynchronize(lane->stream));
  return nullptr;
}

}  // extern "C"
