// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Stands before UCC's function that makes a context, so that several processes end. UCC asks its caller for an
// allgather that returns at once, and looks for messages until that has ended. Legate's returns only once all processes
// have called it: those that wait in it at the end answer no message, and one that closes a connection waits for an
// answer. Here a thread waits in Legate's.
#include <ucc/api/ucc.h>

#include <dlfcn.h>

#include <chrono>
#include <future>

namespace {

constexpr std::chrono::microseconds BETWEEN_LOOKS{50};

using Pending = std::shared_future<ucc_status_t>;

ucc_status_t wait(const ucc_oob_coll_t* callers, void* sent, void* received, size_t size)
{
  void* request       = nullptr;
  ucc_status_t status = callers->allgather(sent, received, size, callers->coll_info, &request);
  if (status != UCC_OK) {
    return status;
  }
  while ((status = callers->req_test(request)) == UCC_INPROGRESS) {
  }
  callers->req_free(request);
  return status;
}

ucc_status_t begin(void* sent, void* received, size_t size, void* callers, void** request)
{
  *request = new Pending{
    std::async(std::launch::async, wait, static_cast<const ucc_oob_coll_t*>(callers), sent, received, size)};
  return UCC_OK;
}

ucc_status_t test(void* request)
{
  auto* pending = static_cast<Pending*>(request);
  return pending->wait_for(BETWEEN_LOOKS) == std::future_status::ready ? pending->get() : UCC_INPROGRESS;
}

ucc_status_t forget(void* request)
{
  delete static_cast<Pending*>(request);
  return UCC_OK;
}

}  // namespace

extern "C" ucc_status_t ucc_context_create(ucc_lib_h library,
                                           const ucc_context_params_t* params,
                                           const ucc_context_config_h config,
                                           ucc_context_h* context)
{
  // Legate has loaded it, and RTLD_NEXT would look only behind Python's own libraries.
  static const auto create = reinterpret_cast<decltype(&ucc_context_create)>(
    dlsym(dlopen("libucc.so.1", RTLD_NOW | RTLD_NOLOAD), "ucc_context_create"));
  ucc_context_params_t ours = *params;
  if (params->mask & UCC_CONTEXT_PARAM_FIELD_OOB) {
    auto* callers      = new ucc_oob_coll_t{params->oob};  // as long as the context, which is the process's
    ours.oob.allgather = begin;
    ours.oob.req_test  = test;
    ours.oob.req_free  = forget;
    ours.oob.coll_info = callers;
  }
  return create(library, &ours, config, context);
}
