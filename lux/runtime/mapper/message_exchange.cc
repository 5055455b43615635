// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// The exchange of messages that kernels write and read themselves. Each other process has a row of words among those that this
// process writes, and one among those that it reads; a row's first word counts its words.
#include "iteration_exchange.h"

#include <algorithm>

namespace lux {
namespace {

// Another process: where its rows begin, and how long they may be.
struct MessagePeer {
  std::int64_t out_at, out_words, in_at, in_words;
};

class MessageExchange final : public IterationExchange {
 public:
  using IterationExchange::IterationExchange;

  const Word* out{};
  Word* in{};
  std::vector<MessagePeer> peers;

 private:
  static constexpr std::int64_t HEAD = sizeof(MessageHead) / sizeof(Word);

  void lay_out() override
  {
    for (const auto& peer : peers) add_mailbox(HEAD + peer.out_words, HEAD + EAGER, HEAD + peer.in_words, HEAD + EAGER);
  }

  // Copies a thread's share of a row.
  void copy(int thread, const Word* from, Word* to) const
  {
    const auto words = static_cast<std::int64_t>(from[0]);
    const auto first = words * thread / threads, last = words * (thread + 1) / threads;
    std::copy(from + first, from + last, to + first);
  }

  void pack(int thread, std::size_t) override
  {
    for (std::size_t k = 0; k < peers.size(); ++k) copy(thread, out + peers[k].out_at, outgoing(k) + HEAD);
  }

  void complete(std::size_t) override
  {
    for (std::size_t k = 0; k < peers.size(); ++k) {
      const auto words = static_cast<std::int64_t>(out[peers[k].out_at]);
      reinterpret_cast<MessageHead*>(outgoing(k))->words = HEAD + words;
      value_bytes += words * static_cast<std::int64_t>(sizeof(Word));
    }
  }

  void unpack(int thread, std::size_t) override
  {
    for (std::size_t k = 0; k < peers.size(); ++k) copy(thread, incoming(k) + HEAD, in + peers[k].in_at);
  }
};

}  // namespace
}  // namespace lux

extern "C" {

#define LUX_EXPORT __attribute__((visibility("default")))

// Describes an exchange of messages; peers follow, in the order of the processes.
LUX_EXPORT void lux_message_exchange(
  std::int64_t key, std::int64_t rank, std::int64_t ranks, std::int64_t parts, const lux::Word* out, lux::Word* in)
{
  auto made = std::make_unique<lux::MessageExchange>(rank, ranks, parts);
  made->out = out, made->in = in;
  lux::keep(key, std::move(made));
}

LUX_EXPORT void lux_message_peer(
  std::int64_t key, std::int64_t out_at, std::int64_t out_words, std::int64_t in_at, std::int64_t in_words)
{
  static_cast<lux::MessageExchange&>(lux::find(key)).peers.push_back({out_at, out_words, in_at, in_words});
}

}  // extern "C"
