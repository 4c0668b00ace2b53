// SPDX-License-Identifier: Apache-2.0
#include "rtl/rtl_ndp_unit.h"

#include <bit>
#include <cstring>
#include <utility>

namespace neardata::rtl {

using core::Expected;
using core::Fs;

Expected<NdpPlugin> NdpPlugin::load(const std::string& path) {
  auto unit = UnitPlugin::load(path);
  if (!unit) return std::unexpected(std::move(unit).error());
  auto fields = NdpFields::find(unit->api());
  if (!fields) return std::unexpected(std::move(fields).error());
  return NdpPlugin{*std::move(unit), *fields};
}

RtlNdpUnit::RtlNdpUnit(core::Placement place, const NdpPlugin& plugin, std::size_t bins,
                       RtlOptions options)
    : NdpUnit(std::move(place), bins),
      fields_(plugin.fields),
      rtl_(plugin.unit, clock(), std::move(options), std::string(name())),
      handshake_(fields_.streams(), std::size_t{1} << fields_.tag_bits()),
      asked_(std::size_t{1} << fields_.tag_bits()) {}

Expected<Fs> RtlNdpUnit::step(Fs now) {
  const core::EdgeCursor edge = rtl_.edge_from(now);
  if (edge.time() != now) return edge.time();  // woken early or between two edges
  const NdpOutputs out = outputs();            // the same in all cycles that are skipped
  if (auto wrong = wrong_outputs(out)) return broken_rule(*std::move(wrong), now);
  if (auto skipped = skip_to(edge.cycle()); !skipped) {
    return std::unexpected(std::move(skipped).error());
  }
  take_tags(out);
  std::uint32_t* const in = rtl_.inputs();
  const auto take = [&](std::size_t s, const core::ReadResponse& response) {
    asked_[response.tag] &= ~(1U << s);
    fields_.rsp_tag.set(in, response.tag, s);
    std::memcpy(fields_.rsp_data.at(in, s), *response.data, core::kBurstBytes);
  };
  handshake_.exchange(now, edge.cycle(), out, events_, take);
  strobes_.add(out.events, edge.cycle());
  fill_inputs();
  // A unit must have space for every response that it requested.
  if ((handshake_.rsp_valid & ~out.rsp_ready) != 0) {
    return broken_rule("rsp_ready_o was low when a response came", now);
  }
  if (auto clocked = rtl_.clock(); !clocked) return std::unexpected(std::move(clocked).error());
  return next_work();
}

/// Skips the cycles before `cycle`, in which no register changes.
Expected<void> RtlNdpUnit::skip_to(core::Cycle cycle) {
  const std::int64_t idle = (cycle - rtl_.cycle()).value;
  if (idle <= 0) return {};
  strobes_.add(outputs().events, rtl_.cycle(), idle);
  return rtl_.skip(idle);
}

/// Invalid outputs that ended the run are not counted.
void RtlNdpUnit::finish(core::Cycle end) {
  const std::int64_t rest = (end - rtl_.cycle()).value;
  const NdpOutputs out = outputs();
  if (rest > 0 && !wrong_outputs(out)) {
    strobes_.add(out.events, rtl_.cycle(), rest);
    rtl_.leave(rest);
  }
  strobes_.flush();
}

void RtlNdpUnit::fill_inputs() {
  std::uint32_t* in = rtl_.inputs();
  fields_.desc_valid.set(in, handshake_.desc != nullptr ? 1 : 0);
  if (handshake_.desc != nullptr) {
    std::memcpy(fields_.desc.at(in), handshake_.desc->data(), sizeof *handshake_.desc);
  }
  fields_.done_ready.set(in, handshake_.done_ready ? 1 : 0);
  fields_.out_ready.set(in, handshake_.out_ready ? 1 : 0);
  fields_.req_ready.set(in, handshake_.req_ready);
  fields_.rsp_valid.set(in, handshake_.rsp_valid);
}

/// A sentence about invalid outputs; empty if all are valid.
std::optional<std::string> RtlNdpUnit::wrong_outputs(const NdpOutputs& out) const {
  if (out.done_valid && handshake_.jobs() == 0) {
    return "done_valid_o is high and no descriptor is at work";
  }
  const auto& field = fields_.done_field;
  if (out.done_valid && field && field->get(rtl_.outputs()) != 0) {
    return unit::refusal_of(field->get(rtl_.outputs()));
  }
  if (out.events >> unit::kNdpEvents != 0) {
    return "events_o has a bit above the " + std::to_string(unit::kNdpEvents) + " events";
  }
  if (out.out_valid && out.out_stream >= handshake_.streams()) {
    return "out_stream_o names stream " + std::to_string(out.out_stream);
  }
  for (std::uint32_t rest = out.req_valid; rest != 0; rest &= rest - 1) {
    const auto s = static_cast<std::size_t>(std::countr_zero(rest));
    const std::uint32_t tag = out.req_tag[s];
    if (tag < asked_.size() && (asked_[tag] >> s & 1U) == 0) continue;
    return "req_tag_o of stream " + std::to_string(s) + " is " + std::to_string(tag) +
           (tag < asked_.size() ? ", whose answer has not come" : ", which is no tag");
  }
  return std::nullopt;
}

/// The tag of a request is not free until its answer arrives; a unit that respects its tags always
/// has space.
void RtlNdpUnit::take_tags(const NdpOutputs& out) {
  for (std::uint32_t rest = out.req_valid; rest != 0; rest &= rest - 1) {
    const auto s = static_cast<std::size_t>(std::countr_zero(rest));
    asked_[out.req_tag[s]] |= 1U << s;
  }
}

/// The next edge, or later when the unit is quiet and nothing can move there.
Fs RtlNdpUnit::next_work() const {
  const Fs edge = rtl_.time();
  const std::uint32_t* words = rtl_.outputs();
  const NdpFields& f = fields_;
  if (!f.quiet || f.quiet->get(words) == 0) return edge;
  if ((f.req_valid.get(words) | f.out_valid.get(words) | f.done_valid.get(words)) != 0) return edge;
  return handshake_.next_arrival(edge);
}

}  // namespace neardata::rtl
