// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Memory of GPUs that the GPUs of other processes on this host read and write. Legion's own memory cannot be handed to
// other processes, so this comes from CUDA's driver beside it. Contexts are those in which points of a launch have looked.
#include <dlfcn.h>

#include <cstdint>
#include <string>

void* lux_context_of(std::int64_t key, std::int64_t point);  // gpu.cc

namespace {

constexpr int PEER_ACCESS_ALREADY_ENABLED = 704;
constexpr unsigned LAZY_PEER_ACCESS = 1;  // of cuIpcOpenMemHandle

struct Handle {
  char bytes[64];
};

struct Driver {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  template <typename F>
  F find(const char* name) const
  {
    return reinterpret_cast<F>(dlsym(library, name));
  }
#define LUX_CUDA(NAME, ...) int (*NAME)(__VA_ARGS__) = find<int (*)(__VA_ARGS__)>(#NAME)
  LUX_CUDA(cuCtxPushCurrent_v2, void*);
  LUX_CUDA(cuCtxPopCurrent_v2, void**);
  LUX_CUDA(cuCtxEnablePeerAccess, void*, unsigned);
  LUX_CUDA(cuCtxSynchronize, );
  LUX_CUDA(cuMemAlloc_v2, std::uint64_t*, std::size_t);
  LUX_CUDA(cuMemFree_v2, std::uint64_t);
  LUX_CUDA(cuMemsetD8_v2, std::uint64_t, unsigned char, std::size_t);
  LUX_CUDA(cuMemcpyDtoH_v2, void*, std::uint64_t, std::size_t);
  LUX_CUDA(cuIpcGetMemHandle, Handle*, std::uint64_t);
  LUX_CUDA(cuIpcOpenMemHandle_v2, std::uint64_t*, Handle, unsigned);
  LUX_CUDA(cuIpcCloseMemHandle, std::uint64_t);
  LUX_CUDA(cuGetErrorName, int, const char**);
#undef LUX_CUDA
};

const Driver& driver()
{
  static const Driver found;
  return found;
}

// Makes a context current for as long as it lives.
class Current {
 public:
  explicit Current(void* context) { driver().cuCtxPushCurrent_v2(context); }
  ~Current()
  {
    void* popped = nullptr;
    driver().cuCtxPopCurrent_v2(&popped);
  }
  Current(const Current&)            = delete;
  Current& operator=(const Current&) = delete;
};

// Returns null, or what has failed; the text lasts until the thread's next call.
const char* told(int code, const char* what)
{
  static thread_local std::string text;
  if (code == 0) return nullptr;
  const char* name = "?";
  driver().cuGetErrorName(code, &name);
  text = std::string{what} + " failed with " + name;
  return text.c_str();
}

}  // namespace

#define LUX_EXPORT extern "C" __attribute__((visibility("default")))

// Returns the context in which a point has looked; null if it runs in another process.
LUX_EXPORT void* lux_point_context(std::int64_t key, std::int64_t point) { return lux_context_of(key, point); }

// Takes memory, all of it zero, with a handle for other processes.
LUX_EXPORT const char* lux_take_memory(void* context, std::int64_t bytes, std::uint64_t* address, Handle* handle)
{
  const Current current{context};
  const auto size = static_cast<std::size_t>(bytes);
  int code        = driver().cuMemAlloc_v2(address, size);
  if (code != 0) return told(code, "taking memory");
  code = driver().cuMemsetD8_v2(*address, 0, size);
  if (code == 0) code = driver().cuCtxSynchronize();
  if (code == 0) code = driver().cuIpcGetMemHandle(handle, *address);
  return told(code, "sharing memory");
}

LUX_EXPORT const char* lux_free_memory(void* context, std::uint64_t address)
{
  const Current current{context};
  return told(driver().cuMemFree_v2(address), "freeing memory");
}

// Finds the address at which a context sees another process's memory.
LUX_EXPORT const char* lux_open_memory(void* context, const Handle* handle, std::uint64_t* address)
{
  const Current current{context};
  return told(driver().cuIpcOpenMemHandle_v2(address, *handle, LAZY_PEER_ACCESS), "opening memory of another process");
}

LUX_EXPORT const char* lux_close_memory(void* context, std::uint64_t address)
{
  const Current current{context};
  return told(driver().cuIpcCloseMemHandle(address), "closing memory of another process");
}

// Has a context see the memory of another one of this process.
LUX_EXPORT const char* lux_see_context(void* context, void* other)
{
  const Current current{context};
  const int code = driver().cuCtxEnablePeerAccess(other, 0);
  return told(code == PEER_ACCESS_ALREADY_ENABLED ? 0 : code, "seeing the memory of another GPU");
}

// Copies memory that the context sees, when all that was launched has ended.
LUX_EXPORT const char* lux_read_memory(void* context, std::uint64_t address, void* to, std::int64_t bytes)
{
  const Current current{context};
  return told(driver().cuMemcpyDtoH_v2(to, address, static_cast<std::size_t>(bytes)), "reading memory");
}
