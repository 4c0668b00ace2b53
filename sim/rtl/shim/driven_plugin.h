// SPDX-License-Identifier: Apache-2.0
//
// The C interface of a unit that a caller drives cycle by cycle, beside that of units of machines
// (unit_plugin.h) in the same shared object, with the same words of inputs and outputs. Outputs may
// follow inputs in the same cycle: a cycle is `settle`, which sets its inputs and returns its
// outputs, and `edge`, the clock edge that ends it. No exception and no abort crosses the
// interface.
#pragma once

#include <cstdint>

#include "rtl/shim/unit_plugin.h"

extern "C" {

struct NeardataDriven;  // one unit with a separate Verilated context

enum : std::uint32_t { kNeardataDrivenAbi = 3 };

struct NeardataDrivenPlugin {
  std::uint32_t abi;
  /// A unit after its reset.
  NeardataDriven* (*create)(const NeardataUnitStart* start);
  void (*destroy)(NeardataDriven* unit);
  /// The calling thread drives the unit from here on.
  void (*enter)(NeardataDriven* unit);
  /// The clock falls, the inputs change, and the outputs are those before the edge. Words without a
  /// valid are not updated.
  void (*settle)(NeardataDriven* unit, const std::uint32_t* inputs, std::uint32_t* outputs);
  /// False when an assertion failed or the model stopped; the unit is then only good for `error`.
  bool (*edge)(NeardataDriven* unit);
  void (*error)(const NeardataDriven* unit, NeardataUnitError* error);
  /// Passes on the line that the model has not ended.
  void (*end_line)(NeardataDriven* unit);
  /// Same as those of NeardataUnitPlugin.
  bool (*trace_open)(NeardataDriven* unit, const char* path, std::uint64_t time);
  void (*trace_close)(NeardataDriven* unit);
};

const NeardataDrivenPlugin* neardata_driven_plugin();
}

inline constexpr const char* kNeardataDrivenEntryName = "neardata_driven_plugin";
