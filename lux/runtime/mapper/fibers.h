// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Fibers: many partitions take turns on one thread. Each runs on a stack of its own until it yields at a barrier, which costs a
// fraction of a microsecond, where a thread that sleeps and is woken costs several; and there may be more than the system
// allows threads.
#pragma once

#include <sys/mman.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace lux {

// Stacks of fibers in one mapping, as the system limits how many mappings a process has. Only pages that are used take memory.
// Kernels have no recursion and need a few kilobytes.
class Stacks {
 public:
  static constexpr std::size_t SIZE = std::size_t{1} << 18;

  explicit Stacks(std::size_t count) : bytes_{count * SIZE}
  {
    base_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (base_ == MAP_FAILED) throw std::runtime_error{"there is no address space for the stacks of partitions"};
    madvise(base_, bytes_, MADV_NOHUGEPAGE);
  }
  Stacks(const Stacks&)            = delete;
  Stacks& operator=(const Stacks&) = delete;
  ~Stacks() { munmap(base_, bytes_); }

  void* operator[](std::size_t k) const { return static_cast<std::byte*>(base_) + k * SIZE; }

 private:
  std::size_t bytes_;
  void* base_;
};

// Calls a function with each of the numbers from `first` to `last` - 1, in fibers of the calling thread.
class Fibers {
 public:
  Fibers(const Stacks& stacks, int first, int last, std::function<void(int)> function)
    : first_{first}, function_{std::move(function)}, contexts_(static_cast<std::size_t>(last - first))
  {
    for (std::size_t k = 0; k < contexts_.size(); ++k) {
      auto& each = contexts_[k];
      getcontext(&each);
      each.uc_stack.ss_sp   = stacks[static_cast<std::size_t>(first) + k];
      each.uc_stack.ss_size = Stacks::SIZE;
      each.uc_link          = &thread_;
      makecontext(&each, &Fibers::enter, 0);
    }
  }
  Fibers(const Fibers&)            = delete;
  Fibers& operator=(const Fibers&) = delete;

  // Runs every fiber until it yields or ends. All yield equally often: returns false when they have ended.
  bool run()
  {
    current_ = this;
    std::vector<bool> there(contexts_.size());
    for (auto left = contexts_.size(); left != 0;) {
      const auto before = left;
      for (running_ = 0; running_ < contexts_.size(); ++running_) {
        if (there[running_]) continue;
        passes_ = false;
        swapcontext(&thread_, &contexts_[running_]);
        if (passes_) continue;
        there[running_] = true;
        --left;
      }
      if (left == before) std::this_thread::yield();  // all that are left wait for other threads
    }
    current_ = nullptr;
    return ended_ == 0;
  }

  // True in a fiber.
  static bool inside() { return current_ != nullptr; }

  // Lets the other fibers of the thread go on, and then the calling one, as often as it likes.
  static void pass()
  {
    current_->passes_ = true;
    yield();
  }

  // Ends the turn of the calling fiber.
  static void yield() { swapcontext(&current_->contexts_[current_->running_], &current_->thread_); }

 private:
  static inline thread_local Fibers* current_{};

  int first_;
  std::function<void(int)> function_;
  std::vector<ucontext_t> contexts_;
  ucontext_t thread_{};
  std::size_t running_{}, ended_{};
  bool passes_{};

  static void enter()
  {
    auto& fibers = *current_;
    fibers.function_(fibers.first_ + static_cast<int>(fibers.running_));
    ++fibers.ended_;
  }
};

}  // namespace lux
