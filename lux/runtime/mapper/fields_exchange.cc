// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// The exchange of a program's fields. Every process sends every other process, once, the values that are read there (UDS,
// equation 9 of the Lux paper). Of programs with a frontier it sends those that changed, as a list of positions or as a bitmap,
// whichever is shorter.
//
// A message is a head with totals and partitions' nanoseconds, and values (vertex_values.h). Where kernels offer values as soon
// as they are final, these have crossed by streams before (early_values.h), and messages are heads alone. So are the first
// ones, where readers set the first values of vertices that they read themselves.
#include "early_values.h"

namespace lux {
namespace {

// As in lux/kernels/frontier.py (tests/runtime/test_mapper_library.py compares them).
constexpr std::int64_t STATE_COLUMNS = 16, ACTIVE = 2, ACTIVE_EDGES = 3, FORM = 4, NANOSECONDS = 6, TOTALS = 8;
constexpr std::int64_t QUEUE = 0, BITMAP = 1, EVERY = 2, LISTED = 3;

// A message's head, followed by the program's totals and the nanoseconds of the sender's partitions.
struct Head : MessageHead {
  std::int64_t active, active_edges;  // of the sender
  std::int64_t count;                 // vertices whose values follow
  std::int64_t form;                  // ALL, LIST, BITS or KNOWN
};
constexpr std::int64_t HEAD_WORDS = sizeof(Head) / sizeof(Word);

// Another process. Its vertices that are read here are in rising order, counted from its first one.
struct Peer {
  std::int64_t row, first;         // of the state; first vertex
  std::int64_t first_part, parts;  // its partitions
  Border border;                   // this process's vertices that are read there
  const Position* received;
  std::int64_t n_received;
  bool knows;                       // it has set the first values of what it reads
  std::vector<Position> changed{};  // positions
  EarlyValues early{};
};

class FieldsExchange final : public IterationExchange {
 public:
  using IterationExchange::IterationExchange;

  std::int64_t n_totals{}, id_bytes{};
  std::int64_t first_part{};
  std::int64_t* nanoseconds{};               // smoothed, of an iteration of every partition
  std::int64_t n_rows{}, first_own{};        // rows of the state: others' nodes and own partitions
  const std::int64_t *points{}, *word_at{};  // of the rows
  std::array<std::int64_t*, 2> state{};
  std::array<Word*, 2> words{};
  Fields fields{};
  std::vector<Peer> peers;  // in the order of the nodes, without this one

 private:
  std::vector<double> node_totals_;
  std::atomic<bool> offered_{false};  // true if all values of this iteration were offered

  std::int64_t head_words(std::int64_t sender_parts) const { return HEAD_WORDS + n_totals + sender_parts; }
  std::int64_t own_first() const { return points[first_own]; }
  Head& head_of(std::size_t k) { return *reinterpret_cast<Head*>(outgoing(k)); }
  const Head& incoming_head(std::size_t k) const { return *reinterpret_cast<const Head*>(incoming(k)); }

  // Other processes' values are read by the first iteration.
  bool begins_with_exchange() const override { return true; }

  // True if the values to a process, and from it, have crossed by a stream: both have offered all.
  bool crossed(const Peer& peer) const { return offered_ && peer.early.used(); }

  std::int64_t received_words(const Peer& peer) const
  {
    return frame_words(fields, peer.n_received, std::max<std::int64_t>(peer.parts, 1));
  }
  Word* frames_from(std::size_t k) { return incoming(k) + mailboxes[k].in_first; }

  // Messages without a frontier and without streams have a fixed size. Otherwise there is room for all values, and the first
  // round takes EAGER. Frames lie after what it takes.
  void lay_out() override
  {
    node_totals_.assign(std::max<std::int64_t>(ranks * n_totals, 1), 0);
    for (std::size_t k = 0; k < peers.size(); ++k) {
      auto& peer = peers[k];
      auto out   = head_words(parts) + fields.words(peer.border.n_sent);
      auto in    = head_words(peer.parts) + fields.words(peer.n_received);
      if (!fields.frontier && !reached(k)) {
        add_mailbox(out, out, in, in);
        continue;
      }
      const auto out_first = head_words(parts) + EAGER, in_first = head_words(peer.parts) + EAGER;
      if (reached(k)) {
        const auto end = peer.early.lay_out(process_of(k), fields, peer.border, points + first_own, threads, out_first);
        out            = std::max(out, end);
        in             = std::max(in, in_first + received_words(peer));
      }
      add_mailbox(out, out_first, in, in_first);
    }
  }

  bool reached(std::size_t k) const { return streams() != nullptr && streams()->reach(process_of(k)); }

  void begin_launch() override
  {
    for (std::size_t k = 0; k < peers.size(); ++k) {
      const auto bytes = received_words(peers[k]) * static_cast<std::int64_t>(sizeof(Word));
      if (reached(k)) streams()->receive(process_of(k), frames_from(k), bytes);
    }
  }

  void offer(int thread, std::size_t copy, const Offer& given) override
  {
    for (std::size_t k = 0; k < peers.size(); ++k)
      if (peers[k].early.used()) peers[k].early.offer(thread, copy, given, outgoing(k));
    if (given.end == points[first_own + thread + 1]) offered_ = true;
    else if (fields.frontier) streams()->move();
  }

  void pack(int thread, std::size_t copy) override
  {
    for (std::size_t k = 0; k < peers.size(); ++k) {
      const bool mine = static_cast<int>(k % threads) == thread;
      if (crossed(peers[k])) {
        if (mine) head_of(k) = Head{{head_words(parts), 0}, 0, 0, 0, LIST};
      } else if (knows_all(k, copy)) {
        if (mine) head_of(k) = Head{{head_words(parts), 0}, 0, 0, peers[k].border.n_sent, KNOWN};
      } else if (!fields.frontier) {
        pack_all(k, copy, thread);
      } else if (mine) {
        pack_changed(k, copy);
      }
    }
  }

  void unpack(int thread, std::size_t copy) override
  {
    for (std::size_t k = 0; k < peers.size(); ++k) {
      const bool mine = static_cast<int>(k % threads) == thread;
      if (fields.frontier) {
        if (!mine) continue;
        unpack_changed(k);
        note_row(k, copy, note_frontier(peers[k], copy));
        continue;
      }
      if (crossed(peers[k])) unpack_frames(k, copy, thread);
      else if (incoming_head(k).form != KNOWN) unpack_all(k, copy, thread);
      if (mine) note_row(k, copy, EVERY);
    }
  }

  // True if another process has set all values that this exchange, the first one, would send it, and all are active.
  bool knows_all(std::size_t k, std::size_t copy) const
  {
    if (!peers[k].knows || exchanges != 0 || mailboxes[k].out_first > head_words(parts) + EAGER) return false;
    const auto* row = state[copy] + first_own * STATE_COLUMNS;
    for (int thread = 0; thread < threads; ++thread, row += STATE_COLUMNS)
      if (row[FORM] != EVERY) return false;
    return true;
  }

  // Adds to the heads what all messages have.
  void complete(std::size_t copy) override
  {
    if (offered_) finish_streams();
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

  void finish_streams()
  {
    streams()->finish();
    for (auto& peer : peers) {
      const auto bytes = peer.early.begin() * static_cast<std::int64_t>(sizeof(Word));
      sent_bytes += bytes, value_bytes += bytes;
    }
  }

  // Values of all vertices that are read there; each thread packs its share.
  void pack_all(std::size_t k, std::size_t copy, int thread)
  {
    const auto& border = peers[k].border;
    const auto* end    = fields.pack(
      copy,
      border.n_sent,
      outgoing(k) + head_words(parts),
      [&](std::int64_t i) { return own_first() + border.sent[i]; },
      share_of(border.n_sent, thread, threads));
    if (thread == 0) head_of(k) = Head{{end - outgoing(k), 0}, 0, 0, border.n_sent, ALL};
  }

  void unpack_all(std::size_t k, std::size_t copy, int thread)
  {
    const auto& peer = peers[k];
    fields.unpack(
      copy,
      peer.n_received,
      incoming(k) + head_words(peer.parts),
      [&](std::int64_t i) { return peer.first + peer.received[i]; },
      share_of(peer.n_received, thread, threads));
  }

  // Reads a thread's share of the frames.
  void unpack_frames(std::size_t k, std::size_t copy, int thread)
  {
    const auto& peer = peers[k];
    int turn         = 0;
    for_each_frame(k, [&](const Values& values, const Word* at) {
      if (turn++ % threads != thread) return;
      fields.unpack(copy, values.count, at, [&](std::int64_t i) { return peer.first + peer.received[values.first + i]; });
    });
  }

  template <typename Read>
  void for_each_frame(std::size_t k, Read&& read)
  {
    for (const Word* frame = frames_from(k); *frame != LAST_FRAME; frame += *frame)
      read(reinterpret_cast<const FrameHead*>(frame)->values, frame + FRAME_WORDS);
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
          peer.border.add(static_cast<std::int64_t>(vertex >> 6), Word{1} << (vertex & 63), peer.changed);
        }
      } else if (own[FORM] == BITMAP) {
        const auto shift = from & 63;
        for (auto first = from; first < end; first += 64) {
          const auto bits = own_words[(first - from) >> 6];
          peer.border.add(first >> 6, bits << shift, peer.changed);
          if (shift != 0 && bits >> (64 - shift) != 0) peer.border.add((first >> 6) + 1, bits >> (64 - shift), peer.changed);
        }
      } else {
        for (auto word = from >> 6; word << 6 < end; ++word) {
          auto bits = ~Word{0};
          if (word << 6 < from) bits &= ~Word{0} << (from & 63);
          if (end < (word + 1) << 6) bits &= ~Word{0} >> (64 - (end & 63));
          peer.border.add(word, bits, peer.changed);
        }
      }
    }
  }

  void pack_changed(std::size_t k, std::size_t copy)
  {
    auto& peer = peers[k];
    find_changed(peer, copy);
    auto& changed    = peer.changed;
    const auto values = values_of(0, peer.border.n_sent, static_cast<std::int64_t>(changed.size()));
    if (values.form != LIST) std::sort(changed.begin(), changed.end());
    auto* at = pack_positions(values, changed.data(), outgoing(k) + head_words(parts));
    at       = fields.pack(copy, values.count, at, [&](std::int64_t i) { return own_first() + peer.border.sent[changed[i]]; });
    head_of(k) = Head{{at - outgoing(k), 0}, 0, 0, values.count, values.form};
  }

  void unpack_changed(std::size_t k)
  {
    auto& peer       = peers[k];
    const auto& head = incoming_head(k);
    peer.changed.clear();
    if (head.form == KNOWN) {
      peer.changed.assign(peer.received, peer.received + peer.n_received);
      return;
    }
    unpack_values(peer, {0, peer.n_received, head.count, head.form}, incoming(k) + head_words(peer.parts));
    if (crossed(peer)) for_each_frame(k, [&](const Values& values, const Word* at) { unpack_values(peer, values, at); });
  }

  // Writes received values into both copies, as unchanged ones are never sent again, and notes whose they are.
  void unpack_values(Peer& peer, const Values& values, const Word* at)
  {
    peer.changed.resize(peer.changed.size() + static_cast<std::size_t>(values.count));
    auto* const vertices = peer.changed.data() + peer.changed.size() - values.count;
    at                   = unpack_positions(values, at, vertices);
    for (std::int64_t i = 0; i < values.count; ++i) vertices[i] = peer.received[vertices[i]];
    for (const std::size_t copy : {0, 1})
      fields.unpack(copy, values.count, at, [&](std::int64_t i) { return peer.first + vertices[i]; });
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
    offered_ = false;
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
  made->fields.frontier = words != nullptr, made->id_bytes = id_bytes, made->n_totals = n_totals;
  lux::keep(key, std::move(made));
}

LUX_EXPORT void lux_exchange_field(std::int64_t key, std::int64_t bytes, void* copy, void* other)
{
  lux::find_fields(key).fields.each.push_back({bytes, {static_cast<std::byte*>(copy), static_cast<std::byte*>(other)}});
}

LUX_EXPORT void lux_exchange_peer(std::int64_t key,
                                  std::int64_t row,
                                  std::int64_t first_part,
                                  std::int64_t parts,
                                  const lux::Position* sent,
                                  std::int64_t n_sent,
                                  const lux::Position* received,
                                  std::int64_t n_received,
                                  const lux::Word* members,
                                  std::int64_t knows)
{
  auto& exchange = lux::find_fields(key);
  exchange.peers.push_back(
    {row, exchange.points[row], first_part, parts, {sent, n_sent, members}, received, n_received, knows != 0});
}

}  // extern "C"
