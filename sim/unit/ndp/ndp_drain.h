// SPDX-License-Identifier: Apache-2.0
//
// The output path in the cycle model of `dimm_ndp`: ndp_chunk_drain with ndp_act_ctrl and
// ndp_store_unit, by their timing rules. A chunk fills half of the results buffer. It is written
// back to the buffer through the activation unit, or sent out of the unit.
#pragma once

#include <cstdint>
#include <limits>

#include "unit/ndp/act_timing.h"
#include "unit/ndp/ndp_buffer_ports.h"
#include "unit/ndp/ndp_cycle_ports.h"
#include "unit/ndp/ndp_events.h"
#include "unit/ndp/ndp_task.h"

namespace neardata::unit {

class NdpDrain {
 public:
  using Cycle = std::uint64_t;
  static constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

  /// The events outlive it.
  NdpDrain(const NdpParameters& parameters, NdpEvents& events);

  /// Chunks that are begun from the next cycle on are those of a descriptor.
  void begin(const NdpTask& task);
  /// No chunk is begun until then.
  void hold() { held_ = true; }
  /// The last chunk of a descriptor was drained in the last step.
  [[nodiscard]] bool ended() const { return ended_; }
  /// The array starts on a chunk; two chunks fit.
  void claim() { ++undrained_; }
  /// The last result of a claimed chunk is in the buffer.
  void fill() { ++full_; }
  [[nodiscard]] bool has_room() const { return undrained_ < 2; }
  [[nodiscard]] bool empty() const { return undrained_ == 0; }
  /// The drained results are outputs of the unit, not operands of its second matrix.
  [[nodiscard]] bool storing() const { return storing_; }

  /// The state of the drain in ten bits.
  [[nodiscard]] std::uint32_t state() const {
    return static_cast<std::uint32_t>(move_) << 6U | (undrained_ & 3U) << 4U | (full_ & 3U) << 2U |
           (storing_ ? 2U : 0U) | (half_ ? 1U : 0U);
  }

  /// Buffer words of a token's rows of one chunk.
  [[nodiscard]] std::uint32_t chunk_row_words() const { return act_words_; }

  void step(Cycle now, NdpBufferPorts& ports, bool out_ready, NdpCycleOutputs& out);
  /// The first cycle in which it could move by itself, where the next one is `soon`.
  [[nodiscard]] Cycle next_move(Cycle soon, const NdpBufferPorts& ports) const;

 private:
  enum class Move : std::uint8_t {
    kNone,
    kBegin,
    kGate,
    kUp,
    kGo,
    kCompute,
    kWrite,
    kRead,
    kTake,
    kSend,
  };

  [[nodiscard]] std::uint32_t chunk_words() const {
    return rows_left_ <= act_lanes_ ? words_left_ : act_words_;
  }
  /// The word of the buffer that it requests.
  [[nodiscard]] std::uint32_t buffer_word() const;
  void token_done();
  void begin_matrix(bool storing);

  std::uint32_t streams_;
  std::uint32_t act_lanes_;
  std::uint32_t act_words_;
  std::uint32_t burst_block_;
  NdpEvents* events_;
  NdpTask task_;

  Move move_ = Move::kNone;
  std::uint32_t undrained_ = 0;  ///< chunks claimed
  std::uint32_t full_ = 0;       ///< of them, those to drain
  bool storing_ = false;
  bool held_ = false;
  bool ended_ = false;
  std::uint32_t token_ = 0;  ///< of the pass
  std::uint32_t tokens_left_ = 0;
  std::uint32_t rows_left_ = 0;  ///< of the matrix
  std::uint32_t words_left_ = 0;
  std::uint32_t first_word_ = 0;
  std::uint32_t word_ = 0;     ///< of the chunk
  std::uint32_t y_token_ = 0;  ///< where the token's results go
  std::uint32_t y_pass_ = 0;
  bool half_ = false;  ///< of the chunk
  Cycle act_done_ = 0;
};

}  // namespace neardata::unit
