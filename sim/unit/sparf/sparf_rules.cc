// SPDX-License-Identifier: Apache-2.0
#include "unit/sparf/sparf_rules.h"

#include <bit>

namespace neardata::unit {

namespace {

struct Rule {
  const char* name;
  std::uint32_t value;
  std::uint32_t least;
  std::uint32_t most;
  bool power_of_two;
};

/// Limit of a head's keys and of a ring's lines: 22 bits, more than a device's DRAM can store.
constexpr std::uint32_t kMostKeys = 1U << 22U;
/// Keys of a set of queries: two rows of eight tokens.
constexpr std::uint32_t kLeastSetKeys = 16;

}  // namespace

std::optional<std::string> refuses(const SparfParameters& p) {
  const Rule rules[] = {
      {"channels", p.channels, 1, 16, false},
      {"kernels", p.kernels, 1, 64, false},
      {"lanes", p.lanes, 4, 16, true},
      {"width", p.width, 8, 128, true},
      {"maxKeys", p.max_keys, 2, kMostKeys, true},
      {"maxGroup", p.max_group, 2, 8, true},
      {"slots", p.slots, 2, 16, true},
      {"ringLines", p.ring_lines, 2, kMostKeys, true},
      {"maxPageRows", p.max_page_rows, 8, 128, false},
      {"tags", p.tags, 2, 1U << 15U, true},
      {"querySets", p.query_sets, 1, 8, true},
  };
  for (const Rule& rule : rules) {
    if (rule.value >= rule.least && rule.value <= rule.most &&
        (!rule.power_of_two || std::has_single_bit(rule.value))) {
      continue;
    }
    return std::string(rule.name) + " is " + std::to_string(rule.value) + ", and must be " +
           (rule.power_of_two ? "a power of two" : "a whole number") + " from " +
           std::to_string(rule.least) + " to " + std::to_string(rule.most);
  }
  if (p.lanes > p.width) return "lanes are more than the width of a head";
  if (p.query_sets > p.max_group) return "querySets are more than the queries of maxGroup";
  if (p.query_sets > 1 && p.max_tokens() < kLeastSetKeys) {
    return "maxKeys are less than " + std::to_string(kLeastSetKeys) + " for each of querySets";
  }
  return std::nullopt;
}

}  // namespace neardata::unit
