// SPDX-License-Identifier: Apache-2.0
#include "system/ndp_dimm.h"

#include <utility>

#include "system/ndp_machine.h"

namespace neardata::system {

namespace {

std::unexpected<core::SimError> refuse(std::string place, std::string message) {
  return std::unexpected(
      core::SimError{core::Fault::kBadConfig, std::move(place), std::move(message), core::Fs{}});
}

}  // namespace

core::Expected<NdpDimm> NdpDimm::make(NdpDimmConfig config) {
  constexpr core::Hertz kFastest{1'000'000'000'000'000};
  for (const core::Hertz clock : {config.unit_clock, config.memory_clock}) {
    if (clock < core::Hertz{1} || clock > kFastest) {
      return refuse("clock", "a clock has 1 Hz to 10^15 Hz");
    }
  }
  if (const auto* memory = std::get_if<DramConfig>(&config.memory)) {
    if (const auto broken = dram::validate(memory->controller)) return refuse("memory", *broken);
  }
  std::optional<rtl::NdpPlugin> plugin;
  if (config.model == UnitModel::kRtl) {
    auto loaded = rtl::NdpPlugin::load(config.plugin);
    if (!loaded) return std::unexpected(std::move(loaded).error());
    if (loaded->api().streams != config.parameters.streams) {
      return refuse(config.plugin, "the plug-in was built for " +
                                       std::to_string(loaded->api().streams) + " streams");
    }
    plugin = *std::move(loaded);
  }
  return NdpDimm(std::move(config), std::move(plugin));
}

NdpRunResult NdpDimm::run(const std::vector<unit::Descriptor>& jobs, const NdpRunOptions& options,
                          RunWatcher& watcher) {
  NdpMachine machine(config_, plugin_ ? &*plugin_ : nullptr, stores_, jobs, options);
  return machine.run(watcher);
}

}  // namespace neardata::system
