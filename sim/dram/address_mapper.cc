// SPDX-License-Identifier: Apache-2.0
#include "dram/address_mapper.h"

#include <bit>
#include <cstdint>

namespace neardata::dram {
namespace {

unsigned log2_of(std::uint64_t count) { return static_cast<unsigned>(std::countr_zero(count)); }

}  // namespace

std::optional<std::string> mapping_rule(Mapping mapping, const Organization& o) {
  // Columns beyond these are mixed into the row.
  const std::uint64_t others =
      std::uint64_t{o.channel_is_lowest ? 1 : o.channels} * o.banks_per_channel();
  if (mapping != Mapping::kMop4ClXor || std::has_single_bit(o.rows) || o.columns_per_row <= others)
    return std::nullopt;
  return "MOP4CLXOR mixes columns into the rows here, so the rows must be a power of two, not " +
         std::to_string(o.rows);
}

AddressMapper::AddressMapper(Mapping mapping, const Organization& organization)
    : mapping_(mapping),
      offset_bits_(log2_of(organization.access_bytes())),
      lowest_channel_bits_(organization.channel_is_lowest ? log2_of(organization.channels) : 0),
      channel_bits_(organization.channel_is_lowest ? 0 : log2_of(organization.channels)),
      rank_bits_(log2_of(organization.ranks)),
      logical_rank_bits_(log2_of(organization.logical_ranks)),
      bank_group_bits_(log2_of(organization.bank_groups)),
      bank_bits_(log2_of(organization.banks_per_group)),
      rows_(organization.rows),
      column_bits_(log2_of(organization.columns_per_row)) {}

Target AddressMapper::map_mop4_cl_xor(std::uint64_t line) const {
  constexpr unsigned kLowColumnBits = 2;
  LineFields fields(line);
  Target target;
  Location& where = target.where;
  target.channel = fields.take(lowest_channel_bits_);
  where.column = fields.take(kLowColumnBits);
  target.channel |= fields.take(channel_bits_);
  where.rank = fields.take(rank_bits_);
  where.logical_rank = fields.take(logical_rank_bits_);
  where.bank_group = fields.take(bank_group_bits_);
  where.bank = fields.take(bank_bits_);
  where.column |= fields.take(column_bits_ - kLowColumnBits) << kLowColumnBits;
  where.row = fields.rest();

  // Each level is mixed with the next slice of the column, lowest bits first.
  LineFields column(where.column);
  target.channel ^= column.take(channel_bits_);
  where.rank ^= column.take(rank_bits_);
  where.logical_rank ^= column.take(logical_rank_bits_);
  where.bank_group ^= column.take(bank_group_bits_);
  where.bank ^= column.take(bank_bits_);
  // If the number of rows is not a power of two, mapping_rule leaves no column bits for them.
  where.row ^= column.rest() % rows_;
  return target;
}

}  // namespace neardata::dram
