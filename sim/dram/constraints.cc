// SPDX-License-Identifier: Apache-2.0
#include "dram/constraints.h"

#include <algorithm>
#include <cassert>

namespace neardata::dram {
namespace {

constexpr Command kAct = Command::kActivate;
constexpr Command kPre = Command::kPrecharge;
constexpr Command kPreA = Command::kPrechargeAll;
constexpr Command kPreS = Command::kPrechargeSame;
constexpr Command kRd = Command::kRead;
constexpr Command kWr = Command::kWrite;
constexpr Command kRefA = Command::kRefreshAll;
constexpr Command kRefS = Command::kRefreshSame;
constexpr CommandSet kEvery = {kAct, kPre, kPreA, kPreS, kRd, kWr, kRefA, kRefS};
constexpr std::string_view kCommandBus = "command bus";

Waits no_waits() {
  Waits waits{};
  waits.fill(kNoWait);
  return waits;
}

/// JEDEC counts an interval from the last cycle of the first command to the last cycle of the
/// second. Ready times here are of first cycles: only where just one of the two takes two cycles is
/// the wait a cycle more or less.
std::int64_t wait_between(const Rule& rule, Command previous, Command next,
                          const Semantics& semantics) {
  if (semantics.first_cycle_intervals || rule.what == kCommandBus) return rule.wait.value;
  return (rule.wait + command_cycles(previous) - command_cycles(next)).value;
}

void tighten(Waits& waits, const Rule& rule, Command previous, const Semantics& semantics) {
  for (std::size_t n = 0; n < kCommands; ++n) {
    const auto next = static_cast<Command>(n);
    if (!rule.next.has(next)) continue;
    waits[n] = std::max(waits[n], wait_between(rule, previous, next, semantics));
  }
}

}  // namespace

// The rules of JESD79-5 as Ramulator 2.0 has them; `semantics` decides where the two differ. Names
// in `what` are those of the standard's timing parameters.
std::vector<Rule> constraint_rules(const Timing& t, const Semantics& semantics) {
  constexpr Scope kThis = Scope::kTarget;
  const Cycle write_recovery = t.nCWL + t.nBL + t.nWR;
  const Cycle read_to_write = t.nCL + t.nBL + Cycle{2} - t.nCWL + Cycle{2};
  // Data of a read come nCL after it, of a write nCWL; nCS is between the bursts of two ranks.
  const Cycle switched = t.nBL + t.nCS;
  const bool swapped = semantics.swapped_rank_switch;
  const Cycle read_to_other_rank = swapped ? switched : t.nCL + switched - t.nCWL;
  const Cycle write_to_other_rank = swapped ? t.nCL + switched - t.nCWL : t.nCWL + switched - t.nCL;
  const Cycle writes_of_ranks = semantics.no_write_rank_gap ? t.nBL : switched;
  std::vector<Rule> rules = {
      // Channel: its buses.
      {kCommandBus, Level::kChannel, kThis, {kAct, kRd, kWr}, kEvery, {2}},
      {"nBL", Level::kChannel, kThis, {kRd}, {kRd}, t.nBL},
      {"nBL", Level::kChannel, kThis, {kWr}, {kWr}, t.nBL},

      // Rank: columns, rows, refresh; banks of any group.
      {"nCCDS", Level::kRank, kThis, {kRd}, {kRd}, t.nCCDS},
      {"nCCDS_WR", Level::kRank, kThis, {kWr}, {kWr}, t.nCCDS_WR},
      {"read to write", Level::kRank, kThis, {kRd}, {kWr}, read_to_write},
      {"nCCDS_WTR", Level::kRank, kThis, {kWr}, {kRd}, t.nCCDS_WTR},
      {"nCS", Level::kRank, Scope::kOthers, {kRd}, {kRd}, switched},
      {"nCS", Level::kRank, Scope::kOthers, {kRd}, {kWr}, read_to_other_rank},
      {"nCS", Level::kRank, Scope::kOthers, {kWr}, {kRd}, write_to_other_rank},
      {"nCS", Level::kRank, Scope::kOthers, {kWr}, {kWr}, writes_of_ranks},
      {"nRTP", Level::kRank, kThis, {kRd}, {kPreA}, t.nRTP},
      {"nWR", Level::kRank, kThis, {kWr}, {kPreA}, write_recovery},
      {"nRRDS", Level::kRank, kThis, {kAct}, {kAct}, t.nRRDS},
      {"nRRDL", Level::kRank, kThis, {kAct}, {kRefS}, t.nRRDL},  // in the group of the ACT as well
      {"nFAW", Level::kRank, kThis, {kAct}, {kAct}, t.nFAW, 4},
      {"nRAS", Level::kRank, kThis, {kAct}, {kPreA}, t.nRAS},
      {"nRP", Level::kRank, kThis, {kPreA}, {kAct, kRefA, kRefS}, t.nRP},
      {"nRC", Level::kRank, kThis, {kAct}, {kRefA}, t.nRC},
      {"nRP", Level::kRank, kThis, {kPre, kPreS}, {kRefA}, t.nRP},
      {"nRFC1", Level::kRank, kThis, {kRefA}, {kAct, kPreA, kRefA, kRefS}, t.nRFC1},
      {"nRFCsb", Level::kRank, kThis, {kRefS}, {kPreA, kRefA, kRefS}, t.nRFCsb},
      {"nREFSBRD", Level::kRank, kThis, {kRefS}, {kAct}, t.nREFSBRD},

      // Bank group: the longer waits within one.
      {"nCCDL", Level::kBankGroup, kThis, {kRd}, {kRd}, t.nCCDL},
      {"nCCDL_WR", Level::kBankGroup, kThis, {kWr}, {kWr}, t.nCCDL_WR},
      {"nCCDL_WTR", Level::kBankGroup, kThis, {kWr}, {kRd}, t.nCCDL_WTR},
      {"nRRDL", Level::kBankGroup, kThis, {kAct}, {kAct}, t.nRRDL},

      // Bank: its row.
      {"nRC", Level::kBank, kThis, {kAct}, {kAct, kRefS}, t.nRC},
      {"nRCD", Level::kBank, kThis, {kAct}, {kRd, kWr}, t.nRCD},
      {"nRAS", Level::kBank, kThis, {kAct}, {kPre, kPreS}, t.nRAS},
      {"nRP", Level::kBank, kThis, {kPre, kPreS}, {kAct, kRefS}, t.nRP},
      {"nRTP", Level::kBank, kThis, {kRd}, {kPre, kPreS}, t.nRTP},
      {"nWR", Level::kBank, kThis, {kWr}, {kPre, kPreS}, write_recovery},
      {"nRFCsb", Level::kBank, kThis, {kRefS}, {kAct, kPre, kPreS, kRefS}, t.nRFCsb},
  };
  if (!semantics.refresh_ignores_open_commands) {
    rules.push_back({"nRFC1", Level::kRank, kThis, {kRefA}, {kPre, kPreS, kRd, kWr}, t.nRFC1});
  }
  if (!semantics.no_precharge_gap) {
    const CommandSet precharges = {kPre, kPreA, kPreS};
    rules.push_back({"nPPD", Level::kRank, kThis, precharges, precharges, t.nPPD});
  }
  return rules;
}

Constraints compile(const std::vector<Rule>& rules, const Semantics& semantics) {
  Constraints compiled{};
  for (auto& level : compiled.target) level.fill(no_waits());
  compiled.other_ranks.fill(no_waits());
  for (const Rule& rule : rules) {
    for (std::size_t p = 0; p < kCommands; ++p) {
      const auto previous = static_cast<Command>(p);
      if (!rule.previous.has(previous)) continue;
      const auto level = static_cast<std::size_t>(rule.level);
      if (rule.window > 1) {
        assert(rule.level == Level::kRank && rule.scope == Scope::kTarget);
        WindowedRule windowed{rule.level, previous, no_waits(), rule.window};
        tighten(windowed.waits, rule, previous, semantics);
        compiled.windowed.push_back(windowed);
      } else if (rule.scope == Scope::kOthers) {
        assert(rule.level == Level::kRank);
        tighten(compiled.other_ranks[p], rule, previous, semantics);
        compiled.any_other_ranks[p] = true;
      } else {
        tighten(compiled.target[level][p], rule, previous, semantics);
        compiled.any[level][p] = true;
      }
    }
  }
  return compiled;
}

}  // namespace neardata::dram
