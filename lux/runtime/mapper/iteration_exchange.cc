// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// The part of exchanges that does not depend on what is sent: threads, barriers, messages in one or two rounds,
// and the functions that Python calls (iteration_exchange.h).
//
// A message begins with its length. The first round has a fixed size, so that it takes one call; if any process has more to
// send, the rest follows in rounds of pieces.
#include "iteration_exchange.h"

#include "fibers.h"
#include "puts.h"

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

namespace lux {

constexpr int SPINS = 4096;  // spins at a barrier before a thread sleeps: each has a core of its own

IterationExchange::IterationExchange(std::int64_t rank_, std::int64_t ranks_, std::int64_t parts_)
  : rank(static_cast<int>(rank_)),
    ranks(static_cast<int>(ranks_)),
    threads(static_cast<int>(std::max<std::int64_t>(parts_, 1))),
    parts(parts_),
    records(threads)
{
}

void IterationExchange::launch(void* comm, std::int64_t number)
{
  if (ranks > 1 && mailboxes.empty()) make_mailboxes();
  if (puts() != nullptr && flags_ != nullptr) puts()->aim(put_memory_, flags_);
  begin_launch();
  comm_           = comm;
  flip_           = static_cast<int>(number & 1);
  // Realm's pollers may have messages to send before all processes are here, and a core may be theirs and this thread's.
  if (ranks > 1) std::this_thread::sleep_for(std::chrono::milliseconds{1});
  const auto work = [&](int thread) {
    if (number == 0 && begins_with_exchange()) exchange(thread, 0);
    body(tables.at(flip_), thread, nullptr, 0, nullptr);
  };
  workers_ = std::min(threads, most_workers());
  if (number == 0 && (mailboxes.empty() || !begins_with_exchange())) summarize(0);
  const auto first = [&](int worker) { return static_cast<int>(std::int64_t{threads} * worker / workers_); };
  const Stacks stacks{static_cast<std::size_t>(workers_ < threads ? threads : 1)};
  const auto share = [&](int worker) {
    if (workers_ == threads) return work(worker);
    Fibers fibers{stacks, first(worker), first(worker + 1), work};
    while (fibers.run()) wait();
  };
  std::vector<std::thread> others;
  for (int worker = 1; worker < workers_; ++worker) {
    others.emplace_back([&, worker] {
      pin();
      share(worker);
    });
  }
  share(0);
  for (auto& other : others) other.join();
  launched = number + 1;
}

void IterationExchange::exchange(int thread, std::int64_t written)
{
  const auto copy = static_cast<std::size_t>(written) ^ static_cast<std::size_t>(flip_);
  if (mailboxes.empty()) return meet_and_summarize(copy);
  const auto began = std::chrono::steady_clock::now();
  meet();
  pack(thread, copy);
  meet();
  if (thread == 0) {
    complete(copy);
    send_beside_puts();
  }
  meet();
  unpack(thread, copy);
  if (thread == 0) {
    finish_exchange(copy);
    const auto took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    seconds += took;
    if (times.size() < TIMES) times.push_back(took);
    ++exchanges;
  }
  meet_and_summarize(copy);
}

void IterationExchange::meet_and_summarize(std::size_t copy)
{
  to_summarize_.store(static_cast<int>(copy), std::memory_order_relaxed);  // all say the same
  meet();
}

void IterationExchange::add_mailbox(std::int64_t out_words, std::int64_t out_first, std::int64_t in_words, std::int64_t in_first)
{
  std::int64_t out = 0, in = 0;
  if (!mailboxes.empty()) {
    out = static_cast<std::int64_t>(outgoing_.size()), in = static_cast<std::int64_t>(incoming_.size());
  }
  mailboxes.push_back({out, std::min(out_first, PIECE), in, std::min(in_first, PIECE)});
  outgoing_.resize(out + std::max(out_words, out_first));
  incoming_.resize(in + std::max(in_words, in_first));
}

void IterationExchange::make_mailboxes()
{
  lay_out();
  for (auto* each : {&counts_, &displacements_, &in_counts_, &in_displacements_}) each->assign(ranks, 0);
}

void IterationExchange::pin() const
{
  if (cores.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const auto core : cores) CPU_SET(core, &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

int IterationExchange::most_workers() const
{
  const auto known = cores.empty() ? std::thread::hardware_concurrency() : static_cast<unsigned>(cores.size());
  return static_cast<int>(std::max(known, 1U));
}

void IterationExchange::meet()
{
  if (Fibers::inside()) return Fibers::yield();
  wait();
}

void IterationExchange::wait()
{
  const auto round = round_.load();
  if (arrived_.fetch_add(1) == workers_ - 1) {
    arrived_ = 0;
    if (const auto copy = to_summarize_.exchange(NOTHING); copy != NOTHING) summarize(static_cast<std::size_t>(copy));
    if (workers_ == 1) return;
    round_   = round + 1;
    round_.notify_all();
    return;
  }
  for (int spins = 0; spins < SPINS; ++spins) {
    if (round_.load() != round) return;
  }
  while (round_.load() == round) round_.wait(round);
}

void IterationExchange::put(const Put& given)
{
  puts()->put(static_cast<int>(given.process), given.from, {given.words, given.at, given.flag, given.value});
}

void IterationExchange::wait_for(const Awaited& given) const
{
  const std::atomic_ref<std::int64_t> flag{flags_[given.flag]};
  for (int spins = 0; flag.load() < given.value; ++spins) {
    if (Fibers::inside()) Fibers::pass();
    else if (given.other == 0 && spins % SPINS == SPINS - 1) std::this_thread::yield();
    if (given.other != 0) puts()->serve(Fibers::inside() ? 0 : Puts::PAUSE);
  }
}

// What was put and is too long for the system's buffers goes on beside the exchange: others may receive it only after that.
void IterationExchange::send_beside_puts()
{
  if (puts() == nullptr || flags_ == nullptr) return send();
  if (puts()->all_sent()) {
    send();
  } else {
    std::thread rest{[] { puts()->flush(); }};
    send();
    rest.join();
  }
  const auto bytes = puts()->take_bytes();
  sent_bytes += bytes, value_bytes += bytes;
}

void IterationExchange::send()
{
  const auto head = [&](std::size_t peer) { return reinterpret_cast<MessageHead*>(outgoing(peer)); };
  std::int64_t rounds = 0;
  for (std::size_t k = 0; k < mailboxes.size(); ++k)
    rounds = std::max(rounds, (head(k)->words - mailboxes[k].out_first + PIECE - 1) / PIECE);
  for (std::size_t k = 0; k < mailboxes.size(); ++k) head(k)->rounds = rounds;
  all_to_all(0);
  for (std::size_t k = 0; k < mailboxes.size(); ++k)
    rounds = std::max(rounds, reinterpret_cast<const MessageHead*>(incoming(k))->rounds);
  for (std::int64_t round = 1; round <= rounds; ++round) all_to_all(round);
}

void IterationExchange::all_to_all(std::int64_t round)
{
  // The words of a message that a round takes, and where they begin.
  const auto piece = [&](std::int64_t words, std::int64_t first) {
    if (round == 0) return std::pair{first, std::int64_t{0}};
    const auto begin = first + (round - 1) * PIECE;
    return std::pair{std::clamp<std::int64_t>(words - begin, 0, PIECE), begin};
  };
  for (std::size_t k = 0; k < mailboxes.size(); ++k) {
    const auto process   = static_cast<std::size_t>(process_of(k));
    const auto& box      = mailboxes[k];
    const auto out = piece(reinterpret_cast<const MessageHead*>(outgoing(k))->words, box.out_first);
    const auto in  = piece(reinterpret_cast<const MessageHead*>(incoming(k))->words, box.in_first);
    counts_[process] = static_cast<int>(out.first), in_counts_[process] = static_cast<int>(in.first);
    displacements_[process]    = static_cast<int>(box.out_at + (out.first != 0 ? out.second : 0));
    in_displacements_[process] = static_cast<int>(box.in_at + (in.first != 0 ? in.second : 0));
    sent_bytes += counts_[process] * static_cast<std::int64_t>(sizeof(Word));
  }
  lux::all_to_all(outgoing_.data(), counts_.data(), displacements_.data(), incoming_.data(), in_counts_.data(),
                  in_displacements_.data(), comm_);
}

namespace {

std::mutex guard;
std::unordered_map<std::int64_t, std::unique_ptr<IterationExchange>> exchanges;

std::unordered_map<std::int64_t, Words> words;

}  // namespace

void keep(std::int64_t key, std::unique_ptr<IterationExchange> exchange)
{
  const std::lock_guard<std::mutex> lock{guard};
  exchanges[key] = std::move(exchange);
}

IterationExchange& find(std::int64_t key)
{
  const std::lock_guard<std::mutex> lock{guard};
  return *exchanges.at(key);
}

Words words_of_key(std::int64_t key)
{
  const std::lock_guard<std::mutex> lock{guard};
  return words.at(key);
}

}  // namespace lux

extern "C" {

#define LUX_EXPORT __attribute__((visibility("default")))

LUX_EXPORT void lux_exchange_body(
  std::int64_t key, lux::Body body, const void* even, const void* odd, const std::int64_t* cores, std::int64_t n_cores)
{
  auto& exchange = lux::find(key);
  exchange.body = body, exchange.tables = {even, odd};
  exchange.cores.assign(cores, cores + n_cores);
}

// The memory and the flags of this process that others write during launches.
LUX_EXPORT void lux_receive_puts(std::int64_t key, lux::Word* memory, std::int64_t* flags)
{
  lux::find(key).receive_puts(memory, flags);
}

// The functions that kernels call (lux/kernels/threads.py).
LUX_EXPORT void lux_exchange_offer(std::int64_t exchange, std::int64_t thread, std::int64_t offer)
{
  const auto& given = *reinterpret_cast<const lux::Offer*>(offer);
  reinterpret_cast<lux::IterationExchange*>(exchange)->offer(static_cast<int>(thread), given);
}

LUX_EXPORT void lux_exchange_put(std::int64_t exchange, std::int64_t, std::int64_t put)
{
  reinterpret_cast<lux::IterationExchange*>(exchange)->put(*reinterpret_cast<const lux::Put*>(put));
}

LUX_EXPORT void lux_exchange_wait(std::int64_t exchange, std::int64_t, std::int64_t awaited)
{
  reinterpret_cast<lux::IterationExchange*>(exchange)->wait_for(*reinterpret_cast<const lux::Awaited*>(awaited));
}

LUX_EXPORT void lux_exchange_iteration(std::int64_t exchange, std::int64_t thread, std::int64_t written)
{
  reinterpret_cast<lux::IterationExchange*>(exchange)->exchange(static_cast<int>(thread), written);
}

// The function by which kernels meet at a barrier (lux/kernels/threads.py).
LUX_EXPORT void lux_exchange_meet(std::int64_t exchange, std::int64_t, std::int64_t)
{
  reinterpret_cast<lux::IterationExchange*>(exchange)->meet();
}

// Keeps four numbers of a thread, which kernels may call for each iteration.
LUX_EXPORT void lux_exchange_record(std::int64_t exchange, std::int64_t thread, std::int64_t numbers)
{
  auto& record     = reinterpret_cast<lux::IterationExchange*>(exchange)->records.at(thread);
  const auto* from = reinterpret_cast<const double*>(numbers);
  record.insert(record.end(), from, from + 4);
}

// The numbers that a thread has recorded, and how many they are.
LUX_EXPORT const double* lux_exchange_records(std::int64_t key, std::int64_t thread, std::int64_t* count)
{
  const auto& record = lux::find(key).records.at(thread);
  *count             = static_cast<std::int64_t>(record.size());
  return record.data();
}

// Launches that have ended.
LUX_EXPORT std::int64_t lux_exchange_launched(std::int64_t key) { return lux::find(key).launched; }

LUX_EXPORT std::int64_t lux_exchange_address(std::int64_t key) { return reinterpret_cast<std::int64_t>(&lux::find(key)); }

// Exchanges so far, bytes that this process has sent in them, how many of these are values, and nanoseconds that they took.
LUX_EXPORT void lux_exchange_counts(std::int64_t key, std::int64_t* counts)
{
  const auto& exchange = lux::find(key);
  counts[0] = exchange.exchanges, counts[1] = exchange.sent_bytes;
  counts[2] = exchange.value_bytes, counts[3] = static_cast<std::int64_t>(1e9 * exchange.seconds);
}

// The seconds of the first exchanges, and how many they are.
LUX_EXPORT const double* lux_exchange_times(std::int64_t key, std::int64_t* count)
{
  const auto& times = lux::find(key).times;
  *count            = static_cast<std::int64_t>(times.size());
  return times.data();
}

LUX_EXPORT void lux_forget_exchange(std::int64_t key)
{
  const std::lock_guard<std::mutex> lock{lux::guard};
  lux::exchanges.erase(key);
}

LUX_EXPORT void lux_words(std::int64_t key,
                          const lux::Word* out,
                          const int* counts,
                          const int* displacements,
                          lux::Word* in,
                          const int* in_counts,
                          const int* in_displacements,
                          std::int64_t times,
                          double* seconds)
{
  const std::lock_guard<std::mutex> lock{lux::guard};
  lux::words[key] = {out, counts, displacements, in, in_counts, in_displacements, times, seconds};
}

LUX_EXPORT void lux_forget_words(std::int64_t key)
{
  const std::lock_guard<std::mutex> lock{lux::guard};
  lux::words.erase(key);
}

}  // extern "C"
