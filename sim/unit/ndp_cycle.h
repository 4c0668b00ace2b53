// SPDX-License-Identifier: Apache-2.0
//
// Cycle model of `dimm_ndp`: the same handshakes with the same requests in the same cycles and the
// same event counts as the RTL, on every input and pause pattern, without any values. It works from
// event to event: a cycle without a handshake before `idle_until` need not be ticked.
//
// Cycle 0 is the first cycle after reset. `outputs` are those of the next cycle to tick; they do
// not depend on that cycle's inputs. The timing rules are those written in the headers of
// rtl/ndp/*.sv; each part of the state below names the module that it follows.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "unit/act_values.h"
#include "unit/ndp_events.h"
#include "unit/ndp_unit.h"

namespace neardata::unit {

inline constexpr std::size_t kMaxStreams = 8;

struct NdpCycleInputs {
  const Descriptor* desc = nullptr;  ///< null: not valid
  bool done_ready = false;
  bool out_ready = false;
  std::uint32_t req_ready = 0;  ///< bit s belongs to stream s
  std::uint32_t rsp_valid = 0;
  std::array<std::uint32_t, kMaxStreams> rsp_tag{};
};

struct NdpCycleOutputs {
  bool desc_ready = true;
  bool done_valid = false;
  bool out_valid = false;
  std::uint32_t out_stream = 0;
  std::uint32_t out_addr = 0;
  std::uint32_t req_valid = 0;
  std::array<std::uint32_t, kMaxStreams> req_addr{};
  std::array<std::uint32_t, kMaxStreams> req_tag{};
};

class NdpCycle {
 public:
  using Cycle = std::uint64_t;

  /// The events outlive the model.
  NdpCycle(const NdpParameters& parameters, NdpEvents& events);

  [[nodiscard]] const NdpCycleOutputs& outputs() const { return out_; }
  /// The first cycle that must be ticked even if no handshake happens in it.
  [[nodiscard]] Cycle idle_until() const { return (able_ & ~out_.req_valid) != 0 ? 0 : wake_; }
  /// Cycle `now` with its inputs. Cycles between the last one ticked and `now` had no handshake.
  void tick(Cycle now, const NdpCycleInputs& in);
  /// Counts the events of all cycles before `now`.
  void finish(Cycle now);

 private:
  enum class Phase : std::uint8_t { kIdle, kSetup, kPlan, kLoad, kGateUp, kDown, kTail };
  enum class Run : std::uint8_t { kX, kGate, kUp, kDown };
  enum class Task : std::uint8_t {
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
  enum class Cause : std::uint8_t { kNone, kWeights, kOperand, kOutput };

  struct Plan {
    std::uint32_t op, x_base, x_stride, gate_base, up_base, gu_stride, down_base, down_stride;
    std::uint32_t y_base, y_stride, mid_rows, mid_groups, out_rows, out_groups, out_words;
    std::uint32_t tokens, pass_tokens, in_blocks, in_words, mid_words, down_blocks, down_words;
  };

  /// One number for each stream, side by side so that all streams move in one vector operation.
  using PerStream = std::array<std::uint32_t, kMaxStreams>;

  struct Fetch {  // stream_fetch, one stream: what changes with a run of bursts
    std::uint32_t row_offset = 0;
    std::uint32_t rows_left = 0;
    std::uint32_t x_row = 0;
    std::uint32_t pass_left = 0;
    std::uint32_t tokens_left = 0;
    Run run = Run::kX;
  };

  struct Result {
    Cycle request;  ///< first cycle in which it wants the buffer
    bool fills_chunk;
  };

  // stream_fetch
  void step_fetch(std::uint32_t streams, std::uint32_t taken);
  void begin_fetch();
  void begin_pass(std::uint32_t s);
  void begin_weights(std::uint32_t s);
  void begin_down(std::uint32_t s);
  void begin_row(std::uint32_t s);
  void begin_run(std::uint32_t s);
  [[nodiscard]] std::uint32_t x_share(std::uint32_t s) const;
  void update_able();

  // burst_queue
  void respond(const NdpCycleInputs& in);
  void free_block();
  void align();
  void count_ready_blocks();
  [[nodiscard]] bool x_present() const;  ///< the x burst that comes next
  [[nodiscard]] std::size_t head_block(std::uint32_t s) const {
    return (s * queue_ + (head_[s] & (queue_ - 1))) >> block_shift_;
  }

  // everything that has one instance
  void step_core(Cycle now, const NdpCycleInputs& in);
  void step_descriptor(Cycle now, const NdpCycleInputs& in, Phase phase, bool drained);
  void derive_plan(const Descriptor& d);
  void load_x(Cycle now, bool reading, bool& port_free);
  [[nodiscard]] bool chunk_ready() const;
  void begin_load(Cycle from);
  void start_slot(Cycle now);
  void drain(Cycle now, bool port_free, bool out_ready);
  [[nodiscard]] std::uint32_t task_words() const;
  void task_done();
  void begin_drain_matrix(bool storing);
  void enter(Phase phase, Cycle from);
  [[nodiscard]] static NdpEvent phase_event(Phase phase);
  void note_cause(Cause cause, Cycle now);
  void count_cause(Cycle end);
  [[nodiscard]] Cycle next_wake(Cycle now) const;
  void add_event(NdpEvent event, Cycle fact) {
    events_->add(event, static_cast<std::int64_t>(fact) + 1);
  }

  NdpParameters p_;
  NdpEvents* events_;
  NdpCycleOutputs out_;

  // Derived from the parameters.
  std::uint32_t burst_block_;
  std::uint32_t block_shift_;
  std::uint32_t slot_cycles_;
  std::uint32_t chunk_groups_;
  std::uint32_t act_words_;
  std::uint32_t gemv_latency_;
  std::uint32_t queue_;
  std::uint8_t complete_;  ///< a block with all bursts

  Cycle wake_ = 0;          ///< step_core is wanted
  std::uint32_t able_ = 0;  ///< streams that could make a request
  PerStream addr_{};        ///< next burst
  PerStream left_{};        ///< bursts left in the run
  PerStream next_slot_{};
  PerStream head_{};    ///< burst_queue: oldest slot
  PerStream active_{};  ///< 1 while requests are left
  std::array<Fetch, kMaxStreams> fetch_;
  std::vector<std::uint8_t> arrived_;  ///< a block each, a bit for each burst: at most 8
  std::uint32_t ready_blocks_ = 0;     ///< streams whose oldest block is complete

  // descriptor and sequencer
  Plan plan_{};
  Phase phase_ = Phase::kIdle;
  bool first_load_ = false;  ///< the cycle in which a descriptor starts
  bool pass_start_ = false;
  std::uint32_t tokens_left_ = 0;
  std::uint32_t pass_tokens_ = 0;
  std::uint32_t token_ = 0;
  std::uint32_t block_ = 0;
  std::uint32_t row_ = 0;
  std::uint32_t group_ = 0;
  bool up_ = false;
  std::uint32_t undrained_ = 0;
  Cycle slot_end_ = 0;   ///< a slot may start from here on
  Cycle read_from_ = 1;  ///< operand reads of the last slot, inclusive
  Cycle read_to_ = 0;
  bool read_weights_ = false;

  // x_loader
  bool x_active_ = false;
  bool x_request_ = false;
  std::uint32_t x_word_ = 0;
  std::uint32_t x_token_ = 0;
  std::uint32_t x_stream_ = 0;

  std::deque<Result> results_;  // gemv_unit and result_writer

  // chunk_drain, act_ctrl, store_unit
  Task task_ = Task::kNone;
  std::uint32_t full_ = 0;
  bool storing_ = false;
  std::uint32_t drain_token_ = 0;
  std::uint32_t drain_tokens_left_ = 0;
  std::uint32_t rows_left_ = 0;
  std::uint32_t words_left_ = 0;
  std::uint32_t first_word_ = 0;
  std::uint32_t y_token_ = 0;
  std::uint32_t y_pass_ = 0;
  std::uint32_t task_word_ = 0;
  Cycle act_done_ = 0;

  // Spans of events that last.
  NdpEvent counted_phase_ = NdpEvent::kIdle;
  Cycle phase_since_ = 0;
  Cause counted_cause_ = Cause::kNone;
  Cycle cause_since_ = 0;
};

/// Cycles from a lane-0 load to its result, as ndp_pkg::gemv_latency.
[[nodiscard]] std::uint32_t gemv_latency(const NdpParameters& parameters);

}  // namespace neardata::unit
