// SPDX-License-Identifier: Apache-2.0
//
// Asks `ndp_descriptor_check` and the cycle model's check the same:
//   ndp_descriptor_check DESCRIPTORS FIELDS
// DESCRIPTORS is a sequence of descriptors of 20 little-endian words. FIELDS receives two bytes for
// each: the field that the RTL names and that of the model, 0 where no rule is broken. Exit code 2:
// DESCRIPTORS is not a sequence of descriptors.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <vector>

#include "Vndp_descriptor_check.h"
#include "testbench/file_bytes.h"
#include "unit/ndp/ndp_rules.h"
#include "verilated.h"

namespace {

using neardata::unit::Descriptor;
using neardata::unit::kBurstBytes;
using neardata::unit::NdpParameters;

/// `ok_o` contradicts the field.
constexpr std::uint8_t kContradiction = 0xFF;

// The check has the bursts of a block as a parameter, not its multipliers and lanes.
constexpr std::uint32_t kBlockValues =
    RTL_PARAMETER_BurstsPerBlock * static_cast<std::uint32_t>(kBurstBytes) / 2;
constexpr std::uint32_t kLanes = 8;

constexpr NdpParameters kUnit{
    .streams = RTL_PARAMETER_Streams,
    .mult_per_stream = kBlockValues / kLanes,
    .lanes = kLanes,
    .buffer_bytes = RTL_PARAMETER_BufferWords * static_cast<std::uint32_t>(kBurstBytes),
    .act_lanes = RTL_PARAMETER_ActLanes,
    .max_tokens = RTL_PARAMETER_MaxTokens,
    .low_bit_weights = RTL_PARAMETER_LowBit,
};

std::uint8_t rtl_field(Vndp_descriptor_check& top, const Descriptor& descriptor) {
  top.load_i = 1;
  std::copy(descriptor.begin(), descriptor.end(), top.desc_i.data());
  for (const unsigned char clock : {0, 1}) {
    top.clk_i = clock;
    top.eval();
  }
  // The words on the port do not matter when they are not read.
  top.load_i = 0;
  for (std::uint32_t& word : top.desc_i.m_storage) word = ~word;
  for (const unsigned char clock : {0, 1}) {
    top.clk_i = clock;
    top.eval();
  }
  return (top.ok_o != 0) == (top.field_o == 0) ? top.field_o : kContradiction;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: ndp_descriptor_check DESCRIPTORS FIELDS\n");
    return 2;
  }
  return neardata::bench::exit_code_of(argv[1], [argv] {
    const std::vector<char> bytes = neardata::bench::bytes_of_file(argv[1]);
    neardata::bench::FileBytes words(bytes);
    std::ofstream out(argv[2], std::ios::binary);
    VerilatedContext context;
    Vndp_descriptor_check top(&context);
    while (!words.empty()) {
      const auto descriptor = words.value<Descriptor>();
      out.put(static_cast<char>(rtl_field(top, descriptor)));
      out.put(static_cast<char>(neardata::unit::broken_field(kUnit, descriptor)));
    }
    top.final();
    return 0;
  });
}
