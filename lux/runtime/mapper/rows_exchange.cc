// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// The exchange of rows: every process sends every other process, once, those of the rows which it has just written that are
// read there (UDS, equation 9 of the Lux paper), and a few numbers of each of its threads.
//
// Rows are in slots, and there may be several lists of them, each with owners and readers of its own. What is written names
// the copy of the numbers, the list, and the slot: copy + 2 * (list + lists * slot). A message is a head, the threads'
// numbers, and the rows.
#include "iteration_exchange.h"

#include <algorithm>

namespace lux {
namespace {

constexpr std::int64_t HEAD_WORDS = sizeof(MessageHead) / sizeof(Word);

// The rows of a list that go to another process, and those that come from it, counted from the owner's first one.
struct RowList {
  std::int64_t first_sent, first_received;
  const Position *sent, *received;
  std::int64_t n_sent, n_received;
};

struct RowsPeer {
  std::int64_t first_thread, n_threads;  // its threads, among those of all processes
  std::vector<RowList> lists;
};

class RowsExchange final : public IterationExchange {
 public:
  using IterationExchange::IterationExchange;

  std::int64_t first_thread{}, columns{};  // of the numbers
  std::array<double*, 2> numbers{};        // of the threads of all processes
  std::byte* slots{};
  std::int64_t slot_bytes{}, row_bytes{}, n_lists{};
  std::vector<RowsPeer> peers;  // in the order of the processes, without this one

 private:
  std::int64_t words(std::int64_t n_threads, std::int64_t n_rows) const
  {
    return HEAD_WORDS + n_threads * columns + words_of(n_rows * row_bytes);
  }
  std::size_t list_of(std::size_t written) const { return (written >> 1) % n_lists; }
  std::byte* slot_of(std::size_t written) const { return slots + (written >> 1) / n_lists * slot_bytes; }

  // The first round takes the shortest of the lists.
  void lay_out() override
  {
    for (const auto& peer : peers) {
      const auto sent     = std::ranges::minmax(peer.lists, {}, &RowList::n_sent);
      const auto received = std::ranges::minmax(peer.lists, {}, &RowList::n_received);
      add_mailbox(words(parts, sent.max.n_sent), words(parts, sent.min.n_sent),
                  words(peer.n_threads, received.max.n_received), words(peer.n_threads, received.min.n_received));
    }
  }

  // Each thread packs its share of the rows.
  void pack(int thread, std::size_t written) override
  {
    for (std::size_t k = 0; k < peers.size(); ++k) {
      const auto& list = peers[k].lists[list_of(written)];
      const auto* from = slot_of(written) + list.first_sent * row_bytes;
      auto* to         = reinterpret_cast<std::byte*>(outgoing(k) + words(parts, 0));
      for (auto i = list.n_sent * thread / threads; i < list.n_sent * (thread + 1) / threads; ++i)
        std::memcpy(to + i * row_bytes, from + list.sent[i] * row_bytes, row_bytes);
    }
  }

  void complete(std::size_t written) override
  {
    for (std::size_t k = 0; k < peers.size(); ++k) {
      const auto rows = peers[k].lists[list_of(written)].n_sent * row_bytes;
      reinterpret_cast<MessageHead*>(outgoing(k))->words = words(parts, 0) + words_of(rows);
      std::memcpy(outgoing(k) + HEAD_WORDS, numbers[written & 1] + first_thread * columns, parts * columns * sizeof(double));
      value_bytes += rows;
    }
  }

  void unpack(int thread, std::size_t written) override
  {
    for (std::size_t k = 0; k < peers.size(); ++k) {
      const auto& list = peers[k].lists[list_of(written)];
      const auto* from = reinterpret_cast<const std::byte*>(incoming(k) + words(peers[k].n_threads, 0));
      auto* to         = slot_of(written) + list.first_received * row_bytes;
      for (auto i = list.n_received * thread / threads; i < list.n_received * (thread + 1) / threads; ++i)
        std::memcpy(to + list.received[i] * row_bytes, from + i * row_bytes, row_bytes);
    }
  }

  void finish_exchange(std::size_t written) override
  {
    for (std::size_t k = 0; k < peers.size(); ++k)
      std::memcpy(numbers[written & 1] + peers[k].first_thread * columns, incoming(k) + HEAD_WORDS,
                  peers[k].n_threads * columns * sizeof(double));
  }
};

}  // namespace
}  // namespace lux

extern "C" {

#define LUX_EXPORT __attribute__((visibility("default")))

// Describes an exchange of rows; peers follow, in the order of the processes, and the lists of each.
LUX_EXPORT void lux_rows_exchange(std::int64_t key,
                                  std::int64_t rank,
                                  std::int64_t ranks,
                                  std::int64_t first_thread,
                                  std::int64_t n_threads,
                                  std::int64_t columns,
                                  double* numbers,
                                  double* other_numbers,
                                  void* slots,
                                  std::int64_t slot_bytes,
                                  std::int64_t row_bytes,
                                  std::int64_t n_lists)
{
  auto made          = std::make_unique<lux::RowsExchange>(rank, ranks, n_threads);
  made->first_thread = first_thread, made->columns = columns;
  made->numbers = {numbers, other_numbers}, made->slots = static_cast<std::byte*>(slots);
  made->slot_bytes = slot_bytes, made->row_bytes = row_bytes, made->n_lists = n_lists;
  lux::keep(key, std::move(made));
}

LUX_EXPORT void lux_rows_peer(std::int64_t key, std::int64_t first_thread, std::int64_t n_threads)
{
  static_cast<lux::RowsExchange&>(lux::find(key)).peers.push_back({first_thread, n_threads, {}});
}

// Adds a list to the peer that was added last.
LUX_EXPORT void lux_rows_list(std::int64_t key,
                              std::int64_t first_sent,
                              const lux::Position* sent,
                              std::int64_t n_sent,
                              std::int64_t first_received,
                              const lux::Position* received,
                              std::int64_t n_received)
{
  static_cast<lux::RowsExchange&>(lux::find(key))
    .peers.back()
    .lists.push_back({first_sent, first_received, sent, received, n_sent, n_received});
}

}  // extern "C"
