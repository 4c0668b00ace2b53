// SPDX-License-Identifier: Apache-2.0
//
// The weight streams in the cycle model of `dimm_ndp`: what ndp_stream_fetch asks for and what
// ndp_burst_queue holds, by their timing rules.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "unit/ndp/ndp_cycle_ports.h"
#include "unit/ndp/ndp_task.h"

namespace neardata::unit {

class NdpStreams {
 public:
  explicit NdpStreams(const NdpParameters& parameters);

  /// Fetches the operands of a descriptor from the next cycle on. All earlier operands have been
  /// fetched.
  void begin(const NdpTask& task);
  /// Blocks that leave the queues are those of a descriptor from the next cycle on.
  void read(const NdpTask& task);
  /// Every request that a descriptor makes is made.
  [[nodiscard]] bool idle() const {
    return std::ranges::all_of(active_, [](std::uint32_t active) { return active == 0; });
  }
  /// Streams that could make a request; bit s belongs to stream s.
  [[nodiscard]] std::uint32_t able() const { return able_; }
  /// A cycle of `streams`, in which the requests of `taken` were accepted.
  void step(std::uint32_t streams, std::uint32_t taken, NdpCycleOutputs& out) {
    const std::uint32_t made = streams & able_;
    out.req_valid = (out.req_valid & ~taken) | made;
    if (made == all_ && plain_requests_ != 0) {
      // Copies of arrays would go through the stack.
      Vector addr;
      Vector slot;
      std::memcpy(&addr, addr_.data(), sizeof addr);
      std::memcpy(&slot, next_slot_.data(), sizeof slot);
      addr += ahead_;
      slot = (slot + ahead_) & (queue_ - 1);
      std::memcpy(out.req_addr.data(), &addr, sizeof addr);
      std::memcpy(out.req_tag.data(), &slot, sizeof slot);
      ++ahead_;
      if (--plain_requests_ == 0 && full_after_) able_ = 0;
    } else if (made != 0) {
      step_apart(made, out);
    }
  }

  /// Bursts arrive; they are visible from the next cycle on.
  void respond(const NdpCycleInputs& in) {
    // Most often all streams get the burst of one slot together.
    const std::uint32_t tag = in.rsp_tag[0];
    std::array<std::uint64_t, 2> tags{};
    static_assert(sizeof tags == sizeof in.rsp_tag);
    std::memcpy(tags.data(), in.rsp_tag.data(), sizeof tags);
    const std::uint64_t same = tag * 0x0001'0001'0001'0001ULL;
    if (((tags[0] ^ same) | (tags[1] ^ same)) == 0) {
      arrived_[word_of(tag)] |= std::uint64_t{in.rsp_valid} << bit_of(tag);
    } else {
      respond_apart(in);
    }
  }
  /// The oldest block of every stream has arrived.
  [[nodiscard]] bool blocks_ready() const {
    if (level_) return (arrived_[word_of(head_[0])] >> bit_of(head_[0]) & block_) == block_;
    return held_apart(read_slots_);
  }
  /// State in five bits: whether none, some or all streams can request, whether their queues are
  /// level, and whether scales and blocks have arrived.
  [[nodiscard]] std::uint32_t state() const {
    const bool begun = read_slots_ != 0;
    return (able_ == 0 ? 0U : 8U) | (able_ == all_ ? 16U : 0U) | (level_ ? 4U : 0U) |
           (begun && scales_ready() ? 2U : 0U) | (begun && blocks_ready() ? 1U : 0U);
  }
  /// Frees every stream's oldest block, or the burst of scales before it, which occupies as many
  /// slots.
  void free_block();
  /// The burst of scales before the next block has arrived in every stream.
  [[nodiscard]] bool scales_ready() const { return held(1); }

  /// The oldest burst of a stream, of the inputs, has arrived.
  [[nodiscard]] bool x_present(std::uint32_t s) const {
    return (slots_from(head_[s], 1) >> s & 1U) != 0;
  }
  void pop_x(std::uint32_t s);
  /// Inputs are in: the next slot of every queue starts a block.
  void align();

 private:
  enum class Operand : std::uint8_t { kX, kGate, kUp, kDown };

  /// One number for each stream, side by side so that all streams move in one vector operation.
  struct alignas(kMaxStreams * sizeof(std::uint32_t)) PerStream
      : std::array<std::uint32_t, kMaxStreams> {};
  using Vector [[gnu::vector_size(sizeof(PerStream))]] = std::uint32_t;

  struct Fetch {  // of one stream: state that changes with each run of bursts
    std::uint32_t row_offset = 0;
    std::uint32_t rows_left = 0;
    std::uint32_t x_row = 0;
    std::uint32_t pass_left = 0;
    std::uint32_t tokens_left = 0;
    Operand run = Operand::kX;
  };

  /// Some streams make a request, or one after which queues or runs must be looked at.
  void step_apart(std::uint32_t made, NdpCycleOutputs& out);
  void respond_apart(const NdpCycleInputs& in);
  void begin_pass(std::uint32_t s);
  void begin_weights(std::uint32_t s);
  void begin_down(std::uint32_t s);
  void begin_row(std::uint32_t s);
  void begin_run(std::uint32_t s);
  /// Which streams could make a request, after queues or runs have changed.
  void update_able();
  /// Adds the requests of all streams to the counters of each stream.
  void catch_up();
  void end_runs(std::uint32_t made);
  void step_places(std::uint32_t made);
  [[nodiscard]] std::uint32_t words(std::uint32_t blocks) const { return blocks << block_shift_; }
  /// Rows of a matrix on each stream.
  [[nodiscard]] std::uint32_t groups(std::uint32_t rows) const;
  /// Bursts of a token's input on stream s.
  [[nodiscard]] std::uint32_t x_share(std::uint32_t s) const;
  /// This many bursts from the oldest slot on have arrived in every stream, none beyond its block.
  [[nodiscard]] bool held(std::uint32_t bursts) const {
    const auto all = static_cast<std::uint8_t>(all_);
    if (level_) return slots_from(head_[0], bursts) == slots_of(all, bursts);
    return held_apart(bursts);
  }
  [[nodiscard]] bool held_apart(std::uint32_t bursts) const;
  /// Streams in which the bursts of `slots` slots of a block have arrived, one byte per slot.
  [[nodiscard]] std::uint64_t slots_from(std::uint32_t slot, std::uint32_t slots) const {
    return arrived_[word_of(slot)] >> bit_of(slot) & slots_of(0xFF, slots);
  }
  /// The same streams in each of so many slots.
  [[nodiscard]] static std::uint64_t slots_of(std::uint8_t streams, std::uint32_t slots) {
    return streams * (0x0101'0101'0101'0101ULL >> (64 - 8 * slots));
  }
  /// The oldest slots of all streams have one number.
  [[nodiscard]] bool level() const;
  /// Where a slot's byte is.
  [[nodiscard]] std::size_t word_of(std::uint32_t slot) const { return (slot & (queue_ - 1)) / 8; }
  [[nodiscard]] static std::uint32_t bit_of(std::uint32_t slot) { return slot % 8 * 8; }

  std::uint32_t streams_;
  std::uint32_t burst_block_;
  std::uint32_t block_shift_;
  std::uint32_t queue_;  ///< bursts
  std::uint32_t all_;    ///< streams, a bit each
  NdpTask task_;
  std::uint32_t slots_ = 0;       ///< of a block, or of a burst of scales, that is fetched
  std::uint32_t read_slots_ = 0;  ///< of the block that is read
  std::uint64_t block_ = 0;       ///< such a block of all streams, as in a word of `arrived_`
  std::uint32_t last_place_ = 0;  ///< of a burst of scales and its blocks

  std::uint32_t able_ = 0;
  /// Requests that all streams can make together before one of them reaches the end of its run or
  /// of its queue. If all their queues become full at once and no run ends, the requests up to that
  /// point.
  std::uint32_t plain_requests_ = 0;
  bool full_after_ = false;
  std::uint32_t ahead_ = 0;  ///< requests of all streams that the numbers of each do not have yet
  PerStream addr_{};         ///< next burst
  PerStream left_{};         ///< bursts left in the run
  PerStream next_slot_{};
  PerStream place_{};   ///< of the next burst among a burst of scales and its blocks
  PerStream head_{};    ///< oldest slot
  PerStream active_{};  ///< 1 while requests are left
  PerStream unused_{};  ///< all ones for a stream that does not exist
  std::array<Fetch, kMaxStreams> fetch_;
  bool level_ = true;  ///< cached value of `level`
  /// For each slot of a queue, the streams whose burst has arrived: a byte with one bit per stream,
  /// eight slots per word.
  std::vector<std::uint64_t> arrived_;
};

}  // namespace neardata::unit
