// SPDX-License-Identifier: Apache-2.0
//
// The environment of `sparf_kernel`, for a testbench: passes heads, makes jobs of the selected
// tokens, stores their data in rings, accepts the outputs. Released lines are filled with garbage
// at once. Each port stalls in a share of the cycles. Handshakes are recorded for the cycle model.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <optional>

#include "Vsparf_kernel.h"
#include "testbench/sparf_kernel_digits.h"
#include "testbench/sparf_kernel_head.h"
#include "testbench/sparf_kernel_jobs.h"
#include "testbench/sparf_kernel_trace.h"
#include "verilated.h"

namespace neardata::bench {

constexpr std::uint32_t kSlots = RTL_PARAMETER_Slots;

/// The stalled port, by byte of Pauses.
enum class Side : std::uint8_t { kHeads, kKeys, kValues, kLeaving };
/// The share of cycles, out of 256, in which each side waits.
using Pauses = std::array<std::uint8_t, 4>;

class KernelBench {
 public:
  KernelBench(std::uint32_t seed, Pauses pauses) : state_(seed), pauses_(pauses) {
    context_.fatalOnError(false);
    top_.rst_ni = 0;
    cycle();
    cycle();
    top_.rst_ni = 1;
    now_ = 0;
  }
  ~KernelBench() { top_.final(); }
  KernelBench(const KernelBench&) = delete;
  KernelBench& operator=(const KernelBench&) = delete;

  /// False: it did not end, or left some work undone.
  bool run(std::vector<Head>& heads) {
    heads_ = &heads;
    next_head_ = 0;
    ended_ = 0;
    constexpr std::uint64_t kLongest = 1'000'000;
    const std::uint64_t begin = now_;
    while (ended_ < heads.size()) {
      if (now_ - begin > kLongest || broken_) return false;
      drive();
      top_.eval();
      sample();
      cycle();
      retract();
    }
    return keys_.empty() && values_.empty() && lines_.empty();
  }

  [[nodiscard]] bool failed() const { return context_.gotError(); }
  [[nodiscard]] std::uint64_t cycles() const { return now_; }
  [[nodiscard]] const KernelTrace& trace() const { return trace_; }

 private:
  /// The clock falls with the inputs of the cycle that it then ends.
  void cycle() {
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
    context_.timeInc(1);
    ++now_;
  }

  /// Offers of this cycle. An offer is stable until it is accepted.
  void drive() {
    if (!top_.head_valid_i && next_head_ < heads_->size() && lines_.empty() && free_slot() &&
        go(Side::kHeads)) {
      const HeadFields& f = (*heads_)[next_head_].fields;
      top_.head_valid_i = 1;
      top_.head_slot_i = *free_slot();
      top_.head_dense_i = f.dense;
      top_.head_group_i = f.group - 1;
      top_.head_tokens_i = f.tokens;
      top_.head_dims_i = f.dims;
      top_.head_take_i = f.take;
      top_.head_window_i = f.window;
      top_.head_mean_i = f.mean;
      top_.head_scale_i = f.scale;
      top_.head_reciprocal_i = f.reciprocal;
    }
    if (!top_.line_valid_i && !lines_.empty() && go(Side::kHeads)) {
      top_.line_valid_i = 1;
      std::memcpy(&top_.line_data_i, lines_.front().data(), sizeof(Line));
    }
    keys_.load();
    if (!top_.kjob_valid_i && keys_.offers() && go(Side::kKeys)) {
      const Job& job = keys_.front();
      top_.kjob_valid_i = 1;
      top_.kjob_slot_i = job.slot;
      top_.kjob_column_i = job.column;
      top_.kjob_second_i = job.second;
      top_.kjob_count_i = job.count;
      top_.kjob_base_i = job.base;
      top_.kjob_dims_i = job.dims;
      top_.kjob_row_lines_i = job.row_lines;
      top_.kjob_last_i = job.last;
    }
    values_.load();
    if (!top_.vjob_valid_i && values_.offers() && go(Side::kValues)) {
      const Job& job = values_.front();
      top_.vjob_valid_i = 1;
      top_.vjob_slot_i = job.slot;
      top_.vjob_count_i = job.count;
      top_.vjob_base_i = job.base;
      top_.vjob_last_i = job.last;
    }
    top_.dims_ready_i = go(Side::kLeaving);
    top_.sel_ready_i = go(Side::kLeaving);
    top_.out_ready_i = go(Side::kLeaving);
    std::memcpy(&top_.kdata_i, key_data_.data(), sizeof(Line));
    std::memcpy(&top_.vdata_i, value_data_.data(), sizeof(Line));
  }

  /// Samples the end of this cycle.
  void sample() {
    if (top_.kread_o) key_data_ = keys_.line(top_.kaddr_o);
    if (top_.vread_o) value_data_ = values_.line(top_.vaddr_o);
    if (top_.kjob_done_o && !keys_.done()) broken_ = true;
    if (top_.vjob_done_o && !values_.done()) broken_ = true;
    head_taken_ = top_.head_valid_i && top_.head_ready_o;
    line_taken_ = top_.line_valid_i && top_.line_ready_o;
    kjob_taken_ = top_.kjob_valid_i && top_.kjob_ready_o;
    vjob_taken_ = top_.vjob_valid_i && top_.vjob_ready_o;
    record();
    if (head_taken_) {
      Head& head = (*heads_)[next_head_];
      slots_[top_.head_slot_i] = &head;
      for (const Line& line : head.lines()) lines_.push_back(line);
      ++next_head_;
    }
    if (line_taken_) lines_.pop_front();
    if (kjob_taken_) keys_.take();
    if (vjob_taken_) values_.take();
    if (top_.dims_valid_o && top_.dims_ready_i) dims_chosen(top_.dims_slot_o);
    if (top_.sel_valid_o && top_.sel_ready_i) tokens_chosen(top_.sel_slot_o);
    if (top_.out_valid_o && top_.out_ready_i) line_left(top_.out_slot_o);
  }

  void record() {
    const auto bit = [](KernelSignal signal, bool high) {
      return static_cast<std::uint32_t>(high) << signal;
    };
    trace_.cycles.push_back(
        bit(kHeadReady, top_.head_ready_o) | bit(kLineReady, top_.line_ready_o) |
        bit(kDimsValid, top_.dims_valid_o) | bit(kKeyReady, top_.kjob_ready_o) |
        bit(kKeyDone, top_.kjob_done_o) | bit(kValueReady, top_.vjob_ready_o) |
        bit(kValueDone, top_.vjob_done_o) | bit(kSelectionValid, top_.sel_valid_o) |
        bit(kOutValid, top_.out_valid_o) | std::uint32_t{top_.events_o} << kKernelSignals);
    const auto at = static_cast<unit::KernelTime>(now_);
    if (head_taken_) record_head(at);
    if (line_taken_) trace_.happens(at, Port::kLine, trace_.line_heads, trace_.heads.size() - 1);
    if (top_.dims_valid_o && top_.dims_ready_i) {
      trace_.happens(at, Port::kDims, trace_.dims, std::uint32_t{top_.dims_slot_o});
    }
    if (kjob_taken_) {
      const Job& job = keys_.front();
      trace_.key_heads.push_back(slot_heads_[job.slot]);
      trace_.happens(at, Port::kKeys, trace_.keys,
                     {job.slot, job.column, job.second, job.last, job.count, {}, 0});
    }
    if (vjob_taken_) {
      const Job& job = values_.front();
      trace_.happens(at, Port::kValues, trace_.values, {job.slot, job.last, job.count});
    }
    if (top_.sel_valid_o && top_.sel_ready_i) {
      trace_.happens(at, Port::kSelection, trace_.selections,
                     {top_.sel_slot_o, top_.sel_beat_o, top_.sel_last_o != 0});
    }
    if (top_.out_valid_o && top_.out_ready_i) {
      trace_.happens(at, Port::kOut, trace_.lines,
                     {top_.out_slot_o, top_.out_query_o, top_.out_line_o, top_.out_last_o != 0});
    }
  }

  void record_head(unit::KernelTime at) {
    const HeadFields& f = (*heads_)[next_head_].fields;
    slot_heads_[top_.head_slot_i] = trace_.heads.size();
    trace_.chosen.emplace_back();
    trace_.digits.push_back(digits_of((*heads_)[next_head_]));
    trace_.happens(
        at, Port::kHead, trace_.heads,
        {top_.head_slot_i, f.dense != 0, f.mean != 0, f.group, f.tokens, f.dims, f.take, f.window});
  }

  /// Ends offers that were accepted.
  void retract() {
    if (head_taken_) top_.head_valid_i = 0;
    if (line_taken_) top_.line_valid_i = 0;
    if (kjob_taken_) top_.kjob_valid_i = 0;
    if (vjob_taken_) top_.vjob_valid_i = 0;
  }

  void dims_chosen(std::uint32_t slot) {
    Head& head = *slots_[slot];
    head.mask.assign((kWidth + 31) / 32, 0);
    std::memcpy(head.mask.data(), &top_.dims_mask_o, (kWidth + 7) / 8);
    const HeadFields& f = head.fields;
    if (f.dense != 0) {
      for (std::uint32_t t = 0; t < f.tokens; ++t) head.chosen.push_back(t);
      attend(slot);
      return;
    }
    for (std::uint32_t t = 0; t < f.dim_tokens; t += f.block) {
      Job job{.slot = slot, .column = true, .count = std::min(f.block, f.dim_tokens - t)};
      job.dims = f.dims;
      job.row_lines = (job.count + kHalvesPerLine - 1) / kHalvesPerLine;
      job.last = t + job.count == f.tokens;
      for (std::uint32_t c = 0; c < kWidth; ++c) {
        if ((head.mask[c / 32] >> c % 32 & 1U) == 0) continue;
        for (std::uint32_t w = 0; w < job.row_lines; ++w) {
          Line& line = job.lines.emplace_back();
          for (std::uint32_t i = 0; i < kHalvesPerLine; ++i) {
            const std::uint32_t token = w * kHalvesPerLine + i;
            line[i] = token < job.count ? head.key(t + token)[c]
                                        : static_cast<std::uint16_t>(draw() << 8U | draw());
          }
        }
      }
      keys_.push(std::move(job));
    }
    std::vector<std::uint32_t> tail;
    for (std::uint32_t t = f.dim_tokens; t < f.tokens; ++t) tail.push_back(t);
    push_rows(slot, tail, false, keys_, [&](std::uint32_t t) { return head.key(t); });
  }

  void tokens_chosen(std::uint32_t slot) {
    Head& head = *slots_[slot];
    for (std::uint32_t i = 0; i < 8; ++i) {
      if ((top_.sel_mask_o >> i & 1U) != 0) head.chosen.push_back(top_.sel_beat_o * 8U + i);
    }
    if (top_.sel_last_o) attend(slot);
  }

  void attend(std::uint32_t slot) {
    const Head& head = *slots_[slot];
    push_rows(slot, head.chosen, true, keys_, [&](std::uint32_t t) { return head.key(t); });
    push_rows(slot, head.chosen, true, values_, [&](std::uint32_t t) { return head.value(t); });
  }

  template <class RowOf>
  void push_rows(std::uint32_t slot, const std::vector<std::uint32_t>& tokens, bool second,
                 JobRing& ring, RowOf row) {
    const std::size_t page = slots_[slot]->fields.page_rows;
    for (std::size_t i = 0; i < tokens.size(); i += page) {
      const std::size_t count = std::min(page, tokens.size() - i);
      Job job{.slot = slot, .second = second, .count = static_cast<std::uint32_t>(count)};
      job.last = i + count == tokens.size();
      std::vector<std::uint16_t> halves;
      for (std::size_t j = i; j < i + count; ++j) {
        const auto values = row(tokens[j]);
        halves.insert(halves.end(), values.begin(), values.end());
      }
      Head::pack(halves, job.lines);
      ring.push(std::move(job));
    }
  }

  void line_left(std::uint32_t slot) {
    Head& head = *slots_[slot];
    const std::uint32_t count = std::min(kWidth, kHalvesPerLine);
    Line line;
    std::memcpy(line.data(), &top_.out_data_o, sizeof(line));
    const std::size_t place = std::size_t{top_.out_query_o} * kWidth + top_.out_line_o * count;
    if (place != head.out.size()) broken_ = true;
    head.out.insert(head.out.end(), line.begin(), line.begin() + count);
    for (std::uint32_t i = count; i < kHalvesPerLine; ++i) {
      if (line[i] != 0) broken_ = true;
    }
    if (!top_.out_last_o) return;
    trace_.chosen[slot_heads_[slot]] = head.chosen;
    slots_[slot] = nullptr;
    ++ended_;
  }

  [[nodiscard]] std::optional<std::uint32_t> free_slot() const {
    const auto* at = std::find(slots_.begin(), slots_.end(), nullptr);
    if (at == slots_.end()) return std::nullopt;
    return static_cast<std::uint32_t>(at - slots_.begin());
  }

  [[nodiscard]] std::uint32_t draw() {
    state_ = state_ * 1664525U + 1013904223U;
    return state_ >> 24U;
  }
  [[nodiscard]] bool go(Side side) {
    const std::uint8_t pause = pauses_[static_cast<std::size_t>(side)];
    return pause == 0 || draw() >= pause;
  }

  VerilatedContext context_;
  Vsparf_kernel top_{&context_};
  std::uint64_t now_ = 0;
  std::uint32_t state_;
  Pauses pauses_;
  bool broken_ = false;
  bool head_taken_ = false, line_taken_ = false, kjob_taken_ = false, vjob_taken_ = false;
  std::vector<Head>* heads_ = nullptr;
  std::size_t next_head_ = 0, ended_ = 0;
  std::array<Head*, kSlots> slots_{};
  std::array<std::size_t, kSlots> slot_heads_{};  ///< of the trace
  KernelTrace trace_;
  std::deque<Line> lines_;
  JobRing keys_, values_;
  Line key_data_{}, value_data_{};
};

}  // namespace neardata::bench
