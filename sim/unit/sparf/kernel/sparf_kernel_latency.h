// SPDX-License-Identifier: Apache-2.0
//
// Latencies inside `sparf_kernel`, in cycles: sums of the stages of its units. Each names its
// module; tests compare every cycle of the model with the RTL.
#pragma once

#include <bit>
#include <cstdint>

namespace neardata::unit::latency {

inline constexpr std::int64_t kHalvesPerLine = 32;
inline constexpr std::int64_t kQueryKeysPerCycle = 2;

// argtopk and sparf_topk_counts, sparf_topk_pkg
inline constexpr std::int64_t kTopkStart = 2;    ///< from the start to the first request of keys
inline constexpr std::int64_t kTopkFetch = 2;    ///< from a request to its keys
inline constexpr std::int64_t kTopkCount = 3;    ///< from a key to its digit, counted
inline constexpr std::int64_t kTopkEmit = 3;     ///< from a compared key to the offer
inline constexpr std::int64_t kTopkPlaces = 16;  ///< for output beats
/// From an output beat's request to the offer of its selections.
inline constexpr std::int64_t kTopkOut = kTopkFetch + kTopkCount + kTopkEmit;
/// And until its place is free again, if it has none; from the handshake, if it has.
inline constexpr std::int64_t kTopkDropped = kTopkOut + 1;
inline constexpr std::int64_t kTopkTaken = 2;

/// The time of the first output beat's request, if a selection of `beats` starts at `start` and
/// examines `digits` digits; a single pass examines none.
constexpr std::int64_t topk_emits(std::int64_t start, std::int64_t beats, std::uint32_t digits) {
  const std::int64_t passes = digits == 0 ? 1 : digits;
  return start + kTopkStart + passes * (beats + kTopkFetch + kTopkCount);
}

// sparf_attn_scalar, sparf_attn_normalise, sparf_attn_multiply, sparf_attn_add, sparf_attn_weigh
inline constexpr std::int64_t kScalar = 29;
inline constexpr std::int64_t kNormalise = 9;
inline constexpr std::int64_t kMultiply = 6;
inline constexpr std::int64_t kAdd = 11;
inline constexpr std::int64_t kWeigh =
    kAdd + kMultiply + 19 + 3;  ///< difference, product, power, fixed

// sparf_query_unit
inline constexpr std::int64_t kLinesBegin = 1;   ///< from a state's begin to its first line
inline constexpr std::int64_t kRowsEnd = 2;      ///< from the last element to the next state
inline constexpr std::int64_t kSelectStart = 1;  ///< and to the start of the selection
inline constexpr std::int64_t kScanEnd = 4;      ///< from the last looked up to the next state
/// Two sums, quotient, root, product.
inline constexpr std::int64_t kQueryScale = 2 + kNormalise + 2 * kScalar + kMultiply + 1;
/// From a sum of values to the write of its mean.
inline constexpr std::int64_t kMean = 1 + kNormalise + kMultiply;

// sparf_gemv_sequencer, sparf_gemv_lanes
inline constexpr std::int64_t kRoomKnown = 1;   ///< from room for a head's logits
inline constexpr std::int64_t kBeatLeaves = 5;  ///< from the decision on a beat
inline constexpr std::int64_t kKeysFree = 2;    ///< from a job's last beat to its strobe

/// From the last beat of a tile of n beats at sparf_gemv_lanes, n cycles not counted, to its first
/// logit: product, search of the largest exponent, walk, sums, tree, rounding.
constexpr std::int64_t gemv_latency(std::uint32_t lanes) {
  const std::int64_t levels = std::countr_zero(lanes);
  return 4 + levels + 5 + 2 + levels + 2 + kNormalise;
}

// sparf_rank_unit, sparf_rank_scores, sparf_rank_quotients
inline constexpr std::int64_t kFetched = 2;  ///< from a walk's cycle to its row of logits
inline constexpr std::int64_t kWalkEnd = kFetched + 1 + kWeigh;  ///< and to its last weight
inline constexpr std::int64_t kScore = 1 + kMultiply + kAdd + 1;
/// sparf_rank_rows: rows of a block; from a row's weights to their sum.
inline constexpr std::int64_t kBlockRows = 16;
inline constexpr std::int64_t kRowSum = 3;
/// Of a query, from its sums to its quotient.
inline constexpr std::int64_t kInverse = 7 + kNormalise + kScalar;
/// To both of its quotients.
inline constexpr std::int64_t kShares = kInverse + 1 + kScalar;

// sparf_attend_unit, sparf_attend_lanes, sparf_attend_finish
inline constexpr std::int64_t kAhead = kWeigh;           ///< from a beat to the read of values
inline constexpr std::int64_t kValuesFree = kAhead + 1;  ///< from a job's last beat
inline constexpr std::int64_t kWeighted = 8;             ///< from a row's values to its products
inline constexpr std::int64_t kFlight =
    kAhead + 4 + kWeighted + kAdd + 1;  ///< from a beat to its sums
inline constexpr std::int64_t kGain = 2 + kNormalise + kScalar;
inline constexpr std::int64_t kFold = 9 + 3 * (kAdd + 1);
inline constexpr std::int64_t kBlend =
    2 + kMultiply + kAdd + 2;  ///< of a word of sums, and a cycle for each of them

}  // namespace neardata::unit::latency
