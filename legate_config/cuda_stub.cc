// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Stand-in for the CUDA driver library on machines without one. Legate's libraries are linked to libcuda.so.1
// and look up its functions when they start: here every call answers CUDA_ERROR_NO_DEVICE.
#include <cstring>

namespace {

constexpr int SUCCESS   = 0;
constexpr int NO_DEVICE = 100;

int no_device() { return NO_DEVICE; }

int set_text(const char** text, const char* value)
{
  *text = value;
  return SUCCESS;
}

template <typename Function>
void* address(Function* function)
{
  return reinterpret_cast<void*>(function);
}

}  // namespace

extern "C" {

int cuInit(unsigned) { return NO_DEVICE; }
int cuMemFree_v2(unsigned long long) { return NO_DEVICE; }
int cuMemFreeHost(void*) { return NO_DEVICE; }
int cuGetErrorString(int, const char** text) { return set_text(text, "there is no CUDA driver on this machine"); }
int cuGetErrorName(int, const char** text) { return set_text(text, "CUDA_ERROR_NO_DEVICE"); }

int cuGetProcAddress(const char* name, void** function, int, unsigned long)
{
  if (std::strcmp(name, "cuGetErrorString") == 0) {
    *function = address(&cuGetErrorString);
  } else if (std::strcmp(name, "cuGetErrorName") == 0) {
    *function = address(&cuGetErrorName);
  } else if (std::strcmp(name, "cuGetProcAddress") == 0) {
    *function = address(&cuGetProcAddress);
  } else {
    *function = address(&no_device);
  }
  return SUCCESS;
}

int cuGetProcAddress_v2(const char* name, void** function, int version, unsigned long flags, int* status)
{
  if (status != nullptr) {
    *status = SUCCESS;
  }
  return cuGetProcAddress(name, function, version, flags);
}

}  // extern "C"
