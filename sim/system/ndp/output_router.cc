// SPDX-License-Identifier: Apache-2.0
#include "system/ndp/output_router.h"

#include <algorithm>
#include <utility>

namespace neardata::system {

OutputRouter::OutputRouter(core::Placement place, core::BusRate port, std::size_t streams,
                           std::uint64_t bursts, Pauses pauses)
    : Part(std::move(place)),
      outputs_(streams),
      bursts_(bursts),
      pauses_(pauses),
      guard_("output port", port) {}

void OutputRouter::declare(core::PortList& ports) {
  ports.in("input", input_);
  for (std::size_t s = 0; s < outputs_.size(); ++s) {
    ports.out(core::port_of("writes", s), outputs_[s]);
  }
}

core::Expected<core::Fs> OutputRouter::step(core::Fs now) {
  const core::Fs next_edge = clock().edge(clock().after(now));
  const core::WriteBurst* burst = input_->front(now);
  if (burst == nullptr) return input_->front_time();
  if (now < rested_) return rested_;
  if (burst->stream >= outputs_.size() || burst->burst >= bursts_) {
    return std::unexpected(core::SimError{core::Fault::kProtocol, "output port",
                                          "the unit wrote burst " + std::to_string(burst->burst) +
                                              " of stream " + std::to_string(burst->stream) +
                                              ", of " + std::to_string(outputs_.size()) +
                                              " streams of " + std::to_string(bursts_) + " bursts",
                                          now});
  }
  // If a sub-channel is full, its next free space wakes the router.
  const WriteRequest write{.burst = burst->burst, .has_data = burst->has_data, .data = burst->data};
  if (!outputs_[burst->stream]->try_push(now, write)) return core::kNever;
  input_->pop(now);
  ++routed_;
  if (auto fault = guard_.transfer({core::kBurstBytes}, now)) {
    return std::unexpected(*std::move(fault));
  }
  rested_ = clock().edge(clock().after(now) + core::Cycle{pauses_.next()});
  return std::max({input_->front_time(), rested_, next_edge});
}

std::optional<std::string> OutputRouter::waits_for() const {
  if (input_->empty()) return std::nullopt;
  return "room for " + std::to_string(input_->size()) + " writes";
}

}  // namespace neardata::system
