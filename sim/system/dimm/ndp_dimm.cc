// SPDX-License-Identifier: Apache-2.0
#include "system/dimm/ndp_dimm.h"

#include <utility>

#include "system/dimm/ndp_machine.h"

namespace neardata::system {

core::Expected<NdpDimm> NdpDimm::make(NdpDimmConfig config) {
  auto plugin = load_unit(config);
  if (!plugin) return std::unexpected(std::move(plugin).error());
  return NdpDimm(std::move(config), *std::move(plugin));
}

NdpRunResult NdpDimm::run(const std::vector<unit::Descriptor>& jobs, const NdpRunOptions& options,
                          RunWatcher& watcher) {
  return run_ndp(config_, {plugin_ ? &*plugin_ : nullptr, stores_, jobs, {}}, options, watcher);
}

core::MachineRecord NdpDimm::describe() {
  return describe_ndp(config_, plugin_ ? &*plugin_ : nullptr, stores_);
}

}  // namespace neardata::system
