// SPDX-License-Identifier: Apache-2.0
//
// A Verilated model with its context and its waveform; `clk_i` is its clock.
#pragma once

#include <verilated_fst_c.h>

#include <cstdint>
#include <memory>

#include "rtl/verilated_context.h"

namespace neardata::rtl {

template <typename Model>
class VerilatedUnit {
 public:
  VerilatedUnit() {
    context_.enter();
    model_ = std::make_unique<Model>(&context_, kModelName.data());
  }
  VerilatedUnit(const VerilatedUnit&) = delete;
  VerilatedUnit& operator=(const VerilatedUnit&) = delete;
  ~VerilatedUnit() {
    close_trace();
    context_.enter();
    model_->final();
  }

  [[nodiscard]] Model& model() { return *model_; }
  [[nodiscard]] const Model& model() const { return *model_; }
  [[nodiscard]] RtlContext& context() { return context_; }
  [[nodiscard]] const RtlContext& context() const { return context_; }

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

  [[nodiscard]] bool open_trace(const char* path, std::uint64_t time) {
    constexpr int kAllLevels = 99;
    trace_ = std::make_unique<VerilatedFstC>();
    model_->trace(trace_.get(), kAllLevels);
    trace_->open(path);
    time_ = time;
    return trace_->isOpen();
  }
  void flush_trace() {
    if (trace_) trace_->flush();
  }
  void close_trace() {
    if (trace_) trace_->close();
    trace_.reset();
  }

 private:
  RtlContext context_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<VerilatedFstC> trace_;
  std::uint64_t time_ = 0;
};

}  // namespace neardata::rtl
