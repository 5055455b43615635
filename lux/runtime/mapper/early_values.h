// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Values that cross to another process as soon as they are final, while an iteration goes on, by streams (streams.h). Each
// thread has room for its frames in the message to the other process, in the order of its vertices.
#pragma once

#include "streams.h"
#include "vertex_values.h"

namespace lux {

constexpr std::int64_t FRAME_BYTES = 1 << 14;  // of values that are sent together, at least, unless a thread is at its end

// A frame is a head, positions and values.
struct FrameHead {
  std::int64_t words;  // of the frame
  Values values;
};
constexpr std::int64_t FRAME_WORDS = sizeof(FrameHead) / sizeof(Word);

// Returns the most words of frames with n values of some threads.
inline std::int64_t frame_words(const Fields& fields, std::int64_t n, std::int64_t threads)
{
  const auto frames = n * fields.bytes_of_vertex() / FRAME_BYTES + threads;
  return fields.words(n) + frames * (FRAME_WORDS + 2 + static_cast<std::int64_t>(fields.each.size()));
}

class EarlyValues {
 public:
  bool used() const { return !stretches_.empty(); }

  // Lays out room for frames to a process, from a word of the message on, and returns where it ends. `points` has where the
  // vertices of each thread begin, and where the last one's end.
  std::int64_t lay_out(
    int process, const Fields& fields, const Border& border, const std::int64_t* points, int threads, std::int64_t at)
  {
    process_ = process, fields_ = &fields, border_ = &border, points_ = points, end_ = points[threads];
    for (int thread = 0; thread < threads; ++thread) {
      const auto first = position(points[thread]);
      stretches_.push_back({first, at});
      stretches_.back().begin();
      at += frame_words(fields, position(points[thread + 1]) - first, 1);
    }
    return at;
  }

  // Sends values of a thread if they are many, or the last ones.
  void offer(int thread, std::size_t copy, const Offer& given, Word* message)
  {
    auto& stretch  = stretches_[thread];
    const auto end = position(given.end);
    if (fields_->frontier) look_at_changed(stretch, points_[thread] - points_[0], given);
    const auto count = fields_->frontier ? static_cast<std::int64_t>(stretch.changed.size()) : end - stretch.next;
    const bool last  = given.end == points_[thread + 1];
    if (count != 0 && (last || count * fields_->bytes_of_vertex() >= FRAME_BYTES))
      post(stretch, values_of(stretch.next, end - stretch.next, count), copy, message);
  }

  // Returns the words that were sent, and begins the next iteration.
  std::int64_t begin()
  {
    std::int64_t words = 0;
    for (auto& stretch : stretches_) {
      words += stretch.next_at - stretch.at;
      stretch.begin();
    }
    return words;
  }

 private:
  // A thread's vertices that are read there: their positions, and what has been sent of them in this iteration.
  struct Stretch {
    std::int64_t first, at;           // its first position, and the word of the message where its frames begin
    std::int64_t next{}, next_at{};   // the same, of what has not been sent
    std::int64_t members{};           // changed vertices that were looked at
    std::vector<Position> changed{};  // positions of those that have not been sent

    void begin() { next = first, next_at = at, members = 0; }
  };

  int process_{};
  const Fields* fields_{};
  const Border* border_{};
  const std::int64_t* points_{};
  std::int64_t end_{};
  std::vector<Stretch> stretches_;

  std::int64_t position(std::int64_t vertex) const
  {
    return vertex == end_ ? border_->n_sent : border_->before(vertex - points_[0]);
  }

  void look_at_changed(Stretch& stretch, std::int64_t shift, const Offer& given) const
  {
    for (; stretch.members < given.count; ++stretch.members) {
      const auto vertex = given.members[stretch.members] + shift;
      border_->add(vertex >> 6, Word{1} << (vertex & 63), stretch.changed);
    }
  }

  void post(Stretch& stretch, const Values& values, std::size_t copy, Word* message)
  {
    auto* const frame = message + stretch.next_at;
    const auto* sent  = border_->sent;
    auto* at          = pack_positions(values, stretch.changed.data(), frame + FRAME_WORDS);
    if (values.form == ALL)
      at = fields_->pack(copy, values.count, at, [&](std::int64_t i) { return points_[0] + sent[values.first + i]; });
    else
      at = fields_->pack(copy, values.count, at, [&](std::int64_t i) { return points_[0] + sent[stretch.changed[i]]; });
    *reinterpret_cast<FrameHead*>(frame) = {at - frame, values};
    stretch.next = values.first + values.range, stretch.next_at += at - frame;
    stretch.changed.clear();
    streams()->post(process_, frame);
  }
};

}  // namespace lux
