// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Many iterations of a program in one launch, on CPU cores of one process or several. The launch has one point in each
// process. A thread for each partition of the process runs the program's compiled kernel, which calls exchange() after each
// iteration: threads meet, and every process sends every other process, once, the values that are read there (UDS, equation 9
// of the Lux paper). Of programs with a frontier it sends those that changed, as a list of positions or as a bitmap, whichever
// is shorter. Messages travel through Legate's communicator.
//
// A message is a head with totals and partitions' nanoseconds, values' positions unless all are sent, and each field's values.
// Programs with a frontier send the head and EAGER words in a first round, and the rest in a second if any process has more to
// send.
#include <legate.h>
#include <legate/comm/coll.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

namespace coll = legate::comm::coll;
using Word     = std::uint64_t;
using Position = std::uint32_t;

// As in lux/kernels/frontier.py (tests/runtime/test_exchange.py compares them).
constexpr std::int64_t STATE_COLUMNS = 16, ACTIVE = 2, ACTIVE_EDGES = 3, FORM = 4, NANOSECONDS = 6, TOTALS = 8;
constexpr std::int64_t QUEUE = 0, BITMAP = 1, EVERY = 2, LISTED = 3;

constexpr std::int64_t EAGER = 64;  // words of values in the first round
constexpr int SPINS = 4096;         // spins at a barrier before a thread sleeps, while each has a core of its own

// A message's head, followed by the program's totals and the nanoseconds of the sender's partitions.
struct Head {
  std::int64_t active, active_edges;  // of the sender
  std::int64_t count;                 // vertices whose values follow
  std::int64_t encoding;              // ALL, LIST or BITS
  std::int64_t words;                 // after the head
  std::int64_t overflows;             // 1 if any message of the sender needs the second round
};
constexpr std::int64_t HEAD_WORDS = sizeof(Head) / sizeof(Word), ALL = 0, LIST = 1, BITS = 2;

std::int64_t words_of(std::int64_t bytes) { return (bytes + 7) / 8; }

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
  std::int64_t out_at, in_at;                 // where its messages are, in words
  std::vector<Position> changed;              // positions in `sent`
};

using Body = std::int64_t (*)(const void*, std::int64_t, const void*, std::int64_t, double*);

class Exchange {
 public:
  int rank{}, ranks{}, threads{};
  std::int64_t first_part{}, parts{};           // own partitions
  std::int64_t* nanoseconds{};                  // smoothed, of an iteration of every partition
  bool frontier{};
  std::int64_t n_totals{}, id_bytes{};
  std::int64_t n_rows{}, first_own{};           // rows of the state: others' nodes and own partitions
  const std::int64_t *points{}, *word_at{};     // of the rows
  std::array<std::int64_t*, 2> state{};
  std::array<Word*, 2> words{};
  std::vector<Field> fields;
  std::vector<Peer> peers;                      // in the order of the nodes, without this one
  std::vector<int> cores;
  Body body{};
  std::array<const void*, 2> tables{};          // of kernels' arguments, for launches of even and of odd number
  std::int64_t sent_bytes{}, exchanges{};
  double seconds{};

  void launch(coll::CollComm comm, std::int64_t number)
  {
    if (outgoing_.empty()) lay_out();
    comm_ = comm;
    flip_ = static_cast<int>(number & 1);
    const auto work = [&](int thread) {
      if (number == 0) exchange(thread, 0);
      body(tables.at(flip_), thread, nullptr, 0, nullptr);
    };
    std::vector<std::thread> others;
    for (int thread = 1; thread < threads; ++thread) {
      others.emplace_back([&, thread] {
        pin();
        work(thread);
      });
    }
    work(0);
    for (auto& other : others) other.join();
  }

  // Called by all threads of the process after each iteration.
  void exchange(int thread, std::int64_t written)
  {
    if (peers.empty()) return meet();
    const auto copy = static_cast<std::size_t>(written) ^ static_cast<std::size_t>(flip_);
    const auto began = std::chrono::steady_clock::now();
    meet();
    for (std::size_t k = 0; k < peers.size(); ++k) {
      if (!frontier) pack_all(peers[k], copy, thread);
      else if (static_cast<int>(k % threads) == thread) pack_changed(peers[k], copy);
    }
    meet();
    if (thread == 0) send(copy);
    meet();
    for (std::size_t k = 0; k < peers.size(); ++k) {
      if (!frontier) unpack_all(peers[k], copy, thread);
      else if (static_cast<int>(k % threads) == thread) unpack_changed(peers[k], copy);
    }
    if (thread == 0) {
      add_totals(copy);
      seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      ++exchanges;
    }
    meet();
  }

 private:
  coll::CollComm comm_{};
  int flip_{};
  std::vector<Word> outgoing_, incoming_;
  std::vector<int> counts_, displacements_, in_counts_, in_displacements_;
  std::vector<double> node_totals_;
  std::atomic<int> arrived_{0}, round_{0};

  std::int64_t head_words(std::int64_t sender_parts) const { return HEAD_WORDS + n_totals + sender_parts; }

  std::int64_t own_first() const { return points[first_own]; }

  // Room for a message: with a frontier, bits and values of all vertices, and no less than the first round takes.
  std::int64_t room(std::int64_t n, std::int64_t sender_parts) const
  {
    std::int64_t all = frontier ? words_of((n + 7) / 8) : 0;
    for (const auto& field : fields) all += words_of(field.bytes * n);
    return head_words(sender_parts) + (frontier ? std::max(all, EAGER) : all);
  }

  void lay_out()
  {
    std::int64_t out = 0, in = 0;
    for (auto& peer : peers) {
      peer.out_at = out, peer.in_at = in;
      out += room(peer.n_sent, parts), in += room(peer.n_received, peer.parts);
    }
    outgoing_.resize(std::max<std::int64_t>(out, 1)), incoming_.resize(std::max<std::int64_t>(in, 1));
    for (auto* each : {&counts_, &displacements_, &in_counts_, &in_displacements_}) each->assign(ranks, 0);
    node_totals_.assign(std::max<std::int64_t>(ranks * n_totals, 1), 0);
  }

  void pin() const
  {
    if (cores.empty()) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const auto core : cores) CPU_SET(core, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  }

  void meet()
  {
    if (threads == 1) return;
    const auto round = round_.load();
    if (arrived_.fetch_add(1) == threads - 1) {
      arrived_ = 0;
      round_   = round + 1;
      round_.notify_all();
      return;
    }
    if (cores.empty() || threads <= static_cast<int>(cores.size())) {
      for (int spins = 0; spins < SPINS; ++spins) {
        if (round_.load() != round) return;
      }
    }
    while (round_.load() == round) round_.wait(round);
  }

  Head& head_of(Peer& peer) { return *reinterpret_cast<Head*>(outgoing_.data() + peer.out_at); }

  // Every field's values of all vertices that are read there, one field after the other; each thread packs its share.
  void pack_all(Peer& peer, std::size_t copy, int thread)
  {
    const auto lo = peer.n_sent * thread / threads, hi = peer.n_sent * (thread + 1) / threads;
    auto at = peer.out_at + head_words(parts);
    for (const auto& field : fields) {
      const auto* from = field.copies[copy] + own_first() * field.bytes;
      auto* to         = reinterpret_cast<std::byte*>(outgoing_.data() + at);
      copy_items(
        field.bytes,
        hi - lo,
        [&](std::int64_t k) { return from + peer.sent[lo + k] * field.bytes; },
        [&](std::int64_t k) { return to + (lo + k) * field.bytes; });
      at += words_of(field.bytes * peer.n_sent);
    }
    if (thread == 0) head_of(peer) = Head{0, 0, peer.n_sent, ALL, at - peer.out_at - head_words(parts), 0};
  }

  void unpack_all(Peer& peer, std::size_t copy, int thread)
  {
    const auto lo = peer.n_received * thread / threads, hi = peer.n_received * (thread + 1) / threads;
    auto at = peer.in_at + head_words(peer.parts);
    for (const auto& field : fields) {
      const auto* from = reinterpret_cast<const std::byte*>(incoming_.data() + at);
      auto* to         = field.copies[copy] + peer.first * field.bytes;
      copy_items(
        field.bytes,
        hi - lo,
        [&](std::int64_t k) { return from + (lo + k) * field.bytes; },
        [&](std::int64_t k) { return to + peer.received[lo + k] * field.bytes; });
      at += words_of(field.bytes * peer.n_received);
    }
    if (thread == 0) note_row(peer, copy, EVERY);
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

  void pack_changed(Peer& peer, std::size_t copy)
  {
    find_changed(peer, copy);
    auto& changed    = peer.changed;
    const auto count = static_cast<std::int64_t>(changed.size());
    const auto bits = words_of((peer.n_sent + 7) / 8), list = words_of(count * sizeof(Position));
    const auto encoding = count == peer.n_sent ? ALL : list <= bits ? LIST : BITS;
    auto at             = peer.out_at + head_words(parts);
    if (encoding != LIST) std::sort(changed.begin(), changed.end());
    if (encoding == LIST) {
      std::memcpy(outgoing_.data() + at, changed.data(), count * sizeof(Position));
      at += list;
    } else if (encoding == BITS) {
      std::fill_n(outgoing_.begin() + at, bits, Word{0});
      for (const auto position : changed) outgoing_[at + (position >> 6)] |= Word{1} << (position & 63);
      at += bits;
    }
    for (const auto& field : fields) {
      const auto* from = field.copies[copy] + own_first() * field.bytes;
      auto* to         = reinterpret_cast<std::byte*>(outgoing_.data() + at);
      copy_items(
        field.bytes,
        count,
        [&](std::int64_t k) { return from + peer.sent[changed[k]] * field.bytes; },
        [&](std::int64_t k) { return to + k * field.bytes; });
      at += words_of(field.bytes * count);
    }
    head_of(peer) = Head{0, 0, count, encoding, at - peer.out_at - head_words(parts), 0};
  }

  // Writes received values into both copies, as unchanged ones are never sent again, and the peer's frontier.
  void unpack_changed(Peer& peer, std::size_t copy)
  {
    const auto& head = *reinterpret_cast<const Head*>(incoming_.data() + peer.in_at);
    auto at          = peer.in_at + head_words(peer.parts);
    auto& positions  = peer.changed;
    positions.resize(static_cast<std::size_t>(head.count));
    if (head.encoding == LIST) {
      std::memcpy(positions.data(), incoming_.data() + at, positions.size() * sizeof(Position));
      at += words_of(head.count * static_cast<std::int64_t>(sizeof(Position)));
    } else if (head.encoding == BITS) {
      std::size_t k = 0;
      const auto n  = words_of((peer.n_received + 7) / 8);
      for (std::int64_t word = 0; word < n; ++word) {
        for (auto rest = incoming_[at + word]; rest != 0; rest &= rest - 1)
          positions[k++] = static_cast<Position>((word << 6) + std::countr_zero(rest));
      }
      at += n;
    } else {
      for (std::size_t k = 0; k < positions.size(); ++k) positions[k] = static_cast<Position>(k);
    }
    for (auto& position : positions) position = peer.received[position];
    for (const auto& field : fields) {
      const auto* from = reinterpret_cast<const std::byte*>(incoming_.data() + at);
      for (auto* whole : field.copies) {
        auto* to = whole + peer.first * field.bytes;
        copy_items(
          field.bytes,
          head.count,
          [&](std::int64_t k) { return from + k * field.bytes; },
          [&](std::int64_t k) { return to + positions[k] * field.bytes; });
      }
      at += words_of(field.bytes * head.count);
    }
    note_row(peer, copy, note_frontier(peer, copy));
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

  void note_row(const Peer& peer, std::size_t copy, std::int64_t form)
  {
    const auto& head = *reinterpret_cast<const Head*>(incoming_.data() + peer.in_at);
    auto* row        = state[copy] + peer.row * STATE_COLUMNS;
    std::fill_n(row, STATE_COLUMNS, 0);
    row[ACTIVE] = head.active, row[ACTIVE_EDGES] = head.active_edges, row[FORM] = form;
  }

  int node_of(std::size_t peer) const { return static_cast<int>(peer) + (static_cast<int>(peer) >= rank ? 1 : 0); }

  void send(std::size_t copy)
  {
    Head own{};
    std::vector<double> totals(n_totals);
    for (auto row = first_own; row < first_own + threads; ++row) {
      const auto* from = state[copy] + row * STATE_COLUMNS;
      own.active += from[ACTIVE], own.active_edges += from[ACTIVE_EDGES];
      if (row - first_own < parts) nanoseconds[first_part + row - first_own] = from[NANOSECONDS];
      for (std::int64_t k = 0; k < n_totals; ++k) totals[k] += std::bit_cast<double>(from[TOTALS + k]);
    }
    std::int64_t overflows = 0;
    for (auto& peer : peers) overflows |= frontier && head_of(peer).words > EAGER ? 1 : 0;
    for (auto& peer : peers) {
      auto& head = head_of(peer);
      head.active = own.active, head.active_edges = own.active_edges, head.overflows = overflows;
      std::copy(totals.begin(), totals.end(), reinterpret_cast<double*>(&head + 1));
      std::copy_n(nanoseconds + first_part, parts, reinterpret_cast<std::int64_t*>(&head + 1) + n_totals);
    }
    std::copy(totals.begin(), totals.end(), node_totals_.begin() + rank * n_totals);
    const auto eager = [&](std::int64_t n, std::int64_t sender_parts) {
      return frontier ? head_words(sender_parts) + EAGER : room(n, sender_parts);
    };
    all_to_all([&](Peer& peer) { return eager(peer.n_sent, parts); },
               [&](Peer& peer) { return eager(peer.n_received, peer.parts); },
               false);
    for (std::size_t k = 0; k < peers.size(); ++k) {
      const auto* head = reinterpret_cast<const Head*>(incoming_.data() + peers[k].in_at);
      overflows |= head->overflows;
      const auto* from = reinterpret_cast<const double*>(head + 1);
      std::copy_n(from, n_totals, node_totals_.begin() + node_of(k) * n_totals);
      std::copy_n(reinterpret_cast<const std::int64_t*>(from) + n_totals, peers[k].parts, nanoseconds + peers[k].first_part);
    }
    if (overflows == 0) return;
    all_to_all([&](Peer& peer) { return std::max<std::int64_t>(head_of(peer).words - EAGER, 0); },
               [&](Peer& peer) {
                 const auto& head = *reinterpret_cast<const Head*>(incoming_.data() + peer.in_at);
                 return std::max<std::int64_t>(head.words - EAGER, 0);
               },
               true);
  }

  // Sends so many words to each process; in the second round what follows those of the first.
  template <typename Out, typename In>
  void all_to_all(Out&& out_words, In&& in_words, bool second)
  {
    for (std::size_t k = 0; k < peers.size(); ++k) {
      const auto node          = static_cast<std::size_t>(node_of(k));
      counts_[node]            = static_cast<int>(out_words(peers[k]));
      in_counts_[node]         = static_cast<int>(in_words(peers[k]));
      displacements_[node]     = static_cast<int>(peers[k].out_at + (second ? head_words(parts) + EAGER : 0));
      in_displacements_[node]  = static_cast<int>(peers[k].in_at + (second ? head_words(peers[k].parts) + EAGER : 0));
      sent_bytes += counts_[node] * static_cast<std::int64_t>(sizeof(Word));
    }
    coll::collAlltoallv(outgoing_.data(), counts_.data(), displacements_.data(), incoming_.data(), in_counts_.data(),
                        in_displacements_.data(), coll::CollDataType::CollUint64, comm_);
  }

  // Every process adds the nodes' totals in the same order, so that all decide alike. Kernels add up all rows: the first has
  // the sum.
  void add_totals(std::size_t copy)
  {
    for (std::int64_t k = 0; k < n_totals; ++k) {
      double sum = 0;
      for (int node = 0; node < ranks; ++node) sum += node_totals_[node * n_totals + k];
      for (std::int64_t row = 0; row < n_rows; ++row)
        state[copy][row * STATE_COLUMNS + TOTALS + k] = std::bit_cast<std::int64_t>(row == 0 ? sum : 0.0);
    }
  }
};

// Words that every process sends to every other one, once.
struct Words {
  const Word* out;
  const int *counts, *displacements;
  Word* in;
  const int *in_counts, *in_displacements;
};

std::mutex guard;
std::unordered_map<std::int64_t, std::unique_ptr<Exchange>> exchanges;
std::unordered_map<std::int64_t, Words> words;

Exchange& find(std::int64_t key)
{
  const std::lock_guard<std::mutex> lock{guard};
  return *exchanges.at(key);
}

class IterateTask : public legate::LegateTask<IterateTask> {
 public:
  static inline const auto TASK_CONFIG          = legate::TaskConfig{legate::LocalTaskID{2}};
  static constexpr auto CPU_VARIANT_OPTIONS = legate::VariantOptions{}.with_concurrent(true);

  static void cpu_variant(legate::TaskContext context)
  {
    auto& exchange   = find(context.scalar(0).value<std::int64_t>());
    const auto point = exchange.ranks > 1 ? static_cast<int>(context.get_task_index()[0]) : 0;
    if (point != exchange.rank) {
      std::fprintf(stderr, "Legate runs point %d of a launch over processes in process %d\n", point, exchange.rank);
      std::abort();
    }
    const auto comm = exchange.ranks > 1 ? context.communicators().at(0).get<coll::CollComm>() : nullptr;
    exchange.launch(comm, context.scalar(1).value<std::int64_t>());
  }
};

class WordsTask : public legate::LegateTask<WordsTask> {
 public:
  static inline const auto TASK_CONFIG          = legate::TaskConfig{legate::LocalTaskID{3}};
  static constexpr auto CPU_VARIANT_OPTIONS = legate::VariantOptions{}.with_concurrent(true);

  static void cpu_variant(legate::TaskContext context)
  {
    Words each{};
    {
      const std::lock_guard<std::mutex> lock{guard};
      each = words.at(context.scalar(0).value<std::int64_t>());
    }
    coll::collAlltoallv(each.out, each.counts, each.displacements, each.in, each.in_counts, each.in_displacements,
                        coll::CollDataType::CollUint64, context.communicators().at(0).get<coll::CollComm>());
  }
};

}  // namespace

void lux_register_exchanges(legate::Library library)
{
  IterateTask::register_variants(library);
  WordsTask::register_variants(library);
}

extern "C" {

#define LUX_EXPORT __attribute__((visibility("default")))

// Describes an exchange: first the process and its state, then its fields and peers.
LUX_EXPORT void lux_exchange(std::int64_t key,
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
                             Word* words_,
                             Word* other_words,
                             std::int64_t id_bytes,
                             std::int64_t n_totals)
{
  auto made       = std::make_unique<Exchange>();
  made->rank      = static_cast<int>(rank), made->ranks = static_cast<int>(ranks), made->threads = static_cast<int>(std::max<std::int64_t>(parts, 1));
  made->first_part = first_part, made->parts = parts, made->nanoseconds = nanoseconds;
  made->points    = points, made->word_at = word_at, made->n_rows = n_rows, made->first_own = rank;
  made->state     = {state, other_state}, made->words = {words_, other_words};
  made->frontier  = words_ != nullptr, made->id_bytes = id_bytes, made->n_totals = n_totals;
  const std::lock_guard<std::mutex> lock{guard};
  exchanges[key] = std::move(made);
}

LUX_EXPORT void lux_exchange_field(std::int64_t key, std::int64_t bytes, void* copy, void* other)
{
  find(key).fields.push_back({bytes, {static_cast<std::byte*>(copy), static_cast<std::byte*>(other)}});
}

LUX_EXPORT void lux_exchange_peer(std::int64_t key,
                                  std::int64_t row,
                                  std::int64_t first_part,
                                  std::int64_t parts,
                                  const Position* sent,
                                  std::int64_t n_sent,
                                  const Position* received,
                                  std::int64_t n_received,
                                  const Word* members)
{
  auto& exchange = find(key);
  exchange.peers.push_back(
    {row, exchange.points[row], first_part, parts, sent, received, n_sent, n_received, members, 0, 0, {}});
}

LUX_EXPORT void lux_exchange_body(
  std::int64_t key, Body body, const void* even, const void* odd, const std::int64_t* cores, std::int64_t n_cores)
{
  auto& exchange = find(key);
  exchange.body = body, exchange.tables = {even, odd};
  exchange.cores.assign(cores, cores + n_cores);
}

// The function that kernels call (lux/kernels/threads.py).
LUX_EXPORT void lux_exchange_iteration(std::int64_t exchange, std::int64_t thread, std::int64_t written)
{
  reinterpret_cast<Exchange*>(exchange)->exchange(static_cast<int>(thread), written);
}

LUX_EXPORT std::int64_t lux_exchange_address(std::int64_t key) { return reinterpret_cast<std::int64_t>(&find(key)); }

// Exchanges so far, bytes that this process has sent in them, and nanoseconds that they took.
LUX_EXPORT void lux_exchange_counts(std::int64_t key, std::int64_t* counts)
{
  const auto& exchange = find(key);
  counts[0] = exchange.exchanges, counts[1] = exchange.sent_bytes;
  counts[2] = static_cast<std::int64_t>(1e9 * exchange.seconds);
}

LUX_EXPORT void lux_forget_exchange(std::int64_t key)
{
  const std::lock_guard<std::mutex> lock{guard};
  exchanges.erase(key);
}

LUX_EXPORT void lux_words(std::int64_t key,
                          const Word* out,
                          const int* counts,
                          const int* displacements,
                          Word* in,
                          const int* in_counts,
                          const int* in_displacements)
{
  const std::lock_guard<std::mutex> lock{guard};
  words[key] = {out, counts, displacements, in, in_counts, in_displacements};
}

LUX_EXPORT void lux_forget_words(std::int64_t key)
{
  const std::lock_guard<std::mutex> lock{guard};
  words.erase(key);
}

}  // extern "C"
