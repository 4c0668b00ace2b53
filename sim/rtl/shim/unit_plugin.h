// SPDX-License-Identifier: Apache-2.0
//
// The C interface of a Verilated unit in a separate shared object; it is the same for every unit.
// One call of `step` is one clock cycle. No exception and no abort crosses the interface. A plug-in
// with another `abi` is not used.
//
// Inputs and outputs are two flat arrays of 32-bit words. Tables of fields have the positions: a
// field is a port without structure, or a member of one (`page_req_o.tag`), and begins at a word.
// It has `count` elements, one for each lane of its stream or element of its array, one after
// another, each in whole words, the least significant first. The payload of a stream is defined
// only while its valid is not 0, and the payload of a lane only while the bit of the lane is set.
//
// The unit has no combinational path from an input to an output: the outputs of a cycle are known
// before its inputs are chosen. `step` reads the inputs of the present cycle, evaluates the clock
// edge that ends it, and writes the outputs of the next cycle.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

struct NeardataUnit;  // one unit with a separate Verilated context

enum : std::uint32_t { kNeardataUnitAbi = 2 };

struct NeardataUnitField {
  const char* name;
  std::uint32_t bits;    ///< of an element
  std::uint32_t count;   ///< of elements
  std::uint32_t offset;  ///< the first word of the first element
};

struct NeardataUnitTable {
  const NeardataUnitField* fields;
  std::uint32_t count;
  std::uint32_t words;  ///< of the whole array
};

struct NeardataUnitParameter {
  const char* name;
  std::int64_t value;
};

/// Receives the lines that the model prints, without their ends, on the thread that drives the
/// unit.
struct NeardataUnitPrinter {
  void (*print)(void* receiver, const char* text, std::uint64_t length);  ///< may be null
  void* receiver;
};

struct NeardataUnitStart {
  /// Contents of registers and memories before the reset: all 0 for 0, otherwise generated from
  /// this seed if the model was built for that (--x-initial unique).
  std::uint64_t seed;
  bool assertions;  ///< a failed one stops the unit
  NeardataUnitPrinter printer;
};

/// Why the model stopped; the strings live as long as the unit.
struct NeardataUnitError {
  const char* place;
  const char* message;
};

struct NeardataUnitPlugin {
  std::uint32_t abi;
  const char* top;
  NeardataUnitTable inputs;
  NeardataUnitTable outputs;
  const NeardataUnitParameter* parameters;
  std::uint32_t parameter_count;
  /// A unit after reset, and its outputs in cycle 0. Words without a valid are not updated, here
  /// and in `step`.
  NeardataUnit* (*create)(const NeardataUnitStart* start, std::uint32_t* outputs);
  void (*destroy)(NeardataUnit* unit);
  /// On any thread, one call at a time. False when an assertion failed or the model stopped; the
  /// unit is then only good for `error`.
  bool (*step)(NeardataUnit* unit, const std::uint32_t* inputs, std::uint32_t* outputs);
  /// The outputs of the present cycle with these inputs and no clock edge: unchanged, unless there
  /// is a combinational path.
  void (*settle)(NeardataUnit* unit, const std::uint32_t* inputs, std::uint32_t* outputs);
  void (*error)(const NeardataUnit* unit, NeardataUnitError* error);
  /// Writes an FST waveform of the steps from here to `trace_close`. `time` (in clock cycles) is
  /// where the waveform's time starts. False when the plug-in has no tracing or the file fails.
  bool (*trace_open)(NeardataUnit* unit, const char* path, std::uint64_t time);
  void (*trace_close)(NeardataUnit* unit);
};

/// The one visible symbol of the shared object.
const NeardataUnitPlugin* neardata_unit_plugin();
}

inline constexpr const char* kNeardataUnitEntryName = "neardata_unit_plugin";
