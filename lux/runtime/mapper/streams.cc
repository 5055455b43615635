// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
#include "streams.h"

#include "puts.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

namespace lux {
namespace {

constexpr std::chrono::seconds PATIENCE{15};  // after the loss of a process: the others are usually ended before

std::unique_ptr<Streams> opened;
std::unique_ptr<Puts> opened_puts;

}  // namespace

void lose(const char* why)
{
  std::this_thread::sleep_for(PATIENCE);
  std::fprintf(stderr, "another process of this run has ended, or its network is lost: %s\n", why);
  std::abort();
}

bool would_wait()
{
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return true;
  lose(std::strerror(errno));
}

Streams* streams() { return opened.get(); }

Puts* puts() { return opened_puts.get(); }

Streams::Streams(const std::vector<int>& sockets)
{
  for (const auto socket : sockets) connections_.push_back({socket});
}

void Streams::receive(int process, Word* room, std::int64_t bytes)
{
  connections_[process].room = room, connections_[process].bytes = bytes;
}

void Streams::post(int process, const Word* frame)
{
  const std::lock_guard<std::mutex> lock{guard_};
  push(connections_[process], frame);
  receive_some(connections_[process]);
}

void Streams::move()
{
  const std::unique_lock<std::mutex> lock{guard_, std::try_to_lock};
  if (lock) serve(0);
}

void Streams::finish()
{
  const std::lock_guard<std::mutex> lock{guard_};
  for (auto& each : connections_) push(each, &LAST_FRAME);
  while (serve(-1)) {}
  for (auto& each : connections_) each.arrived = each.next = 0, each.ended = false;
}

void Streams::push(Connection& each, const Word* frame)
{
  if (each.socket < 0) return;
  each.to_send.push_back({reinterpret_cast<const char*>(frame), static_cast<std::int64_t>(*frame * sizeof(Word))});
  send_some(each);
}

bool Streams::serve(int timeout)
{
  std::vector<pollfd> waiting;
  std::vector<Connection*> those;
  for (auto& each : connections_) {
    const int events = (each.ended ? 0 : POLLIN) | (each.to_send.empty() ? 0 : POLLOUT);
    if (each.socket < 0 || events == 0) continue;
    waiting.push_back({each.socket, static_cast<short>(events), 0});
    those.push_back(&each);
  }
  if (!waiting.empty()) poll(waiting.data(), waiting.size(), timeout);
  for (std::size_t k = 0; k < waiting.size(); ++k) {
    if (waiting[k].revents == 0) continue;
    send_some(*those[k]);
    receive_some(*those[k]);
  }
  return !waiting.empty();
}

void Streams::send_some(Connection& each)
{
  while (!each.to_send.empty()) {
    auto& first     = each.to_send.front();
    const auto sent = send(each.socket, first.from, static_cast<std::size_t>(first.count), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && would_wait()) return;
    first.from += sent, first.count -= sent;
    if (first.count == 0) each.to_send.pop_front();
  }
}

void Streams::receive_some(Connection& each)
{
  auto* const room = reinterpret_cast<char*>(each.room);
  while (each.socket >= 0 && !each.ended) {
    const auto came = recv(each.socket, room + each.arrived, static_cast<std::size_t>(each.bytes - each.arrived), MSG_DONTWAIT);
    if (came == 0) lose("a connection was closed");
    if (came < 0 && would_wait()) return;
    each.arrived += came;
    while (!each.ended && each.next + static_cast<std::int64_t>(sizeof(Word)) <= each.arrived) {
      Word words{};
      std::memcpy(&words, room + each.next, sizeof words);
      each.ended = words == LAST_FRAME;
      each.next += static_cast<std::int64_t>(words * sizeof(Word));
    }
  }
}

}  // namespace lux

extern "C" {

#define LUX_EXPORT __attribute__((visibility("default")))

// Take connected sockets, one for each process, or -1 where there is none.
LUX_EXPORT void lux_open_streams(const std::int64_t* sockets, std::int64_t count)
{
  lux::opened = std::make_unique<lux::Streams>(std::vector<int>(sockets, sockets + count));
}

LUX_EXPORT void lux_open_puts(const std::int64_t* sockets, std::int64_t count)
{
  lux::opened_puts = std::make_unique<lux::Puts>(std::vector<int>(sockets, sockets + count));
}

}  // extern "C"
