// SPDX-License-Identifier: Apache-2.0
//
// A Verilated model with its context, reset, clock and waveform, for the code that is generated
// from its ports: a type `Ports` with the model's class (`Model`), the tables (`kTop`,
// `kParameters`, `kInputs`, `kOutputs`, `kInputWords`, `kOutputWords`), whether the model has
// delays (`kTiming`) and the copies between words and ports (`drive`, `sample`). Every unit has a
// clock `clk_i` and a reset `rst_ni`.
#pragma once

#include <verilated_fst_c.h>

#include <array>
#include <cstdint>
#include <exception>
#include <memory>

#include "rtl/shim/unit_plugin.h"
#include "rtl/shim/verilated_context.h"

namespace neardata::rtl {

template <typename Ports>
class ModelShim {
 public:
  explicit ModelShim(const NeardataUnitStart& start) : context_(start.printer) {
    constexpr int kZeros = 0;
    constexpr int kDrawn = 2;
    context_.assertOn(start.assertions);
    context_.randReset(start.seed == 0 ? kZeros : kDrawn);
    context_.randSeed(static_cast<int>(start.seed));
    context_.enter();
    model_ = std::make_unique<typename Ports::Model>(&context_, kModelName.data());
    half_ = half_period();
    reset();
  }
  ModelShim(const ModelShim&) = delete;
  ModelShim& operator=(const ModelShim&) = delete;
  ~ModelShim() {
    close_trace();
    context_.enter();
    // A model whose evaluation was interrupted is not evaluated any more.
    if (!stopped_) call([this] { model_->final(); });
    context_.pass_on(true);
  }

  [[nodiscard]] const RtlContext& context() const { return context_; }

  [[nodiscard]] bool open_trace(const char* path, std::uint64_t time) {
    constexpr int kAllLevels = 99;
    trace_ = std::make_unique<VerilatedFstC>();
    model_->trace(trace_.get(), kAllLevels);
    trace_->open(path);
    time_ = time;
    return trace_->isOpen();
  }
  void close_trace() {
    if (trace_) trace_->close();
    trace_.reset();
  }

  void end_line() { context_.pass_on(true); }

 protected:
  /// A thread enters the context before it drives or evaluates the model.
  void enter() { context_.enter(); }
  [[nodiscard]] typename Ports::Model& model() const { return *model_; }

  /// Empty after an evaluation that could not be completed.
  void evaluate() {
    if (!stopped_) call([this] { model_->eval(); });
  }

  /// The half of a cycle before its edge.
  void fall() {
    model_->clk_i = 0;
    evaluate();
    pass_half_cycle();
  }
  /// The edge; false where the model has failed. The waveform on disk then ends with it.
  [[nodiscard]] bool rise() {
    if (trace_) trace_->dump(2 * time_);
    model_->clk_i = 1;
    evaluate();
    pass_half_cycle();
    if (trace_) trace_->dump(2 * time_ + 1);
    ++time_;
    if constexpr (!Ports::kTiming) context_.time(time_);
    if (!context_.gotError()) return true;
    if (trace_) trace_->flush();
    return false;
  }

 private:
  /// Calls the model and stores an exception in the context.
  void call(const auto& what) {
    try {
      what();
    } catch (const ModelStopped&) {
      stopped_ = true;
    } catch (const std::exception& error) {
      stopped_ = true;
      context_.stop_by_exception(error.what());
    } catch (...) {
      stopped_ = true;
      context_.stop_by_exception("it is of no class of the C++ library");
    }
    if (context_.has_text()) context_.pass_on(stopped_);
  }

  /// Evaluates delayed events up to the next edge of the clock, whose period is ten time units of
  /// the design. A longer delay ends in a later cycle.
  void pass_half_cycle() {
    if constexpr (Ports::kTiming) {
      const std::uint64_t end = delayed_ + half_;
      while (!stopped_ && model_->eventsPending() && model_->nextTimeSlot() < end) {
        context_.time(model_->nextTimeSlot());
        evaluate();
      }
      context_.time(end);
      delayed_ = end;
    }
  }
  /// Half of the clock's period, in steps of the design's precision.
  [[nodiscard]] std::uint64_t half_period() const {
    std::uint64_t half = 5;
    for (int unit = context_.timeprecision(); unit < context_.timeunit(); ++unit) half *= 10;
    return half;
  }

  void reset() {
    constexpr int kResetCycles = 4;
    constexpr std::array<std::uint32_t, Ports::kInputWords> kNothing{};
    model_->rst_ni = 0;
    Ports::drive(*model_, kNothing.data());
    for (int i = 0; i < kResetCycles; ++i) {
      fall();
      static_cast<void>(rise());  // the first requested cycle reports an error
    }
    model_->rst_ni = 1;
    // The combinational part of the outputs follows the reset input.
    evaluate();
  }

  RtlContext context_;
  std::unique_ptr<typename Ports::Model> model_;
  std::unique_ptr<VerilatedFstC> trace_;
  std::uint64_t time_ = 0;
  std::uint64_t half_ = 0;     ///< of a model with delays, as `delayed_`
  std::uint64_t delayed_ = 0;  ///< simulated time
  bool stopped_ = false;       ///< in the middle of an evaluation
};

}  // namespace neardata::rtl
