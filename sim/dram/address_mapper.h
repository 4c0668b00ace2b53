// SPDX-License-Identifier: Apache-2.0
//
// From a byte address to a channel and a place in it. All mappers are bijections of the capacity.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dram/organization.h"
#include "dram/types.h"

namespace neardata::dram {

/// Fields are named from the most significant down, as usual; the last two are our own.
enum class Mapping : std::uint8_t {
  kRoBaRaCoCh,  ///< consecutive accesses stay in one row of one bank
  kChRaBaRoCo,  ///< every bank is one contiguous piece
  kMop4ClXor,   ///< two column bits lowest, the rest spread by exclusive or
  kRoBaCoBg,    ///< localized: bank group lowest, so that a stream rotates the bank groups
  kRoCoBaBg,    ///< round-robin over the banks, groups first: a stream has work in all banks
};

struct Target {
  std::uint32_t channel = 0;
  Location where;
};

/// Extracts fields from a line number, lowest bits first.
class LineFields {
 public:
  explicit LineFields(std::uint64_t line) : rest_(line) {}

  std::uint32_t take(unsigned bits) {
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    const auto field = static_cast<std::uint32_t>(rest_ & mask);
    rest_ >>= bits;
    return field;
  }

  /// A field of so many values, which need not be a power of two.
  std::uint32_t take_one_of(std::uint32_t values) {
    const auto field = static_cast<std::uint32_t>(rest_ % values);
    rest_ /= values;
    return field;
  }

  [[nodiscard]] std::uint32_t rest() const { return static_cast<std::uint32_t>(rest_); }

 private:
  std::uint64_t rest_;
};

/// The rule that a mapping breaks with this organization.
std::optional<std::string> mapping_rule(Mapping mapping, const Organization& organization);

class AddressMapper {
 public:
  AddressMapper(Mapping mapping, const Organization& organization);

  /// `address` must be aligned to an access and less than the capacity.
  [[nodiscard]] Target map(std::uint64_t address) const;

 private:
  [[nodiscard]] Target map_mop4_cl_xor(std::uint64_t line) const;

  Mapping mapping_;
  unsigned offset_bits_;
  unsigned lowest_channel_bits_;
  unsigned channel_bits_;
  unsigned rank_bits_;
  unsigned logical_rank_bits_;
  unsigned bank_group_bits_;
  unsigned bank_bits_;
  std::uint32_t rows_;
  unsigned column_bits_;
};

/// Inline so that the fields stay in registers: a struct returned through memory and read back as
/// one word stalls the processor.
inline Target AddressMapper::map(std::uint64_t address) const {
  const std::uint64_t line = address >> offset_bits_;
  LineFields fields(line);
  Target target;
  Location& where = target.where;
  if (mapping_ == Mapping::kMop4ClXor) return map_mop4_cl_xor(line);
  target.channel = fields.take(lowest_channel_bits_);
  switch (mapping_) {
    case Mapping::kRoBaRaCoCh:
      target.channel |= fields.take(channel_bits_);
      where.column = fields.take(column_bits_);
      where.rank = fields.take(rank_bits_);
      where.logical_rank = fields.take(logical_rank_bits_);
      where.bank_group = fields.take(bank_group_bits_);
      where.bank = fields.take(bank_bits_);
      where.row = fields.rest();
      break;
    case Mapping::kChRaBaRoCo:
      where.column = fields.take(column_bits_);
      where.row = fields.take_one_of(rows_);
      where.bank = fields.take(bank_bits_);
      where.bank_group = fields.take(bank_group_bits_);
      where.logical_rank = fields.take(logical_rank_bits_);
      where.rank = fields.take(rank_bits_);
      target.channel |= fields.take(channel_bits_);
      break;
    case Mapping::kMop4ClXor:
      break;
    case Mapping::kRoCoBaBg:
      target.channel |= fields.take(channel_bits_);
      where.bank_group = fields.take(bank_group_bits_);
      where.bank = fields.take(bank_bits_);
      where.column = fields.take(column_bits_);
      where.rank = fields.take(rank_bits_);
      where.logical_rank = fields.take(logical_rank_bits_);
      where.row = fields.rest();
      break;
    case Mapping::kRoBaCoBg:
      target.channel |= fields.take(channel_bits_);
      where.bank_group = fields.take(bank_group_bits_);
      where.column = fields.take(column_bits_);
      where.rank = fields.take(rank_bits_);
      where.logical_rank = fields.take(logical_rank_bits_);
      where.bank = fields.take(bank_bits_);
      where.row = fields.rest();
      break;
  }
  return target;
}

}  // namespace neardata::dram
