# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""UCC looks for messages while processes wait for one another in Legate's allgather, which returns late."""

import subprocess
import sys

import pytest

from legate_config import preload

pytestmark = pytest.mark.skipif(not preload.networks(), reason="the installed Legate has no networking")

LIBRARY = """
#include <ucc/api/ucc.h>
#include <dlfcn.h>
#include <atomic>

std::atomic<int> looks;

// As UCC's: while it waits, it looks for messages.
extern "C" ucc_status_t ucc_context_create(
  ucc_lib_h, const ucc_context_params_t* params, const ucc_context_config_h, ucc_context_h*)
{
  char sent = 7, received[2] = {};
  void* request;
  ucc_status_t status = params->oob.allgather(&sent, received, 1, params->oob.coll_info, &request);
  if (status != UCC_OK) {
    return status;
  }
  while ((status = params->oob.req_test(request)) == UCC_INPROGRESS) {
    ++looks;
  }
  if (status == UCC_OK && received[params->oob.oob_ep] != sent) {
    status = UCC_ERR_NO_MESSAGE;
  }
  params->oob.req_free(request);
  return status;
}

// As Legate's: it returns once another process has answered, which waits for this one to look.
ucc_status_t allgather(void* sent, void* received, size_t, void* info, void**)
{
  while (looks < 3) {
  }
  static_cast<char*>(received)[1] = *static_cast<char*>(sent);
  return *static_cast<ucc_status_t*>(info);
}

ucc_status_t test(void*) { return UCC_OK; }

extern "C" int create(int answer)
{
  auto status                 = static_cast<ucc_status_t>(answer);
  ucc_context_params_t params = {};
  params.mask                 = UCC_CONTEXT_PARAM_FIELD_OOB;
  params.oob                  = {allgather, test, test, &status, 2, 1};
  looks                       = 0;
  return reinterpret_cast<decltype(&ucc_context_create)>(dlsym(RTLD_DEFAULT, "ucc_context_create"))(
    nullptr, &params, nullptr, nullptr);
}
"""

PROGRAM = """
import ctypes, sys
from pathlib import Path
from legate_config import native_library, preload
from legate_config.native import package_folder

preload.preload_gather()
headers = package_folder("nvidia.libcal") / "cu12" / "include"
path = native_library("ucc", [Path(sys.argv[1])], with_legate=False, includes=[headers], soname="libucc.so.1")
library = ctypes.CDLL(str(path))
print(library.create(0), library.create(-6))
"""


def test_ucc_looks_for_messages_while_legate_waits(tmp_path):
    (tmp_path / "ucc.cc").write_text(LIBRARY)
    words = [sys.executable, "-c", PROGRAM, str(tmp_path / "ucc.cc")]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, "0 -6\n"), done.stderr
