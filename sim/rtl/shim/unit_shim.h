// SPDX-License-Identifier: Apache-2.0
//
// The plug-in interface of a Verilated unit round its ModelShim: a call a cycle.
#pragma once

#include <cstdint>
#include <memory>

#include "rtl/shim/model_shim.h"
#include "rtl/shim/unit_plugin.h"
#include "rtl/shim/verilated_bits.h"

namespace neardata::rtl {

template <typename Ports>
class ShimUnit : public ModelShim<Ports> {
 public:
  using ModelShim<Ports>::ModelShim;

  [[nodiscard]] bool step(const std::uint32_t* inputs, std::uint32_t* outputs) {
    this->enter();
    Ports::drive(this->model(), inputs);
    this->fall();
    if (!this->rise()) return false;
    Ports::sample(this->model(), outputs);
    return true;
  }

  void settle(const std::uint32_t* inputs, std::uint32_t* outputs) {
    this->enter();
    Ports::drive(this->model(), inputs);
    this->evaluate();
    Ports::sample(this->model(), outputs);
  }

  void sample(std::uint32_t* outputs) const { Ports::sample(this->model(), outputs); }
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
        return unit.release();  // owned by the caller; destroy takes it back
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
