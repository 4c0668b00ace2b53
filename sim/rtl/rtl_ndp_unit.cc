// SPDX-License-Identifier: Apache-2.0
#include "rtl/rtl_ndp_unit.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace neardata::rtl {

using core::Expected;
using core::Fs;

RtlNdpUnit::RtlNdpUnit(const NdpPlugin& plugin, unit::NdpPorts ports, const core::Clock& clock,
                       unit::NdpEvents& events, std::optional<TraceWindow> trace)
    : api_(&plugin.api()),
      ports_(std::move(ports)),
      events_(events),
      window_(std::move(trace)),
      cursor_(clock),
      unit_(api_->create(&outputs_), Destroy{api_}) {}

Expected<Fs> RtlNdpUnit::step(Fs now) {
  core::EdgeCursor edge = cursor_;
  edge.move_after(now - Fs{1});
  if (edge.time() != now) return edge.time();  // woken early or between two edges
  const core::Cycle cycle = edge.cycle();
  if (const std::int64_t idle = (cycle - cursor_.cycle()).value; idle > 0) {
    events_.strobes(outputs_.events, cursor_.cycle().value, idle);
    skipped_ += idle;
  }
  cursor_ = edge;

  events_.strobes(outputs_.events, cycle.value);
  offer_inputs(now);
  take_outputs(now);
  finish_inputs(now);
  if (window_) {
    if (auto traced = trace(cycle); !traced) return std::unexpected(std::move(traced).error());
  }
  const bool alive = api_->step(unit_.get(), &inputs_, &outputs_);
  if (!alive) return std::unexpected(failure(now));
  cursor_.next();
  return next_work();
}

/// Shows the unit what its input channels hold.
void RtlNdpUnit::offer_inputs(Fs now) {
  inputs_.rsp_valid = 0;
  for (std::size_t s = 0; s < ports_.streams.size(); ++s) {
    const unit::ReadResponse* response = ports_.streams[s].responses->front(now);
    if (response == nullptr) continue;
    inputs_.rsp_valid |= 1U << s;
    inputs_.rsp_tag[s] = response->tag;
    inputs_.rsp_data[s] = response->data;
  }
  const unit::Descriptor* descriptor = ports_.descriptors->front(now);
  inputs_.descriptor = descriptor != nullptr ? descriptor->data() : nullptr;
}

/// Takes what the unit holds valid and the channels have room for.
void RtlNdpUnit::take_outputs(Fs now) {
  inputs_.req_ready = 0;
  for (std::size_t s = 0; s < ports_.streams.size(); ++s) {
    auto& requests = *ports_.streams[s].requests;
    if (requests.full(now)) continue;
    inputs_.req_ready |= 1U << s;
    if ((outputs_.req_valid >> s & 1U) == 0) continue;
    if (requests.try_push(now, {outputs_.req_tag[s], outputs_.req_addr[s]})) {
      ++transfers_;
      ++outstanding_reads_;
    }
  }
  inputs_.out_ready = !ports_.output->full(now);
  if (outputs_.out_valid && inputs_.out_ready) {
    unit::WriteBurst burst{.stream = outputs_.out_stream, .burst = outputs_.out_addr};
    std::memcpy(burst.data.data(), outputs_.out_data, burst.data.size());
    if (ports_.output->try_push(now, burst)) ++transfers_;
  }
  inputs_.done_ready = !ports_.done->full(now);
  if (outputs_.done_valid && inputs_.done_ready && ports_.done->try_push(now, {})) {
    ++transfers_;
    --outstanding_jobs_;
  }
}

/// Removes from the input channels what the unit takes in this cycle.
void RtlNdpUnit::finish_inputs(Fs now) {
  const std::uint32_t taken = inputs_.rsp_valid & outputs_.rsp_ready;
  for (std::uint32_t rest = taken; rest != 0; rest &= rest - 1) {
    ports_.streams[static_cast<std::size_t>(std::countr_zero(rest))].responses->pop(now);
    --outstanding_reads_;
    ++transfers_;
  }
  if (taken != 0) {
    const auto bursts = static_cast<std::uint64_t>(std::popcount(taken));
    events_.bytes_read(cursor_.cycle().value, bursts * unit::kBurstBytes);
  }
  if (inputs_.descriptor != nullptr && outputs_.descriptor_ready) {
    // The inputs keep pointing at the popped message: it stays in the channel's ring for now.
    ports_.descriptors->pop(now);
    ++transfers_;
    ++outstanding_jobs_;
  }
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
  Fs next = ports_.descriptors->front_time();
  for (const auto& stream : ports_.streams) next = std::min(next, stream.responses->front_time());
  return std::max(next, edge);
}

core::SimError RtlNdpUnit::failure(Fs now) const {
  NeardataNdpError error{};
  api_->error(unit_.get(), &error);
  return {core::Fault::kAssertion, error.place, error.message, now};
}

std::optional<std::string> RtlNdpUnit::waits_for() const {
  if (outstanding_jobs_ == 0 && outstanding_reads_ == 0) return std::nullopt;
  return std::to_string(outstanding_reads_) + " reads";
}

}  // namespace neardata::rtl
