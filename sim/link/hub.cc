// SPDX-License-Identifier: Apache-2.0
#include "link/hub.h"

#include <algorithm>
#include <utility>

namespace neardata::link {

using core::Fs;

void Hub::route(std::uint32_t target, std::vector<core::Channel<Packet>*> outputs) {
  if (target >= routes_.size()) routes_.resize(target + std::size_t{1});
  routes_[target] = {std::move(outputs)};
}

core::Expected<Fs> Hub::step(Fs now) {
  bool moved = true;
  while (moved) {
    moved = false;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Input& input = inputs_[(turn_ + i) % inputs_.size()];
      const Packet* packet = input.packets->front(now);
      if (packet == nullptr || !forward(*packet, now, 0)) continue;
      input.packets->pop(now);
      if (!input.credits->try_push(now, {})) {
        error_ = core::SimError{core::Fault::kProtocol, name_, "more credits than packets", now};
      }
      moved = true;
    }
    const Packet* fresh = inject_.front(now);
    if (fresh != nullptr && forward(*fresh, now, spare_)) {
      inject_.pop(now);
      moved = true;
    }
    ++turn_;
  }
  if (error_) return std::unexpected(*error_);
  // Where an output is full, its reader wakes the hub; where a place is kept free, nobody does.
  Fs next = inject_.front_time();
  if (next <= now) next = spare_ > 0 ? clock_.edge(clock_.after(now)) : core::kNever;
  for (const Input& input : inputs_) {
    if (const Fs time = input.packets->front_time(); time > now) next = std::min(next, time);
  }
  return next;
}

bool Hub::forward(const Packet& packet, Fs now, std::size_t spare) {
  const std::uint32_t target = packet.header().target;
  if (target == dimm_) {
    if (!eject_.try_push(now, packet)) return false;
  } else {
    if (target >= routes_.size() || routes_[target].outputs.empty()) {
      error_ = core::SimError{core::Fault::kProtocol, name_,
                              "no way to DIMM " + std::to_string(target), now};
      return false;
    }
    Route& route = routes_[target];
    core::Channel<Packet>* output = nullptr;
    for (std::size_t i = 0; i < route.outputs.size() && output == nullptr; ++i) {
      core::Channel<Packet>* tried = route.outputs[(route.turn + i) % route.outputs.size()];
      if (tried->room(now) > spare) output = tried;
    }
    if (output == nullptr || !output->try_push(now, packet)) return false;
    ++route.turn;
  }
  ++forwarded_;
  return true;
}

std::optional<std::string> Hub::waits_for() const {
  std::size_t waiting = inject_.size();
  for (const Input& input : inputs_) waiting += input.packets->size();
  if (waiting == 0) return std::nullopt;
  return std::to_string(waiting) + " packets to pass on";
}

}  // namespace neardata::link
