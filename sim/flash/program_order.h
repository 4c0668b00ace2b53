// SPDX-License-Identifier: Apache-2.0
//
// Checks the order of programs in the dies of a channel: NAND requires ascending pages within a
// block, each once between two erases of the block (data sheets prohibit random page addresses
// within a block: Samsung K9F2G08U0C, page program). The guard observes the commands of the dies,
// independently of the queues that order them. It does not know the contents of a block before the
// run, so the first page of a block may have any number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "flash/types.h"

namespace neardata::flash {

/// A page that a die was to program after a page with this or a higher number of its block.
struct OutOfOrder {
  PageAddress page;
  std::uint32_t after = 0;
};

/// One sentence.
[[nodiscard]] inline std::string text_of(const OutOfOrder& fault) {
  const PageAddress& at = fault.page;
  return "die " + std::to_string(at.die) + " programs page " + std::to_string(at.page) +
         " of block " + std::to_string(at.block) + " of plane " + std::to_string(at.plane) +
         " after page " + std::to_string(fault.after) +
         "; NAND takes the pages of a block in ascending order, each once between erases";
}

class ProgramOrder {
 public:
  /// A die begins to program the page: the fault, if that is out of order.
  [[nodiscard]] std::optional<OutOfOrder> program(const PageAddress& address) {
    const auto [block, fresh] = last_.try_emplace(key(address), address.page);
    const std::uint32_t before = std::exchange(block->second, address.page);
    if (fresh || before < address.page) return std::nullopt;
    return OutOfOrder{.page = address, .after = before};
  }

  /// A die begins to erase the block.
  void erase(const PageAddress& address) { last_.erase(key(address)); }

 private:
  [[nodiscard]] static std::uint64_t key(const PageAddress& at) {
    return (std::uint64_t{at.die} * kMaxPlanes + at.plane) << 32U | at.block;
  }

  std::unordered_map<std::uint64_t, std::uint32_t> last_;  ///< programmed, by block
};

}  // namespace neardata::flash
