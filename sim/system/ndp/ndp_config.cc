// SPDX-License-Identifier: Apache-2.0
#include "system/ndp/ndp_config.h"

#include <utility>

#include "unit/ndp/ndp_handshake.h"
#include "unit/ndp/ndp_rules.h"

namespace neardata::system {

core::Expected<std::optional<rtl::NdpPlugin>> load_unit(const NdpDimmConfig& config) {
  constexpr core::Hertz kFastest{core::kFsPerSecond};
  for (const core::Hertz clock : {config.unit_clock, config.memory_clock}) {
    if (clock < core::Hertz{1} || clock > kFastest) {
      return core::bad_config("clock", "a clock has 1 Hz to 10^15 Hz");
    }
  }
  if (const auto* memory = std::get_if<DramConfig>(&config.memory)) {
    if (const auto broken = dram::validate(memory->controller))
      return core::bad_config("memory", *broken);
    const std::uint32_t access = memory->controller.organization.access_bytes();
    if (access > core::kBurstBytes || core::kBurstBytes % access != 0)
      return core::bad_config(
          "memory", "an access has 64 bytes or a part of them, not " + std::to_string(access));
    const auto rule = dram::mapping_rule(memory->mapping, memory->controller.organization);
    if (rule) return core::bad_config("memory", *rule);
  }
  if (config.host && (!std::holds_alternative<DramConfig>(config.memory) ||
                      config.host->poll < core::Fs{1} || config.host->command < core::Fs{})) {
    return core::bad_config("host", "a host has DDR5, and time passes between its looks");
  }
  const unit::NdpParameters& unit = config.parameters;
  if (const auto why = unit::refuses(unit)) return core::bad_config("unit", *why);
  std::optional<rtl::NdpPlugin> plugin;
  if (config.model == UnitModel::kRtl) {
    auto loaded = rtl::NdpPlugin::load(config.plugin);
    if (!loaded) return std::unexpected(std::move(loaded).error());
    const rtl::NdpFields& fields = loaded->fields;
    const std::uint32_t bursts = 1U << fields.tag_bits();
    if (fields.streams() != unit.streams || bursts != unit.queue_bursts) {
      return core::bad_config(config.plugin,
                              "the plug-in was built for " + std::to_string(fields.streams()) +
                                  " streams with queues of " + std::to_string(bursts) + " bursts");
    }
    plugin = *std::move(loaded);
  }
  return plugin;
}

}  // namespace neardata::system
