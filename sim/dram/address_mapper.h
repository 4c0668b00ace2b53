// SPDX-License-Identifier: Apache-2.0
//
// From a byte address to a channel and a place in it. All mappers are bijections of the capacity.
#pragma once

#include <cstdint>

#include "dram/organization.h"
#include "dram/types.h"

namespace neardata::dram {

/// Fields are named from the most significant down, as usual; the last two are our own.
enum class Mapping : std::uint8_t {
  kRoBaRaCoCh,  ///< consecutive accesses stay in one row of one bank
  kChRaBaRoCo,  ///< every bank is one contiguous piece
  kMop4ClXor,   ///< two column bits lowest, the rest spread by exclusive or
  kRoBaCoBg,    ///< localized: bank group lowest, so that a stream rotates the bank groups
  kRoCoBaBg,    ///< every bank in turn, groups first, so that a stream has work in all banks
};

struct Target {
  std::uint32_t channel = 0;
  Location where;
};

class AddressMapper {
 public:
  AddressMapper(Mapping mapping, const Organization& organization);

  /// `address` must be aligned to an access and lie within the capacity.
  [[nodiscard]] Target map(std::uint64_t address) const;

 private:
  [[nodiscard]] Target map_mop4_cl_xor(std::uint64_t line) const;

  Mapping mapping_;
  unsigned offset_bits_;
  unsigned channel_bits_;
  unsigned rank_bits_;
  unsigned bank_group_bits_;
  unsigned bank_bits_;
  unsigned row_bits_;
  unsigned column_bits_;
};

}  // namespace neardata::dram
