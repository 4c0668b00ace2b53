// SPDX-License-Identifier: Apache-2.0
//
// The range of every number at the interface of the addon, each with its reason. A number outside
// of its range is bad input. Numbers inside cannot overflow a time (a run ends after
// core::kLongestRun), nor cause an allocation larger than any machine's memory. Scenarios use much
// smaller numbers.
#pragma once

#include <cstdint>

#include "core/record.h"

namespace neardata::limits {

using core::Range;
using core::RealRange;

using core::kWord;
/// Integers that a double represents exactly.
inline constexpr Range kExact{0, std::int64_t{1} << 53U};
inline constexpr RealRange kExactReal{0, 9007199254740992.0};

/// Hertz. A run without progress for a millisecond counts as deadlocked, so that a clock has many
/// edges in it; at 10^12 Hz a period is a thousand femtoseconds, the unit of time.
inline constexpr Range kClock{1'000'000, 1'000'000'000'000};
/// Cycles from a request to its answer, and between transfers: a second of the slowest clock.
inline constexpr Range kLatency{0, 1'000'000};
/// Cycles from one refresh to the next; 0 for none.
inline constexpr Range kRefreshInterval{0, 1'000'000'000'000};
/// Cycles of the shortest read of a memory: its latency, and the cycles of its burst.
inline constexpr Range kShortestRead{0, 2 * kLatency.most};
/// Nanoseconds of latencies and waits: up to a second.
inline constexpr RealRange kNanoseconds{0, 1e9};
/// Data pins of a bus.
inline constexpr Range kPins{1, 65536};
/// Bits per second of a pin or lane.
inline constexpr Range kTransfers{1'000'000, 1'000'000'000'000'000};
/// Femtoseconds of a line of 64 bytes on a bus: 64 MB/s at least.
inline constexpr Range kLineTime{1, 1'000'000'000};

/// Machines side by side.
inline constexpr Range kDevices{1, 256};
/// Threads of a run; the run creates at most one per partition.
inline constexpr Range kThreads{1, 256};
/// DIMMs are numbered in 8 bits on the links.
inline constexpr Range kDimms{1, 64};
/// Recorded commands or pages of a run: a gigabyte of them.
inline constexpr Range kRecorded{0, std::int64_t{1} << 24U};
/// Recorded commands of a machine with many memories.
inline constexpr Range kRecordedOfMany{0, std::int64_t{1} << 16U};
/// Bursts of one call or run that are copied or moved: four gigabytes.
inline constexpr std::uint64_t kMostBursts = std::uint64_t{1} << 26U;
/// Bursts that the host reads in one run; they are not copied: the weights of the largest layers.
inline constexpr std::uint64_t kMostHostBursts = std::uint64_t{1} << 29U;
/// Bursts of a sub-channel without a rank behind it: 16 GB, as a rank of 64-Gbit devices has.
inline constexpr std::uint64_t kIdealBursts = std::uint64_t{1} << 28U;

/// Lanes of a link between DIMMs, links between two neighbours, packets that a receiver has room
/// for; flow control of 16 bits.
inline constexpr Range kLanes{1, 1024};
inline constexpr Range kParallel{1, 256};
inline constexpr Range kGroup{1, 64};
/// Bits per second of a lane; a byte of them is a cycle of the link's clock.
inline constexpr Range kLaneRate{8'000'000, 8'000'000'000'000};
/// The same for links with a given total rate of all lanes: a megabyte a second over sixteen, a
/// petabyte over one.
inline constexpr Range kPacketLaneRate{500'000, 8'000'000'000'000'000};
/// Bytes of a packet beside its payload; of its payload.
inline constexpr Range kHeaderBytes{0, 65536};
inline constexpr Range kPayload{1, std::int64_t{1} << 24U};
/// Outstanding read requests of a device, commands in a queue of NVMe.
inline constexpr Range kQueued{1, 65536};
/// Bursts of all outputs that a run returns: a gigabyte.
inline constexpr std::uint64_t kMostOutputs = std::uint64_t{1} << 24U;
inline constexpr Range kCredits{1, 65536};
/// Packets that all links of a machine have room for together: a gigabyte of them.
inline constexpr std::uint64_t kMostPackets = std::uint64_t{1} << 22U;

/// Channels of a flash device, dies of a channel; planes that one command addresses.
inline constexpr Range kChannels{1, 4096};
inline constexpr Range kDies{1, 4096};
inline constexpr Range kPlanes{1, 16};
/// Dies of a device, blocks of all its planes: far above a rack of drives, a gigabyte of state.
inline constexpr std::uint64_t kMostDies = std::uint64_t{1} << 18U;
inline constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 22U;
/// Blocks per plane, of which one is reserved; pages per block.
inline constexpr Range kBlocks{2, std::int64_t{1} << 22U};
inline constexpr Range kBlockPages{1, 65536};
/// Bytes of a page: two of them at least, 16 MB at most (src/machine/flash/device.ts).
inline constexpr Range kPageBytes{2, std::int64_t{1} << 24U};
/// Bytes of the buffer that transposes keys, 0 without one: a gigabyte at most.
inline constexpr Range kTransposition{0, std::int64_t{1} << 30U};
/// Femtoseconds from a lookup of a page to the next: a millisecond at most.
inline constexpr Range kLookupInterval{0, 1'000'000'000'000};
/// Ticks of a nanosecond; ticks of one operation and of two bytes on the bus.
inline constexpr Range kTicks{1, 1'000'000};
inline constexpr Range kOperation{0, std::int64_t{1} << 38U};
inline constexpr double kLongestOperation = static_cast<double>(kOperation.most);
inline constexpr double kLongestTransfer = 0x1p24;
/// Ticks in which all requests of a call must have ended.
inline constexpr double kLastTick = 0x1p61;

/// Suspensions of one program or erase; microamperes that a die draws.
inline constexpr Range kSuspends{1, 65536};
inline constexpr Range kCurrent{0, 1'000'000'000};

/// Chains that run at a time: one at least.
inline constexpr Range kInFlight{1, 0xFFFFFFFF};

/// A share of a whole.
inline constexpr RealRange kShare{0, 1};

/// Raw bit error rate; its reduction by a retry; bytes and correctable bits of a codeword.
inline constexpr RealRange kBitErrors{0, 1};
inline constexpr RealRange kRetryGain{1, 1e6};
inline constexpr Range kCodewordBytes{1, std::int64_t{1} << 24U};
inline constexpr Range kRetries{0, 1000};
/// Bit error rate of a link: above, hardly any packet of 72 bytes is received without an error.
inline constexpr RealRange kLinkErrors{0, 0.01};
/// Probability of a stall: above, a run takes a hundred times as long.
inline constexpr RealRange kPauses{0, 0.99};

/// Values of a synthetic head: a second of drawing.
inline constexpr std::uint64_t kMostHeadValues = std::uint64_t{1} << 25U;
/// Chunks that a host's device has buffers for are numbered in 5 bits.
inline constexpr Range kBuffers{1, 32};

}  // namespace neardata::limits
