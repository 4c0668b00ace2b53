// SPDX-License-Identifier: Apache-2.0
//
// Heads of the attention kernel's bench of any bytes: refused, or every row and line of a head is
// there.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stdexcept>

#include "testbench/sparf_kernel_head.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace neardata::bench;
  try {
    FileBytes file(std::span(reinterpret_cast<const char*>(data), size));
    static_cast<void>(file.value<std::array<std::uint32_t, 2>>());
    while (!file.empty()) {
      const Head head(file);
      const auto& f = head.fields;
      for (std::uint32_t t = 0; t < f.tokens; ++t) {
        if (head.key(t).size() != kWidth || head.value(t).size() != kWidth) std::abort();
      }
      if (head.lines().size() < f.group) std::abort();
    }
  } catch (const std::runtime_error&) {
    return 0;
  }
  return 0;
}
