// SPDX-License-Identifier: Apache-2.0
#include "system/output_router.h"

#include <algorithm>
#include <utility>

namespace neardata::system {

OutputRouter::OutputRouter(const core::Clock& clock, core::BusRate port,
                           core::Channel<unit::WriteBurst>& input,
                           std::vector<core::Channel<WriteRequest>*> outputs,
                           std::vector<ByteStore>& stores, std::uint64_t bursts, Pauses pauses)
    : clock_(clock),
      input_(input),
      outputs_(std::move(outputs)),
      stores_(stores),
      bursts_(bursts),
      pauses_(pauses),
      guard_("output port", port) {}

core::Expected<core::Fs> OutputRouter::step(core::Fs now) {
  const core::Fs next_edge = clock_.edge(clock_.after(now));
  const unit::WriteBurst* burst = input_.front(now);
  if (burst == nullptr) return input_.front_time();
  if (now < rested_) return rested_;
  if (burst->stream >= outputs_.size() || burst->burst >= bursts_) {
    return std::unexpected(core::SimError{core::Fault::kProtocol, "output port",
                                          "the unit wrote burst " + std::to_string(burst->burst) +
                                              " of stream " + std::to_string(burst->stream) +
                                              ", of " + std::to_string(outputs_.size()) +
                                              " streams of " + std::to_string(bursts_) + " bursts",
                                          now});
  }
  // A full sub-channel wakes the router when there is room again.
  if (!outputs_[burst->stream]->try_push(now, {burst->burst})) return core::kNever;
  if (burst->has_data) stores_[burst->stream].write_burst(burst->burst, burst->data);
  input_.pop(now);
  ++routed_;
  if (auto fault = guard_.transfer({unit::kBurstBytes}, now)) {
    return std::unexpected(*std::move(fault));
  }
  rested_ = clock_.edge(clock_.after(now) + core::Cycle{pauses_.next()});
  return std::max({input_.front_time(), rested_, next_edge});
}

std::optional<std::string> OutputRouter::waits_for() const {
  if (input_.empty()) return std::nullopt;
  return "room for " + std::to_string(input_.size()) + " writes";
}

}  // namespace neardata::system
