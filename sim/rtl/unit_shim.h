// SPDX-License-Identifier: Apache-2.0
//
// The plug-in interface of a Verilated unit round what is generated from its ports: a type `Ports`
// with the model's class (`Model`), the tables (`kTop`, `kParameters`, `kInputs`, `kOutputs`,
// `kInputWords`, `kOutputWords`) and the copies between words and ports (`drive`, `sample`). Every
// unit has a clock `clk_i` and a reset `rst_ni`.
#pragma once

#include <verilated_fst_c.h>

#include <array>
#include <cstdint>
#include <memory>

#include "rtl/unit_plugin.h"
#include "rtl/verilated_bits.h"
#include "rtl/verilated_context.h"

namespace neardata::rtl {

/// A Verilated model with its context and its waveform.
template <typename Ports>
class ShimUnit {
 public:
  explicit ShimUnit(const NeardataUnitStart& start) {
    constexpr int kZeros = 0;
    constexpr int kDrawn = 2;
    context_.assertOn(start.assertions);
    context_.randReset(start.seed == 0 ? kZeros : kDrawn);
    context_.randSeed(static_cast<int>(start.seed));
    context_.enter();
    model_ = std::make_unique<typename Ports::Model>(&context_, kModelName.data());
    reset();
  }
  ShimUnit(const ShimUnit&) = delete;
  ShimUnit& operator=(const ShimUnit&) = delete;
  ~ShimUnit() {
    close_trace();
    context_.enter();
    model_->final();
  }

  [[nodiscard]] bool step(const std::uint32_t* inputs, std::uint32_t* outputs) {
    context_.enter();
    Ports::drive(*model_, inputs);
    clock();
    if (context_.gotError()) {
      if (trace_) trace_->flush();
      return false;
    }
    Ports::sample(*model_, outputs);
    return true;
  }

  void settle(const std::uint32_t* inputs, std::uint32_t* outputs) {
    context_.enter();
    Ports::drive(*model_, inputs);
    model_->eval();
    Ports::sample(*model_, outputs);
  }

  void sample(std::uint32_t* outputs) const { Ports::sample(*model_, outputs); }

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

 private:
  void reset() {
    constexpr int kResetCycles = 4;
    constexpr std::array<std::uint32_t, Ports::kInputWords> kNothing{};
    model_->rst_ni = 0;
    Ports::drive(*model_, kNothing.data());
    for (int i = 0; i < kResetCycles; ++i) clock();
    model_->rst_ni = 1;
    // The combinational part of the outputs follows the reset input.
    model_->eval();
  }

  void clock() {
    model_->clk_i = 0;
    model_->eval();
    if (trace_) trace_->dump(2 * time_);
    model_->clk_i = 1;
    model_->eval();
    if (trace_) trace_->dump(2 * time_ + 1);
    ++time_;
    context_.time(time_);
  }

  RtlContext context_;
  std::unique_ptr<typename Ports::Model> model_;
  std::unique_ptr<VerilatedFstC> trace_;
  std::uint64_t time_ = 0;
};

/// The interface of a unit, `Unit`, which is a NeardataUnit and derives from its ShimUnit.
template <typename Ports, typename Unit>
constexpr NeardataUnitPlugin shim_plugin() {
  return {
      .abi = kNeardataUnitAbi,
      .top = Ports::kTop,
      .inputs = {Ports::kInputs.data(), Ports::kInputs.size(), Ports::kInputWords},
      .outputs = {Ports::kOutputs.data(), Ports::kOutputs.size(), Ports::kOutputWords},
      .parameters = Ports::kParameters.data(),
      .parameter_count = Ports::kParameters.size(),
      .create = [](const NeardataUnitStart* start, std::uint32_t* outputs) -> Unit* {
        auto unit = std::make_unique<Unit>(*start);
        unit->sample(outputs);
        return unit.release();  // owned by whoever called; comes back in destroy
      },
      .destroy = [](Unit* unit) { std::unique_ptr<Unit>{unit}.reset(); },
      .step = [](Unit* unit, const std::uint32_t* inputs,
                 std::uint32_t* outputs) { return unit->step(inputs, outputs); },
      .settle = [](Unit* unit, const std::uint32_t* inputs,
                   std::uint32_t* outputs) { unit->settle(inputs, outputs); },
      .error =
          [](const Unit* unit, NeardataUnitError* error) {
            error->place = unit->context().place().c_str();
            error->message = unit->context().message().c_str();
          },
      .trace_open = [](Unit* unit, const char* path,
                       std::uint64_t time) { return unit->open_trace(path, time); },
      .trace_close = [](Unit* unit) { unit->close_trace(); },
  };
}

}  // namespace neardata::rtl
