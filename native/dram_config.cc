// SPDX-License-Identifier: Apache-2.0
#include "dram_config.h"

#include <array>

namespace neardata::native {

namespace {

struct TimingField {
  const char* name;
  dram::Cycle dram::Timing::*field;
};

using dram::Timing;
constexpr std::array kTimingFields = {
    TimingField{"nBL", &Timing::nBL},
    TimingField{"nCL", &Timing::nCL},
    TimingField{"nRCD", &Timing::nRCD},
    TimingField{"nRP", &Timing::nRP},
    TimingField{"nRAS", &Timing::nRAS},
    TimingField{"nRC", &Timing::nRC},
    TimingField{"nWR", &Timing::nWR},
    TimingField{"nRTP", &Timing::nRTP},
    TimingField{"nCWL", &Timing::nCWL},
    TimingField{"nPPD", &Timing::nPPD},
    TimingField{"nCCDS", &Timing::nCCDS},
    TimingField{"nCCDS_WR", &Timing::nCCDS_WR},
    TimingField{"nCCDS_WTR", &Timing::nCCDS_WTR},
    TimingField{"nCCDL", &Timing::nCCDL},
    TimingField{"nCCDL_WR", &Timing::nCCDL_WR},
    TimingField{"nCCDL_WTR", &Timing::nCCDL_WTR},
    TimingField{"nRRDS", &Timing::nRRDS},
    TimingField{"nRRDL", &Timing::nRRDL},
    TimingField{"nFAW", &Timing::nFAW},
    TimingField{"nRFC1", &Timing::nRFC1},
    TimingField{"nRFCsb", &Timing::nRFCsb},
    TimingField{"nREFSBRD", &Timing::nREFSBRD},
    TimingField{"nREFI", &Timing::nREFI},
    TimingField{"nCS", &Timing::nCS},
};
static_assert(sizeof(Timing) == kTimingFields.size() * sizeof(dram::Cycle));

Timing read_timing(const Reader& from) {
  Timing timing;
  for (const TimingField& field : kTimingFields) {
    timing.*field.field = dram::Cycle{from.whole(field.name)};
  }
  return timing;
}

}  // namespace

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
  controller.timing = read_timing(from.object("timing"));
  controller.semantics = dram::kJedec;
  controller.queues = dram::QueueSizes::of(from.whole32("queueEntries"), controller.semantics);
  const std::string refresh = from.text("refresh");
  if (refresh != "AllBank" && refresh != "None") from.complain("refresh is AllBank or None");
  controller.refresh = refresh == "None" ? dram::RefreshKind::kNone : dram::RefreshKind::kAllBank;
  const auto mapping = dram::mapping_named(from.text("mapping"));
  if (!mapping) from.complain("no mapping has this name");
  config.mapping = mapping.value_or(dram::Mapping::kRoBaCoBg);
  return config;
}

}  // namespace neardata::native
