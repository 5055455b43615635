// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Copies between ordinary host memory and a GPU. CUDA's driver copies such memory by one thread; here several threads copy
// pieces to or from pinned memory, each with a stream of its own, while another piece travels.
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
constexpr int PIECES = 2;  // of each thread: the host copies one while the other travels

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
  LUX_CUDA(cuMemcpyDtoHAsync_v2, void*, std::uint64_t, std::size_t, void*);
  LUX_CUDA(cuGetErrorName, int, const char**);
#undef LUX_CUDA
};

const Driver& driver()
{
  static const Driver found;
  return found;
}

// Pinned pieces and a stream for one thread and one GPU, kept for the next copy.
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

// Prepares the calling thread for the GPU on which a point of a plan's warm-up ran.
const char* begin(std::int64_t key, std::int64_t point, std::int64_t thread, Lane*& lane)
{
  void* const context = lux_context_of(key, point);
  LUX_CHECK(cuCtxSetCurrent(context));
  return lane_of(context, thread, lane);
}

std::size_t size_of(std::int64_t at, std::int64_t bytes) { return static_cast<std::size_t>(std::min(PIECE, bytes - at)); }

}  // namespace

extern "C" {

// Copies bytes to the GPU on which a point of a plan's warm-up ran, and waits. Threads of different numbers may do so at the
// same time. Returns the name of CUDA's error, or null.
__attribute__((visibility("default"))) const char* lux_upload(std::int64_t key, std::int64_t point, std::int64_t thread, std::int64_t to, std::int64_t of, std::int64_t bytes)
{
  Lane* lane = nullptr;
  if (const char* error = begin(key, point, thread, lane); error != nullptr) return error;
  int k = 0;
  for (std::int64_t at = 0; at < bytes; at += PIECE, k = (k + 1) % PIECES) {
    const auto size = size_of(at, bytes);
    if (at >= PIECES * PIECE) LUX_CHECK(cuEventSynchronize(lane->sent[k]));
    std::memcpy(lane->piece[k], reinterpret_cast<const void*>(of + at), size);
    LUX_CHECK(cuMemcpyHtoDAsync_v2(static_cast<std::uint64_t>(to + at), lane->piece[k], size, lane->stream));
    LUX_CHECK(cuEventRecord(lane->sent[k], lane->stream));
  }
  LUX_CHECK(cuStreamSynchronize(lane->stream));
  return nullptr;
}

// The same from the GPU. A piece is asked for while the host copies the one before it.
__attribute__((visibility("default"))) const char* lux_download(std::int64_t key, std::int64_t point, std::int64_t thread, std::int64_t to, std::int64_t of, std::int64_t bytes)
{
  Lane* lane = nullptr;
  if (const char* error = begin(key, point, thread, lane); error != nullptr) return error;
  for (std::int64_t at = 0, k = 0; at < bytes + PIECE; at += PIECE, k = (k + 1) % PIECES) {
    if (at < bytes) {
      LUX_CHECK(cuMemcpyDtoHAsync_v2(lane->piece[k], static_cast<std::uint64_t>(of + at), size_of(at, bytes), lane->stream));
      LUX_CHECK(cuEventRecord(lane->sent[k], lane->stream));
    }
    if (at == 0) continue;
    const std::int64_t before = at - PIECE, other = (k + 1) % PIECES;
    LUX_CHECK(cuEventSynchronize(lane->sent[other]));
    std::memcpy(reinterpret_cast<void*>(to + before), lane->piece[other], size_of(before, bytes));
  }
  return nullptr;
}

}  // extern "C"
