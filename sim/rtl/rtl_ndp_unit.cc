// SPDX-License-Identifier: Apache-2.0
#include "rtl/rtl_ndp_unit.h"

#include <algorithm>
#include <bit>

namespace neardata::rtl {

using core::Expected;
using core::Fs;

RtlNdpUnit::RtlNdpUnit(core::Placement place, const NdpPlugin& plugin, std::size_t bins,
                       std::optional<TraceWindow> trace)
    : NdpUnit(std::move(place), bins),
      api_(&plugin.api()),
      handshake_(api_->streams, std::size_t{1} << api_->tag_bits),
      window_(std::move(trace)),
      cursor_(clock()),
      asked_(handshake_.streams(), std::vector<bool>(std::size_t{1} << api_->tag_bits)),
      unit_(api_->create(&outputs_), Destroy{api_}) {}

Expected<Fs> RtlNdpUnit::step(Fs now) {
  core::EdgeCursor edge = cursor_;
  edge.move_after(now - Fs{1});
  if (edge.time() != now) return edge.time();  // woken early or between two edges
  const core::Cycle cycle = edge.cycle();
  if (auto good = check_outputs(now); !good) return std::unexpected(std::move(good).error());
  skip_to(cycle);
  events_.strobes(outputs_.events, cycle.value);
  handshake_.exchange(now, cycle, outputs_, events_);
  follow_tags();
  fill_inputs();
  if (auto kept = check_rules(now); !kept) return std::unexpected(std::move(kept).error());
  if (window_) {
    if (auto traced = trace(cycle); !traced) return std::unexpected(std::move(traced).error());
  }
  request();
  return core::kNever;
}

Expected<Fs> RtlNdpUnit::evaluated(Fs now) {
  if (!alive_) return std::unexpected(failure(now));
  cursor_.next();
  return next_work();
}

/// What a unit gave that ended the run is not counted.
void RtlNdpUnit::finish(core::Cycle end) {
  if (check_outputs(cursor_.time())) skip_to(end);
}

/// Passes over the cycles before `cycle`, in which nothing changes.
void RtlNdpUnit::skip_to(core::Cycle cycle) {
  const std::int64_t idle = (cycle - cursor_.cycle()).value;
  if (idle <= 0) return;
  events_.strobes(outputs_.events, cursor_.cycle().value, idle);
  skipped_ += idle;
  cursor_.move_to(cycle);
}

void RtlNdpUnit::fill_inputs() {
  inputs_.desc = handshake_.desc != nullptr ? handshake_.desc->data() : nullptr;
  inputs_.done_ready = handshake_.done_ready;
  inputs_.out_ready = handshake_.out_ready;
  inputs_.req_ready = handshake_.req_ready;
  inputs_.rsp_valid = handshake_.rsp_valid;
  for (std::uint32_t rest = inputs_.rsp_valid; rest != 0; rest &= rest - 1) {
    const auto s = static_cast<std::size_t>(std::countr_zero(rest));
    inputs_.rsp_tag[s] = handshake_.responses[s].tag;
    inputs_.rsp_data[s] = handshake_.responses[s].data;
  }
}

Expected<void> RtlNdpUnit::check_outputs(Fs now) const {
  const auto wrong = [&](const std::string& what) {
    return std::unexpected(core::SimError{core::Fault::kProtocol, std::string(name()), what, now});
  };
  if (outputs_.done_valid && handshake_.jobs() == 0) {
    return wrong("done_valid_o is high and no descriptor is at work");
  }
  if (outputs_.events >> unit::kNdpEvents != 0) {
    return wrong("events_o has a bit above the " + std::to_string(unit::kNdpEvents) + " events");
  }
  if (outputs_.out_valid && outputs_.out_stream >= asked_.size()) {
    return wrong("out_stream_o names stream " + std::to_string(outputs_.out_stream));
  }
  for (std::size_t s = 0; s < asked_.size(); ++s) {
    if ((outputs_.req_valid >> s & 1U) == 0) continue;
    const std::uint32_t tag = outputs_.req_tag[s];
    if (tag < asked_[s].size() && !asked_[s][tag]) continue;
    return wrong("req_tag_o of stream " + std::to_string(s) + " is " + std::to_string(tag) +
                 (tag < asked_[s].size() ? ", whose answer has not come" : ", which is no tag"));
  }
  return {};
}

/// Tags of answers that came are free again, those of requests that left are not.
void RtlNdpUnit::follow_tags() {
  for (std::size_t s = 0; s < asked_.size(); ++s) {
    if ((handshake_.rsp_valid >> s & 1U) != 0) asked_[s][handshake_.responses[s].tag] = false;
    if ((outputs_.req_valid & handshake_.req_ready) >> s & 1U)
      asked_[s][outputs_.req_tag[s]] = true;
  }
}

/// A unit has room for every response that it asked for.
Expected<void> RtlNdpUnit::check_rules(Fs now) const {
  if ((handshake_.rsp_valid & ~outputs_.rsp_ready) == 0) return {};
  return std::unexpected(core::SimError{core::Fault::kProtocol, std::string(name()),
                                        "rsp_ready_o was low when a response came", now});
}

Expected<void> RtlNdpUnit::trace(core::Cycle cycle) {
  const bool inside = cycle >= window_->from && cycle < window_->to;
  if (inside == tracing_) return {};
  if (!inside) {
    api_->trace_close(unit_.get());
  } else if (!api_->trace_open(unit_.get(), window_->path.c_str(),
                               static_cast<std::uint64_t>(cycle.value))) {
    return std::unexpected(core::SimError{core::Fault::kBadConfig, window_->path,
                                          "the waveform file cannot be written", cursor_.time()});
  }
  tracing_ = inside;
  return {};
}

/// The next edge, or later when the unit is quiet and nothing can move there.
Fs RtlNdpUnit::next_work() const {
  const Fs edge = cursor_.time();
  const bool wants = (outputs_.req_valid != 0) || outputs_.out_valid || outputs_.done_valid;
  if (!outputs_.quiet || wants) return edge;
  return handshake_.next_arrival(edge);
}

core::SimError RtlNdpUnit::failure(Fs now) const {
  NeardataNdpError error{};
  api_->error(unit_.get(), &error);
  return {core::Fault::kAssertion, error.place, error.message, now};
}

}  // namespace neardata::rtl
