// SPDX-License-Identifier: Apache-2.0
//
// Which port of a unit is which of a storage device's: the streams of `sparf_engine` by their
// names. Any unit with these fields can be used.
#pragma once

#include <cstdint>
#include <optional>

#include "rtl/unit_fields.h"
#include "unit/sparf/sparf_unit.h"

namespace neardata::rtl {

struct SparfFields {
  // Descriptors in, and their ends.
  UnitField desc_valid, desc, desc_ready;
  UnitField done_valid, done_ready, done_tag, done_unreadable, done_refused;
  std::optional<UnitField> done_non_finite, done_field;  ///< of units that have them
  // Requested pages and their beats, one lane per channel.
  UnitField page_valid, page_ready, page_write, page_index, page_kind, page_head, page_tag;
  UnitField ch_valid, ch_ready, ch_first, ch_error, ch_tag, ch_data;
  // Lines of DRAM read and written.
  UnitField read_valid, read_ready, read_addr;
  UnitField line_valid, line_ready, line_data;
  UnitField write_valid, write_ready, write_addr, write_data, write_strb;
  // The choices of the kernels, one lane per kernel.
  UnitField head_valid, head_slot, head_tag;
  UnitField dims_valid, dims_slot, dims_mask;
  UnitField sel_valid, sel_slot, sel_beat, sel_mask;
  UnitField alpha_valid, alpha_slot, alpha_query, alpha_value;
  std::optional<UnitField> quiet, events;

  [[nodiscard]] std::uint32_t channels() const { return ch_valid.bits; }
  [[nodiscard]] std::uint32_t kernels() const { return head_valid.bits; }
  [[nodiscard]] std::uint32_t width() const { return dims_mask.bits; }

  /// kBadConfig with every port that is not there or does not fit.
  [[nodiscard]] static core::Expected<SparfFields> find(const NeardataUnitPlugin& api);
};

}  // namespace neardata::rtl
