// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Launches of many iterations with one point in each process. A thread for each partition of the process runs a compiled
// kernel, which calls exchange() after each iteration: threads meet, and processes send one another what they read of each
// other, through Legate's communicator. What is sent is a subclass's business. Where there are more partitions than cores,
// "threads" are fibers of one thread for each core (fibers.h).
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace lux {

using Word     = std::uint64_t;
using Position = std::uint32_t;
using Body     = std::int64_t (*)(const void*, std::int64_t, const void*, std::int64_t, double*);

constexpr std::int64_t EAGER = 64;  // words after the head of a message that the first round takes
constexpr std::int64_t PIECE = 1 << 16;  // most words of a message in a round: of long ones TCP may send one way at a time

constexpr std::size_t TIMES = 4096;  // exchanges whose seconds are kept

inline std::int64_t words_of(std::int64_t bytes) { return (bytes + 7) / 8; }

// Another process: where messages to it and from it are, in words, and how many the first round takes.
struct Mailbox {
  std::int64_t out_at, out_first, in_at, in_first;
};

// The first words of every message.
struct MessageHead {
  std::int64_t words;   // of the message
  std::int64_t rounds;  // that the sender's longest message needs after the first
};

// Values that an iteration has made and will not change: of a thread's vertices before `end`, in one of the two copies. Of
// programs with a frontier the first `count` members, counted from the thread's first vertex, have changed.
struct Offer {
  std::int64_t written, end;
  const Position* members;
  std::int64_t count;
};

// Words that a thread puts into the memory of another process (puts.h).
struct Put {
  std::int64_t process;
  const Word* from;
  std::int64_t words, at, flag, value;
};

// A flag that a thread waits for, set by a thread of this process or by another process.
struct Awaited {
  std::int64_t flag, value, other;
};

class IterationExchange {
 public:
  IterationExchange(std::int64_t rank, std::int64_t ranks, std::int64_t parts);
  IterationExchange(const IterationExchange&)            = delete;
  IterationExchange& operator=(const IterationExchange&) = delete;
  virtual ~IterationExchange()                           = default;

  int rank, ranks, threads;  // a process without partitions has a thread, too
  std::int64_t parts;        // own partitions
  std::vector<int> cores;
  Body body{};
  std::array<const void*, 2> tables{};  // of kernels' arguments, for launches of even and of odd number
  std::int64_t sent_bytes{}, value_bytes{}, exchanges{};  // values with what says whose they are
  double seconds{};
  std::vector<double> times;  // of the first exchanges
  std::vector<std::vector<double>> records;  // of each thread
  std::atomic<std::int64_t> launched{0};     // launches that have ended

  // Runs the body on all threads. The first launch of fields begins with an exchange.
  void launch(void* comm, std::int64_t number);

  // Called by all threads of the process after each iteration, which has written one of two copies.
  void exchange(int thread, std::int64_t written);

  // Called by a thread during an iteration, as often as it likes: values may travel while it goes on.
  void offer(int thread, const Offer& given)
  {
    offer(thread, static_cast<std::size_t>(given.written) ^ static_cast<std::size_t>(flip_), given);
  }

  // Sets the memory and the flags that other processes write.
  void receive_puts(Word* memory, std::int64_t* flags) { put_memory_ = memory, flags_ = flags; }

  // Called by a thread during an iteration: the words travel while it goes on. They stay as they are until the next exchange,
  // or until the other process has them.
  void put(const Put& given);

  // Waits until a flag has a value at least: then what was put, or written, before is there.
  void wait_for(const Awaited& given) const;

  // Waits for all threads of the process.
  void meet();

 protected:
  // One for each other process, in the order of the processes.
  std::vector<Mailbox> mailboxes;

  Word* outgoing(std::size_t peer) { return outgoing_.data() + mailboxes[peer].out_at; }
  const Word* incoming(std::size_t peer) const { return incoming_.data() + mailboxes[peer].in_at; }
  Word* incoming(std::size_t peer) { return incoming_.data() + mailboxes[peer].in_at; }
  int process_of(std::size_t peer) const { return static_cast<int>(peer) + (static_cast<int>(peer) >= rank ? 1 : 0); }

  // Makes room for messages of at most so many words, of which the first round takes some.
  void add_mailbox(std::int64_t out_words, std::int64_t out_first, std::int64_t in_words, std::int64_t in_first);

  virtual bool begins_with_exchange() const { return false; }
  virtual void lay_out()                              = 0;  // calls add_mailbox for each other process
  virtual void begin_launch()                         {}
  virtual void offer(int, std::size_t, const Offer&)  {}
  virtual void pack(int thread, std::size_t copy)     = 0;
  virtual void complete(std::size_t copy)             = 0;  // by one thread, between packing and sending
  virtual void unpack(int thread, std::size_t copy)   = 0;
  virtual void finish_exchange(std::size_t)           {}    // by one thread, while others unpack
  virtual void summarize(std::size_t)                 {}    // by one thread, after all have exchanged and before any goes on

 private:
  void* comm_{};  // Legate's communicator of the launch
  int flip_{}, workers_{1};  // threads of the system, at most one for each core
  std::vector<Word> outgoing_, incoming_;
  std::vector<int> counts_, displacements_, in_counts_, in_displacements_;
  Word* put_memory_{};
  std::int64_t* flags_{};
  static constexpr int NOTHING = -1;
  std::atomic<int> arrived_{0}, round_{0}, to_summarize_{NOTHING};

  void make_mailboxes();
  void pin() const;
  int most_workers() const;
  void wait();  // for all workers
  void meet_and_summarize(std::size_t copy);
  void send_beside_puts();
  void send();
  void all_to_all(std::int64_t round);
};

// Keeps exchanges by their keys.
void keep(std::int64_t key, std::unique_ptr<IterationExchange> exchange);
IterationExchange& find(std::int64_t key);

// Words that every process sends to every other one, some times, and the seconds of one time.
struct Words {
  const Word* out;
  const int *counts, *displacements;
  Word* in;
  const int *in_counts, *in_displacements;
  std::int64_t times;
  double* seconds;
};

Words words_of_key(std::int64_t key);

// Sends words to every process of Legate's communicator, and receives theirs (tasks.h).
void all_to_all(const Word* out,
                const int* counts,
                const int* displacements,
                Word* in,
                const int* in_counts,
                const int* in_displacements,
                void* comm);

}  // namespace lux
