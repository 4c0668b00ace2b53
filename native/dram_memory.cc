// SPDX-License-Identifier: Apache-2.0
#include "dram_memory.h"

#include "dram_timing.h"
#include "memory_backend.h"

namespace neardata::native {

namespace {

dram::Organization read_organization(const Reader& from) {
  return {.channels = from.whole32("channels"),
          .ranks = from.whole32("ranks"),
          .bank_groups = from.whole32("bankGroups"),
          .banks_per_group = from.whole32("banksPerGroup"),
          .rows = from.whole32("rows"),
          .columns_per_row = from.whole32("columnsPerRow"),
          .channel_bits = from.whole32("channelBits"),
          .burst_length = from.whole32("burstLength")};
}

dram::Semantics read_semantics(const Reader& from) {
  return {.swapped_rank_switch = from.flag("swappedRankSwitch"),
          .spare_queue_entry = from.flag("spareQueueEntry"),
          .one_completion_a_cycle = from.flag("oneCompletionACycle"),
          .refresh_ignores_open_commands = from.flag("refreshIgnoresOpenCommands"),
          .no_precharge_gap = from.flag("noPrechargeGap"),
          .first_cycle_intervals = from.flag("firstCycleIntervals"),
          .refresh_all_ranks_at_once = from.flag("refreshAllRanksAtOnce")};
}

dram::QueueSizes read_queues(const Reader& from) {
  return {.nominal = from.whole32("nominal"),
          .read = from.whole32("read"),
          .write = from.whole32("write"),
          .active = from.whole32("active")};
}

/// Which of two words stands there.
int read_choice(const Reader& from, const char* name, const char* first, const char* second) {
  const std::string word = from.text(name);
  if (word != first && word != second) {
    from.complain(std::string(name) + " is " + first + " or " + second);
  }
  return word == second ? 1 : 0;
}

dram::RefreshKind read_refresh(const Reader& from) {
  const std::string refresh = from.text("refresh");
  if (refresh == "AllBank") return dram::RefreshKind::kAllBank;
  if (refresh == "SameBank") return dram::RefreshKind::kSameBank;
  if (refresh != "None") from.complain("refresh is AllBank, SameBank or None");
  return dram::RefreshKind::kNone;
}

}  // namespace

dram::MemoryConfig read_dram_memory(const Reader& from) {
  dram::MemoryConfig memory;
  dram::ControllerConfig& controller = memory.controller;
  controller.organization = read_organization(from.object("organization"));
  controller.timing = read_dram_timing(from.object("timing"));
  controller.semantics = read_semantics(from.object("semantics"));
  controller.queues = read_queues(from.object("queues"));
  controller.write_low_watermark =
      static_cast<float>(from.real("writeLowWatermark", limits::kShare));
  controller.write_high_watermark =
      static_cast<float>(from.real("writeHighWatermark", limits::kShare));
  controller.row_policy = read_choice(from, "rowPolicy", "OpenRowPolicy", "ClosedRowPolicy") == 0
                              ? dram::RowPolicyKind::kOpen
                              : dram::RowPolicyKind::kClosed;
  controller.closed_row_cap = from.whole32("closedRowCap");
  controller.refresh = read_refresh(from);
  const auto mapping = dram::mapping_named(from.text("mapping"));
  if (!mapping) from.complain("no mapping has this name");
  memory.mapping = mapping.value_or(dram::Mapping::kRoBaRaCoCh);
  memory.injection = read_choice(from, "injection", "global_fifo", "per_channel_fifo") == 0
                         ? dram::Injection::kGlobalFifo
                         : dram::Injection::kPerChannelFifo;
  if (const std::uint32_t accepts = from.whole32("acceptsPerCycle"); accepts != 0) {
    memory.accepts_per_cycle = accepts;
  }
  memory.make_channel = backend_channels();
  return memory;
}

}  // namespace neardata::native
