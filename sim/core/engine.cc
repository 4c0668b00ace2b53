// SPDX-License-Identifier: Apache-2.0
#include "core/engine.h"

#include <utility>

namespace neardata::core {

void Engine::add(Component& component, Fs first) {
  components_.push_back(&component);
  component.alarm().no_later_than(first);
}

Expected<Fs> Engine::run(Observer& observer) {
  std::uint32_t instants = 0;
  while (true) {
    Fs next = kNever;
    for (Component* component : components_) next = std::min(next, component->alarm().due());
    if (next == kNever) {
      if (auto error = deadlock("nothing has work")) return std::unexpected(*std::move(error));
      return now_;
    }
    now_ = next;
    for (Component* component : components_) {
      if (component->alarm().due() > now_) continue;
      component->alarm().clear();
      auto due = component->step(now_);
      if (!due) return std::unexpected(std::move(due).error());
      component->alarm().no_later_than(*due);
    }
    if (++instants == limits_.instants_per_look) {
      instants = 0;
      if (auto seen = look(observer); !seen) return std::unexpected(std::move(seen).error());
    }
  }
}

Expected<void> Engine::look(Observer& observer) {
  if (!observer.keep_going(now_)) {
    return std::unexpected(SimError{Fault::kCancelled, "engine", "the caller stopped it", now_});
  }
  std::uint64_t progress = 0;
  for (const Component* component : components_) progress += component->progress();
  if (progress != last_progress_) {
    last_progress_ = progress;
    last_progress_time_ = now_;
  } else if (now_ - last_progress_time_ > limits_.stalled) {
    if (auto error = deadlock("nothing moves")) return std::unexpected(*std::move(error));
  }
  return {};
}

std::optional<SimError> Engine::deadlock(const std::string& why) const {
  std::string places;
  std::string waits;
  for (const Component* component : components_) {
    const auto wait = component->waits_for();
    if (!wait) continue;
    if (!places.empty()) places += ", ";
    if (!waits.empty()) waits += "; ";
    places += component->name();
    waits += std::string(component->name()) + " waits for " + *wait;
  }
  if (places.empty()) return std::nullopt;
  return SimError{Fault::kDeadlock, places, why + " while " + waits, now_};
}

}  // namespace neardata::core
