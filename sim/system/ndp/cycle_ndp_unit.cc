// SPDX-License-Identifier: Apache-2.0
#include "system/ndp/cycle_ndp_unit.h"

#include <algorithm>
#include <limits>

namespace neardata::system {

using core::Fs;

core::Expected<Fs> CycleNdpUnit::step(Fs now) {
  core::EdgeCursor edge = cursor_;
  edge.move_after(now - Fs{1});
  if (edge.time() != now) return edge.time();  // woken early or between two edges
  skipped_ += (edge.cycle() - cursor_.cycle()).value;
  cursor_ = edge;

  const unit::NdpCycleOutputs& out = model_.outputs();
  if (out.done_valid && out.done_field != unit::NdpField::kNone) {
    const auto field = static_cast<std::uint32_t>(out.done_field);
    return core::broken_rule(std::string(name()), unit::refusal_of(field), now);
  }
  const auto take = [&](std::size_t s, const core::ReadResponse& response) {
    inputs_.rsp_tag[s] = static_cast<std::uint16_t>(response.tag);
  };
  handshake_.exchange(now, edge.cycle(), out, events_, take);
  inputs_.desc = handshake_.desc;
  inputs_.done_ready = handshake_.done_ready;
  inputs_.out_ready = handshake_.out_ready;
  inputs_.req_ready = handshake_.req_ready;
  inputs_.rsp_valid = handshake_.rsp_valid;
  model_.tick(static_cast<unit::NdpCycle::Cycle>(edge.cycle().value), inputs_);
  cursor_.next();
  return next_work();
}

/// The next edge if a handshake may happen there, else the first at which the model must tick.
Fs CycleNdpUnit::next_work() const {
  const unit::NdpCycleOutputs& out = model_.outputs();
  const Fs edge = cursor_.time();
  if (out.req_valid != 0 || out.out_valid || out.done_valid) return edge;
  const Fs arrival = handshake_.next_arrival(edge);
  const unit::NdpCycle::Cycle tick = model_.idle_until();
  if (tick <= static_cast<unit::NdpCycle::Cycle>(cursor_.cycle().value)) return edge;
  if (tick == std::numeric_limits<unit::NdpCycle::Cycle>::max()) return arrival;
  core::EdgeCursor wake = cursor_;
  wake.move_to(core::Cycle{static_cast<std::int64_t>(tick)});
  return std::min(arrival, wake.time());
}

}  // namespace neardata::system
