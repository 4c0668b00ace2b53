// SPDX-License-Identifier: Apache-2.0
//
// The differences between Ramulator 2.0 and JEDEC, as options. Two sets have names: kRamulator20,
// with which the golden traces were recorded, and kJedec, the physical one. Five of the options
// change constraints: the rows of a configuration already have their effect
// (src/machine/dram/standards/ddr5-rows.ts), and backends compare the options with those of their
// simulator.
#pragma once

namespace neardata::dram {

struct Semantics {
  /// WR to RD of another rank waits nCL + nBL + nCS - nCWL (the reference, upstream issue 102)
  /// instead of nCWL + nBL + nCS - nCL, and RD to WR nBL + nCS instead of nCL + nBL + nCS - nCWL.
  bool swapped_rank_switch = false;
  /// WR to WR of another rank waits nBL instead of nBL + nCS.
  bool no_write_rank_gap = false;
  /// Each queue admits one request more than its nominal size (upstream pull request 75).
  bool spare_queue_entry = false;
  /// A channel reports at most one read a cycle, in the order of issue, so that a forwarded read
  /// waits behind earlier ones; otherwise every read that is due is reported.
  bool one_completion_per_cycle = false;
  /// REFab does not delay PRE, RD and WR of its rank.
  bool refresh_ignores_open_commands = false;
  /// No nPPD between precharges of a rank.
  bool no_precharge_gap = false;
  /// Intervals count from first cycle to first cycle even when only one of the two commands takes
  /// two cycles on the bus; JEDEC counts from last cycle to last cycle.
  bool first_cycle_intervals = false;
  /// All ranks are refreshed in the same cycle; otherwise they are spread over nREFI.
  bool refresh_all_ranks_at_once = false;
  /// While a maintenance operation waits (a refresh, a close by the row policy, an ownership
  /// transfer of a rank), only requests whose row is open for them issue in the channel, and
  /// operations issue in the order of their arrival. Otherwise an operation blocks requests of its
  /// own banks and operations of its own rank.
  bool refresh_holds_all_banks = false;
  /// Where the oldest ready request would close a row that an active request still needs, the cycle
  /// is lost; otherwise the next request is looked at.
  bool blocked_pick_loses_cycle = false;
  /// Requests of one address may issue in another order than they arrived in: a read is answered
  /// from a write of its address only while that waits for its row, and a write may issue before an
  /// older read; otherwise a read is answered from any write that has not issued, and a write waits
  /// for older reads of its address.
  bool reorders_same_address = false;

  friend constexpr bool operator==(const Semantics&, const Semantics&) = default;
};

inline constexpr Semantics kJedec{};

inline constexpr Semantics kRamulator20{
    .swapped_rank_switch = true,
    .no_write_rank_gap = true,
    .spare_queue_entry = true,
    .one_completion_per_cycle = true,
    .refresh_ignores_open_commands = true,
    .no_precharge_gap = true,
    .first_cycle_intervals = true,
    .refresh_all_ranks_at_once = true,
    .refresh_holds_all_banks = true,
    .blocked_pick_loses_cycle = true,
    .reorders_same_address = true,
};

}  // namespace neardata::dram
