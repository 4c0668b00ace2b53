// SPDX-License-Identifier: Apache-2.0
#include "rtl/sparf_fields.h"

#include "unit/sparf/sparf_events.h"

namespace neardata::rtl {

namespace {

constexpr std::uint32_t kLineBits = unit::kLineBytes * 8;
constexpr std::uint32_t kTagBits = 16;
constexpr std::uint32_t kFieldBits = 5;
constexpr std::uint32_t kMostLanes = 32;

void find_jobs(FieldFinder& find, SparfFields& f) {
  f.desc_valid = find.input("desc_valid_i", 1);
  f.desc_ready = find.output("desc_ready_o", 1);
  f.desc = find.input("desc_i", unit::kSparfDescriptorWords * kWordBits);
  f.done_valid = find.output("done_valid_o", 1);
  f.done_ready = find.input("done_ready_i", 1);
  f.done_tag = find.output("done_o.tag", kTagBits);
  f.done_unreadable = find.output("done_o.unreadable", 1);
  f.done_refused = find.output("done_o.refused", 1);
  f.done_non_finite = find.option("done_o.non_finite", 1);
  f.done_field = find.option("done_o.field", kFieldBits);
}

void find_pages(FieldFinder& find, SparfFields& f) {
  constexpr std::uint32_t kKindBits = 2;
  f.page_valid = find.output("page_req_valid_o", 1);
  f.page_ready = find.input("page_req_ready_i", 1);
  f.page_write = find.output("page_req_o.write", 1);
  f.page_index = find.output("page_req_o.index", kWordBits);
  f.page_kind = find.output("page_req_o.kind", kKindBits);
  f.page_head = find.output("page_req_o.head", kWordBits);
  f.page_tag = find.output("page_req_o.tag", kTagBits);
  f.ch_valid = find.input("ch_valid_i", {1, kMostLanes});
  const std::uint32_t channels = f.channels();
  f.ch_ready = find.output("ch_ready_o", channels);
  f.ch_first = find.input("ch_first_i", 1, channels);
  f.ch_error = find.input("ch_error_i", 1, channels);
  f.ch_tag = find.input("ch_tag_i", kTagBits, channels);
  f.ch_data = find.input("ch_data_i", unit::kBeatBytes * 8, channels);
}

void find_dram(FieldFinder& find, SparfFields& f) {
  f.read_valid = find.output("dr_req_valid_o", 1);
  f.read_ready = find.input("dr_req_ready_i", 1);
  f.read_addr = find.output("dr_req_addr_o", kWordBits);
  f.line_valid = find.input("dr_rsp_valid_i", 1);
  f.line_ready = find.output("dr_rsp_ready_o", 1);
  f.line_data = find.input("dr_rsp_data_i", kLineBits);
  f.write_valid = find.output("dw_valid_o", 1);
  f.write_ready = find.input("dw_ready_i", 1);
  f.write_addr = find.output("dw_addr_o", kWordBits);
  f.write_data = find.output("dw_data_o", kLineBits);
  f.write_strb = find.output("dw_strb_o", unit::kLineBytes);
}

void find_choices(FieldFinder& find, SparfFields& f) {
  constexpr std::uint32_t kMostWidth = 1024;
  constexpr std::uint32_t kBeatTokens = 8;
  const BitRange number(1, kWordBits);
  f.head_valid = find.output("seen_head_valid_o", {1, kMostLanes});
  const std::uint32_t kernels = f.kernels();
  f.head_slot = find.output("seen_head_slot_o", number, kernels);
  f.head_tag = find.output("seen_head_tag_o", kTagBits, kernels);
  f.dims_valid = find.output("seen_dims_valid_o", kernels);
  f.dims_slot = find.output("seen_dims_slot_o", number, kernels);
  f.dims_mask = find.output("seen_dims_mask_o", {1, kMostWidth}, kernels);
  f.sel_valid = find.output("seen_sel_valid_o", kernels);
  f.sel_slot = find.output("seen_sel_slot_o", number, kernels);
  f.sel_beat = find.output("seen_sel_beat_o", number, kernels);
  f.sel_mask = find.output("seen_sel_mask_o", kBeatTokens, kernels);
  f.alpha_valid = find.output("seen_alpha_valid_o", kernels);
  f.alpha_slot = find.output("seen_alpha_slot_o", number, kernels);
  f.alpha_query = find.output("seen_alpha_query_o", number, kernels);
  f.alpha_value = find.output("seen_alpha_value_o", kWordBits, kernels);
}

}  // namespace

core::Expected<SparfFields> SparfFields::find(const NeardataUnitPlugin& api) {
  FieldFinder find(api);
  SparfFields f;
  find_jobs(find, f);
  find_pages(find, f);
  find_dram(find, f);
  find_choices(find, f);
  f.quiet = find.option("quiet_o", 1);
  f.events = find.option("events_o", {1, unit::SparfEvents::kMost});
  if (auto good = find.result(); !good) return std::unexpected(std::move(good).error());
  return f;
}

}  // namespace neardata::rtl
