// SPDX-License-Identifier: Apache-2.0
//
// Synthetic attention heads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/limits.h"
#include "core/record.h"
#include "core/refusal.h"
#include "unit/sparf/values/attention_heads.h"

namespace neardata::unit {

constexpr auto names_of(const HeadPart*) { return std::array{"queries", "keys", "values"}; }

}  // namespace neardata::unit

namespace neardata::api {

/// Rows of the tokens from `from` to `to`, that one not included.
struct HeadRequest {
  std::uint64_t seed = 0;
  std::uint64_t length = 0;
  std::uint64_t width = 0;
  unit::HeadPart part = unit::HeadPart::kQueries;
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};
constexpr auto record_of(const HeadRequest*) {
  using core::field;
  return core::record("Head", field("seed", &HeadRequest::seed),
                      field("length", &HeadRequest::length), field("width", &HeadRequest::width),
                      field("part", &HeadRequest::part), field("from", &HeadRequest::from),
                      field("to", &HeadRequest::to));
}

[[nodiscard]] inline core::Answer<std::vector<std::uint16_t>> hta1(const HeadRequest& given) {
  constexpr std::uint64_t kMost = limits::kMostHeadValues;
  if (given.length < 1 || given.width < 1 || given.length > kMost || given.width > kMost ||
      given.length * given.width > kMost) {
    return core::bad_input("a head has 1 to " + std::to_string(kMost) + " values");
  }
  if (given.to < given.from || given.to > given.length) {
    return core::misuse("the rows are not some of the head's own");
  }
  return unit::head_rows(given.part, {.seed = static_cast<std::uint32_t>(given.seed),
                                      .length = static_cast<std::uint32_t>(given.length),
                                      .width = static_cast<std::uint32_t>(given.width),
                                      .from = static_cast<std::uint32_t>(given.from),
                                      .to = static_cast<std::uint32_t>(given.to)});
}

}  // namespace neardata::api
