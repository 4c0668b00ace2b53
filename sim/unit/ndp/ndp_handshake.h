// SPDX-License-Identifier: Apache-2.0
//
// The channel side of a unit's ports in one cycle, the same for every model of the unit: decides
// what is offered and what is taken, and moves it. A model's outputs do not depend on its inputs of
// the same cycle, so both directions settle at once.
//
//   handshake.exchange(now, cycle, outputs, events,    // outputs of this cycle
//                      [&](std::size_t stream, const ReadResponse& response) { ... });
//   ... give the model what `desc`, `req_ready`, `rsp_valid`, ... say ...
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <deque>
#include <optional>
#include <string>

#include "unit/ndp/ndp_events.h"
#include "unit/ndp/ndp_unit.h"

namespace neardata::unit {

class NdpHandshake {
 public:
  /// `queue_bursts`: reads of a stream that may be outstanding.
  NdpHandshake(std::size_t streams, std::size_t queue_bursts) : queue_bursts_(queue_bursts) {
    ports_.streams.resize(streams);
  }

  void declare(core::PortList& ports) { ports_.declare(ports, queue_bursts_); }

  // The unit's inputs of the cycle; bit s of a mask belongs to stream s. The pointer is good until
  // the next exchange.
  const Descriptor* desc = nullptr;
  bool done_ready = false;
  bool out_ready = false;
  std::uint32_t req_ready = 0;
  std::uint32_t rsp_valid = 0;

  /// One cycle of a unit with these outputs (`desc_ready`, `done_valid`, `out_valid`, `req_valid`
  /// and their payloads; `out_data` if the model has values). `answer(stream, response)` is called
  /// for every response.
  template <typename Outputs, typename Answer>
  void exchange(core::Fs now, core::Cycle cycle, const Outputs& out, NdpEvents& events,
                const Answer& answer) {
    take_responses(now, cycle, events, answer);
    give_requests(now, out);
    give_output(now, out);
    done_ready = !ports_.done->full(now);
    if (out.done_valid && done_ready && ports_.done->try_push(now, {taken_.front()})) {
      ++transfers_;
      taken_.pop_front();
    }
    desc = ports_.descriptors->front(now);
    if (desc != nullptr && out.desc_ready) {
      descriptor_ = *desc;
      desc = &descriptor_;
      ports_.descriptors->pop(now);
      ++transfers_;
      taken_.push_back(now);
    }
  }

  /// When something arrives that is not there yet, at the earliest `edge`.
  [[nodiscard]] core::Fs next_arrival(core::Fs edge) const {
    const core::Fs response = *std::ranges::min_element(ports_.next_responses);
    return std::max(std::min(ports_.descriptors->front_time(), response), edge);
  }

  [[nodiscard]] std::uint64_t transfers() const { return transfers_; }
  /// Descriptors at work.
  [[nodiscard]] std::uint64_t jobs() const { return taken_.size(); }
  [[nodiscard]] std::size_t streams() const { return ports_.streams.size(); }

  [[nodiscard]] std::optional<std::string> waits_for() const {
    if (taken_.empty() && reads_ == 0) return std::nullopt;
    return std::to_string(reads_) + " reads";
  }

 private:
  /// A unit reserves buffer space for a response with its request, so it accepts every response at
  /// once.
  template <typename Answer>
  void take_responses(core::Fs now, core::Cycle cycle, NdpEvents& events, const Answer& answer) {
    std::uint32_t valid = 0;
#pragma GCC unroll 1  // compared as a vector
    for (std::uint32_t s = 0; s < kMaxStreams; ++s) {
      valid |= (ports_.next_responses[s].value <= now.value ? 1U : 0U) << s;
    }
    rsp_valid = valid;
    if (rsp_valid == 0) return;
    for (std::uint32_t rest = rsp_valid; rest != 0; rest &= rest - 1) {
      const auto s = static_cast<std::size_t>(std::countr_zero(rest));
      const auto& channel = ports_.streams[s].responses;
      answer(s, *channel->front(now));
      channel->pop(now);
    }
    const auto bursts = static_cast<std::uint64_t>(std::popcount(rsp_valid));
    events.bytes_read(cycle.value, bursts * kBurstBytes);
    reads_ -= bursts;
    transfers_ += bursts;
  }

  template <typename Outputs>
  void give_requests(core::Fs now, const Outputs& out) {
    req_ready = (1U << ports_.streams.size()) - 1;
    for (std::uint32_t rest = out.req_valid; rest != 0; rest &= rest - 1) {
      const auto s = static_cast<std::size_t>(std::countr_zero(rest));
      if (ports_.streams[s].requests->try_push(now, {out.req_tag[s], out.req_addr[s]})) {
        ++transfers_;
        ++reads_;
      } else {
        req_ready &= ~(1U << s);
      }
    }
  }

  template <typename Outputs>
  void give_output(core::Fs now, const Outputs& out) {
    out_ready = !ports_.output->full(now);
    if (!out.out_valid || !out_ready) return;
    WriteBurst burst{.stream = out.out_stream, .burst = out.out_addr, .has_data = false};
    if constexpr (requires { out.out_data; }) {
      burst.has_data = true;
      std::memcpy(burst.data.data(), out.out_data, burst.data.size());
    }
    if (ports_.output->try_push(now, burst)) ++transfers_;
  }

  NdpPorts ports_;
  std::size_t queue_bursts_;
  Descriptor descriptor_{};
  std::uint64_t transfers_ = 0;
  std::uint64_t reads_ = 0;
  std::deque<core::Fs> taken_;  ///< descriptors at work
};

}  // namespace neardata::unit
