// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// TCP connections to processes on other nodes, by which values travel while this process computes: the system sends them from
// its own buffers, and keeps what arrives in others. Legate's communicator does both only while a process waits in it.
//
// A stream consists of frames, which begin with the number of their words. A frame of one word is the last of an exchange.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace lux {

using Word = std::uint64_t;

constexpr Word LAST_FRAME = 1;

class Streams {
 public:
  // Takes a connection for each process, or -1 where there is none.
  explicit Streams(const std::vector<int>& sockets);

  bool reach(int process) const { return connections_[process].socket >= 0; }

  // Sets where frames of a process go in every exchange, and the bytes of the room there.
  void receive(int process, Word* room, std::int64_t bytes);

  // Sends a frame, which must stay as it is until the exchange ends. Threads may call this at once.
  void post(int process, const Word* frame);

  // Sends and receives what needs no wait.
  void move();

  // Ends the exchange: waits until all frames are sent, and those of the others are there, who do the same.
  void finish();

 private:
  struct Bytes {
    const char* from;
    std::int64_t count;
  };
  struct Connection {
    int socket;
    std::deque<Bytes> to_send{};
    Word* room{};
    std::int64_t bytes{}, arrived{}, next{};  // of the room; so far; where the next frame begins
    bool ended{};
  };
  std::vector<Connection> connections_;
  std::mutex guard_;

  // Sends and receives what is possible, after a wait of milliseconds, or of any length if -1; false if there is nothing to do.
  bool serve(int timeout);

  static void push(Connection& each, const Word* frame);
  static void send_some(Connection& each);
  static void receive_some(Connection& each);
};

// The streams of this process, or null.
Streams* streams();

// Tells whether a call failed because it would have had to wait; any other failure ends the process.
bool would_wait();
[[noreturn]] void lose(const char* why);

}  // namespace lux
