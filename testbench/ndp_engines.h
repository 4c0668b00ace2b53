// SPDX-License-Identifier: Apache-2.0
//
// The two engines of the bench of `dimm_ndp`, Verilated unit and cycle model, behind the same
// inputs and with outputs that can be compared.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rtl/ndp_fields.h"
#include "rtl/shim/unit_plugin.h"
#include "unit/ndp/ndp_cycle.h"

namespace neardata::bench {

constexpr unit::NdpParameters kUnit{
    .streams = RTL_PARAMETER_Streams,
    .mult_per_stream = RTL_PARAMETER_MultPerStream,
    .lanes = RTL_PARAMETER_Lanes,
    .bits_per_cycle = RTL_PARAMETER_BitsPerCycle,
    .buffer_bytes = RTL_PARAMETER_BufferBytes,
    .queue_bursts = RTL_PARAMETER_QueueBursts,
    .act_lanes = RTL_PARAMETER_ActLanes,
    .max_tokens = RTL_PARAMETER_MaxTokens,
    .low_bit_weights = RTL_PARAMETER_LowBitWeights,
    .aligned_bits = RTL_PARAMETER_AlignedBits,
    .descriptors = RTL_PARAMETER_Descriptors,
};

constexpr std::size_t kMostStreams = 8;

/// Inputs of a cycle from the bench; bit s of a mask belongs to stream s.
struct Inputs {
  const std::uint32_t* desc;  ///< 23 words, or null
  bool done_ready;
  bool out_ready;
  std::uint32_t req_ready;
  std::uint32_t rsp_valid;
  std::array<std::uint16_t, kMostStreams> rsp_tag;
  std::array<const void*, kMostStreams> rsp_data;  ///< 64 bytes, where rsp_valid is set
};

inline rtl::NdpFields fields_of(const NeardataUnitPlugin& api) {
  auto fields = rtl::NdpFields::find(api);
  if (!fields) throw std::runtime_error(fields.error().message);
  return *fields;
}

/// The Verilated unit, with random contents before its reset, from `seed`.
class Rtl {
 public:
  explicit Rtl(std::uint64_t seed)
      : api_(neardata_unit_plugin()),
        fields_(fields_of(*api_)),
        inputs_(api_->inputs.words),
        outputs_(api_->outputs.words) {
    const NeardataUnitStart start{
        .seed = seed, .assertions = true, .printer = {.print = nullptr, .receiver = nullptr}};
    unit_ = api_->create(&start, outputs_.data());
    now_.emplace(fields_, outputs_.data());
  }
  Rtl(const Rtl&) = delete;
  Rtl& operator=(const Rtl&) = delete;
  ~Rtl() { api_->destroy(unit_); }

  void step(const Inputs& given, std::uint64_t cycle) {
    drive(given);
    if (api_->step(unit_, inputs_.data(), outputs_.data())) {
      now_.emplace(fields_, outputs_.data());
      return;
    }
    NeardataUnitError error{};
    api_->error(unit_, &error);
    throw std::runtime_error("cycle " + std::to_string(cycle) + ": " + error.place + ": " +
                             error.message);
  }

  [[nodiscard]] const rtl::NdpOutputs& outputs() const { return *now_; }
  /// For which a descriptor is refused, 0 if it is not; belongs to `done_valid`.
  [[nodiscard]] std::uint32_t done_field() const {
    return fields_.done_field ? fields_.done_field->get(outputs_.data()) : 0;
  }

 private:
  void drive(const Inputs& given) {
    std::uint32_t* in = inputs_.data();
    fields_.desc_valid.set(in, given.desc != nullptr ? 1 : 0);
    if (given.desc != nullptr) {
      std::memcpy(fields_.desc.at(in), given.desc, unit::kDescriptorWords * sizeof *given.desc);
    }
    fields_.done_ready.set(in, given.done_ready ? 1 : 0);
    fields_.out_ready.set(in, given.out_ready ? 1 : 0);
    fields_.req_ready.set(in, given.req_ready);
    fields_.rsp_valid.set(in, given.rsp_valid);
    for (std::uint32_t rest = given.rsp_valid; rest != 0; rest &= rest - 1) {
      const auto s = static_cast<std::size_t>(std::countr_zero(rest));
      fields_.rsp_tag.set(in, given.rsp_tag[s], s);
      std::memcpy(fields_.rsp_data.at(in, s), given.rsp_data[s], unit::kBurstBytes);
    }
  }

  const NeardataUnitPlugin* api_;
  rtl::NdpFields fields_;
  std::vector<std::uint32_t> inputs_;
  std::vector<std::uint32_t> outputs_;
  std::optional<rtl::NdpOutputs> now_;  ///< the outputs of the present cycle
  NeardataUnit* unit_;
};

/// Outputs that both engines must agree on, and that must not change while the unit is quiet.
struct Face {
  explicit Face(const rtl::NdpOutputs& o)
      : handshakes{o.desc_ready,
                   o.done_valid,
                   o.out_valid,
                   o.out_valid ? o.out_stream : 0,
                   o.out_valid ? o.out_addr : 0,
                   o.req_valid} {
    take_requests(o.req_valid, o.req_addr, o.req_tag);
  }
  explicit Face(const unit::NdpCycleOutputs& o)
      : handshakes{o.desc_ready,
                   o.done_valid,
                   o.out_valid,
                   o.out_valid ? o.out_stream : 0,
                   o.out_valid ? o.out_addr : 0,
                   o.req_valid} {
    take_requests(o.req_valid, o.req_addr.data(), o.req_tag.data());
  }
  void take_requests(std::uint32_t valid, const std::uint32_t* addr, const std::uint32_t* tag) {
    for (std::uint32_t rest = valid; rest != 0; rest &= rest - 1) {
      const auto s = static_cast<std::size_t>(std::countr_zero(rest));
      requests[s] = {addr[s], tag[s]};
    }
  }
  bool operator==(const Face&) const = default;
  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    out << "desc/done/out/stream/addr/req";
    for (const auto h : handshakes) out << ' ' << h;
    for (const auto& [addr, tag] : requests) out << ' ' << addr << '@' << tag;
    return out.str();
  }
  std::array<std::uint32_t, 6> handshakes;
  std::array<std::pair<std::uint32_t, std::uint32_t>, kMostStreams> requests{};
};

}  // namespace neardata::bench
