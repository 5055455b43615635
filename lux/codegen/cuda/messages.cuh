// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Messages between partitions whose GPUs do not read each other's memory. The outbox of a partition has a slot for each
// other partition, its inbox a slot from each. Between iterations the slots of outboxes are copied to those of inboxes
// (lux/runtime/mapper/gpu_exchange.cc).
//
// A message is a head, the sender's row of the state, and values of the sender's vertices that are in the receiver's INS,
// field by field, in the order of that list. Programs with a frontier send the values of active vertices alone, and name
// these in front: not at all if all are active, else by a list of positions or by a bitmap, whichever is shorter. Values
// follow a list in its order. In a bitmap each run of CHUNK_BITS vertices says which of the values is its first.
#pragma once

constexpr u64 HEAD_WORDS = STATE_COLUMNS, CHUNK_BITS = 1024;
enum SlotFact : u32 { EXPORTS_FIRST, OUTBOX_AT, INBOX_AT, MEMBER_FIRST };  // rows of g.slots
enum Encoding : u64 { EVERY_VALUE, LISTED_VALUES, MARKED_VALUES };

__device__ __forceinline__ u64 slot_fact(const Args& g, SlotFact fact, u64 other) { return (u64)g.slots[fact * (g.parts + 1) + other]; }

// Contents of a message: n vertices, of which `count` are active.
struct Message { u64 n, count, encoding, values_at; };

__device__ __forceinline__ u64 chunks_of(u64 n) { return (n + CHUNK_BITS - 1) / CHUNK_BITS; }

__device__ __forceinline__ Message message_of(u64 n, u64 count)
{
#if HAS_FRONTIER
  const u64 listed = (count + 1) / 2, marked = chunks_of(n) * (CHUNK_BITS / 64) + (chunks_of(n) + 1) / 2;
  if (count < n) return listed <= marked ? Message{n, count, LISTED_VALUES, HEAD_WORDS + listed} : Message{n, count, MARKED_VALUES, HEAD_WORDS + marked};
#endif
  return {n, n, EVERY_VALUE, HEAD_WORDS};
}

// Clears, for each receiver, the counts of active and of written vertices. A barrier follows before the next count.
__device__ __forceinline__ void clear_sent(const Args& g)
{
  for (u64 k = global_thread(); k < 2 * (u64)g.parts; k += grid_threads()) g.sent[k] = 0;
}

__device__ __forceinline__ bool is_active(const Args& g, u32 v)
{
  const u32 i = v - (u32)g.lo;
  return (__ldcg(g.bits + (i >> 5)) >> (i & 31u)) & 1u;
}

// Writes the marks and values of active vertices; a warp takes a chunk, and reserves room for its values.
__device__ void write_marked(const Args& g, const Message& m, const u32* exports, u64* message, u32* written)
{
  u32* const marks = reinterpret_cast<u32*>(message + HEAD_WORDS);
  u32* const first = marks + chunks_of(m.n) * (CHUNK_BITS / 32);
  for (u64 chunk = global_thread() >> 5; chunk < chunks_of(m.n); chunk += grid_threads() >> 5) {
    u32 mine = 0;
    for (u32 j = 0; j < CHUNK_BITS / 32; ++j) {
      const u64 i = chunk * CHUNK_BITS + 32 * j + lane_id();
      const u32 word = __ballot_sync(ALL_LANES, i < m.n && is_active(g, exports[i < m.n ? i : 0]));
      if (lane_id() == j) mine = word;
    }
    u32 total, base = 0;
    const u32 before = warp_scan((u32)__popc(mine), total);
    if (lane_id() == 0) base = first[chunk] = atomicAdd(written, total);
    base = __shfl_sync(ALL_LANES, base, 0);
    marks[chunk * (CHUNK_BITS / 32) + lane_id()] = mine;
    for (u32 j = 0; j < CHUNK_BITS / 32; ++j) {
      const u32 word = __shfl_sync(ALL_LANES, mine, j), at = base + __shfl_sync(ALL_LANES, before, j);
      if (!(word >> lane_id() & 1u)) continue;
      give_values(g, message + m.values_at, m.count, at + __popc(word & ((1u << lane_id()) - 1u)), exports[chunk * CHUNK_BITS + 32 * j + lane_id()]);
    }
  }
}

// Writes all messages but for their heads. Called when the values of the iteration, and the active vertices of the next,
// are complete.
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
    if (other == (u64)g.part) continue;
    const u32* exports = g.exports + slot_fact(g, EXPORTS_FIRST, other);
    const u64 n = slot_fact(g, EXPORTS_FIRST, other + 1) - slot_fact(g, EXPORTS_FIRST, other);
    u64* const message = g.outbox + slot_fact(g, OUTBOX_AT, other);
    const Message m = message_of(n, HAS_FRONTIER ? __ldcg(g.sent + other) : n);
#if HAS_FRONTIER
    if (global_thread() == 0) {
      message[STATE_SENT] = m.count << 2 | m.encoding;
      message[STATE_SENT_WORDS] = m.values_at + value_words(m.count);
    }
    u32* const written = g.sent + g.parts + other;
    if (m.encoding == LISTED_VALUES) {
      u32* const positions = reinterpret_cast<u32*>(message + HEAD_WORDS);
      for (u64 i = global_thread(); i < m.n && m.count; i += grid_threads()) {
        const u32 v = exports[i];
        if (!is_active(g, v)) continue;
        const u32 at = append(written);
        positions[at] = (u32)i;
        give_values(g, message + m.values_at, m.count, at, v);
      }
      continue;
    }
    if (m.encoding == MARKED_VALUES) {
      write_marked(g, m, exports, message, written);
      continue;
    }
#endif
    for (u64 i = global_thread(); i < m.n; i += grid_threads()) give_values(g, message + m.values_at, m.n, i, exports[i]);
  }
}

// Writes the partition's row of the state into the heads of all messages. Called by one block.
__device__ void write_heads(const Args& g)
{
  const i64* row = g.new_state + g.part * STATE_COLUMNS;
  for (u64 k = threadIdx.x; k < (u64)g.parts * STATE_COLUMNS; k += blockDim.x) {
    const u64 other = k / STATE_COLUMNS, column = k % STATE_COLUMNS;
    if (other == (u64)g.part || column == STATE_SENT || column == STATE_SENT_WORDS) continue;
    g.outbox[slot_fact(g, OUTBOX_AT, other) + column] = (u64)row[column];
  }
}

// Marks up to 32 members from k on as active. Called by one thread.
__device__ __forceinline__ void mark_front(const Args& g, u64 k, u32 bits)
{
  const u32 shift = (u32)k & 31u;
  if (bits) atomicOr(g.front + (k >> 5), bits << shift);
  if (shift && bits >> (32 - shift)) atomicOr(g.front + (k >> 5) + 1, bits >> (32 - shift));
}

// Copies the values of the partition's own active vertices that are in its INS, from member `first` on.
__device__ void take_own(const Args& g, u64 first, u64 n, bool marks)
{
  for (u64 i = global_thread(); i < (n + 31) / 32 * 32; i += grid_threads()) {
    const u32 u = i < n ? g.members[first + i] : (u32)g.lo;
    const bool active = i < n && (!marks || in_all_front(g, u));
    if (active) load_member(g, 0, u, (u32)(first + i));
    const u32 bits = __ballot_sync(ALL_LANES, active);
    if (marks && lane_id() == 0) mark_front(g, first + i, bits);
  }
}

// Takes values that are marked in a bitmap, as `write_marked` writes them.
__device__ void take_marked(const Args& g, const Message& m, const u64* message, u64 first, bool front)
{
  const u32* const marks = reinterpret_cast<const u32*>(message + HEAD_WORDS);
  const u32* const begins = marks + chunks_of(m.n) * (CHUNK_BITS / 32);
  for (u64 chunk = global_thread() >> 5; chunk < chunks_of(m.n); chunk += grid_threads() >> 5) {
    const u32 mine = marks[chunk * (CHUNK_BITS / 32) + lane_id()], base = begins[chunk];
    const u64 at_chunk = first + chunk * CHUNK_BITS;
    if (front) mark_front(g, at_chunk + 32 * lane_id(), mine);
    u32 total;
    const u32 before = warp_scan((u32)__popc(mine), total);
    for (u32 j = 0; j < CHUNK_BITS / 32 && total; ++j) {
      const u32 word = __shfl_sync(ALL_LANES, mine, j), at = base + __shfl_sync(ALL_LANES, before, j);
      if (!(word >> lane_id() & 1u)) continue;
      take_values(g, message + m.values_at, m.count, at + __popc(word & ((1u << lane_id()) - 1u)), (u32)(at_chunk + 32 * j + lane_id()));
    }
  }
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
  u64 loaded = 0;
  for (u64 other = 0; other < g.parts; ++other) {
    const u64 first = slot_fact(g, MEMBER_FIRST, other), n = slot_fact(g, MEMBER_FIRST, other + 1) - first;
    if (n == 0) continue;
    if (other == (u64)g.part) {
      take_own(g, first, n, marks);
      continue;
    }
    const u64* const message = g.inbox + slot_fact(g, INBOX_AT, other);
    const Message m = message_of(n, HAS_FRONTIER ? message[STATE_SENT] >> 2 : n);
    loaded += m.count;
#if HAS_FRONTIER
    if (m.encoding == LISTED_VALUES) {
      const u32* const positions = reinterpret_cast<const u32*>(message + HEAD_WORDS);
      for (u64 i = global_thread(); i < m.count; i += grid_threads()) {
        const u64 k = first + positions[i];
        take_values(g, message + m.values_at, m.count, i, (u32)k);
        if (marks) mark_front(g, k, 1u);
      }
      continue;
    }
    if (m.encoding == MARKED_VALUES) {
      take_marked(g, m, message, first, marks);
      continue;
    }
    for (u64 i = 32 * global_thread(); marks && i < n; i += 32 * grid_threads()) mark_front(g, first + i, n - i < 32 ? (1u << (n - i)) - 1u : ALL_LANES);
#endif
    for (u64 i = global_thread(); i < n; i += grid_threads()) take_values(g, message + m.values_at, n, i, (u32)(first + i));
  }
  if (global_thread() == 0) g.control->loaded += loaded;
}
