// SPDX-License-Identifier: Apache-2.0
//
// The weight streams in the cycle model of `dimm_ndp`: what stream_fetch asks for and what
// burst_queue holds, by their timing rules.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "unit/ndp/ndp_cycle_ports.h"
#include "unit/ndp/ndp_task.h"

namespace neardata::unit {

class NdpStreams {
 public:
  explicit NdpStreams(const NdpParameters& parameters);

  /// Fetches what a descriptor reads from the next cycle on.
  void begin(const NdpTask& task);
  /// Streams that could make a request; bit s belongs to stream s.
  [[nodiscard]] std::uint32_t able() const { return able_; }
  /// A cycle of `streams`, in which the requests of `taken` were accepted.
  void step(std::uint32_t streams, std::uint32_t taken, NdpCycleOutputs& out);

  /// Bursts arrive; nobody sees them before the next cycle.
  void respond(const NdpCycleInputs& in);
  /// Every stream holds its oldest block.
  [[nodiscard]] bool blocks_ready() const { return ready_blocks_ == streams_; }
  void free_block();
  /// Every stream holds the burst of scales that comes before its next block.
  [[nodiscard]] bool scales_ready() const { return ready_heads_ == streams_; }
  void free_scales() { free_block(); }

  /// The oldest burst of a stream, of the inputs, has arrived.
  [[nodiscard]] bool x_present(std::uint32_t s) const {
    return (arrived_[head_block(s)] >> (head_[s] & (burst_block_ - 1)) & 1U) != 0;
  }
  void pop_x(std::uint32_t s);
  /// Inputs are in: the next slot of every queue starts a block.
  void align();

 private:
  enum class Run : std::uint8_t { kX, kGate, kUp, kDown };

  /// One number for each stream, side by side so that all streams move in one vector operation.
  using PerStream = std::array<std::uint32_t, kMaxStreams>;

  struct Fetch {  // of one stream: what changes with a run of bursts
    std::uint32_t row_offset = 0;
    std::uint32_t rows_left = 0;
    std::uint32_t x_row = 0;
    std::uint32_t pass_left = 0;
    std::uint32_t tokens_left = 0;
    Run run = Run::kX;
  };

  void begin_pass(std::uint32_t s);
  void begin_weights(std::uint32_t s);
  void begin_down(std::uint32_t s);
  void begin_row(std::uint32_t s);
  void begin_run(std::uint32_t s);
  void update_able();
  void count_ready_blocks();
  void step_places(std::uint32_t made);
  [[nodiscard]] std::uint32_t words(std::uint32_t blocks) const { return blocks << block_shift_; }
  /// Rows of a matrix on each stream.
  [[nodiscard]] std::uint32_t groups(std::uint32_t rows) const;
  /// Bursts of a token's input on stream s.
  [[nodiscard]] std::uint32_t x_share(std::uint32_t s) const;
  /// Bits of the block's bursts that slot `slot` belongs to, among those of `arrived_`.
  [[nodiscard]] std::uint8_t block_bits(std::uint32_t slot) const {
    return static_cast<std::uint8_t>(((1U << slots_) - 1)
                                     << (slot & (burst_block_ - 1) & ~(slots_ - 1)));
  }
  [[nodiscard]] std::size_t head_block(std::uint32_t s) const {
    return (s * queue_ + (head_[s] & (queue_ - 1))) >> block_shift_;
  }

  std::uint32_t streams_;
  std::uint32_t burst_block_;
  std::uint32_t block_shift_;
  std::uint32_t queue_;  ///< bursts
  NdpTask task_;
  std::uint32_t slots_ = 0;       ///< of a block, or of a burst of scales
  std::uint32_t last_place_ = 0;  ///< of a burst of scales and its blocks

  std::uint32_t able_ = 0;
  PerStream addr_{};  ///< next burst
  PerStream left_{};  ///< bursts left in the run
  PerStream next_slot_{};
  PerStream place_{};   ///< of the next burst among a burst of scales and its blocks
  PerStream head_{};    ///< oldest slot
  PerStream active_{};  ///< 1 while requests are left
  std::array<Fetch, kMaxStreams> fetch_;
  std::vector<std::uint8_t> arrived_;  ///< a block each, a bit for each burst: at most 8
  std::uint32_t ready_blocks_ = 0;     ///< streams whose oldest block is complete
  std::uint32_t ready_heads_ = 0;      ///< streams whose oldest burst is there, of low-bit weights
};

}  // namespace neardata::unit
