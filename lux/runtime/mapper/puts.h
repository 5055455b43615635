// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Notified puts: words that a process writes into the memory of another one, which a flag there announces. They travel through
// TCP connections of their own while both processes compute: the system sends them from its own buffers, and keeps what
// arrives in others, until a thread that puts or waits moves it to its place.
#pragma once

#include "streams.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace lux {

// Words that go to a place in the other process's memory, in words, and the value that a flag has once they are there.
struct PutHead {
  std::int64_t words, at, flag, value;
};

class Puts {
 public:
  // Takes a connection for each process, or -1 where there is none.
  explicit Puts(const std::vector<int>& sockets)
  {
    for (const auto socket : sockets) connections_.push_back({socket});
  }

  // Sets the memory and the flags of this process that others write.
  void aim(Word* memory, std::int64_t* flags) { memory_ = memory, flags_ = flags; }

  // Puts words, which must stay as they are until the other process has them. Threads may call this at once.
  void put(int process, const Word* from, const PutHead& head)
  {
    const std::lock_guard<std::mutex> lock{guard_};
    auto& each = connections_[process];
    bytes_ += static_cast<std::int64_t>(sizeof head) + head.words * static_cast<std::int64_t>(sizeof(Word));
    each.to_send.push_back({head, reinterpret_cast<const char*>(from)});
    send_some(each);
    receive_some(each);
  }

  // Sends and receives what is possible, after a wait of so many nanoseconds at most.
  void serve(long nanoseconds)
  {
    wait(nanoseconds);
    const std::unique_lock<std::mutex> lock{guard_, std::try_to_lock};
    if (lock) move();
  }

  // Tells whether the system has all that was put, once it has been given what it takes.
  bool all_sent()
  {
    const std::lock_guard<std::mutex> lock{guard_};
    move();
    return std::all_of(connections_.begin(), connections_.end(), [](const auto& each) { return each.to_send.empty(); });
  }

  // Waits until the system has all that was put.
  void flush()
  {
    while (!all_sent()) wait(PAUSE);
  }

  // Returns the bytes that were put since the last call.
  std::int64_t take_bytes()
  {
    const std::lock_guard<std::mutex> lock{guard_};
    return std::exchange(bytes_, 0);
  }

  static constexpr long PAUSE = 100000;  // nanoseconds between two looks of a thread whose words another one may have received

 private:
  struct Sending {
    PutHead head;
    const char* from;
    std::int64_t sent{};  // bytes, the head included
  };
  struct Connection {
    int socket;
    std::deque<Sending> to_send{};
    PutHead head{};          // of the words that arrive
    std::int64_t arrived{};  // bytes of them, the head included
  };
  std::vector<Connection> connections_;
  std::mutex guard_;
  Word* memory_{};
  std::int64_t* flags_{};
  std::int64_t bytes_{};

  static constexpr std::int64_t HEAD_BYTES = sizeof(PutHead);

  void wait(long nanoseconds)
  {
    std::vector<pollfd> waiting;
    {
      const std::unique_lock<std::mutex> lock{guard_, std::try_to_lock};
      if (!lock) return;
      for (const auto& each : connections_)
        if (each.socket >= 0)
          waiting.push_back({each.socket, static_cast<short>(POLLIN | (each.to_send.empty() ? 0 : POLLOUT)), 0});
    }
    const timespec most{0, nanoseconds};
    if (nanoseconds != 0) ppoll(waiting.data(), waiting.size(), &most, nullptr);
  }

  void move()
  {
    for (auto& each : connections_) {
      send_some(each);
      receive_some(each);
    }
  }

  static void send_some(Connection& each)
  {
    while (!each.to_send.empty()) {
      auto& first        = each.to_send.front();
      const auto bytes   = first.head.words * static_cast<std::int64_t>(sizeof(Word));
      const auto of_head = std::min(first.sent, HEAD_BYTES), of_words = first.sent - of_head;
      std::array<iovec, 2> parts{{
        {reinterpret_cast<char*>(&first.head) + of_head, static_cast<std::size_t>(HEAD_BYTES - of_head)},
        {const_cast<char*>(first.from) + of_words, static_cast<std::size_t>(bytes - of_words)},
      }};
      msghdr message{};
      message.msg_iov = parts.data(), message.msg_iovlen = parts.size();
      const auto sent = sendmsg(each.socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent < 0 && would_wait()) return;
      first.sent += sent;
      if (first.sent == HEAD_BYTES + bytes) each.to_send.pop_front();
    }
  }

  void receive_some(Connection& each)
  {
    while (each.socket >= 0 && flags_ != nullptr) {
      const bool in_head  = each.arrived < HEAD_BYTES;
      const auto bytes    = in_head ? 0 : each.head.words * static_cast<std::int64_t>(sizeof(Word));
      const auto of_words = in_head ? 0 : each.arrived - HEAD_BYTES;
      auto* const to = in_head ? reinterpret_cast<char*>(&each.head) + each.arrived
                               : reinterpret_cast<char*>(memory_ + each.head.at) + of_words;
      const auto room = in_head ? HEAD_BYTES - each.arrived : bytes - of_words;
      if (room != 0) {
        const auto came = recv(each.socket, to, static_cast<std::size_t>(room), MSG_DONTWAIT);
        if (came == 0) lose("a connection was closed");
        if (came < 0 && would_wait()) return;
        each.arrived += came;
      }
      if (each.arrived < HEAD_BYTES) continue;
      if (each.arrived < HEAD_BYTES + each.head.words * static_cast<std::int64_t>(sizeof(Word))) continue;
      std::atomic_ref<std::int64_t>{flags_[each.head.flag]}.store(each.head.value);
      each.arrived = 0;
    }
  }
};

// The puts of this process, or null.
Puts* puts();

}  // namespace lux
