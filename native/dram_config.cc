// SPDX-License-Identifier: Apache-2.0
#include "dram_config.h"

#include "dram_timing.h"
#include "memory_backend.h"

namespace neardata::native {

system::DramConfig read_dram_config(const Reader& from) {
  system::DramConfig config;
  dram::ControllerConfig& controller = config.controller;
  controller.organization.channels = 1;
  controller.organization.ranks = 1;
  controller.organization.bank_groups = from.whole32("bankGroups");
  controller.organization.banks_per_group = from.whole32("banksPerGroup");
  controller.organization.rows = from.whole32("rows");
  controller.organization.columns_per_row = from.whole32("columnsPerRow");
  controller.organization.channel_bits = from.whole32("pins");
  controller.timing = read_dram_timing(from.object("timing"));
  const std::string semantics = from.text("semantics");
  if (semantics != "jedec" && semantics != "ramulator-2.0") {
    from.complain("semantics is jedec or ramulator-2.0");
  }
  controller.semantics = semantics == "jedec" ? dram::kJedec : dram::kRamulator20;
  controller.queues = dram::QueueSizes::of(from.whole32("queueEntries"), controller.semantics);
  const std::string refresh = from.text("refresh");
  if (refresh != "AllBank" && refresh != "SameBank" && refresh != "None") {
    from.complain("refresh is AllBank, SameBank or None");
  }
  controller.refresh = refresh == "None"       ? dram::RefreshKind::kNone
                       : refresh == "SameBank" ? dram::RefreshKind::kSameBank
                                               : dram::RefreshKind::kAllBank;
  if (from.has("refreshStart")) {
    controller.refresh_elapsed = {from.whole("refreshStart", limits::kRefreshInterval)};
  }
  config.staggered = from.has("staggered") && from.flag("staggered");
  const auto mapping = dram::mapping_named(from.text("mapping"));
  if (!mapping) from.complain("no mapping has this name");
  config.mapping = mapping.value_or(dram::Mapping::kRoBaCoBg);
  config.make_channel = backend_channels();
  return config;
}

}  // namespace neardata::native
