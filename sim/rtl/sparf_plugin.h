// SPDX-License-Identifier: Apache-2.0
//
// The C interface of a Verilated `sparf_engine`, a shared object of its own. One call is one clock
// cycle. Nothing is thrown or aborted across it. A plug-in whose `abi` differs is not used.
//
// The engine has no combinational path from an input to an output: the outputs of a cycle are known
// before its inputs are chosen. `step` takes the inputs of the present cycle, gives the clock edge
// that ends it, and fills in the outputs of the next one.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

struct NeardataSparf;  // one engine with its own Verilated context

enum : std::uint32_t {
  kNeardataSparfAbi = 2,
  kNeardataMaxChannels = 16,
  kNeardataMaxKernels = 4,
  kNeardataMaxDimWords = 32,
};

/// Bit c of a mask belongs to channel c.
struct NeardataSparfInputs {
  const std::uint32_t* desc;  // 16 words, or null
  bool done_ready;
  bool page_req_ready;
  std::uint32_t ch_valid;
  std::uint32_t ch_first;
  std::uint32_t ch_error;
  std::uint16_t ch_tag[kNeardataMaxChannels];
  std::uint64_t ch_data[kNeardataMaxChannels];
  bool dr_req_ready;
  const void* dr_rsp;  // 64 bytes, or null
  bool dw_ready;
};

/// What a kernel chose: a head enters a slot, its dimensions, a beat of its tokens, alpha of a
/// query.
struct NeardataSparfSeen {
  bool head;
  std::uint32_t head_slot;
  std::uint32_t head_tag;
  bool dims;
  std::uint32_t dims_slot;
  std::uint32_t dims_mask[kNeardataMaxDimWords];
  bool sel;
  std::uint32_t sel_slot;
  std::uint32_t sel_beat;
  std::uint32_t sel_mask;
  bool alpha;
  std::uint32_t alpha_slot;
  std::uint32_t alpha_query;
  float alpha_value;
};

struct NeardataSparfOutputs {
  bool desc_ready;
  bool done_valid;
  std::uint32_t done;
  bool page_req_valid;
  bool page_write;
  std::uint32_t page_index;
  std::uint32_t page_kind;
  std::uint32_t page_head;
  std::uint32_t page_tag;
  std::uint32_t ch_ready;
  bool dr_req_valid;
  std::uint32_t dr_req_addr;
  bool dw_valid;
  std::uint32_t dw_addr;
  unsigned char dw_data[64];
  std::uint64_t dw_strb;
  bool quiet;
  std::uint64_t events;
  NeardataSparfSeen seen[kNeardataMaxKernels];
};

/// Why the model stopped; the strings live as long as the engine.
struct NeardataSparfError {
  const char* place;
  const char* message;
};

struct NeardataSparfPlugin {
  std::uint32_t abi;
  std::uint32_t channels;
  std::uint32_t kernels;
  std::uint32_t slots;
  std::uint32_t width;
  std::uint32_t max_keys;
  /// An engine after reset, and its outputs in cycle 0.
  NeardataSparf* (*create)(NeardataSparfOutputs* outputs);
  void (*destroy)(NeardataSparf* engine);
  /// On any thread, one call at a time. False when an assertion failed or the model stopped; the
  /// engine is then only good for `error`.
  bool (*step)(NeardataSparf* engine, const NeardataSparfInputs* inputs,
               NeardataSparfOutputs* outputs);
  void (*error)(const NeardataSparf* engine, NeardataSparfError* error);
  /// Writes an FST waveform of the steps from here to `trace_close`. `time` (in clock cycles) is
  /// where the waveform's time starts. False when the plug-in has no tracing or the file fails.
  bool (*trace_open)(NeardataSparf* engine, const char* path, std::uint64_t time);
  void (*trace_close)(NeardataSparf* engine);
};

/// The one visible symbol of the shared object.
typedef const NeardataSparfPlugin* (*NeardataSparfEntry)();
}
