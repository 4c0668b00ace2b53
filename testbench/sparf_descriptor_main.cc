// SPDX-License-Identifier: Apache-2.0
//
// Asks `sparf_descriptor_check` and the cycle model's check the same:
//   sparf_descriptor_check DESCRIPTORS FIELDS
// DESCRIPTORS is a sequence of descriptors of 16 little-endian words. FIELDS receives two bytes for
// each: the field that the RTL names and that of the model, 0 where no rule is broken. Exit code 2:
// DESCRIPTORS is none.
#include <cstdio>
#include <fstream>
#include <vector>

#include "Vsparf_descriptor_check.h"
#include "testbench/file_bytes.h"
#include "unit/sparf/front/sparf_check.h"
#include "verilated.h"

namespace {

using neardata::unit::SparfDescriptor;
using neardata::unit::SparfField;
using neardata::unit::SparfParameters;
using neardata::unit::SparfTask;

/// Cycles from a descriptor to its field.
constexpr std::size_t kCycles = 4;
/// `ok_o` contradicts the field.
constexpr std::uint8_t kContradiction = 0xFF;

constexpr SparfParameters kUnit{
    .width = RTL_PARAMETER_Width,
    .max_keys = RTL_PARAMETER_MaxKeys,
    .max_group = RTL_PARAMETER_MaxGroup,
    .ring_lines = RTL_PARAMETER_RingLines,
    .max_page_rows = RTL_PARAMETER_MaxPageRows,
    .tags = RTL_PARAMETER_Tags,
    .query_sets = RTL_PARAMETER_QuerySets,
};

/// The model's result; heads and appends have separate checks, and the check of heads rejects any
/// other operation.
SparfField model_field(const SparfDescriptor& words) {
  const SparfTask task = SparfTask::decode(words);
  const bool append = task.operation == neardata::unit::SparfOperation::kAppend;
  if (append != (RTL_PARAMETER_Appends != 0)) return SparfField::kOperation;
  return broken_field(kUnit, task);
}

/// The descriptor at the RTL in each cycle, and the RTL's results.
std::vector<std::uint8_t> rtl_fields(const std::vector<SparfDescriptor>& descriptors) {
  VerilatedContext context;
  Vsparf_descriptor_check top(&context);
  std::vector<std::uint8_t> fields;
  top.load_i = 1;
  for (std::size_t cycle = 0; cycle < descriptors.size() + kCycles - 1; ++cycle) {
    if (cycle < descriptors.size()) {
      std::copy(descriptors[cycle].begin(), descriptors[cycle].end(), top.desc_i.data());
    }
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
    if (cycle + 1 < kCycles) continue;
    const bool agree = (top.ok_o != 0) == (top.field_o == 0);
    fields.push_back(agree ? top.field_o : kContradiction);
  }
  top.final();
  return fields;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: sparf_descriptor_check DESCRIPTORS FIELDS\n");
    return 2;
  }
  return neardata::bench::exit_code_of(argv[1], [argv] {
    const std::vector<char> bytes = neardata::bench::bytes_of_file(argv[1]);
    neardata::bench::FileBytes words(bytes);
    std::vector<SparfDescriptor> descriptors;
    while (!words.empty()) descriptors.push_back(words.value<SparfDescriptor>());
    const std::vector<std::uint8_t> rtl = rtl_fields(descriptors);
    std::ofstream out(argv[2], std::ios::binary);
    for (std::size_t i = 0; i < descriptors.size(); ++i) {
      out.put(static_cast<char>(rtl[i]));
      out.put(static_cast<char>(model_field(descriptors[i])));
    }
    return 0;
  });
}
