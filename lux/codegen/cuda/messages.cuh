// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Messages between partitions whose GPUs do not read each other's memory. The outbox of a partition has a slot for each
// other partition. The message there has the values of the sender's vertices that are in the receiver's INS, in the order
// of that list. lux/engine/gpu/messages.py places the slots and decides how many words of them Legion moves. A short
// message fits the beginning of its slot.
//
// A message consists of words of 64 bits. Without a frontier it has all values. With a frontier, its first word is the
// number of active vertices, and a bit LISTED. A listed message continues with the positions of the active vertices and
// their values; any other message with one bit for each vertex, then all values.
#pragma once

constexpr u64 LISTED = 1ull << 32;
enum SlotFact : u32 { EXPORTS_FIRST, OUTBOX_AT, SHORTEST, SHORT, INBOX_AT, MEMBER_FIRST };  // rows of g.slots

__device__ __forceinline__ u64 slot_fact(const Args& g, SlotFact fact, u64 other) { return (u64)g.slots[fact * (g.parts + 1) + other]; }

// Shape of a message to `other`: n vertices, of which `count` are active, and the number of its words.
struct Message { u64 n, count, words; bool listed; };

__device__ __forceinline__ Message message_to(const Args& g, u64 other)
{
  Message m{slot_fact(g, EXPORTS_FIRST, other + 1) - slot_fact(g, EXPORTS_FIRST, other), 0, 0, false};
  if (m.n == 0) return m;
#if HAS_FRONTIER
  m.count = __ldcg(g.sent + other);
  m.words = 1 + (m.count + 1) / 2 + value_words(m.count);
  m.listed = m.words <= slot_fact(g, SHORT, other);
  if (!m.listed) m.words = 1 + (m.n + 63) / 64 + value_words(m.n);
#else
  m.words = value_words(m.n);
#endif
  return m;
}

// Returns the least width that holds all messages of the partition: 0 (SHORTEST), 1 (SHORT), or 2 (whole slots).
__device__ i64 longest_class(const Args& g)
{
  i64 found = HAS_FRONTIER ? 0 : 2;
  for (u64 other = 0; other < g.parts && found < 2; ++other) {
    const Message m = message_to(g, other);
    if (m.words > slot_fact(g, SHORT, other)) found = 2;
    else if (m.words > slot_fact(g, SHORTEST, other)) found = 1;
  }
  return found;
}

// Clears, for each receiver, the counts of active and of listed vertices. A barrier follows before the next count.
__device__ __forceinline__ void clear_sent(const Args& g)
{
  for (u64 k = global_thread(); k < 2 * (u64)g.parts; k += grid_threads()) g.sent[k] = 0;
}

__device__ __forceinline__ bool is_active(const Args& g, u32 v)
{
  const u32 i = v - (u32)g.lo;
  return (__ldcg(g.bits + (i >> 5)) >> (i & 31u)) & 1u;
}

// Writes all messages. Called when the values of the iteration, and the active vertices of the next, are complete.
__device__ void send(const Args& g, const IterationState& t)
{
#if HAS_FRONTIER
  const u32 active = __ldcg(&g.control->active[t.next]);
  for (u64 other = 0; other < g.parts && active; ++other) {
    const u32* exports = g.exports + slot_fact(g, EXPORTS_FIRST, other);
    const u64 n = slot_fact(g, EXPORTS_FIRST, other + 1) - slot_fact(g, EXPORTS_FIRST, other);
    u32 count = 0;
    for (u64 i = global_thread(); i < n; i += grid_threads()) count += is_active(g, exports[i]);
    count = warp_sum(count);
    if (lane_id() == 0 && count) atomicAdd(g.sent + other, count);
  }
  grid_barrier(&g.control->arrived);
#endif
  for (u64 other = 0; other < g.parts; ++other) {
    const Message m = message_to(g, other);
    if (m.n == 0) continue;
    const u32* exports = g.exports + slot_fact(g, EXPORTS_FIRST, other);
    u64* slot = g.outbox + slot_fact(g, OUTBOX_AT, other);
#if HAS_FRONTIER
    if (global_thread() == 0) slot[0] = m.count | (m.listed ? LISTED : 0);
    u32* const head = reinterpret_cast<u32*>(slot + 1);
    if (m.listed) {
      u64* const values = slot + 1 + (m.count + 1) / 2;
      for (u64 i = global_thread(); i < m.n && m.count; i += grid_threads()) {
        const u32 v = exports[i];
        if (!is_active(g, v)) continue;
        const u32 at = append(g.sent + g.parts + other);
        head[at] = (u32)i;
        give_values(g, values, m.count, at, v);
      }
      continue;
    }
    u64* const values = slot + 1 + (m.n + 63) / 64;
    for (u64 i = global_thread(); i < (m.n + 31) / 32 * 32; i += grid_threads()) {
      const bool there = i < m.n;
      const u32 v = there ? exports[i] : (u32)g.lo, bits = __ballot_sync(ALL_LANES, there && is_active(g, v));
      if (lane_id() == 0) head[i >> 5] = bits;
      if (there) give_values(g, values, m.n, i, v);
    }
#else
    for (u64 i = global_thread(); i < m.n; i += grid_threads()) give_values(g, slot, m.n, i, exports[i]);
#endif
  }
}

// Marks up to 32 members from k on as active. Called by one thread.
__device__ __forceinline__ void mark_front(const Args& g, u64 k, u32 bits)
{
  const u32 shift = (u32)k & 31u;
  if (bits) atomicOr(g.front + (k >> 5), bits << shift);
  if (shift && bits >> (32 - shift)) atomicOr(g.front + (k >> 5) + 1, bits >> (32 - shift));
}

// Copies the received values, and the partition's own, into the compact arrays of its INS. Marks the active members of
// INS, unless all vertices are active.
__device__ void receive(const Args& g, const IterationState& t)
{
  const bool marks = HAS_FRONTIER && !t.every;
  if (marks) {
    for (u64 w = global_thread(); 32 * w < (u64)g.n_members; w += grid_threads()) g.front[w] = 0;
    grid_barrier(&g.control->arrived);
  }
  u32 loaded = 0;
  for (u64 other = 0; other < g.parts; ++other) {
    const u64 first = slot_fact(g, MEMBER_FIRST, other), n = slot_fact(g, MEMBER_FIRST, other + 1) - first;
    if (n == 0) continue;
    if (other == (u64)g.part) {
      for (u64 i = global_thread(); i < (n + 31) / 32 * 32; i += grid_threads()) {
        const u32 u = i < n ? g.members[first + i] : (u32)g.lo;
        const bool active = i < n && (!marks || in_all_front(g, u));
        if (active) load_member(g, 0, u, (u32)(first + i));
        const u32 bits = __ballot_sync(ALL_LANES, active);
        if (marks && lane_id() == 0) mark_front(g, first + i, bits);
      }
      continue;
    }
    const u64* slot = g.inbox + slot_fact(g, INBOX_AT, other);
#if HAS_FRONTIER
    const u64 count = slot[0] & (LISTED - 1);
    const u32* const head = reinterpret_cast<const u32*>(slot + 1);
    if (slot[0] & LISTED) {
      for (u64 i = global_thread(); i < count; i += grid_threads()) {
        const u64 k = first + head[i];
        take_values(g, slot + 1 + (count + 1) / 2, count, i, (u32)k);
        if (marks) mark_front(g, k, 1u);
        ++loaded;
      }
      continue;
    }
    for (u64 i = global_thread(); i < n; i += grid_threads()) {
      const u32 bits = n - (i & ~31ull) < 32 ? head[i >> 5] & ((1u << (n & 31u)) - 1u) : head[i >> 5];
      if (marks && lane_id() == 0) mark_front(g, first + i, bits);
      if (!(bits >> (i & 31u) & 1u)) continue;
      take_values(g, slot + 1 + (n + 63) / 64, n, i, (u32)(first + i));
      ++loaded;
    }
#else
    for (u64 i = global_thread(); i < n; i += grid_threads()) {
      take_values(g, slot, n, i, (u32)(first + i));
      ++loaded;
    }
#endif
  }
  loaded = (u32)warp_sum(loaded);
  if (lane_id() == 0 && loaded) atomicAdd(&g.control->loaded, (u64)loaded);
}
