// SPDX-License-Identifier: Apache-2.0
//
// The C interface of a Verilated `dimm_ndp`, a shared object of its own. One call is one clock
// cycle. Nothing is thrown or aborted across it. A plug-in whose `abi` differs is not used.
//
// The unit has no combinational path from an input to an output: the outputs of a cycle are known
// before its inputs are chosen. `step` takes the inputs of the present cycle, gives the clock edge
// that ends it, and fills in the outputs of the next one.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

struct NeardataNdp;  // one unit with its own Verilated context

enum : std::uint32_t { kNeardataNdpAbi = 1, kNeardataMaxStreams = 8 };

/// Bit s of a mask belongs to stream s.
struct NeardataNdpInputs {
  const std::uint32_t* desc;  // 20 words, or null
  bool done_ready;
  bool out_ready;
  std::uint32_t req_ready;
  std::uint32_t rsp_valid;
  std::uint32_t rsp_tag[kNeardataMaxStreams];
  const void* rsp_data[kNeardataMaxStreams];  // 64 bytes, looked at where rsp_valid is set
};

struct NeardataNdpOutputs {
  bool desc_ready;
  bool done_valid;
  bool quiet;
  bool out_valid;
  std::uint32_t out_stream;
  std::uint32_t out_addr;
  unsigned char out_data[64];
  std::uint32_t req_valid;
  std::uint32_t rsp_ready;
  std::uint32_t req_addr[kNeardataMaxStreams];
  std::uint32_t req_tag[kNeardataMaxStreams];
  std::uint32_t events;
};

/// Why the model stopped; the strings live as long as the unit.
struct NeardataNdpError {
  const char* place;
  const char* message;
};

struct NeardataNdpPlugin {
  std::uint32_t abi;
  std::uint32_t streams;
  std::uint32_t tag_bits;
  /// A unit after reset, and its outputs in cycle 0.
  NeardataNdp* (*create)(NeardataNdpOutputs* outputs);
  void (*destroy)(NeardataNdp* unit);
  /// On any thread, one call at a time. False when an assertion failed or the model stopped; the
  /// unit is then only good for `error`.
  bool (*step)(NeardataNdp* unit, const NeardataNdpInputs* inputs, NeardataNdpOutputs* outputs);
  void (*error)(const NeardataNdp* unit, NeardataNdpError* error);
  /// Writes an FST waveform of the steps from here to `trace_close`. `time` (in clock cycles) is
  /// where the waveform's time starts. False when the plug-in has no tracing or the file fails.
  bool (*trace_open)(NeardataNdp* unit, const char* path, std::uint64_t time);
  void (*trace_close)(NeardataNdp* unit);
};

/// The one visible symbol of the shared object.
typedef const NeardataNdpPlugin* (*NeardataNdpEntry)();
}

inline constexpr const char* kNeardataNdpEntryName = "neardata_ndp_plugin";
