// SPDX-License-Identifier: Apache-2.0
#include "flash/backend.h"

#include <algorithm>

namespace neardata::flash {

Backend::Backend(const Timing& timing, const DeviceShape& shape, Arbitration arbitration)
    : channels_(shape.channels, Channel(timing, shape.channel, arbitration, scheduled_)),
      next_(shape.channels) {}

void Backend::submit(Tick now, std::span<const RoutedRequest> batch) {
  for (const RoutedRequest& request : batch) channels_[request.channel].enqueue(request.page);
  for (const RoutedRequest& request : batch) {
    Channel& channel = channels_[request.channel];
    channel.arbitrate(now);
    next_[request.channel] = channel.next_event();
  }
  find_earliest();
}

void Backend::step(Tick now, std::vector<Completion>& finished) {
  due_.clear();
  started_.clear();
  loaded_.clear();
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (next_[i].when == now) due_.push_back({.key = next_[i], .channel = i});
  }
  if (due_.size() > 1) std::ranges::sort(due_, {}, &Due::key);
  for (const Due& due : due_) {
    channels_[due.channel].step(now, finished);
    next_[due.channel] = channels_[due.channel].next_event();
    const std::span<const RequestId> loaded = channels_[due.channel].loaded();
    loaded_.insert(loaded_.end(), loaded.begin(), loaded.end());
    const std::optional<DataOut> leaving = channels_[due.channel].data_out();
    if (leaving && leaving->start == now) started_.push_back(*leaving);
  }
  find_earliest();
}

void Backend::find_earliest() {
  earliest_ = kNever;
  for (const EventKey& next : next_) earliest_ = std::min(earliest_, next.when);
}

std::vector<BusUse> Backend::bus_use() const {
  std::vector<BusUse> use;
  use.reserve(channels_.size());
  for (const Channel& channel : channels_) use.push_back(channel.bus_use());
  return use;
}

std::optional<std::string> Backend::fault() const {
  for (std::size_t channel = 0; channel < channels_.size(); ++channel) {
    const auto& found = channels_[channel].out_of_order();
    if (found) return "channel " + std::to_string(channel) + ", " + text_of(*found);
  }
  return std::nullopt;
}

}  // namespace neardata::flash
