// SPDX-License-Identifier: Apache-2.0
//
// The DDR5 constraints of Ramulator 2.1. Its Python part has them as rules, its C++ part as cycles.
// table.py reads them from the installation and writes a header of the build.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace neardata::native::ramulator {

/// A constant and a factor for each timing, in Ramulator's order.
struct Sum {
  int constant = 0;
  std::vector<int> factors;

  [[nodiscard]] int of(const std::vector<int>& timings) const {
    int sum = constant;
    for (std::size_t t = 0; t < factors.size(); ++t) sum += factors[t] * timings.at(t);
    return sum;
  }
};

/// After one of `previous` none of `next` for so many cycles; levels and commands are numbers.
struct Constraint {
  int level = 0;
  std::vector<int> previous;
  std::vector<int> next;
  Sum cycles;
  int window = 1;
  bool others = false;  ///< at the other nodes of the level, not at the one addressed
};

}  // namespace neardata::native::ramulator
