// SPDX-License-Identifier: Apache-2.0
#include "link/hub.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace neardata::link {

using core::Fs;

template <typename P>
Hub<P>::Hub(core::Placement place, std::uint32_t dimm, std::size_t spare, const HubPorts& ports)
    : Part(std::move(place)),
      inputs_(ports.inputs),
      outputs_(ports.outputs),
      order_(ports.inputs),
      dimm_(dimm),
      spare_(spare) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    inputs_[i].option = "credits of input " + std::to_string(i);
  }
  for (const auto& [target, outputs] : ports.routes) {
    if (target >= routes_.size()) routes_.resize(target + std::size_t{1});
    routes_[target] = {outputs};
  }
}

template <typename P>
void Hub<P>::declare(core::PortList& ports) {
  ports.in("inject", inject_, {.option = "DIMM"});
  ports.out("eject", eject_, {.option = "DIMM"});
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    ports.in(core::port_of("packets", i), inputs_[i].packets);
    // An input without a link needs no credits.
    ports.out(core::port_of("credits", i), inputs_[i].credits, {.option = inputs_[i].option});
  }
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    ports.out(core::port_of("outputs", o), outputs_[o]);
  }
}

template <typename P>
core::Expected<Fs> Hub<P>::step(Fs now) {
  bool moved = true;
  while (moved) {
    moved = false;
    std::size_t place = 0;
    for (std::size_t looked = 0; looked < order_.size(); ++looked) {
      const Input& input = inputs_[order_[place]];
      const P* packet = input.packets->front(now);
      if (packet == nullptr || !forward(*packet, now, 0)) {
        ++place;
        continue;
      }
      const Credit credit{packet->packets()};
      input.packets->pop(now);
      if (input.credits && !input.credits->try_push(now, credit)) {
        error_ = core::SimError{core::Fault::kProtocol, std::string(name()),
                                "more credits than packets", now};
      }
      const auto served = order_.begin() + static_cast<std::ptrdiff_t>(place);
      std::rotate(served, served + 1, order_.end());
      moved = true;
    }
    const P* fresh = inject_ ? inject_->front(now) : nullptr;
    if (fresh != nullptr && forward(*fresh, now, spare_)) {
      inject_->pop(now);
      moved = true;
    }
  }
  if (error_) return std::unexpected(*error_);
  // The reader of a full output wakes the hub. Nothing wakes it for an output with a reserved slot.
  Fs next = inject_ ? inject_->front_time() : core::kNever;
  if (next <= now) next = spare_ > 0 ? clock().edge(clock().after(now)) : core::kNever;
  for (const Input& input : inputs_) {
    if (const Fs time = input.packets->front_time(); time > now) next = std::min(next, time);
  }
  return next;
}

template <typename P>
bool Hub<P>::forward(const P& packet, Fs now, std::size_t spare) {
  const std::uint32_t target = packet.target_of();
  if (target == dimm_ && eject_) {
    if (!eject_->try_push(now, packet)) return false;
  } else {
    if (target >= routes_.size() || routes_[target].outputs.empty()) {
      error_ = core::SimError{core::Fault::kProtocol, std::string(name()),
                              "no way to DIMM " + std::to_string(target), now};
      return false;
    }
    Route& route = routes_[target];
    const core::Out<P>* output = nullptr;
    for (std::size_t i = 0; i < route.outputs.size() && output == nullptr; ++i) {
      const auto& tried = outputs_[route.outputs[(route.next_output + i) % route.outputs.size()]];
      if (tried->room(now) > spare) output = &tried;
    }
    if (output == nullptr || !(*output)->try_push(now, packet)) return false;
    ++route.next_output;
  }
  ++forwarded_;
  return true;
}

template <typename P>
Fs Hub<P>::earliest_message(Fs due) const {
  for (const auto& output : outputs_) {
    if (output->crosses()) return due;
  }
  Fs next = core::kNever;
  for (const Input& input : inputs_) next = std::min(next, input.packets->front_time());
  return std::max(due, next);
}

template <typename P>
std::optional<std::string> Hub<P>::waits_for() const {
  std::size_t waiting = inject_ ? inject_->size() : 0;
  for (const Input& input : inputs_) waiting += input.packets->size();
  if (waiting == 0) return std::nullopt;
  return std::to_string(waiting) + " packets to pass on";
}

template class Hub<Packet>;
template class Hub<PacketSequence>;

}  // namespace neardata::link
