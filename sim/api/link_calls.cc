// SPDX-License-Identifier: Apache-2.0
#include "api/link_calls.h"

namespace neardata::api {

core::Answer<CxlStreamResult> cxl_stream(const CxlStreamRequest& given) {
  constexpr double kBits = 8;
  const auto [requests, lines] = link::cxl_links(given.lanes, given.flit);
  const auto times = link::stream({.requests = requests,
                                   .lines = lines,
                                   .count = given.lines,
                                   .window = given.in_flight,
                                   .latency = given.latency,
                                   .line_time = given.line_time});
  if (!times) return core::bad_input(times.error());
  const core::BusRate& limit = lines.limits.wires;
  return CxlStreamResult{.times = *times,
                         .rate = times->rate(given.lines),
                         .wires = static_cast<double>(lines.lane_rate.value) / kBits,
                         .limit = static_cast<double>(limit.pins) *
                                  static_cast<double>(limit.transfers_per_second) / kBits};
}

}  // namespace neardata::api
