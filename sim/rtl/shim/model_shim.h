// SPDX-License-Identifier: Apache-2.0
//
// A Verilated model with its context, reset, clock and waveform, round what is generated from its
// ports: a type `Ports` with the model's class (`Model`), the tables (`kTop`, `kParameters`,
// `kInputs`, `kOutputs`, `kInputWords`, `kOutputWords`) and the copies between words and ports
// (`drive`, `sample`). Every unit has a clock `clk_i` and a reset `rst_ni`.
#pragma once

#include <verilated_fst_c.h>

#include <array>
#include <cstdint>
#include <memory>

#include "rtl/shim/unit_plugin.h"
#include "rtl/shim/verilated_context.h"

namespace neardata::rtl {

template <typename Ports>
class ModelShim {
 public:
  explicit ModelShim(const NeardataUnitStart& start) {
    constexpr int kZeros = 0;
    constexpr int kDrawn = 2;
    context_.assertOn(start.assertions);
    context_.randReset(start.seed == 0 ? kZeros : kDrawn);
    context_.randSeed(static_cast<int>(start.seed));
    context_.enter();
    model_ = std::make_unique<typename Ports::Model>(&context_, kModelName.data());
    reset();
  }
  ModelShim(const ModelShim&) = delete;
  ModelShim& operator=(const ModelShim&) = delete;
  ~ModelShim() {
    close_trace();
    context_.enter();
    model_->final();
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

 protected:
  /// A thread enters the context before it drives or evaluates the model.
  void enter() { context_.enter(); }
  [[nodiscard]] typename Ports::Model& model() const { return *model_; }

  /// The half of a cycle before its edge.
  void fall() {
    model_->clk_i = 0;
    model_->eval();
  }
  /// The edge; false where the model has failed. The waveform on disk then ends with it.
  [[nodiscard]] bool rise() {
    if (trace_) trace_->dump(2 * time_);
    model_->clk_i = 1;
    model_->eval();
    if (trace_) trace_->dump(2 * time_ + 1);
    ++time_;
    context_.time(time_);
    if (!context_.gotError()) return true;
    if (trace_) trace_->flush();
    return false;
  }

 private:
  void reset() {
    constexpr int kResetCycles = 4;
    constexpr std::array<std::uint32_t, Ports::kInputWords> kNothing{};
    model_->rst_ni = 0;
    Ports::drive(*model_, kNothing.data());
    for (int i = 0; i < kResetCycles; ++i) {
      fall();
      static_cast<void>(rise());  // an error is told by the first cycle that is asked for
    }
    model_->rst_ni = 1;
    // The combinational part of the outputs follows the reset input.
    model_->eval();
  }

  RtlContext context_;
  std::unique_ptr<typename Ports::Model> model_;
  std::unique_ptr<VerilatedFstC> trace_;
  std::uint64_t time_ = 0;
};

}  // namespace neardata::rtl
