// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// The exchange of a program's fields. Every process sends every other process, once, the values that are read there (UDS,
// equation 9 of the Lux paper). Of programs with a frontier it sends those that changed, as a list of positions or as a bitmap,
// whichever is shorter.
//
// A message is a head with totals and partitions' nanoseconds, values' positions unless all are sent, and each field's values.
#include "iteration_exchange.h"

#include <algorithm>
#include <numeric>

namespace lux {
namespace {

// As in lux/kernels/frontier.py (tests/runtime/test_mapper_library.py compares them).
constexpr std::int64_t STATE_COLUMNS = 16, ACTIVE = 2, ACTIVE_EDGES = 3, FORM = 4, NANOSECONDS = 6, TOTALS = 8;
constexpr std::int64_t QUEUE = 0, BITMAP = 1, EVERY = 2, LISTED = 3;

// A message's head, followed by the program's totals and the nanoseconds of the sender's partitions.
struct Head : MessageHead {
  std::int64_t active, active_edges;  // of the sender
  std::int64_t count;                 // vertices whose values follow
  std::int64_t encoding;              // ALL, LIST or BITS
};
constexpr std::int64_t HEAD_WORDS = sizeof(Head) / sizeof(Word), ALL = 0, LIST = 1, BITS = 2;

// Copies n items of a number of bytes between any places.
template <typename Read, typename Write>
void copy_items(std::int64_t bytes, std::int64_t n, Read&& read, Write&& write)
{
  const auto each = [&](auto item) {
    using Item = decltype(item);
    for (std::int64_t k = 0; k < n; ++k) *reinterpret_cast<Item*>(write(k)) = *reinterpret_cast<const Item*>(read(k));
  };
  switch (bytes) {
    case 1: return each(std::uint8_t{});
    case 2: return each(std::uint16_t{});
    case 4: return each(std::uint32_t{});
    case 8: return each(std::uint64_t{});
    default:
      for (std::int64_t k = 0; k < n; ++k) std::memcpy(write(k), read(k), static_cast<std::size_t>(bytes));
  }
}

// A field that is read from neighbours: its two copies, of all the graph's vertices.
struct Field {
  std::int64_t bytes;  // of a vertex
  std::array<std::byte*, 2> copies;
};

// Another process. Its vertices that are read here, and this process's that are read there, both in rising order and
// counted from the owner's first vertex.
struct Peer {
  std::int64_t row, first;                    // of the state; first vertex
  std::int64_t first_part, parts;             // its partitions
  const Position *sent, *received;
  std::int64_t n_sent, n_received;
  const Word* members;                        // of `sent`: for each 64 vertices their bits, and how many come before
  std::vector<Position> changed;              // positions in `sent`
};

class FieldsExchange final : public IterationExchange {
 public:
  using IterationExchange::IterationExchange;

  bool frontier{};
  std::int64_t n_totals{}, id_bytes{};
  std::int64_t first_part{};
  std::int64_t* nanoseconds{};               // smoothed, of an iteration of every partition
  std::int64_t n_rows{}, first_own{};        // rows of the state: others' nodes and own partitions
  const std::int64_t *points{}, *word_at{};  // of the rows
  std::array<std::int64_t*, 2> state{};
  std::array<Word*, 2> words{};
  std::vector<Field> fields;
  std::vector<Peer> peers;  // in the order of the nodes, without this one

 private:
  std::vector<double> node_totals_;

  std::int64_t head_words(std::int64_t sender_parts) const { return HEAD_WORDS + n_totals + sender_parts; }
  std::int64_t own_first() const { return points[first_own]; }
  Head& head_of(std::size_t k) { return *reinterpret_cast<Head*>(outgoing(k)); }
  const Head& incoming_head(std::size_t k) const { return *reinterpret_cast<const Head*>(incoming(k)); }

  // Other processes' values are read by the first iteration.
  bool begins_with_exchange() const override { return true; }

  // Without a frontier messages have a fixed size. With one there is room for all values, and the first round takes EAGER.
  void lay_out() override
  {
    node_totals_.assign(std::max<std::int64_t>(ranks * n_totals, 1), 0);
    const auto room = [&](std::int64_t n, std::int64_t sender_parts) {
      std::int64_t all = frontier ? words_of((n + 7) / 8) : 0;
      for (const auto& field : fields) all += words_of(field.bytes * n);
      return head_words(sender_parts) + all;
    };
    const auto first = [&](std::int64_t n, std::int64_t sender_parts) {
      return frontier ? head_words(sender_parts) + EAGER : room(n, sender_parts);
    };
    for (const auto& peer : peers) {
      add_mailbox(room(peer.n_sent, parts), first(peer.n_sent, parts), room(peer.n_received, peer.parts),
                  first(peer.n_received, peer.parts));
    }
  }

  void pack(int thread, std::size_t copy) override
  {
    for (std::size_t k = 0; k < peers.size(); ++k) {
      if (!frontier) pack_all(k, copy, thread);
      else if (static_cast<int>(k % threads) == thread) pack_changed(k, copy);
    }
  }

  void unpack(int thread, std::size_t copy) override
  {
    for (std::size_t k = 0; k < peers.size(); ++k) {
      if (!frontier) unpack_all(k, copy, thread);
      else if (static_cast<int>(k % threads) == thread) unpack_changed(k, copy);
    }
  }

  // Adds to the heads what all messages have.
  void complete(std::size_t copy) override
  {
    std::int64_t active = 0, active_edges = 0;
    std::vector<double> totals(n_totals);
    for (auto row = first_own; row < first_own + threads; ++row) {
      const auto* from = state[copy] + row * STATE_COLUMNS;
      active += from[ACTIVE], active_edges += from[ACTIVE_EDGES];
      if (row - first_own < parts) nanoseconds[first_part + row - first_own] = from[NANOSECONDS];
      for (std::int64_t k = 0; k < n_totals; ++k) totals[k] += std::bit_cast<double>(from[TOTALS + k]);
    }
    for (std::size_t k = 0; k < peers.size(); ++k) {
      auto& head  = head_of(k);
      auto* after = outgoing(k) + HEAD_WORDS;
      head.active = active, head.active_edges = active_edges;
      value_bytes += (head.words - head_words(parts)) * static_cast<std::int64_t>(sizeof(Word));
      std::memcpy(after, totals.data(), n_totals * sizeof(double));
      std::memcpy(after + n_totals, nanoseconds + first_part, parts * sizeof(std::int64_t));
    }
    std::copy(totals.begin(), totals.end(), node_totals_.begin() + rank * n_totals);
  }

  // Every field's values of all vertices that are read there, one field after the other; each thread packs its share.
  void pack_all(std::size_t k, std::size_t copy, int thread)
  {
    const auto& peer = peers[k];
    const auto lo = peer.n_sent * thread / threads, hi = peer.n_sent * (thread + 1) / threads;
    auto* at = outgoing(k) + head_words(parts);
    for (const auto& field : fields) {
      const auto* from = field.copies[copy] + own_first() * field.bytes;
      auto* to         = reinterpret_cast<std::byte*>(at);
      copy_items(
        field.bytes,
        hi - lo,
        [&](std::int64_t i) { return from + peer.sent[lo + i] * field.bytes; },
        [&](std::int64_t i) { return to + (lo + i) * field.bytes; });
      at += words_of(field.bytes * peer.n_sent);
    }
    if (thread == 0) head_of(k) = Head{{at - outgoing(k), 0}, 0, 0, peer.n_sent, ALL};
  }

  void unpack_all(std::size_t k, std::size_t copy, int thread)
  {
    const auto& peer = peers[k];
    const auto lo = peer.n_received * thread / threads, hi = peer.n_received * (thread + 1) / threads;
    const auto* at = incoming(k) + head_words(peer.parts);
    for (const auto& field : fields) {
      const auto* from = reinterpret_cast<const std::byte*>(at);
      auto* to         = field.copies[copy] + peer.first * field.bytes;
      copy_items(
        field.bytes,
        hi - lo,
        [&](std::int64_t i) { return from + (lo + i) * field.bytes; },
        [&](std::int64_t i) { return to + peer.received[lo + i] * field.bytes; });
      at += words_of(field.bytes * peer.n_received);
    }
    if (thread == 0) note_row(k, copy, EVERY);
  }

  // Adds the positions of those of 64 vertices that are set in `bits` and read there.
  static void add_changed(Peer& peer, std::int64_t word, Word bits)
  {
    const auto mine = peer.members[2 * word];
    for (auto rest = bits & mine; rest != 0; rest &= rest - 1) {
      const auto below = (rest & (~rest + 1)) - 1;
      peer.changed.push_back(static_cast<Position>(peer.members[2 * word + 1] + std::popcount(mine & below)));
    }
  }

  // Finds the positions of the active vertices that are read there.
  void find_changed(Peer& peer, std::size_t copy) const
  {
    peer.changed.clear();
    for (auto row = first_own; row < first_own + threads; ++row) {
      const auto* own = state[copy] + row * STATE_COLUMNS;
      const auto from = points[row] - own_first(), end = points[row + 1] - own_first();
      const auto* own_words = words[copy] + word_at[row];
      if (own[FORM] == QUEUE) {
        for (std::int64_t k = 0; k < own[ACTIVE]; ++k) {
          const auto vertex = (id_bytes == 4 ? reinterpret_cast<const std::uint32_t*>(own_words)[k] : own_words[k]) -
                              static_cast<Word>(own_first());
          add_changed(peer, static_cast<std::int64_t>(vertex >> 6), Word{1} << (vertex & 63));
        }
      } else if (own[FORM] == BITMAP) {
        const auto shift = from & 63;
        for (auto first = from; first < end; first += 64) {
          const auto bits = own_words[(first - from) >> 6];
          add_changed(peer, first >> 6, bits << shift);
          if (shift != 0 && bits >> (64 - shift) != 0) add_changed(peer, (first >> 6) + 1, bits >> (64 - shift));
        }
      } else {
        for (auto word = from >> 6; word << 6 < end; ++word) {
          auto bits = ~Word{0};
          if (word << 6 < from) bits &= ~Word{0} << (from & 63);
          if (end < (word + 1) << 6) bits &= ~Word{0} >> (64 - (end & 63));
          add_changed(peer, word, bits);
        }
      }
    }
  }

  void pack_changed(std::size_t k, std::size_t copy)
  {
    auto& peer = peers[k];
    find_changed(peer, copy);
    auto& changed    = peer.changed;
    const auto count = static_cast<std::int64_t>(changed.size());
    const auto bits = words_of((peer.n_sent + 7) / 8), list = words_of(count * sizeof(Position));
    const auto encoding = count == peer.n_sent ? ALL : list <= bits ? LIST : BITS;
    auto* at            = outgoing(k) + head_words(parts);
    if (encoding != LIST) std::sort(changed.begin(), changed.end());
    if (encoding == LIST) {
      std::memcpy(at, changed.data(), count * sizeof(Position));
      at += list;
    } else if (encoding == BITS) {
      std::fill_n(at, bits, Word{0});
      for (const auto position : changed) at[position >> 6] |= Word{1} << (position & 63);
      at += bits;
    }
    for (const auto& field : fields) {
      const auto* from = field.copies[copy] + own_first() * field.bytes;
      auto* to         = reinterpret_cast<std::byte*>(at);
      copy_items(
        field.bytes,
        count,
        [&](std::int64_t i) { return from + peer.sent[changed[i]] * field.bytes; },
        [&](std::int64_t i) { return to + i * field.bytes; });
      at += words_of(field.bytes * count);
    }
    head_of(k) = Head{{at - outgoing(k), 0}, 0, 0, count, encoding};
  }

  // Writes received values into both copies, as unchanged ones are never sent again, and the peer's frontier.
  void unpack_changed(std::size_t k, std::size_t copy)
  {
    auto& peer       = peers[k];
    const auto& head = incoming_head(k);
    const auto* at   = incoming(k) + head_words(peer.parts);
    auto& positions  = peer.changed;
    positions.resize(static_cast<std::size_t>(head.count));
    if (head.encoding == LIST) {
      std::memcpy(positions.data(), at, positions.size() * sizeof(Position));
      at += words_of(head.count * static_cast<std::int64_t>(sizeof(Position)));
    } else if (head.encoding == BITS) {
      auto position = positions.begin();
      const auto n  = words_of((peer.n_received + 7) / 8);
      for (std::int64_t word = 0; word < n; ++word) {
        for (auto rest = at[word]; rest != 0; rest &= rest - 1)
          *position++ = static_cast<Position>((word << 6) + std::countr_zero(rest));
      }
      at += n;
    } else {
      std::iota(positions.begin(), positions.end(), Position{0});
    }
    for (auto& position : positions) position = peer.received[position];
    for (const auto& field : fields) {
      const auto* from = reinterpret_cast<const std::byte*>(at);
      for (auto* whole : field.copies) {
        auto* to = whole + peer.first * field.bytes;
        copy_items(
          field.bytes,
          head.count,
          [&](std::int64_t i) { return from + i * field.bytes; },
          [&](std::int64_t i) { return to + positions[i] * field.bytes; });
      }
      at += words_of(field.bytes * head.count);
    }
    note_row(k, copy, note_frontier(peer, copy));
  }

  // Writes the active vertices that are read here, and returns the form in which they are there.
  std::int64_t note_frontier(const Peer& peer, std::size_t copy)
  {
    auto* there      = words[copy] + word_at[peer.row];
    const auto n     = word_at[peer.row + 1] - word_at[peer.row];
    const auto count = static_cast<std::int64_t>(peer.changed.size());
    if (count * id_bytes <= n * 8) {
      for (std::int64_t k = 0; k < count; ++k) {
        const auto vertex = static_cast<Word>(peer.first) + peer.changed[k];
        if (id_bytes == 4) reinterpret_cast<std::uint32_t*>(there)[k] = static_cast<std::uint32_t>(vertex);
        else there[k] = vertex;
      }
      return LISTED + count;
    }
    std::fill_n(there, n, Word{0});
    for (const auto vertex : peer.changed) there[vertex >> 6] |= Word{1} << (vertex & 63);
    return BITMAP;
  }

  void note_row(std::size_t k, std::size_t copy, std::int64_t form)
  {
    const auto& head = incoming_head(k);
    auto* row        = state[copy] + peers[k].row * STATE_COLUMNS;
    std::fill_n(row, STATE_COLUMNS, 0);
    row[ACTIVE] = head.active, row[ACTIVE_EDGES] = head.active_edges, row[FORM] = form;
  }

  // Every process adds the nodes' totals in the same order, so that all decide alike. Kernels add up all rows: the first has
  // the sum.
  void finish_exchange(std::size_t copy) override
  {
    for (std::size_t k = 0; k < peers.size(); ++k) {
      const auto* after = incoming(k) + HEAD_WORDS;
      std::memcpy(&node_totals_[process_of(k) * n_totals], after, n_totals * sizeof(double));
      std::memcpy(nanoseconds + peers[k].first_part, after + n_totals, peers[k].parts * sizeof(std::int64_t));
    }
    for (std::int64_t k = 0; k < n_totals; ++k) {
      double sum = 0;
      for (int node = 0; node < ranks; ++node) sum += node_totals_[node * n_totals + k];
      for (std::int64_t row = 0; row < n_rows; ++row)
        state[copy][row * STATE_COLUMNS + TOTALS + k] = std::bit_cast<std::int64_t>(row == 0 ? sum : 0.0);
    }
  }

  // The row after all others has their sums, as each partition needs them (lux/kernels/frontier.py).
  void summarize(std::size_t copy) override
  {
    auto* sums = state[copy] + n_rows * STATE_COLUMNS;
    std::array<double, STATE_COLUMNS - TOTALS> totals{};
    sums[ACTIVE] = sums[ACTIVE_EDGES] = 0;
    for (const auto* row = state[copy]; row < sums; row += STATE_COLUMNS) {
      sums[ACTIVE] += row[ACTIVE], sums[ACTIVE_EDGES] += row[ACTIVE_EDGES];
      for (std::int64_t k = 0; k < n_totals; ++k) totals[k] += std::bit_cast<double>(row[TOTALS + k]);
    }
    for (std::int64_t k = 0; k < n_totals; ++k) sums[TOTALS + k] = std::bit_cast<std::int64_t>(totals[k]);
  }
};

FieldsExchange& find_fields(std::int64_t key) { return static_cast<FieldsExchange&>(find(key)); }

}  // namespace
}  // namespace lux

extern "C" {

#define LUX_EXPORT __attribute__((visibility("default")))

// Describes an exchange: first the process and its state, then its fields and peers.
LUX_EXPORT void lux_fields_exchange(std::int64_t key,
                                    std::int64_t rank,
                                    std::int64_t ranks,
                                    std::int64_t first_part,
                                    std::int64_t parts,
                                    std::int64_t* nanoseconds,
                                    const std::int64_t* points,
                                    const std::int64_t* word_at,
                                    std::int64_t n_rows,
                                    std::int64_t* state,
                                    std::int64_t* other_state,
                                    lux::Word* words,
                                    lux::Word* other_words,
                                    std::int64_t id_bytes,
                                    std::int64_t n_totals)
{
  auto made        = std::make_unique<lux::FieldsExchange>(rank, ranks, parts);
  made->first_part = first_part, made->nanoseconds = nanoseconds;
  made->points = points, made->word_at = word_at, made->n_rows = n_rows, made->first_own = rank;
  made->state = {state, other_state}, made->words = {words, other_words};
  made->frontier = words != nullptr, made->id_bytes = id_bytes, made->n_totals = n_totals;
  lux::keep(key, std::move(made));
}

LUX_EXPORT void lux_exchange_field(std::int64_t key, std::int64_t bytes, void* copy, void* other)
{
  lux::find_fields(key).fields.push_back({bytes, {static_cast<std::byte*>(copy), static_cast<std::byte*>(other)}});
}

LUX_EXPORT void lux_exchange_peer(std::int64_t key,
                                  std::int64_t row,
                                  std::int64_t first_part,
                                  std::int64_t parts,
                                  const lux::Position* sent,
                                  std::int64_t n_sent,
                                  const lux::Position* received,
                                  std::int64_t n_received,
                                  const lux::Word* members)
{
  auto& exchange = lux::find_fields(key);
  exchange.peers.push_back(
    {row, exchange.points[row], first_part, parts, sent, received, n_sent, n_received, members, {}});
}

}  // extern "C"
