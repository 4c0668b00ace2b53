// SPDX-License-Identifier: Apache-2.0
//
// The interface of driven_plugin.h round what is generated from a unit's ports, the type `Ports` of
// unit_shim.h.
#pragma once

#include <verilated_fst_c.h>

#include <array>
#include <cstdint>
#include <memory>

#include "rtl/driven_plugin.h"
#include "rtl/verilated_context.h"

namespace neardata::rtl {

template <typename Ports>
class DrivenShim {
 public:
  explicit DrivenShim(const NeardataUnitStart& start) {
    constexpr int kZeros = 0;
    constexpr int kDrawn = 2;
    context_.assertOn(start.assertions);
    context_.randReset(start.seed == 0 ? kZeros : kDrawn);
    context_.randSeed(static_cast<int>(start.seed));
    context_.enter();
    model_ = std::make_unique<typename Ports::Model>(&context_, kModelName.data());
    reset();
  }
  DrivenShim(const DrivenShim&) = delete;
  DrivenShim& operator=(const DrivenShim&) = delete;
  ~DrivenShim() {
    close_trace();
    context_.enter();
    model_->final();
  }

  void settle(const std::uint32_t* inputs, std::uint32_t* outputs) {
    context_.enter();
    Ports::drive(*model_, inputs);
    model_->clk_i = 0;
    model_->eval();
    Ports::sample(*model_, outputs);
  }

  [[nodiscard]] bool edge() {
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
    for (int i = 0; i < kResetCycles; ++i) {
      model_->clk_i = 0;
      model_->eval();
      model_->clk_i = 1;
      model_->eval();
    }
    model_->rst_ni = 1;
    model_->eval();
  }

  RtlContext context_;
  std::unique_ptr<typename Ports::Model> model_;
  std::unique_ptr<VerilatedFstC> trace_;
  std::uint64_t time_ = 0;
};

/// The interface of a unit, which is a NeardataDriven and derives from its DrivenShim.
template <typename Unit>
constexpr NeardataDrivenPlugin driven_plugin() {
  return {
      .abi = kNeardataDrivenAbi,
      .create = [](const NeardataUnitStart* start) -> Unit* {
        return std::make_unique<Unit>(*start).release();  // comes back in destroy
      },
      .destroy = [](Unit* unit) { std::unique_ptr<Unit>{unit}.reset(); },
      .settle = [](Unit* unit, const std::uint32_t* inputs,
                   std::uint32_t* outputs) { unit->settle(inputs, outputs); },
      .edge = [](Unit* unit) { return unit->edge(); },
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
