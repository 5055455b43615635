// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Threads of blocks, which take turns: always one runs, whatever the number of blocks and GPUs, and which is next depends
// on the seed alone. So a run that failed fails again.
//
// A thread of a block is a stack and the registers that setjmp keeps. A block has a thread of the machine, for its shared
// memory. Where all threads of all blocks wait for memory, time passes; where that does not help, the launch has failed.
#include "cores.h"

#include <link.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace cores {

__thread Index thread_index, block_index, block_size, grid_size;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t STACK = 512 << 10;  // its frames are larger
#else
constexpr std::size_t STACK = 128 << 10;
#endif
constexpr u64 SECOND = 1000000000ull;  // that passes where all threads wait
constexpr u64 PATIENCE = 1000;         // of them, after which nobody is awaited any more
constexpr int LONGEST = 120;           // seconds of a launch, on the clock of the machine
constexpr u32 PARTS = 15;              // of as many atomics as this and one more, a thread parts at one

struct Lane {
  u32 mask = 0;  // of those that it waits for; 0: it does not
  Place at{};
  u64 word = 0, argument = 0, result = 0;
};

struct Warp { Lane lanes[32]; };

struct Thread {
  jmp_buf registers;
  bool begun = false, over = false;
};

struct Launch;

struct Block {
  Launch* launch;
  const u64* words;
  u32 number, gpu;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<u32> ready, waiting;  // waiting for memory
  std::size_t next = 0;             // of those that are ready
  u32 arrived = 0, over = 0;
  Place at{};                       // of the barrier
  bool any = false, told = false;   // of those who have arrived there, and of those who met last
  jmp_buf scheduler;
  char* stacks;
  const void* home = nullptr;       // the scheduler's stack, and its bytes
  std::size_t home_bytes = 0;
  u32 random;
};

struct Launch {
  Kernel kernel;
  u32 grid, size;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::unique_ptr<Block>> blocks;
  std::size_t turn = 0;         // whose block it is
  std::size_t slow = 0;         // the block whose turn it is less often than that of others
  std::vector<bool> idle;       // blocks whose turn it was since something happened
  bool ended = false;
  u32 random;
  u64 clock = SECOND, passed = 0;
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
  std::string failed;
};

__thread __attribute__((tls_model("initial-exec"))) Block* block = nullptr;

u32 next_random(u32& x)
{
  x ^= x << 13, x ^= x >> 17, x ^= x << 5;
  return x;
}

u32 random_number() { return next_random(block->random); }

// AddressSanitizer is told of each change of the stack: before it, and once it is done. Functions that change it are not
// instrumented: they never return, so that what guards their variables would stay on the stack.
#define CHANGES_STACK __attribute__((noinline, no_sanitize("address")))

#if defined(__SANITIZE_ADDRESS__)
void leave_for(const void* stack, std::size_t bytes) { __sanitizer_start_switch_fiber(nullptr, stack, bytes); }
void has_arrived() { __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr); }
void has_arrived_first() { __sanitizer_finish_switch_fiber(nullptr, &block->home, &block->home_bytes); }
#else
void leave_for(const void*, std::size_t) {}
void has_arrived() {}
void has_arrived_first() {}
#endif

// Back to the scheduler, which comes back when the thread is ready.
CHANGES_STACK void hand_over()
{
  const u32 me = thread_index.x;
  if (_setjmp(block->threads[me].registers) == 0) {
    leave_for(block->home, block->home_bytes);
    _longjmp(block->scheduler, 1);
  }
  has_arrived();
  thread_index.x = me;
}

CHANGES_STACK void body_of_a_thread()
{
  has_arrived_first();
  block->launch->kernel.body(block->words);
  block->threads[thread_index.x].over = true;
  ++block->over;
  leave_for(block->home, block->home_bytes);
  _longjmp(block->scheduler, 1);
}

CHANGES_STACK void begin(u32 thread)
{
  ucontext_t here, there;
  getcontext(&there);
  there.uc_stack.ss_sp = block->stacks + thread * STACK;
  there.uc_stack.ss_size = STACK;
  there.uc_link = nullptr;
  makecontext(&there, body_of_a_thread, 0);
  swapcontext(&here, &there);
}

CHANGES_STACK void resume(u32 thread)
{
  Thread& t = block->threads[thread];
  thread_index.x = thread;
  if (_setjmp(block->scheduler) != 0) {
    has_arrived();
    return;
  }
  leave_for(block->stacks + thread * STACK, STACK);
  if (t.begun) _longjmp(t.registers, 1);
  t.begun = true;
  begin(thread);
}

// All threads are ready, in an order of its own.
void release_all()
{
  const u32 n = (u32)block->threads.size(), first = random_number() % n;
  u32 step = random_number() % n;
  while (std::gcd(step, n) != 1) ++step;
  for (u32 k = 0, i = first; k < n; ++k, i = (i + step) % n) block->ready.push_back(i);
}

// One turn of a block: until all its threads wait or are over; whether anything happened.
bool take_turn()
{
  Block& b = *block;
  bool happened = false;
  std::vector<u32> woken;
  woken.swap(b.waiting);
  b.ready.insert(b.ready.end(), woken.begin(), woken.end());
  for (std::size_t steps = 0; b.next < b.ready.size() && b.launch->failed.empty(); ++steps) {
    const std::size_t waited = b.waiting.size();
    resume(b.ready[b.next++]);
    happened |= b.waiting.size() == waited;
    if (b.next == b.ready.size()) b.ready.clear(), b.next = 0;
    if (steps % 65536 == 65535 && std::chrono::steady_clock::now() - b.launch->began > std::chrono::seconds(LONGEST))
      b.launch->failed = "a launch takes too long: a thread may wait for one that it does not let go on";
  }
  return happened;
}

bool differ(Place a, Place b) { return a.line != b.line || (a.file != b.file && strcmp(a.file, b.file) != 0); }

std::string name(Place at)
{
  const char* file = at.file ? at.file : "?";
  for (const char* p = file; *p; ++p)
    if (*p == '/') file = p + 1;
  return std::string(file) + ":" + std::to_string(at.line);
}

std::string name(const Block& b) { return "GPU " + std::to_string(b.gpu) + ", block " + std::to_string(b.number); }

std::string where_all_are(const Launch& launch)
{
  std::string text;
  for (const auto& b : launch.blocks) {
    text += "; " + name(*b) + ": " + std::to_string(b->over) + " threads over, " + std::to_string(b->arrived) + " at the barrier" +
            (b->arrived ? " " + name(b->at) : "") + ", " + std::to_string(b->waiting.size()) + " waiting for memory";
    int shown = 0;
    for (std::size_t i = 0; i < b->threads.size() && shown < 3; ++i)
      if (const Lane& lane = b->warps[i / 32].lanes[i % 32]; lane.mask) {
        char mask[16];
        std::snprintf(mask, sizeof mask, "%08x", lane.mask);
        text += ", thread " + std::to_string(i) + " at " + name(lane.at) + " for lanes " + mask, ++shown;
      }
  }
  return text;
}

// Shared memory has any contents when a kernel begins: it is all that the kernel's library has for each thread.
void fill_shared_memory(void* inside)
{
  dl_iterate_phdr(
    [](dl_phdr_info* info, std::size_t, void* address) {
      auto* const at = static_cast<char*>(info->dlpi_tls_data);
      for (int k = 0; at != nullptr && k < info->dlpi_phnum; ++k) {
        const auto& part = info->dlpi_phdr[k];
        if (part.p_type == PT_TLS && address >= at && address < at + part.p_memsz) memset(at, 0xa5, part.p_memsz);
      }
      return 0;
    },
    inside);
}

template <typename F>
bool all_blocks(const Launch& launch, F f)
{
  return std::all_of(launch.blocks.begin(), launch.blocks.end(), [&](const auto& each) { return f(*each); });
}

// All threads wait.
void let_time_pass(Launch& launch)
{
  launch.clock += SECOND;
  launch.idle.assign(launch.blocks.size(), false);
  const bool nobody_waits = all_blocks(launch, [](const Block& b) { return b.waiting.empty(); });
  if (!nobody_waits && ++launch.passed <= PATIENCE) return;
  launch.failed = "all threads wait" + where_all_are(launch);
  launch.ended = true;
}

// Any of those that may have something to do; one of them, now and then, long after the others.
std::size_t next_block(Launch& launch)
{
  const u32 n = (u32)launch.blocks.size();
  const bool choice = std::count(launch.idle.begin(), launch.idle.end(), false) > 1;
  for (u32 tries = 0;; ++tries) {
    const u32 next = next_random(launch.random) % n;
    const bool later = choice && next == launch.slow && tries < 8;
    if (!launch.idle[next] && !later) return next;
  }
}

void run(Launch& launch, std::size_t me)
{
  Block& b = *launch.blocks[me];
  block = &b;
  block_index.x = b.number, block_size.x = launch.size, grid_size.x = launch.grid;
  fill_shared_memory(launch.kernel.shared());
  std::unique_lock<std::mutex> lock(launch.mutex);
  bool begun = false;
  while (true) {
    launch.changed.wait(lock, [&] { return launch.turn == me || launch.ended; });
    if (launch.ended) return;
    if (!begun) release_all();
    begun = true;
    if (take_turn()) launch.idle.assign(launch.blocks.size(), false), launch.passed = 0;
    else launch.idle[me] = true;
    launch.ended = !launch.failed.empty() || all_blocks(launch, [&](const Block& each) { return each.over == launch.size; });
    if (!launch.ended && std::count(launch.idle.begin(), launch.idle.end(), false) == 0) let_time_pass(launch);
    if (!launch.ended) launch.turn = next_block(launch);
    launch.changed.notify_all();
  }
}

}  // namespace

void fail(Place at, const char* what)
{
  block->launch->failed = std::string(what) + ", at " + name(at) + ", " + name(*block) + ", thread " + std::to_string(thread_index.x);
  while (true) hand_over();
}

bool sync_block(Place at, bool mine)
{
  Block& b = *block;
  if (b.over) fail(at, "a barrier, where other threads of the block are over");
  if (b.arrived && differ(b.at, at))
    fail(at, ("a barrier, where other threads of the block are at another, " + name(b.at)).c_str());
  b.at = at;
  b.any |= mine;
  if (++b.arrived == b.threads.size()) {
    b.arrived = 0, b.told = b.any, b.any = false;
    release_all();
  }
  hand_over();
  return b.told;
}

u64 sync_warp(Place at, u32 mask, u64 word, u64 argument, Meet meet)
{
  const u32 me = thread_index.x, lane = me & 31u, first = me - lane;
  Warp& warp = block->warps[me / 32];
  Lane& mine = warp.lanes[lane];
  if (!(mask >> lane & 1u)) fail(at, "a lane that is not in its own mask");
  mine = {mask, at, word, argument, 0};
  u64 words[32];
  for (u32 k = 0; k < 32; ++k) {
    const Lane& other = warp.lanes[k];
    words[k] = other.word;
    if (!(mask >> k & 1u)) continue;
    if (first + k >= block->threads.size() || block->threads[first + k].over) fail(at, "a lane of the mask is over");
    if (other.mask != mask) {
      hand_over();
      return mine.result;
    }
    if (differ(other.at, at)) fail(at, ("lanes of a warp meet at different places, the other " + name(other.at)).c_str());
  }
  for (u32 k = 0; k < 32; ++k)
    if (mask >> k & 1u) {
      Lane& other = warp.lanes[k];
      other.result = meet(words, mask, k, other.argument);
      if (k != lane) block->ready.push_back(first + k);
    }
  for (u32 k = 0; k < 32; ++k)
    if (mask >> k & 1u) warp.lanes[k].mask = 0;
  return mine.result;
}

void wait()
{
  block->waiting.push_back(thread_index.x);
  hand_over();
}

void part_for_sure()
{
  block->ready.push_back(thread_index.x);
  hand_over();
}

void part()
{
  if ((random_number() >> 8 & PARTS) == 0) part_for_sure();
}

u64 nanoseconds() { return ++block->launch->clock; }

namespace {

std::multimap<u32, char*> spare;  // stacks of blocks of so many threads: they hold what other threads have left

char* stacks_for(u32 threads)
{
  if (const auto at = spare.find(threads); at != spare.end()) {
    char* const found = at->second;
    spare.erase(at);
    return found;
  }
  void* const made = mmap(nullptr, threads * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return made == MAP_FAILED ? nullptr : static_cast<char*>(made);
}

}  // namespace

const char* launch(Kernel kernel, const u64* words, int n_words, int gpus, int blocks, int threads, unsigned seed)
{
  static std::string said;
  Launch made;
  made.kernel = kernel, made.grid = (u32)blocks, made.size = (u32)threads;
  for (int gpu = 0; gpu < gpus; ++gpu)
    for (int number = 0; number < blocks; ++number) {
      auto b = std::make_unique<Block>();
      b->launch = &made, b->words = words + (std::size_t)gpu * n_words, b->number = (u32)number, b->gpu = (u32)gpu;
      b->threads.resize((std::size_t)threads), b->warps.resize((std::size_t)(threads + 31) / 32);
      b->stacks = stacks_for((u32)threads);
      if (b->stacks == nullptr) return "no memory for the threads' stacks";
      b->random = (seed * 7919u + (u32)made.blocks.size() * 104729u) | 1u;
      made.blocks.push_back(std::move(b));
    }
  made.idle.assign(made.blocks.size(), false), made.random = (seed * 15485863u) | 1u, made.slow = seed % made.blocks.size();
  std::vector<std::thread> running;
  for (std::size_t k = 0; k < made.blocks.size(); ++k) running.emplace_back([&made, k] { run(made, k); });
  for (auto& each : running) each.join();
  for (auto& b : made.blocks) spare.emplace((u32)threads, b->stacks);
  said = made.failed;
  return said.empty() ? nullptr : said.c_str();
}

}  // namespace cores
