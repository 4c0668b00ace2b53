// SPDX-License-Identifier: Apache-2.0
#include "dram_probe.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "dram/constraints.h"
#include "dram/readiness.h"
#include "dram_memory.h"
#include "entry.h"
#include "reader.h"

namespace neardata::native {

namespace {

constexpr std::size_t kPlaceFields = 4;
constexpr std::size_t kPastFields = 1 + kPlaceFields;

struct Place {
  dram::Command command = dram::Command::kActivate;
  std::uint32_t rank = 0;
  std::uint32_t group = 0;
  std::uint32_t bank = 0;

  [[nodiscard]] bool exists(const dram::Organization& o) const {
    return dram::index(command) < dram::kCommands && rank < o.ranks && group < o.bank_groups &&
           bank < o.banks_per_group;
  }
  [[nodiscard]] dram::BankIndex index(const dram::Organization& o) const {
    return static_cast<dram::BankIndex>((rank * o.bank_groups + group) * o.banks_per_group + bank);
  }
};

/// A number of a step or command; one that is none lies outside everything.
std::uint32_t word(double value) {
  return value >= 0 && value <= 0xFFFFFFFE && value == std::floor(value)
             ? static_cast<std::uint32_t>(value)
             : 0xFFFFFFFF;
}

Place place_of(std::span<const double> fields) {
  return {static_cast<dram::Command>(std::min(word(fields[0]), 0xFFU)), word(fields[1]),
          word(fields[2]), word(fields[3])};
}

bool whole_rank(dram::Command c) {
  return c == dram::Command::kPrechargeAll || c == dram::Command::kRefreshAll;
}

bool same_bank(dram::Command c) {
  return c == dram::Command::kPrechargeSame || c == dram::Command::kRefreshSame;
}

void issue(dram::Readiness& readiness, const dram::Organization& o, const Place& p,
           dram::Cycle cycle) {
  if (whole_rank(p.command)) {
    readiness.issue_rank(p.command, p.rank, cycle);
  } else if (same_bank(p.command)) {
    readiness.issue_same(p.command, p.rank, p.bank, cycle);
  } else {
    readiness.issue(p.command, p.index(o), cycle);
  }
}

dram::Cycle ready(const dram::Readiness& readiness, const dram::Organization& o, const Place& p) {
  if (whole_rank(p.command)) return readiness.ready_rank(p.command, p.rank);
  if (same_bank(p.command)) return readiness.ready_same(p.command, p.rank, p.bank);
  return readiness.ready(p.command, p.index(o));
}

Result ready_at(const Napi::CallbackInfo& info) {
  Problem problem;
  const dram::MemoryConfig memory = read_dram_memory(Reader(info[0], "config", problem));
  if (problem) return std::unexpected(*problem);
  if (const auto broken = dram::validate(memory.controller)) return bad_input(*broken);
  const auto of_past = TypedArray<double>::of(info[1]);
  const auto of_next = TypedArray<double>::of(info[2]);
  if (!of_past || of_past->data().size() % kPastFields != 0 || !of_next ||
      of_next->data().size() != kPlaceFields) {
    return misuse("past and next are Float64Arrays of five and four numbers a command");
  }
  const auto past = of_past->data();
  const auto next = of_next->data();
  const dram::ControllerConfig& config = memory.controller;
  const dram::Organization& o = config.organization;
  dram::Readiness readiness(
      o, dram::compile(dram::constraint_rules(config.timing, config.semantics), config.semantics));
  for (std::size_t at = 0; at < past.size(); at += kPastFields) {
    const Place place = place_of(past.subspan(at + 1, kPlaceFields));
    const double cycle = past[at];
    if (!place.exists(o) || !(cycle >= 0 && cycle <= limits::kExactReal.most)) {
      return misuse("a past command lies outside the channel, or of time");
    }
    issue(readiness, o, place, dram::Cycle{static_cast<std::int64_t>(cycle)});
  }
  const Place place = place_of(next);
  if (!place.exists(o)) return misuse("the next command lies outside the channel");
  return Napi::Number::New(info.Env(), static_cast<double>(ready(readiness, o, place).value));
}

}  // namespace

void register_dram_probe(Napi::Env env, Napi::Object exports) {
  export_function<ready_at>(env, exports, "dramReadyAt");
}

}  // namespace neardata::native
