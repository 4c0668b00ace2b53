// SPDX-License-Identifier: Apache-2.0
//
// Which port of a unit is which of an NDP machine's: the streams of `dimm_ndp` by their names.
// Any unit with these fields can be used.
#pragma once

#include <cstdint>
#include <optional>

#include "rtl/unit_fields.h"
#include "unit/ndp/ndp_unit.h"

namespace neardata::rtl {

struct NdpFields {
  // Descriptors in, one at a time, and their ends.
  UnitField desc_valid, desc, desc_ready;
  UnitField done_valid, done_ready;
  std::optional<UnitField> done_field;
  // Reads of bursts and their answers, a lane each stream.
  UnitField req_valid, req_ready, req_addr, req_tag;
  UnitField rsp_valid, rsp_ready, rsp_tag, rsp_data;
  // Bursts to write.
  UnitField out_valid, out_ready, out_stream, out_addr, out_data;
  std::optional<UnitField> quiet, events;

  [[nodiscard]] std::uint32_t streams() const { return req_valid.bits; }
  [[nodiscard]] std::uint32_t tag_bits() const { return req_tag.bits; }

  /// kBadConfig with every port that is not there or does not fit.
  [[nodiscard]] static core::Expected<NdpFields> find(const NeardataUnitPlugin& api);
};

/// The outputs of a cycle in the form of NdpHandshake.
struct NdpOutputs {
  NdpOutputs(const NdpFields& f, const std::uint32_t* words)
      : desc_ready(f.desc_ready.get(words) != 0),
        done_valid(f.done_valid.get(words) != 0),
        out_valid(f.out_valid.get(words) != 0),
        out_stream(f.out_stream.get(words)),
        out_addr(f.out_addr.get(words)),
        out_data(f.out_data.at(words)),
        req_valid(f.req_valid.get(words)),
        rsp_ready(f.rsp_ready.get(words)),
        req_addr(f.req_addr.at(words)),
        req_tag(f.req_tag.at(words)),
        quiet(f.quiet && f.quiet->get(words) != 0),
        events(f.events ? f.events->get(words) : 0) {}

  bool desc_ready;
  bool done_valid;
  bool out_valid;
  std::uint32_t out_stream;
  std::uint32_t out_addr;
  const std::uint32_t* out_data;  ///< 16 words
  std::uint32_t req_valid;
  std::uint32_t rsp_ready;
  const std::uint32_t* req_addr;  ///< by stream
  const std::uint32_t* req_tag;   ///< by stream
  bool quiet;
  std::uint32_t events;
};

}  // namespace neardata::rtl
