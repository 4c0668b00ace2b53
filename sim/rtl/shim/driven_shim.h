// SPDX-License-Identifier: Apache-2.0
//
// The interface of driven_plugin.h round a ModelShim: a call before and one at each clock edge.
#pragma once

#include <cstdint>
#include <memory>

#include "rtl/shim/driven_plugin.h"
#include "rtl/shim/model_shim.h"

namespace neardata::rtl {

template <typename Ports>
class DrivenShim : public ModelShim<Ports> {
 public:
  using ModelShim<Ports>::ModelShim;

  using ModelShim<Ports>::enter;

  void settle(const std::uint32_t* inputs, std::uint32_t* outputs) {
    Ports::drive(this->model(), inputs);
    this->fall();
    Ports::sample(this->model(), outputs);
  }

  [[nodiscard]] bool edge() { return this->rise(); }
};

/// The interface of a unit, which is a NeardataDriven and derives from its DrivenShim.
template <typename Unit>
constexpr NeardataDrivenPlugin driven_plugin() {
  return {
      .abi = kNeardataDrivenAbi,
      .create = [](const NeardataUnitStart* start) -> Unit* {
        return std::make_unique<Unit>(*start).release();  // destroy takes it back
      },
      .destroy = [](Unit* unit) { std::unique_ptr<Unit>{unit}.reset(); },
      .enter = [](Unit* unit) { unit->enter(); },
      .settle = [](Unit* unit, const std::uint32_t* inputs,
                   std::uint32_t* outputs) { unit->settle(inputs, outputs); },
      .edge = [](Unit* unit) { return unit->edge(); },
      .error =
          [](const Unit* unit, NeardataUnitError* error) {
            error->place = unit->context().place().c_str();
            error->message = unit->context().message().c_str();
          },
      .end_line = [](Unit* unit) { unit->end_line(); },
      .trace_open = [](Unit* unit, const char* path,
                       std::uint64_t time) { return unit->open_trace(path, time); },
      .trace_close = [](Unit* unit) { unit->close_trace(); },
  };
}

}  // namespace neardata::rtl
