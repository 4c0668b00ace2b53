// SPDX-License-Identifier: Apache-2.0
#include "dram/trace/memory.h"

#include <algorithm>

namespace neardata::dram {

namespace {

Cycle patience(const ControllerConfig& controller) {
  constexpr std::int64_t kIntervals = 100;
  constexpr std::int64_t kWithoutRefresh = 100'000'000;
  if (controller.refresh == RefreshKind::kNone) return {kWithoutRefresh};
  return {kIntervals * banks_in_turn(controller) * controller.refresh_interval.value};
}

}  // namespace

void Memory::ChannelSink::completion(RequestId id, Cycle cycle) {
  memory_->last_completion_ = std::max(memory_->last_completion_, cycle);
  memory_->listener_->completion(id, cycle);
}

Memory::Memory(const MemoryConfig& config, Listener& listener)
    : config_(config),
      mapper_(config.mapping, config.controller.organization),
      listener_(&listener),
      patience_(patience(config.controller)) {
  const std::uint32_t channels = config.controller.organization.channels;
  for (std::uint32_t c = 0; c < channels; ++c) {
    channels_.push_back(config.make_channel(config.controller, {config.mapping, c}));
    sinks_.emplace_back(c, *this);
  }
  entrances_.resize(config.injection == Injection::kGlobalFifo ? 1 : channels);
}

/// Advances the entrance and every channel behind it to clock `to`.
void Memory::advance(Entrance& entrance, std::uint32_t channel, Cycle to) {
  if (to > entrance.clock) {
    entrance.clock = to;
    entrance.accepts = 0;
  }
  if (config_.injection == Injection::kPerChannelFifo) {
    channels_[channel]->advance(to, sinks_[channel]);
    return;
  }
  for (std::uint32_t c = 0; c < channels_.size(); ++c) channels_[c]->advance(to, sinks_[c]);
}

Cycle Memory::inject(RequestId id, Operation operation, std::uint64_t address, Cycle arrival) {
  const Target target = mapper_.map(address);
  const std::uint32_t c = target.channel;
  Entrance& entrance = entrances_[config_.injection == Injection::kGlobalFifo ? 0 : c];
  const bool used_up = config_.accepts_per_cycle && entrance.accepts >= *config_.accepts_per_cycle;
  last_arrival_ = arrival;
  advance(entrance, c, std::max(arrival, used_up ? entrance.clock + Cycle{1} : entrance.clock));
  const bool read = operation == Operation::kRead;
  const StopAt room{.read_leaves = read, .write_leaves = !read};
  const Cycle last = entrance.clock + patience_;
  while (!channels_[c]->offer({id, operation, address, target.where}, entrance.clock)) {
    if (entrance.clock >= last) return kNever;
    advance(entrance, c, channels_[c]->advance(last, sinks_[c], room));
  }
  ++entrance.accepts;
  return entrance.clock;
}

void Memory::pass(Cycle to) {
  last_arrival_ = to;
  advance_all();
}

std::optional<Cycle> Memory::drain() {
  for (std::uint32_t c = 0; c < channels_.size(); ++c) {
    ChannelModel& channel = *channels_[c];
    std::size_t outstanding = channel.outstanding();
    for (Cycle last = channel.clock() + patience_; outstanding != 0;) {
      const Cycle next = channel.next_event();
      if (next > last) return std::nullopt;
      channel.advance(next, sinks_[c]);
      if (channel.outstanding() == outstanding) continue;
      outstanding = channel.outstanding();
      last = channel.clock() + patience_;
    }
  }
  const Cycle end = last_completion_;
  for (std::uint32_t c = 0; c < channels_.size(); ++c) channels_[c]->advance(end, sinks_[c]);
  return end;
}

Cycle Memory::advance_all() {
  Cycle least = kNever;
  for (std::uint32_t c = 0; c < channels_.size(); ++c) {
    Entrance& entrance = entrances_[config_.injection == Injection::kGlobalFifo ? 0 : c];
    advance(entrance, c, std::max(last_arrival_, channels_[c]->clock()));
    least = std::min(least, channels_[c]->clock());
  }
  return least;
}

}  // namespace neardata::dram
