// SPDX-License-Identifier: Apache-2.0
#include "rtl/ndp_fields.h"

#include "unit/ndp/ndp_events.h"
#include "unit/ndp/ndp_handshake.h"

namespace neardata::rtl {

core::Expected<NdpFields> NdpFields::find(const NeardataUnitPlugin& api) {
  constexpr std::uint32_t kBurstBits = core::kBurstBytes * 8;
  constexpr std::uint32_t kMostTagBits = 16;
  constexpr std::uint32_t kFieldBits = 5;
  FieldFinder find(api);
  NdpFields f;
  f.req_valid = find.output("req_valid_o", {1, unit::kMaxStreams});
  const std::uint32_t streams = f.streams();
  f.req_ready = find.input("req_ready_i", streams);
  f.req_addr = find.output("req_addr_o", kWordBits, streams);
  f.req_tag = find.output("req_tag_o", {1, kMostTagBits}, streams);
  f.rsp_valid = find.input("rsp_valid_i", streams);
  f.rsp_ready = find.output("rsp_ready_o", streams);
  f.rsp_tag = find.input("rsp_tag_i", f.tag_bits(), streams);
  f.rsp_data = find.input("rsp_data_i", kBurstBits, streams);
  f.desc_valid = find.input("desc_valid_i", 1);
  f.desc_ready = find.output("desc_ready_o", 1);
  f.desc = find.input("desc_i", unit::kDescriptorWords * kWordBits);
  f.done_valid = find.output("done_valid_o", 1);
  f.done_field = find.option("done_field_o", {1, kFieldBits});
  f.done_ready = find.input("done_ready_i", 1);
  f.out_valid = find.output("out_valid_o", 1);
  f.out_ready = find.input("out_ready_i", 1);
  f.out_stream = find.output("out_stream_o", {1, kWordBits});
  f.out_addr = find.output("out_addr_o", kWordBits);
  f.out_data = find.output("out_data_o", kBurstBits);
  f.quiet = find.option("quiet_o", 1);
  f.events = find.option("events_o", {1, kWordBits});
  if (auto good = find.result(); !good) return std::unexpected(std::move(good).error());
  return f;
}

}  // namespace neardata::rtl
