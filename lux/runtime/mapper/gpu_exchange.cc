// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Many iterations of a program on GPUs of several processes in one launch, which has one point for each GPU. A point launches
// the kernels of its GPU's partitions, and then NCCL moves messages from each partition's outbox to the inboxes of the others
// (lux/codegen/cuda/messages.cuh), over and over on the task's stream.
//
// Where messages are short, or always full, slots cross whole: the host issues launches ahead, and looks at the outcome of
// BATCH launches while the next ones run. Other messages cross in two rounds, of EAGER words and of the rest; in between the
// host reads how long they are. Launches after the end of a run do nothing, and every point issues equally many.
#include "calls.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

// Of gpu.cc: a kernel launch of a plan, the context of a point that has looked, and the scratch memory of a point.
std::string lux_run_kernel(std::int64_t key, std::int64_t point, std::int64_t number, void* stream);
void* lux_context_of(std::int64_t key, std::int64_t point);
std::uint64_t lux_scratch_of(std::int64_t key, std::int64_t point);
extern "C" const void* lux_report(std::int64_t key, std::int64_t point, const char** error);

namespace {

using Word = std::uint64_t;

// As in lux/kernels/frontier.py and lux/engine/gpu/part_launches.py (tests/cuda/test_messages.py compares them).
constexpr std::int64_t STATE_COLUMNS = 16, SENT_WORDS = 7, FINISHED = 1, FOUND_BY = 5;

constexpr std::int64_t EAGER = 4096;  // words of a message in the first round
constexpr std::int64_t BATCH = 2;     // launches between two looks at the outcome

constexpr int INT64 = 4, UINT64 = 5, SUM = 0;  // of NCCL
constexpr unsigned NO_TIMING = 2;              // of a CUDA event

[[noreturn]] void fail(const std::string& what)
{
  std::fprintf(stderr, "Lux: a run on the GPUs of several processes cannot go on: %s\n", what.c_str());
  std::abort();  // the others wait for this process, and end with it
}

template <typename F>
F found(void* library, const char* name)
{
  auto* function = library == nullptr ? nullptr : dlsym(library, name);
  if (function == nullptr) fail(std::string{name} + " was not found");
  return reinterpret_cast<F>(function);
}

// Functions of the CUDA driver and of NCCL, both loaded by name.
struct Library {
  void *cuda = dlopen("libcuda.so.1", RTLD_NOW), *nccl = dlopen("libnccl.so.2", RTLD_NOW);
#define LUX_FUNCTION(LIBRARY, NAME, ...) int (*NAME)(__VA_ARGS__) = found<int (*)(__VA_ARGS__)>(LIBRARY, #NAME)
  LUX_FUNCTION(cuda, cuCtxGetCurrent, void**);
  LUX_FUNCTION(cuda, cuMemAlloc_v2, Word*, std::size_t);
  LUX_FUNCTION(cuda, cuMemFree_v2, Word);
  LUX_FUNCTION(cuda, cuMemHostAlloc, void**, std::size_t, unsigned);
  LUX_FUNCTION(cuda, cuMemcpyHtoDAsync_v2, Word, const void*, std::size_t, void*);
  LUX_FUNCTION(cuda, cuMemcpyDtoHAsync_v2, void*, Word, std::size_t, void*);
  LUX_FUNCTION(cuda, cuMemcpyDtoDAsync_v2, Word, Word, std::size_t, void*);
  LUX_FUNCTION(cuda, cuStreamSynchronize, void*);
  LUX_FUNCTION(cuda, cuEventCreate, void**, unsigned);
  LUX_FUNCTION(cuda, cuEventRecord, void*, void*);
  LUX_FUNCTION(cuda, cuEventSynchronize, void*);
  LUX_FUNCTION(cuda, cuEventDestroy_v2, void*);
  LUX_FUNCTION(nccl, ncclCommUserRank, void*, int*);
  LUX_FUNCTION(nccl, ncclGroupStart, );
  LUX_FUNCTION(nccl, ncclGroupEnd, );
  LUX_FUNCTION(nccl, ncclSend, const void*, std::size_t, int, int, void*, void*);
  LUX_FUNCTION(nccl, ncclRecv, void*, std::size_t, int, int, void*, void*);
  LUX_FUNCTION(nccl, ncclAllReduce, const void*, void*, std::size_t, int, int, void*, void*);
#undef LUX_FUNCTION
};

const Library& library()
{
  static const Library all;
  return all;
}

#define LUX_DO(CALL)                                                                       \
  if (const int code = library().CALL) fail(#CALL " returned the error " + std::to_string(code))

// Pinned memory for the lengths of messages; kept, as allocations wait for all GPUs.
Word* pinned(void* context, std::size_t words)
{
  static std::mutex guard;
  static std::map<void*, std::pair<void*, std::size_t>> memory;
  const std::lock_guard<std::mutex> lock{guard};
  auto& [at, size] = memory[context];
  if (size < words) {
    LUX_DO(cuMemHostAlloc(&at, words * sizeof(Word), 1U));
    size = words;
  }
  return static_cast<Word*>(at);
}

std::mutex guard;

// NCCL's rank of the GPU of every partition, by context and number of partitions: Legate places points of launches alike.
std::map<std::pair<void*, std::int64_t>, std::vector<int>> located;

// The messages of a run.
struct Messages {
  std::int64_t parts;
  std::int64_t first_key;               // of the plan that sets first values; 0: it has been launched
  std::vector<std::int64_t> words;      // (parts, parts): of the slot of each partition for each other one
  std::int64_t outbox_at, inbox_at;     // bytes, in a partition's scratch memory
  bool frontier;
  std::int64_t received{};              // words, in this process

  std::int64_t size(std::int64_t from, std::int64_t to) const { return words[static_cast<std::size_t>(from * parts + to)]; }

  bool waits() const { return frontier && *std::max_element(words.begin(), words.end()) > EAGER; }
};

// One GPU's share of the messages of a launch.
class Point {
 public:
  Point(std::int64_t key, Messages& messages, void* comm, void* stream) : key_{key}, all_{messages}, comm_{comm}, stream_{stream}
  {
    LUX_DO(cuCtxGetCurrent(&context_));
    LUX_DO(ncclCommUserRank(comm_, &rank_));
    locate();
    for (std::int64_t part = 0; part < all_.parts; ++part) {
      if (rank_of(part) != rank_) continue;
      own_.push_back(part);
      const auto scratch = lux_scratch_of(key_, part);
      Word out = scratch + static_cast<Word>(all_.outbox_at), in = scratch + static_cast<Word>(all_.inbox_at);
      auto &outs = out_[part], &ins = in_[part];
      for (std::int64_t other = 0; other < all_.parts; ++other) {
        outs.push_back(out), ins.push_back(in);
        out += sizeof(Word) * static_cast<Word>(all_.size(part, other)), in += sizeof(Word) * static_cast<Word>(all_.size(other, part));
      }
    }
  }

  // Runs launches from number `first` on, until the run has ended or `count` have run.
  void launch(std::int64_t first, std::int64_t count)
  {
    if (own_.empty()) return;
    if (first == 1) {
      for (const auto part : own_) {
        if (all_.first_key != 0) run(all_.first_key, part, 0);
      }
      exchange();
    }
    void* events[2];
    for (auto& event : events) LUX_DO(cuEventCreate(&event, NO_TIMING));
    const auto each = all_.waits() ? 1 : BATCH;
    for (std::int64_t done = 0, batch = 0; done < count; ++batch) {
      const auto end = std::min(done + each, count);
      for (; done < end; ++done) {
        for (const auto part : own_) run(key_, part, first + done);
        exchange();
      }
      if (each == 1) {
        if (ended_by(first + done - 1)) break;
        continue;
      }
      LUX_DO(cuEventRecord(events[batch & 1], stream_));
      if (batch == 0) continue;
      LUX_DO(cuEventSynchronize(events[1 - (batch & 1)]));
      if (ended_by(first + batch * each - 1)) break;
    }
    LUX_DO(cuStreamSynchronize(stream_));
    for (auto* event : events) LUX_DO(cuEventDestroy_v2(event));
    const std::lock_guard<std::mutex> lock{guard};
    all_.received += received_;
  }

 private:
  std::int64_t key_;
  Messages& all_;
  void *comm_, *stream_, *context_{};
  int rank_{};
  std::vector<int> ranks_;                           // NCCL's, of every partition's GPU
  std::vector<std::int64_t> own_;                    // partitions of this GPU
  std::map<std::int64_t, std::vector<Word>> out_, in_;  // of each of them: the slot for, and from, every partition
  std::int64_t received_{};

  int rank_of(std::int64_t part) const { return ranks_[static_cast<std::size_t>(part)]; }

  void run(std::int64_t key, std::int64_t part, std::int64_t number) const
  {
    if (auto error = lux_run_kernel(key, part, number, stream_); !error.empty()) fail(error);
  }

  // Learns on which GPUs the partitions of all processes are, once for a GPU.
  void locate()
  {
    {
      const std::lock_guard<std::mutex> lock{guard};
      if (const auto at = located.find({context_, all_.parts}); at != located.end()) {
        ranks_ = at->second;
        return;
      }
    }
    const auto parts = static_cast<std::size_t>(all_.parts), bytes = parts * sizeof(std::int64_t);
    std::vector<std::int64_t> there(parts);
    for (std::size_t part = 0; part < parts; ++part)
      there[part] = lux_context_of(key_, static_cast<std::int64_t>(part)) == context_ ? rank_ + 1 : 0;
    Word memory = 0;
    LUX_DO(cuMemAlloc_v2(&memory, bytes));
    LUX_DO(cuMemcpyHtoDAsync_v2(memory, there.data(), bytes, stream_));
    LUX_DO(ncclAllReduce(reinterpret_cast<void*>(memory), reinterpret_cast<void*>(memory), parts, INT64, SUM, comm_, stream_));
    LUX_DO(cuMemcpyDtoHAsync_v2(there.data(), memory, bytes, stream_));
    LUX_DO(cuStreamSynchronize(stream_));
    LUX_DO(cuMemFree_v2(memory));
    for (const auto each : there) ranks_.push_back(static_cast<int>(each) - 1);
    const std::lock_guard<std::mutex> lock{guard};
    located[{context_, all_.parts}] = ranks_;
  }

  // True if a launch of this number, or one before, found the end. Its stream has been waited for.
  bool ended_by(std::int64_t number) const
  {
    const char* error   = nullptr;
    const auto* outcome = static_cast<const volatile std::int64_t*>(lux_report(key_, own_.front(), &error));
    return outcome[FINISHED] != 0 && outcome[FOUND_BY] <= number;
  }

  // Moves all messages; sends and receives between two GPUs follow one order on both.
  void exchange()
  {
    const bool waits = all_.waits();
    const auto whole = [&](std::int64_t from, std::int64_t to) { return all_.size(from, to); };
    if (!waits) return round(0, whole);
    round(0, [&](std::int64_t from, std::int64_t to) { return std::min(all_.size(from, to), EAGER); });
    const auto parts = static_cast<std::size_t>(all_.parts);
    auto* lengths    = pinned(context_, parts * parts);
    for (const auto part : own_) {
      for (std::int64_t other = 0; other < all_.parts; ++other) {
        if (other == part) continue;
        const auto here = static_cast<std::size_t>(other);
        read_length(lengths, part, other, out_.at(part)[here]);
        if (rank_of(other) != rank_) read_length(lengths, other, part, in_.at(part)[here]);
      }
    }
    LUX_DO(cuStreamSynchronize(stream_));
    round(EAGER, [&](std::int64_t from, std::int64_t to) {
      if (all_.size(from, to) <= EAGER) return std::int64_t{0};
      return std::max(static_cast<std::int64_t>(lengths[from * all_.parts + to]) - EAGER, std::int64_t{0});
    });
  }

  void read_length(Word* lengths, std::int64_t from, std::int64_t to, Word message) const
  {
    if (all_.size(from, to) <= EAGER) return;
    LUX_DO(cuMemcpyDtoHAsync_v2(lengths + from * all_.parts + to, message + SENT_WORDS * sizeof(Word), sizeof(Word), stream_));
  }

  // Moves so many words of each message, from a word on.
  template <typename Length>
  void round(std::int64_t begin, Length&& length)
  {
    const auto skipped = static_cast<Word>(begin) * sizeof(Word);
    bool grouped       = false;
    const auto group   = [&] {
      if (!grouped) LUX_DO(ncclGroupStart());
      grouped = true;
    };
    for (const auto part : own_) {
      for (std::int64_t other = 0; other < all_.parts; ++other) {
        const auto to = rank_of(other);
        const auto n  = other == part ? 0 : static_cast<std::size_t>(length(part, other));
        if (n == 0) continue;
        const auto from = out_.at(part)[static_cast<std::size_t>(other)] + skipped;
        if (to == rank_) {
          LUX_DO(cuMemcpyDtoDAsync_v2(in_.at(other)[static_cast<std::size_t>(part)] + skipped, from, n * sizeof(Word), stream_));
          received_ += static_cast<std::int64_t>(n);
        } else {
          group();
          LUX_DO(ncclSend(reinterpret_cast<void*>(from), n, UINT64, to, comm_, stream_));
        }
      }
    }
    for (std::int64_t other = 0; other < all_.parts; ++other) {
      const auto from = rank_of(other);
      for (const auto part : own_) {
        const auto n = from == rank_ ? 0 : static_cast<std::size_t>(length(other, part));
        if (n == 0) continue;
        group();
        LUX_DO(ncclRecv(reinterpret_cast<void*>(in_.at(part)[static_cast<std::size_t>(other)] + skipped), n, UINT64, from, comm_, stream_));
        received_ += static_cast<std::int64_t>(n);
      }
    }
    if (grouped) LUX_DO(ncclGroupEnd());
  }
};

std::unordered_map<std::int64_t, std::unique_ptr<Messages>> runs;

Messages& find(std::int64_t key)
{
  const std::lock_guard<std::mutex> lock{guard};
  return *runs.at(key);
}

}  // namespace

void lux::iterate_on_gpu(std::int64_t key, void* comm, void* stream, std::int64_t first, std::int64_t count)
{
  Point point{key, find(key), comm, stream};
  point.launch(first, count);
}

extern "C" {

// Describes the messages of the run whose plan has this key.
__attribute__((visibility("default"))) void lux_gpu_messages(
  std::int64_t key, std::int64_t first_key, std::int64_t parts, const std::int64_t* words, std::int64_t outbox_at, std::int64_t inbox_at, std::int64_t frontier)
{
  auto made      = std::make_unique<Messages>();
  made->parts    = parts, made->first_key = first_key, made->words.assign(words, words + parts * parts);
  made->outbox_at = outbox_at, made->inbox_at = inbox_at, made->frontier = frontier != 0;
  const std::lock_guard<std::mutex> lock{guard};
  runs[key] = std::move(made);
}

// Counts the words that the process's partitions have been sent by launches that have ended.
__attribute__((visibility("default"))) std::int64_t lux_gpu_received(std::int64_t key) { return find(key).received; }

__attribute__((visibility("default"))) void lux_forget_gpu_messages(std::int64_t key)
{
  const std::lock_guard<std::mutex> lock{guard};
  runs.erase(key);
}

}  // extern "C"
