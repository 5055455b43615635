// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// The exchange of levels, in sweeps from several sources at once, forward and then back. An entry is a vertex and a source:
// vertex * sources + source. Every process sends every other process the numbers of a level's entries whose vertices are read
// there.
//
// Numbers lie in two copies, of even and of odd levels; each is zero outside of one level. The queue has the entries of all
// levels: this process's own, and those that each other process has sent. A row of the state says which are of the level.
//
// A message is a head, the entries' positions among those that may be sent (a list or a bitmap, whichever is shorter), numbers,
// and exponents if any number has one. Backward sweeps of undirected graphs send the entries of forward sweeps again, in the
// same order: they need no positions, and no numbers of entries without successors, which are 1 / paths.
#include "iteration_exchange.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lux {
namespace {

// As in lux/algorithms/betweenness/multi_source_kernels.py (tests/algorithms/betweenness compares them).
constexpr std::int64_t START = 0, COUNT = 1, ENTRIES = 2, OUT_EDGES = 3, WIDE = 4, LEVEL_COLUMNS = 8;

struct LevelHead : MessageHead {
  std::int64_t entries, out_edges;  // of the sender's level
  std::int64_t count;               // entries that follow
  std::int32_t wide;                // 1 if they have exponents
  std::int32_t bytes;               // of a number: of integers 1, 2 or 4 where that is enough, or else 8
};
constexpr std::int64_t HEAD_WORDS = sizeof(LevelHead) / sizeof(Word);

// Calls a function with a number of the type that has so many bytes.
template <typename Function>
void with_type(std::int64_t bytes, Function&& function)
{
  switch (bytes) {
    case 1: return function(std::uint8_t{});
    case 2: return function(std::uint16_t{});
    case 4: return function(std::uint32_t{});
    default: return function(double{});
  }
}

// Vertices that one process reads of another one in one direction, counted from the owner's first vertex, in rising order.
struct Border {
  const Position* vertices;
  std::int64_t count;
};

// Another process. Forward sweeps are 0, backward ones 1.
struct LevelPeer {
  std::int64_t first, queue_at;          // its first vertex; where its entries begin in the queue
  std::array<Border, 2> sent, received;
  std::array<const Word*, 2> members;    // of `sent`: for each 64 vertices their bits, and how many come before
  std::array<std::int64_t, 2> filled{};  // entries in the queue
  std::vector<std::int64_t> starts;      // where each level of the forward sweep begins
  std::array<std::pair<std::int64_t, std::int64_t>, 2> shown{};  // entries whose numbers are in each copy: first, and how many
  bool exponents{};                      // any were received
  std::vector<std::int64_t> sent_starts; // where each level of the forward sweep begins in `sent_paths`
  std::vector<double> sent_paths, received_paths;  // numbers of the forward sweep, unless the graph is directed
  std::vector<Position> positions;       // vertex's in the border * sources + source
  std::vector<std::int64_t> entries;
};

class LevelExchange final : public IterationExchange {
 public:
  using IterationExchange::IterationExchange;

  std::int64_t first_vertex{}, sources{};
  bool directed{};
  std::array<std::int64_t*, 2> state{};  // rows of own partitions, then of other processes
  std::array<double*, 2> values{};
  std::int32_t* exponents{};
  std::int64_t* queue{};
  std::vector<LevelPeer> peers;

 private:
  LevelHead& head_of(std::size_t k) { return *reinterpret_cast<LevelHead*>(outgoing(k)); }

  std::int64_t bitmap_words(const Border& border) const { return words_of((border.count * sources + 7) / 8); }
  bool is_known(bool back) const { return back && !directed; }
  bool listed(std::int64_t count, const Border& border) const { return words_of(count * 4) <= bitmap_words(border); }

  void lay_out() override
  {
    const auto room = [&](const std::array<Border, 2>& borders) {
      std::int64_t most = EAGER;
      for (const auto& border : borders)
        most = std::max(most, bitmap_words(border) + border.count * sources + words_of(border.count * sources * 4));
      return HEAD_WORDS + most;
    };
    for (const auto& peer : peers) add_mailbox(room(peer.sent), HEAD_WORDS + EAGER, room(peer.received), HEAD_WORDS + EAGER);
  }

  // What is exchanged: twice the level, and 1 in the backward sweep.
  void pack(int thread, std::size_t what) override
  {
    for (auto k = static_cast<std::size_t>(thread); k < peers.size(); k += threads) pack_level(k, what >> 1, (what & 1) != 0);
  }

  void unpack(int thread, std::size_t what) override
  {
    for (auto k = static_cast<std::size_t>(thread); k < peers.size(); k += threads) unpack_level(k, what >> 1, (what & 1) != 0);
  }

  void complete(std::size_t) override
  {
    for (std::size_t k = 0; k < peers.size(); ++k)
      value_bytes += (head_of(k).words - HEAD_WORDS) * static_cast<std::int64_t>(sizeof(Word));
  }

  // Finds the entries of the level that are read there, in the order of the queue.
  void find_entries(LevelPeer& peer, const std::int64_t* rows, bool back) const
  {
    peer.positions.clear();
    peer.entries.clear();
    const auto divisor = static_cast<Word>(sources);
    const auto* members = peer.members[back];
    for (const auto* row = rows; row < rows + threads * LEVEL_COLUMNS; row += LEVEL_COLUMNS) {
      for (auto at = row[START]; at < row[START] + row[COUNT]; ++at) {
        const auto own    = static_cast<Word>(queue[at] - first_vertex * sources);
        const auto vertex = own / divisor;
        const auto mine = members[2 * (vertex >> 6)], bit = Word{1} << (vertex & 63);
        if ((mine & bit) == 0) continue;
        const auto place = members[2 * (vertex >> 6) + 1] + static_cast<Word>(std::popcount(mine & (bit - 1)));
        peer.positions.push_back(static_cast<Position>(place * divisor + (own - vertex * divisor)));
        peer.entries.push_back(queue[at]);
      }
    }
  }

  // Writes the bitmap of the positions, and puts the entries into their order.
  void write_bitmap(LevelPeer& peer, const Border& border, Word* bitmap) const
  {
    std::fill_n(bitmap, bitmap_words(border), Word{0});
    for (const auto position : peer.positions) bitmap[position >> 6] |= Word{1} << (position & 63);
    read_bitmap(bitmap, border, first_vertex, peer.entries.data());
  }

  void read_bitmap(const Word* bitmap, const Border& border, std::int64_t first, std::int64_t* entries) const
  {
    std::int64_t place = 0;
    for (std::int64_t word = 0; word < bitmap_words(border); ++word) {
      for (auto rest = bitmap[word]; rest != 0; rest &= rest - 1) {
        const auto position = (word << 6) + std::countr_zero(rest);
        while ((place + 1) * sources <= position) ++place;
        *entries++ = (first + border.vertices[place]) * sources + (position - place * sources);
      }
    }
  }

  void pack_level(std::size_t k, std::size_t level, bool back)
  {
    auto& peer         = peers[k];
    const auto& border = peer.sent[back];
    const auto* rows   = state[level & 1];
    const auto* from   = values[level & 1];
    LevelHead head{};
    for (const auto* row = rows; row < rows + threads * LEVEL_COLUMNS; row += LEVEL_COLUMNS)
      head.entries += row[ENTRIES], head.out_edges += row[OUT_EDGES], head.wide |= static_cast<std::int32_t>(row[WIDE]);
    find_entries(peer, rows, back);
    const auto& entries = peer.entries;
    head.count          = static_cast<std::int64_t>(entries.size());
    auto* at            = outgoing(k) + HEAD_WORDS;
    if (listed(head.count, border)) {
      if (!is_known(back)) {
        std::memcpy(at, peer.positions.data(), peer.positions.size() * sizeof(Position));
        at += words_of(head.count * static_cast<std::int64_t>(sizeof(Position)));
      }
    } else {
      write_bitmap(peer, border, at);
      if (!is_known(back)) at += bitmap_words(border);
    }
    if (is_known(back)) {
      at = pack_quotients(peer, level, from, at);
    } else {
      double most = back || head.wide != 0 ? HUGE_VAL : 0;
      for (const auto entry : entries) most = std::max(most, from[entry]);
      head.bytes = most < 0x1p8 ? 1 : most < 0x1p16 ? 2 : most < 0x1p32 ? 4 : 8;
      with_type(head.bytes, [&](auto number) {
        auto* to = reinterpret_cast<decltype(number)*>(at);
        for (const auto entry : entries) *to++ = static_cast<decltype(number)>(from[entry]);
      });
      at += words_of(head.bytes * head.count);
      if (!directed) keep_paths(peer, level, from);
    }
    if (head.wide != 0) {
      auto* to = reinterpret_cast<std::int32_t*>(at);
      for (const auto entry : entries) *to++ = exponents[entry];
      at += words_of(4 * head.count);
    }
    head.words = at - outgoing(k);
    std::memcpy(outgoing(k), &head, sizeof head);
  }

  static void keep_paths(LevelPeer& peer, std::size_t level, const double* from)
  {
    if (level == 0) peer.sent_paths.clear(), peer.sent_starts.clear();
    peer.sent_starts.push_back(static_cast<std::int64_t>(peer.sent_paths.size()));
    for (const auto entry : peer.entries) peer.sent_paths.push_back(from[entry]);
  }

  // Writes a bit for each entry, and the numbers of those whose bits are set: others are 1 / paths.
  static Word* pack_quotients(const LevelPeer& peer, std::size_t level, const double* from, Word* at)
  {
    const auto n      = words_of((static_cast<std::int64_t>(peer.entries.size()) + 7) / 8);
    auto* to          = reinterpret_cast<double*>(at + n);
    const auto* paths = peer.sent_paths.data() + peer.sent_starts[level];
    std::fill_n(at, n, Word{0});
    for (std::size_t i = 0; i < peer.entries.size(); ++i) {
      const auto number = from[peer.entries[i]];
      if (number == 1.0 / paths[i]) continue;
      at[i >> 6] |= Word{1} << (i & 63);
      *to++ = number;
    }
    return reinterpret_cast<Word*>(to);
  }

  // Reads them; returns where they end.
  const Word* unpack_quotients(
    const LevelPeer& peer, std::int64_t begin, std::int64_t count, const Word* from, double* into) const
  {
    const auto* each  = reinterpret_cast<const double*>(from + words_of((count + 7) / 8));
    const auto* paths = peer.received_paths.data() + (begin - peer.queue_at);
    for (std::int64_t i = 0; i < count; ++i)
      into[queue[begin + i]] = (from[i >> 6] >> (i & 63) & 1) != 0 ? *each++ : 1.0 / paths[i];
    return reinterpret_cast<const Word*>(each);
  }

  void clear(LevelPeer& peer, std::size_t copy)
  {
    const auto [begin, count] = std::exchange(peer.shown[copy], {0, 0});
    for (auto at = begin; at < begin + count; ++at) values[copy][queue[at]] = 0;
  }

  void unpack_level(std::size_t k, std::size_t level, bool back)
  {
    auto& peer         = peers[k];
    const auto& border = peer.received[back];
    const auto& head   = *reinterpret_cast<const LevelHead*>(incoming(k));
    const auto* from   = incoming(k) + HEAD_WORDS;
    const auto copy    = level & 1;
    clear(peer, copy);
    if (level == 0) {
      clear(peer, 1);
      peer.filled[0] = 0;
      peer.starts.clear();
    }
    auto begin = peer.queue_at;
    if (is_known(back)) {
      begin = peer.starts[level];
    } else {
      begin += peer.filled[back];
      peer.filled[back] += head.count;
      if (!back) peer.filled[1] = 0, peer.starts.push_back(begin);
      from += read_positions(peer, border, head.count, from, queue + begin);
    }
    const auto* entries = queue + begin;
    if (is_known(back)) {
      from = unpack_quotients(peer, begin, head.count, from, values[copy]);
    } else {
      with_type(head.bytes, [&](auto number) {
        const auto* each = reinterpret_cast<const decltype(number)*>(from);
        for (std::int64_t i = 0; i < head.count; ++i) values[copy][entries[i]] = static_cast<double>(each[i]);
      });
      from += words_of(head.bytes * head.count);
      if (!directed) {
        peer.received_paths.resize(static_cast<std::size_t>(peer.filled[0]));
        auto* paths = peer.received_paths.data() + (begin - peer.queue_at);
        for (std::int64_t i = 0; i < head.count; ++i) paths[i] = values[copy][entries[i]];
      }
    }
    peer.exponents |= head.wide != 0;
    if (peer.exponents) {
      const auto* each = reinterpret_cast<const std::int32_t*>(from);
      for (std::int64_t i = 0; i < head.count; ++i) exponents[entries[i]] = head.wide != 0 ? each[i] : 0;
    }
    peer.shown[copy] = {begin, head.count};
    auto* row        = state[copy] + (threads + static_cast<std::int64_t>(k)) * LEVEL_COLUMNS;
    row[START] = begin, row[COUNT] = head.count, row[ENTRIES] = head.entries;
    row[OUT_EDGES] = head.out_edges, row[WIDE] = head.wide;
  }

  // Reads the entries of a message into the queue; returns how many words tell them.
  std::int64_t read_positions(
    const LevelPeer& peer, const Border& border, std::int64_t count, const Word* from, std::int64_t* entries) const
  {
    if (!listed(count, border)) {
      read_bitmap(from, border, peer.first, entries);
      return bitmap_words(border);
    }
    const auto* positions = reinterpret_cast<const Position*>(from);
    const auto divisor    = static_cast<Position>(sources);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto place = positions[i] / divisor;
      entries[i]       = (peer.first + border.vertices[place]) * sources + (positions[i] - place * divisor);
    }
    return words_of(count * static_cast<std::int64_t>(sizeof(Position)));
  }
};

}  // namespace
}  // namespace lux

extern "C" {

#define LUX_EXPORT __attribute__((visibility("default")))

// Describes an exchange of levels; peers follow, in the order of the processes.
LUX_EXPORT void lux_level_exchange(std::int64_t key,
                                   std::int64_t rank,
                                   std::int64_t ranks,
                                   std::int64_t parts,
                                   std::int64_t first_vertex,
                                   std::int64_t sources,
                                   std::int64_t directed,
                                   std::int64_t* state,
                                   std::int64_t* other_state,
                                   double* values,
                                   double* other_values,
                                   std::int32_t* exponents,
                                   std::int64_t* queue)
{
  auto made          = std::make_unique<lux::LevelExchange>(rank, ranks, parts);
  made->first_vertex = first_vertex, made->sources = sources, made->directed = directed != 0;
  made->state = {state, other_state}, made->values = {values, other_values};
  made->exponents = exponents, made->queue = queue;
  lux::keep(key, std::move(made));
}

LUX_EXPORT void lux_level_peer(std::int64_t key, std::int64_t first, std::int64_t queue_at)
{
  auto& peers = static_cast<lux::LevelExchange&>(lux::find(key)).peers;
  peers.emplace_back();
  peers.back().first = first, peers.back().queue_at = queue_at;
}

// The borders with the last peer, of forward sweeps (0) or backward ones (1).
LUX_EXPORT void lux_level_borders(std::int64_t key,
                                  std::int64_t back,
                                  const lux::Position* sent,
                                  std::int64_t n_sent,
                                  const lux::Position* received,
                                  std::int64_t n_received,
                                  const lux::Word* members)
{
  auto& peer = static_cast<lux::LevelExchange&>(lux::find(key)).peers.back();
  peer.sent.at(back) = {sent, n_sent}, peer.received.at(back) = {received, n_received}, peer.members.at(back) = members;
}

}  // extern "C"
