// SPDX-License-Identifier: Apache-2.0
//
// The ports of `ndp_buffer` in the cycle model of `dimm_ndp`: word w is in bank w mod banks, a bank
// serves one word a cycle, and operand reads of the array have priority.
#pragma once

#include <cstdint>

#include "unit/ndp/ndp_task.h"

namespace neardata::unit {

class NdpBufferPorts {
 public:
  using Cycle = std::uint64_t;

  /// Two banks if the operand reads of a slot occupy more than half of its cycles.
  explicit NdpBufferPorts(const NdpParameters& p)
      : parity_(cycles_per_slot(p) < 2 * p.lanes ? 1 : 0) {}

  /// The array reads a word from `word` on in each cycle from `from` to `to`, inclusive.
  void read(std::uint32_t word, Cycle from, Cycle to) {
    word_ = word;
    from_ = from;
    to_ = to;
  }
  [[nodiscard]] bool reading(Cycle cycle) const { return cycle >= from_ && cycle <= to_; }
  [[nodiscard]] Cycle read_end() const { return to_; }

  /// A cycle begins: the array has its bank.
  void begin(Cycle now) { busy_ = reading(now) ? 1U << operand_bank(now) : 0; }
  /// Reserves the bank of `word` for this cycle; false if it is busy.
  [[nodiscard]] bool take(std::uint32_t word) {
    const std::uint32_t bank = 1U << (word & parity_);
    if ((busy_ & bank) != 0) return false;
    busy_ |= bank;
    return true;
  }
  /// The first cycle from `soon` on in which the array, as far as known, leaves `word` its bank.
  [[nodiscard]] Cycle free(std::uint32_t word, Cycle soon) const {
    if (!reading(soon)) return soon;
    if (parity_ == 0) return to_ + 1;
    return operand_bank(soon) == (word & parity_) ? soon + 1 : soon;
  }

 private:
  [[nodiscard]] std::uint32_t operand_bank(Cycle cycle) const {
    return (word_ + static_cast<std::uint32_t>(cycle - from_)) & parity_;
  }

  std::uint32_t parity_;  ///< bits of a word's index that name its bank
  std::uint32_t word_ = 0;
  Cycle from_ = 1;
  Cycle to_ = 0;
  std::uint32_t busy_ = 0;
};

}  // namespace neardata::unit
