// SPDX-License-Identifier: Apache-2.0
//
// A link by itself: lines that are read through CXL. Each call is a run of its own.
#pragma once

#include <array>
#include <cstdint>

#include "api/limits.h"
#include "core/record.h"
#include "core/refusal.h"
#include "link/cxl.h"
#include "link/stream.h"

namespace neardata::link {

constexpr auto names_of(const CxlFlit*) { return std::array{"68-bytes", "256-bytes"}; }

}  // namespace neardata::link

namespace neardata::api {

/// `lines` are read, so many at a time, from a memory with a latency and a bus.
struct CxlStreamRequest {
  std::int64_t lanes = 1;
  link::CxlFlit flit = link::CxlFlit::k68;
  std::uint64_t lines = 2;
  std::uint32_t in_flight = 1;
  core::Fs latency;
  core::Fs line_time;
};
constexpr auto record_of(const CxlStreamRequest*) {
  using core::field;
  using Request = CxlStreamRequest;
  /// PCIe links have at most 16 lanes.
  constexpr core::Range kLanes{1, 16};
  constexpr core::Range kLines{2, 1'000'000};
  constexpr core::Range kMemory{0, 100'000'000'000};  ///< femtoseconds: 100 us
  return core::record("CxlStream", field("lanes", &Request::lanes, kLanes),
                      field("flit", &Request::flit), field("lines", &Request::lines, kLines),
                      field("inFlight", &Request::in_flight, limits::kQueued),
                      field("latency", &Request::latency, kMemory),
                      field("lineTime", &Request::line_time, limits::kLineTime));
}

/// Femtoseconds until the first and the last line arrive; bytes per second between the two, of all
/// lanes after their line code, and of the limit of the lines' guard.
struct CxlStreamResult {
  link::StreamTimes times;
  double rate = 0;
  double wires = 0;
  double limit = 0;
};
constexpr auto record_of(const CxlStreamResult*) {
  using core::field;
  using Result = CxlStreamResult;
  return core::record("CxlTimes", field("first", [](const Result& of) { return of.times.first; }),
                      field("last", [](const Result& of) { return of.times.last; }),
                      field("rate", &Result::rate), field("wires", &Result::wires),
                      field("limit", &Result::limit));
}
[[nodiscard]] core::Answer<CxlStreamResult> cxl_stream(const CxlStreamRequest& given);

}  // namespace neardata::api
