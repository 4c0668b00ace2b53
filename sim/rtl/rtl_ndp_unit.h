// SPDX-License-Identifier: Apache-2.0
//
// The Verilated NDP unit as a component. It runs the RTL clock by clock and skips the clocks in
// which the RTL is quiet and nothing arrives. A failed assertion ends the run with an error that
// names the scope. Impossible outputs also end the run: the end of an unknown descriptor, a
// duplicate tag. The memory checks addresses.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "rtl/ndp_fields.h"
#include "rtl/plugin.h"
#include "rtl/rtl_unit.h"
#include "unit/ndp/ndp_handshake.h"
#include "unit/ndp/ndp_unit.h"

namespace neardata::rtl {

/// A loaded unit whose ports are those of an NDP unit.
struct NdpPlugin {
  UnitPlugin unit;
  NdpFields fields;

  /// kBadConfig when the file is not a plug-in or its unit does not fit.
  [[nodiscard]] static core::Expected<NdpPlugin> load(const std::string& path);
};

class RtlNdpUnit final : public unit::NdpUnit {
 public:
  /// The plug-in outlives the unit.
  RtlNdpUnit(core::Placement place, const NdpPlugin& plugin, std::size_t bins, RtlOptions options);

  void declare(core::PortList& ports) override { handshake_.declare(ports); }
  [[nodiscard]] core::Expected<core::Fs> step(core::Fs now) override;
  [[nodiscard]] std::optional<std::string> waits_for() const override {
    return handshake_.waits_for();
  }
  [[nodiscard]] std::uint64_t progress() const override { return handshake_.transfers(); }
  void finish(core::Cycle end) override;
  [[nodiscard]] std::int64_t skipped() const override { return rtl_.skipped(); }

 private:
  [[nodiscard]] NdpOutputs outputs() const { return {fields_, rtl_.outputs()}; }
  [[nodiscard]] core::Expected<void> skip_to(core::Cycle cycle);
  void fill_inputs();
  [[nodiscard]] std::optional<std::string> wrong_outputs(const NdpOutputs& out) const;
  void take_tags(const NdpOutputs& out);
  [[nodiscard]] std::unexpected<core::SimError> broken_rule(std::string what, core::Fs now) const {
    return core::broken_rule(std::string(name()), std::move(what), now);
  }
  [[nodiscard]] core::Fs next_work() const;

  const NdpFields& fields_;
  RtlUnit rtl_;
  unit::NdpHandshake handshake_;
  unit::NdpStrobes strobes_{events_};
  std::vector<std::uint32_t> asked_;  ///< by tag: streams without its answer yet, a bit each
};

}  // namespace neardata::rtl
