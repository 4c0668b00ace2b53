// SPDX-License-Identifier: Apache-2.0
//
// The NDP unit of a DIMM as the engine sees it: a component between channels. The Verilated RTL
// and the cycle model are two of them and act alike, cycle for cycle.
//
// In the unit's cycle n, at edge n of its clock, at most one message moves on each port. A message
// that the unit takes or gives in cycle n is popped or pushed with the time of edge n. A model that
// works from event to event may do so later than cycle n, with the time of edge n, as long as the
// times on one channel never decrease and a push is not older than its receiver's present.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/burst.h"
#include "core/part.h"
#include "unit/ndp/ndp_events.h"

namespace neardata::unit {

// Payloads of the unit's ports.
using core::kBurstBytes;
using core::ReadRequest;
using core::ReadResponse;
using core::WriteBurst;

inline constexpr std::uint32_t kBurstValues = kBurstBytes / sizeof(std::uint16_t);
inline constexpr std::size_t kDescriptorWords = 23;
inline constexpr std::size_t kMaxStreams = 8;

/// Bits of a product at the scale of its block: 22 bits, and as many guard bits.
inline constexpr std::uint32_t kMostAlignedBits = 44;

/// Parameters of `dimm_ndp`, by the names they have there.
struct NdpParameters {
  std::uint32_t streams = 8;
  std::uint32_t mult_per_stream = 32;
  std::uint32_t lanes = 8;
  std::uint32_t bits_per_cycle = 1;
  std::uint32_t buffer_bytes = 262144;
  std::uint32_t queue_bursts = 64;
  std::uint32_t act_lanes = 256;
  std::uint32_t max_tokens = 64;
  std::uint32_t low_bit_weights = 0;  ///< 1: accepts MXFP4, MXFP8, NVFP4, FP8, INT8, INT4 too
  std::uint32_t aligned_bits = kMostAlignedBits;
  std::uint32_t descriptors = 1;  ///< at work at once
};

using Descriptor = std::array<std::uint32_t, kDescriptorWords>;

}  // namespace neardata::unit

template <>
inline constexpr neardata::core::MessageType
    neardata::core::kMessageType<neardata::unit::Descriptor>{"descriptor"};

namespace neardata::unit {

/// Fields of a descriptor for which it is refused, by the numbers of dimm_ndp_pkg.
enum class NdpField : std::uint8_t {
  kNone,
  kOperation,
  kWeights,
  kTokens,
  kPassTokens,
  kInBlocks,
  kOutRows,
  kMidRows,
  kMode,
  kMidBlocks,
  kXBase,
  kXStride,
  kGateBase,
  kUpBase,
  kGuStride,
  kDownBase,
  kDownStride,
  kYBase,
  kYStride,
  kHWord,
  kCWord,
  kInWeights,
  kMidWeights,
  kLimit,
};

/// The message for a unit that rejects a descriptor: the simulation issues only descriptors that it
/// accepts.
[[nodiscard]] inline std::string refusal_of(std::uint32_t field) {
  return "done_field_o refuses the descriptor for field " + std::to_string(field);
}

struct DescriptorDone {
  static constexpr core::MessageType kMessage{"end of a descriptor"};
  core::Fs taken;  ///< time at which the unit accepted it
};

/// The unit's ports.
struct NdpPorts {
  struct Stream {
    core::Out<ReadRequest> requests;
    core::In<ReadResponse> responses;  ///< in any order of tags
  };
  std::vector<Stream> streams;
  /// The arrival of the next response of each stream; kNever if none is in flight.
  alignas(64) std::array<core::Fs, kMaxStreams> next_responses;
  core::Out<WriteBurst> output;
  core::In<Descriptor> descriptors;
  core::Out<DescriptorDone> done;

  /// `queue_bursts`: reads of a stream that may be outstanding. Room for one more, and neither
  /// channel of a stream is ever full.
  void declare(core::PortList& ports, std::size_t queue_bursts) {
    next_responses.fill(core::kNever);
    const std::size_t room = queue_bursts + 1;
    for (std::size_t s = 0; s < streams.size(); ++s) {
      ports.out(core::port_of("requests", s), streams[s].requests, {.least_capacity = room});
      ports.in(core::port_of("responses", s), streams[s].responses,
               {.least_capacity = room, .front_time = &next_responses[s]});
    }
    ports.out("output", output);
    ports.in("descriptors", descriptors);
    ports.out("done", done);
  }
};

class NdpUnit : public core::Part {
 public:
  /// `bins`: of the series over time that is counted.
  NdpUnit(core::Placement place, std::size_t bins) : Part(std::move(place)), events_(bins) {}

  [[nodiscard]] std::string_view kind() const override { return "NDP unit"; }
  [[nodiscard]] core::Fs begins() const override { return core::Fs{0}; }
  [[nodiscard]] const NdpEvents& events() const { return events_; }

  /// Counts the events of the cycles before `end` that are not counted yet. The run is over.
  virtual void finish(core::Cycle end) = 0;
  /// Cycles that were skipped because nothing could change in them.
  [[nodiscard]] virtual std::int64_t skipped() const = 0;

 protected:
  NdpEvents events_;
};

}  // namespace neardata::unit
