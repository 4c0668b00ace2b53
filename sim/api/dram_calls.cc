// SPDX-License-Identifier: Apache-2.0
#include "api/dram_calls.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "dram/banks/readiness.h"
#include "dram/constraints.h"
#include "dram/types.h"

namespace neardata::api {

namespace {

constexpr std::size_t kPlaceFields = 4;
constexpr std::size_t kPastFields = 1 + kPlaceFields;

struct CommandAt {
  dram::Command command;
  dram::Reach reach = dram::Reach::kBank;
  std::uint32_t rank = 0;
  std::uint32_t logical_rank = 0;
  std::uint32_t group = 0;
  std::uint32_t bank = 0;

  [[nodiscard]] dram::BankIndex index(const dram::Organization& o) const {
    return static_cast<dram::BankIndex>(
        o.bank_of({.rank = rank, .bank_group = group, .bank = bank, .logical_rank = logical_rank}));
  }
};

/// A number of a command; an invalid number becomes one outside of every range.
std::uint32_t word(double value) {
  return value >= 0 && value <= 0xFFFFFFFE && value == std::floor(value)
             ? static_cast<std::uint32_t>(value)
             : 0xFFFFFFFF;
}

/// Empty if there is no such command or bank.
std::optional<CommandAt> command_of(std::span<const double> fields,
                                    const dram::ControllerConfig& config) {
  const dram::Organization& o = config.organization;
  const std::uint32_t command = word(fields[0]);
  if (command >= config.commands.size()) return std::nullopt;
  const CommandAt at{{static_cast<std::uint8_t>(command)},
                     config.commands[command].effect.reach,
                     word(fields[1]) / o.logical_ranks,
                     word(fields[1]) % o.logical_ranks,
                     word(fields[2]),
                     word(fields[3])};
  if (at.rank >= o.ranks || at.group >= o.bank_groups || at.bank >= o.banks_per_group) {
    return std::nullopt;
  }
  return at;
}

void issue(dram::Readiness& readiness, const dram::Organization& o, const CommandAt& c,
           dram::Cycle cycle) {
  switch (c.reach) {
    case dram::Reach::kRank:
      return readiness.issue_rank(c.command, c.rank, cycle);
    case dram::Reach::kSameBank:
      return readiness.issue_same(c.command, c.rank, c.bank, cycle);
    case dram::Reach::kBank:
      return readiness.issue(c.command, c.index(o), cycle);
  }
}

dram::Cycle ready(const dram::Readiness& readiness, const dram::Organization& o,
                  const CommandAt& c) {
  if (c.reach == dram::Reach::kRank) return readiness.ready_rank(c.command, c.rank);
  if (c.reach == dram::Reach::kSameBank) return readiness.ready_same(c.command, c.rank, c.bank);
  return readiness.ready(c.command, c.index(o));
}

ReplaySession::Text bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

core::Answer<std::unique_ptr<ReplaySession>> ReplaySession::open(const Config& config) {
  auto broken = dram::broken_rules(config.controller);
  if (auto rule = dram::mapping_rule(config.mapping, config.controller.organization)) {
    broken.push_back(*std::move(rule));
  }
  if (!broken.empty()) {
    std::string all;
    for (const std::string& sentence : broken) all += (all.empty() ? "" : "\n") + sentence;
    return core::bad_input(std::move(all));
  }
  if (auto refused = dram::backend_refuses(config.controller)) {
    return core::bad_input(*std::move(refused));
  }
  return std::make_unique<ReplaySession>(config);
}

/// Does something that a message may end.
ReplaySession::Message ReplaySession::go(auto&& act) {
  if (over_) return core::misuse("the replay is over: it has ended with a message");
  over_ = true;
  auto message = act();
  over_ = message.has_value();
  return message;
}

ReplaySession::Message ReplaySession::feed(const Piece& piece) {
  const std::string_view text(reinterpret_cast<const char*>(piece.bytes.data()),
                              piece.bytes.size());
  return go([&] { return replay_.feed(text); });
}

ReplaySession::Message ReplaySession::finish(const Nothing& /*none*/) {
  return go([&] { return replay_.finish(); });
}

ReplaySession::Message ReplaySession::go_on(const Nothing& /*none*/) {
  return go([&] { return replay_.go_on(); });
}

core::Answer<ReplaySession::Text> ReplaySession::commands(const Nothing& /*none*/) {
  return bytes_of(replay_.take_commands());
}

core::Answer<ReplaySession::Text> ReplaySession::completions(const Nothing& /*none*/) {
  return bytes_of(replay_.take_completions());
}

core::Answer<DramReport> ReplaySession::report(const Nothing& /*none*/) {
  DramReport report{.total_cycles = replay_.total_cycles(), .channels = {}};
  for (const auto& channel : replay_.channels()) {
    const std::size_t number = report.channels.size();
    report.channels.push_back({&channel->statistics(), replay_.open_bank_cycles(number)});
  }
  return report;
}

core::Answer<dram::Cycle> ready_at(const ReadyRequest& given) {
  const dram::ControllerConfig& config = given.config.controller;
  if (const auto broken = dram::validate(config)) return core::bad_input(*broken);
  if (given.past.size() % kPastFields != 0 || given.next.size() != kPlaceFields) {
    return core::misuse("past and next are Float64Arrays of five and four numbers a command");
  }
  const dram::Organization& o = config.organization;
  const dram::Commands commands(config.commands);
  dram::Readiness readiness(o, commands, dram::compile(config.constraints));
  for (std::size_t at = 0; at < given.past.size(); at += kPastFields) {
    const double cycle = given.past[at];
    const auto command = command_of(given.past.subspan(at + 1, kPlaceFields), config);
    if (!command || !(cycle >= 0 && cycle <= limits::kExactReal.most)) {
      return core::misuse("a past command lies outside the channel, or of time");
    }
    issue(readiness, o, *command, dram::Cycle{static_cast<std::int64_t>(cycle)});
  }
  const auto command = command_of(given.next, config);
  if (!command) return core::misuse("the next command lies outside the channel");
  return commands.from(command->command, ready(readiness, o, *command));
}

}  // namespace neardata::api
