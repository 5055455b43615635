// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// The exchange of boards: rows of 64-bit words in two copies, of which each partition writes one in every round. A row begins
// with a head, whose first word counts the entries that follow. An entry begins with a vertex. Every process sends every other
// process the heads of its partitions' rows, and of the entries those whose vertices are read there.
#include "iteration_exchange.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace lux {
namespace {

// Another process.
struct BoardPeer {
  std::int64_t first_part, parts;
  const Word* members;  // this process's vertices that are read there: two words for each 64, of which the first has bits
};

class BoardExchange final : public IterationExchange {
 public:
  using IterationExchange::IterationExchange;

  std::int64_t first_part{}, first_vertex{};  // own
  std::int64_t all_parts{}, head_words{}, entry_words{};
  const std::int64_t* at{};  // where each partition's row begins
  std::array<Word*, 2> boards{};
  std::vector<BoardPeer> peers;

 private:
  std::int64_t row_words(std::int64_t begin, std::int64_t end) const { return at[end] - at[begin]; }

  void lay_out() override
  {
    constexpr std::int64_t head = sizeof(MessageHead) / sizeof(Word);
    const auto first = [&](std::int64_t n_parts) { return head + n_parts * head_words + EAGER; };
    for (const auto& peer : peers) {
      add_mailbox(head + row_words(first_part, first_part + parts), first(parts),
                  head + row_words(peer.first_part, peer.first_part + peer.parts), first(peer.parts));
    }
  }

  void pack(int thread, std::size_t copy) override
  {
    for (auto k = static_cast<std::size_t>(thread); k < peers.size(); k += threads) {
      auto* const message = outgoing(k);
      auto* to            = message + sizeof(MessageHead) / sizeof(Word);
      for (auto part = first_part; part < first_part + parts; ++part) {
        const auto* row = boards[copy] + at[part];
        auto* const head = std::exchange(to, std::copy_n(row, head_words, to));
        const auto count = row[0];
        head[0]          = 0;
        for (std::uint64_t entry = 0; entry < count; ++entry) {
          const auto* from  = row + head_words + entry * entry_words;
          const auto vertex = from[0] - static_cast<Word>(first_vertex);
          if ((peers[k].members[2 * (vertex >> 6)] >> (vertex & 63) & 1) == 0) continue;
          to = std::copy_n(from, entry_words, to);
          ++head[0];
        }
      }
      reinterpret_cast<MessageHead*>(message)->words = to - message;
    }
  }

  void complete(std::size_t) override {}

  // After the rows come the sums and the minima of the heads' words, the number of rows with entries, and these rows.
  void summarize(std::size_t copy) override
  {
    auto* const board   = reinterpret_cast<std::int64_t*>(boards[copy]);
    auto* const sums    = board + at[all_parts];
    auto* const minima  = sums + head_words;
    auto& listed        = minima[head_words];
    std::fill_n(sums, head_words, 0);
    std::fill_n(minima, head_words, std::numeric_limits<std::int64_t>::max());
    listed = 0;
    for (std::int64_t part = 0; part < all_parts; ++part) {
      const auto* head = board + at[part];
      for (std::int64_t k = 0; k < head_words; ++k) {
        // Of words that are minima, up to 2^62, no sum is read; it may wrap.
        sums[k]   = static_cast<std::int64_t>(static_cast<std::uint64_t>(sums[k]) + static_cast<std::uint64_t>(head[k]));
        minima[k] = std::min(minima[k], head[k]);
      }
      if (head[0] != 0) (&listed)[++listed] = part;
    }
  }

  void unpack(int thread, std::size_t copy) override
  {
    for (auto k = static_cast<std::size_t>(thread); k < peers.size(); k += threads) {
      const auto* from = incoming(k) + sizeof(MessageHead) / sizeof(Word);
      for (auto part = peers[k].first_part; part < peers[k].first_part + peers[k].parts; ++part) {
        const auto words = head_words + static_cast<std::int64_t>(from[0]) * entry_words;
        std::copy_n(from, words, boards[copy] + at[part]);
        from += words;
      }
    }
  }
};

}  // namespace
}  // namespace lux

extern "C" {

#define LUX_EXPORT __attribute__((visibility("default")))

// Describes an exchange of boards; peers follow, in the order of the processes.
LUX_EXPORT void lux_board_exchange(std::int64_t key,
                                   std::int64_t rank,
                                   std::int64_t ranks,
                                   std::int64_t first_part,
                                   std::int64_t parts,
                                   std::int64_t all_parts,
                                   std::int64_t first_vertex,
                                   const std::int64_t* at,
                                   lux::Word* board,
                                   lux::Word* other_board,
                                   std::int64_t head_words,
                                   std::int64_t entry_words)
{
  auto made        = std::make_unique<lux::BoardExchange>(rank, ranks, parts);
  made->first_part = first_part, made->first_vertex = first_vertex, made->at = at;
  made->boards     = {board, other_board};
  made->all_parts  = all_parts;
  made->head_words = head_words, made->entry_words = entry_words;
  lux::keep(key, std::move(made));
}

LUX_EXPORT void lux_board_peer(std::int64_t key, std::int64_t first_part, std::int64_t parts, const lux::Word* members)
{
  static_cast<lux::BoardExchange&>(lux::find(key)).peers.push_back({first_part, parts, members});
}

}  // extern "C"
