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
#include <vector>

#include "core/channel.h"
#include "core/component.h"

namespace neardata::unit {

inline constexpr std::size_t kBurstBytes = 64;
inline constexpr std::size_t kDescriptorWords = 20;

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
};

/// Burst addresses count 64-byte bursts in the stream's own sub-channel.
struct ReadRequest {
  std::uint32_t tag = 0;
  std::uint32_t burst = 0;
};

struct ReadResponse {
  std::uint32_t tag = 0;
  std::uint32_t burst = 0;
  const std::byte* data = nullptr;  ///< 64 bytes, in the byte store; good until the run ends
};

struct WriteBurst {
  std::uint32_t stream = 0;
  std::uint32_t burst = 0;
  bool has_data = true;  ///< false from a model that moves no values
  std::array<std::byte, kBurstBytes> data{};
};

using Descriptor = std::array<std::uint32_t, kDescriptorWords>;

struct DescriptorDone {};

/// The unit's ends of its channels; owned by the machine around it.
struct NdpPorts {
  struct Stream {
    core::Channel<ReadRequest>* requests = nullptr;    ///< the unit sends
    core::Channel<ReadResponse>* responses = nullptr;  ///< the unit receives, in any order of tags
  };
  std::vector<Stream> streams;
  core::Channel<WriteBurst>* output = nullptr;       ///< the unit sends
  core::Channel<Descriptor>* descriptors = nullptr;  ///< the unit receives
  core::Channel<DescriptorDone>* done = nullptr;     ///< the unit sends
};

class NdpUnit : public core::Component {
 public:
  /// Counts the events of the cycles before `end` that are not counted yet. The run is over.
  virtual void finish(core::Cycle end) = 0;
  /// Cycles that nobody simulated because nothing could change in them.
  [[nodiscard]] virtual std::int64_t skipped() const = 0;
};

}  // namespace neardata::unit
