// SPDX-License-Identifier: Apache-2.0
#include "dram/address_mapper.h"

#include <bit>

namespace neardata::dram {
namespace {

unsigned log2_of(std::uint64_t count) { return static_cast<unsigned>(std::countr_zero(count)); }

/// Takes fields off the low end of a line number.
class Fields {
 public:
  explicit Fields(std::uint64_t line) : rest_(line) {}

  std::uint32_t take(unsigned bits) {
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    const auto field = static_cast<std::uint32_t>(rest_ & mask);
    rest_ >>= bits;
    return field;
  }

  [[nodiscard]] std::uint32_t rest() const { return static_cast<std::uint32_t>(rest_); }

 private:
  std::uint64_t rest_;
};

}  // namespace

AddressMapper::AddressMapper(Mapping mapping, const Organization& organization)
    : mapping_(mapping),
      offset_bits_(log2_of(organization.access_bytes())),
      channel_bits_(log2_of(organization.channels)),
      rank_bits_(log2_of(organization.ranks)),
      bank_group_bits_(log2_of(organization.bank_groups)),
      bank_bits_(log2_of(organization.banks_per_group)),
      row_bits_(log2_of(organization.rows)),
      column_bits_(log2_of(organization.columns_per_row)) {}

Target AddressMapper::map(std::uint64_t address) const {
  const std::uint64_t line = address >> offset_bits_;
  Fields fields(line);
  Target target;
  Location& where = target.where;
  switch (mapping_) {
    case Mapping::kRoBaRaCoCh:
      target.channel = fields.take(channel_bits_);
      where.column = fields.take(column_bits_);
      where.rank = fields.take(rank_bits_);
      where.bank_group = fields.take(bank_group_bits_);
      where.bank = fields.take(bank_bits_);
      where.row = fields.take(row_bits_);
      break;
    case Mapping::kChRaBaRoCo:
      where.column = fields.take(column_bits_);
      where.row = fields.take(row_bits_);
      where.bank = fields.take(bank_bits_);
      where.bank_group = fields.take(bank_group_bits_);
      where.rank = fields.take(rank_bits_);
      target.channel = fields.take(channel_bits_);
      break;
    case Mapping::kMop4ClXor:
      return map_mop4_cl_xor(line);
    case Mapping::kRoCoBaBg:
      target.channel = fields.take(channel_bits_);
      where.bank_group = fields.take(bank_group_bits_);
      where.bank = fields.take(bank_bits_);
      where.column = fields.take(column_bits_);
      where.rank = fields.take(rank_bits_);
      where.row = fields.take(row_bits_);
      break;
    case Mapping::kRoBaCoBg:
      target.channel = fields.take(channel_bits_);
      where.bank_group = fields.take(bank_group_bits_);
      where.column = fields.take(column_bits_);
      where.rank = fields.take(rank_bits_);
      where.bank = fields.take(bank_bits_);
      where.row = fields.take(row_bits_);
      break;
  }
  return target;
}

Target AddressMapper::map_mop4_cl_xor(std::uint64_t line) const {
  constexpr unsigned kLowColumnBits = 2;
  Fields fields(line);
  Target target;
  Location& where = target.where;
  where.column = fields.take(kLowColumnBits);
  target.channel = fields.take(channel_bits_);
  where.rank = fields.take(rank_bits_);
  where.bank_group = fields.take(bank_group_bits_);
  where.bank = fields.take(bank_bits_);
  where.column |= fields.take(column_bits_ - kLowColumnBits) << kLowColumnBits;
  where.row = fields.rest();

  // Each level is mixed with the next slice of the column, lowest bits first.
  Fields column(where.column);
  target.channel ^= column.take(channel_bits_);
  where.rank ^= column.take(rank_bits_);
  where.bank_group ^= column.take(bank_group_bits_);
  where.bank ^= column.take(bank_bits_);
  where.row ^= column.take(row_bits_);
  return target;
}

}  // namespace neardata::dram
