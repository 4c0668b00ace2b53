// SPDX-License-Identifier: Apache-2.0
//
// Cases of the attention engine's bench of any bytes: refused, or every page of every head is its
// size, whichever page the engine asks for.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stdexcept>

#include "testbench/sparf_case.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto input = sparf_case::read_case(std::span(reinterpret_cast<const char*>(data), size));
    constexpr std::size_t kHeads = 4;
    for (const auto& head : std::span(input.heads).first(std::min(kHeads, input.heads.size()))) {
      for (std::uint32_t kind = 0; kind < 4; ++kind) {
        for (const std::uint32_t index : {0U, 1U, head.tokens, 0x7fffffffU, 0xffffffffU}) {
          if (head.page(kind, index).size() != (1U << head.log_page_bytes) / 2) std::abort();
        }
      }
    }
  } catch (const std::runtime_error&) {
    return 0;
  }
  return 0;
}
