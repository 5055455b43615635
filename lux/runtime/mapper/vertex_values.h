// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Values of vertices that cross to another process, as words. The vertices of a process that another one reads have positions
// in a list, which both know. Positions of values come first, unless a whole range is sent: as a list, or as a bitmap, whichever
// is shorter. Then come each field's values.
#pragma once

#include "iteration_exchange.h"

#include <algorithm>
#include <numeric>

namespace lux {

// A field that is read from neighbours: its two copies, of all the graph's vertices.
struct Field {
  std::int64_t bytes;  // of a vertex
  std::array<std::byte*, 2> copies;
};

struct Range {
  std::int64_t lo, hi;
};

// The share of a thread in a range from 0 to n.
inline Range share_of(std::int64_t n, int thread, int threads) { return {n * thread / threads, n * (thread + 1) / threads}; }

// Copies items of a number of bytes between any places.
template <typename Read, typename Write>
void copy_items(std::int64_t bytes, Range items, Read&& read, Write&& write)
{
  const auto each = [&](auto item) {
    using Item = decltype(item);
    for (auto k = items.lo; k < items.hi; ++k) *reinterpret_cast<Item*>(write(k)) = *reinterpret_cast<const Item*>(read(k));
  };
  switch (bytes) {
    case 1: return each(std::uint8_t{});
    case 2: return each(std::uint16_t{});
    case 4: return each(std::uint32_t{});
    case 8: return each(std::uint64_t{});
    default:
      for (auto k = items.lo; k < items.hi; ++k) std::memcpy(write(k), read(k), static_cast<std::size_t>(bytes));
  }
}

// All fields of a program that are read from neighbours.
struct Fields {
  std::vector<Field> each;
  bool frontier;  // if true, only some values of a range may be sent

  std::int64_t bytes_of_vertex() const
  {
    std::int64_t all = 0;
    for (const auto& field : each) all += field.bytes;
    return all;
  }

  // Returns the most words of values of n vertices, and of what says whose they are.
  std::int64_t words(std::int64_t n) const
  {
    std::int64_t all = frontier ? words_of((n + 7) / 8) : 0;
    for (const auto& field : each) all += words_of(field.bytes * n);
    return all;
  }

  // Writes values of a range of n vertices, of which `vertex(i)` is the i-th, as words; returns where those of all n end.
  template <typename Vertex>
  Word* pack(std::size_t copy, std::int64_t n, Word* at, Vertex&& vertex, Range share) const
  {
    for (const auto& field : each) {
      auto* to = reinterpret_cast<std::byte*>(at);
      copy_items(
        field.bytes,
        share,
        [&](std::int64_t i) { return field.copies[copy] + vertex(i) * field.bytes; },
        [&](std::int64_t i) { return to + i * field.bytes; });
      at += words_of(field.bytes * n);
    }
    return at;
  }

  template <typename Vertex>
  Word* pack(std::size_t copy, std::int64_t n, Word* at, Vertex&& vertex) const
  {
    return pack(copy, n, at, vertex, {0, n});
  }

  // Reads them into a copy.
  template <typename Vertex>
  void unpack(std::size_t copy, std::int64_t n, const Word* at, Vertex&& vertex, Range share) const
  {
    for (const auto& field : each) {
      const auto* from = reinterpret_cast<const std::byte*>(at);
      copy_items(
        field.bytes,
        share,
        [&](std::int64_t i) { return from + i * field.bytes; },
        [&](std::int64_t i) { return field.copies[copy] + vertex(i) * field.bytes; });
      at += words_of(field.bytes * n);
    }
  }

  template <typename Vertex>
  void unpack(std::size_t copy, std::int64_t n, const Word* at, Vertex&& vertex) const
  {
    unpack(copy, n, at, vertex, {0, n});
  }
};

// This process's vertices that another one reads, in rising order, counted from the first of this process.
struct Border {
  const Position* sent;
  std::int64_t n_sent;
  const Word* members;  // of `sent`: for each 64 vertices their bits, and how many come before

  // Adds the positions of those of 64 vertices that are set in `bits` and read there.
  void add(std::int64_t word, Word bits, std::vector<Position>& positions) const
  {
    const auto mine = members[2 * word];
    for (auto rest = bits & mine; rest != 0; rest &= rest - 1) {
      const auto below = (rest & (~rest + 1)) - 1;
      positions.push_back(static_cast<Position>(members[2 * word + 1] + std::popcount(mine & below)));
    }
  }

  // Returns how many vertices before one of this process are read there.
  std::int64_t before(std::int64_t vertex) const
  {
    const auto* word = members + 2 * (vertex >> 6);
    return static_cast<std::int64_t>(word[1]) + std::popcount(word[0] & ((Word{1} << (vertex & 63)) - 1));
  }
};

constexpr std::int64_t ALL = 0, LIST = 1, BITS = 2;  // forms of positions
constexpr std::int64_t KNOWN = 3;                     // all, with values that the reader has already

// Positions of values: so many of a range from `first` on, and their form.
struct Values {
  std::int64_t first, range, count, form;
};

// Chooses the shorter form.
inline Values values_of(std::int64_t first, std::int64_t range, std::int64_t count)
{
  const auto bits = words_of((range + 7) / 8), list = words_of(count * static_cast<std::int64_t>(sizeof(Position)));
  return {first, range, count, count == range ? ALL : list <= bits ? LIST : BITS};
}

// Writes positions, in any order if they are a list, and returns where they end.
inline Word* pack_positions(const Values& values, const Position* positions, Word* at)
{
  if (values.form == ALL) return at;
  if (values.form == LIST) {
    std::memcpy(at, positions, values.count * sizeof(Position));
    return at + words_of(values.count * static_cast<std::int64_t>(sizeof(Position)));
  }
  const auto words = words_of((values.range + 7) / 8);
  std::fill_n(at, words, Word{0});
  for (std::int64_t k = 0; k < values.count; ++k) {
    const auto place = positions[k] - values.first;
    at[place >> 6] |= Word{1} << (place & 63);
  }
  return at + words;
}

// Reads positions, and returns where they end.
inline const Word* unpack_positions(const Values& values, const Word* at, Position* positions)
{
  if (values.form == ALL) {
    std::iota(positions, positions + values.count, static_cast<Position>(values.first));
    return at;
  }
  if (values.form == LIST) {
    std::memcpy(positions, at, values.count * sizeof(Position));
    return at + words_of(values.count * static_cast<std::int64_t>(sizeof(Position)));
  }
  const auto words = words_of((values.range + 7) / 8);
  for (std::int64_t word = 0; word < words; ++word) {
    for (auto rest = at[word]; rest != 0; rest &= rest - 1)
      *positions++ = static_cast<Position>(values.first + (word << 6) + std::countr_zero(rest));
  }
  return at + words;
}

}  // namespace lux
