// SPDX-FileCopyrightText: 2026 The Lux developers
// SPDX-License-Identifier: Apache-2.0
//
// Events for Realm's processors. A processor that finds no free event makes 65,536 of them, which take 80 MB and a tenth
// of a second, whether it needs that many or one. Realm itself has made as many when it starts Legion, of which few are
// in use: they are shared out among the processors, which make more when theirs run out.
#pragma once

#include <algorithm>
#include <set>

#include <realm/proc_impl.h>
#include <realm/runtime_impl.h>

namespace {

// Of Realm's own events, as many as are shared out; and the most that a processor gets.
constexpr size_t shared_events = 32768, events_each = 8192;

struct OpenRuntime : Realm::Runtime {
  explicit OpenRuntime(Realm::Runtime const& runtime) : Realm::Runtime{runtime} {}
  Realm::RuntimeImpl& inside() const { return *static_cast<Realm::RuntimeImpl*>(impl); }
};

struct OpenProcessor : Realm::ProcessorImpl {
  static auto free_events() { return &OpenProcessor::free_local_events; }
};

void share_events(Realm::Machine, Legion::Runtime*, std::set<Realm::Processor> const&)
{
  auto& realm            = OpenRuntime{Realm::Runtime::get_runtime()}.inside();
  auto const& processors = realm.nodes[Realm::Network::my_node_id].processors;
  size_t const each      = std::min(events_each, shared_events / std::max<size_t>(processors.size(), 1));
  for (auto* processor : processors) {
    auto& own = processor->*OpenProcessor::free_events();
    for (size_t k = 0; k < each; k++) {
      auto* const event = realm.local_event_free_list->pop_front();
      if (event == nullptr) return;
      own.push_front(event);
    }
  }
}

}  // namespace

// Has Realm's processors get events when Legion starts; to be called before.
extern "C" void lux_share_events()
{
  Legion::Runtime::add_registration_callback(Legion::RegistrationCallback{share_events}, false);
}
