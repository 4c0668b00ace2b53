// SPDX-License-Identifier: Apache-2.0
//
// A descriptor of the attention engine, field by field.
#pragma once

#include <bit>
#include <cstdint>

#include "unit/sparf/sparf_unit.h"

namespace neardata::unit {

enum class SparfOperation : std::uint8_t { kSparse, kDense, kAppend };

/// Lines are lines of controller DRAM. Tokens below `dim_flash` (`token_flash`) are in
/// embedding-order (token-order) pages on flash, later ones in rows from `k_line` (`v_line`) on.
struct SparfTask {
  SparfOperation operation = SparfOperation::kSparse;
  std::uint32_t group = 1;          ///< queries
  std::uint32_t dims_per_page = 1;  ///< m, a power of two
  bool mean = false;                ///< the mean of V replaces tokens that are not chosen
  std::uint8_t unused = 0;          ///< bits 13 to 15 of the first word
  std::uint16_t tag = 0;
  std::uint32_t tokens = 0;  ///< S; of an append: before it
  std::uint32_t k = 0;
  std::uint32_t window = 0;
  std::uint32_t r = 0;
  std::uint32_t dim_flash = 0;
  std::uint32_t token_flash = 0;
  std::uint32_t head = 0;
  std::uint32_t q_line = 0;  ///< of an append: the row of K, then the row of V
  std::uint32_t sum_line = 0;
  std::uint32_t k_line = 0;
  std::uint32_t v_line = 0;
  std::uint32_t out_line = 0;
  float scale = 0;
  float reciprocal = 0;
  std::uint32_t page_bytes = 0;

  [[nodiscard]] std::uint32_t tokens_per_dim_page() const {
    return page_bytes / (2 * dims_per_page);
  }

  [[nodiscard]] SparfDescriptor encode() const {
    const std::uint32_t mode = static_cast<std::uint32_t>(operation) | (group - 1) << 4U |
                               static_cast<std::uint32_t>(std::countr_zero(dims_per_page)) << 8U |
                               static_cast<std::uint32_t>(mean) << 12U |
                               std::uint32_t{unused} << 13U | std::uint32_t{tag} << 16U;
    return {mode,
            tokens,
            k,
            window,
            r,
            dim_flash,
            token_flash,
            head,
            q_line,
            sum_line,
            k_line,
            v_line,
            out_line,
            std::bit_cast<std::uint32_t>(scale),
            std::bit_cast<std::uint32_t>(reciprocal),
            page_bytes};
  }

  [[nodiscard]] static SparfTask decode(const SparfDescriptor& words) {
    return {.operation = static_cast<SparfOperation>(words[0] & 0xFU),
            .group = (words[0] >> 4U & 0xFU) + 1,
            .dims_per_page = 1U << (words[0] >> 8U & 0xFU),
            .mean = (words[0] >> 12U & 1U) != 0,
            .unused = static_cast<std::uint8_t>(words[0] >> 13U & 7U),
            .tag = static_cast<std::uint16_t>(words[0] >> 16U),
            .tokens = words[1],
            .k = words[2],
            .window = words[3],
            .r = words[4],
            .dim_flash = words[5],
            .token_flash = words[6],
            .head = words[7],
            .q_line = words[8],
            .sum_line = words[9],
            .k_line = words[10],
            .v_line = words[11],
            .out_line = words[12],
            .scale = std::bit_cast<float>(words[13]),
            .reciprocal = std::bit_cast<float>(words[14]),
            .page_bytes = words[15]};
  }
};

}  // namespace neardata::unit
