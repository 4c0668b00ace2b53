// SPDX-License-Identifier: Apache-2.0
//
// Layouts of an NDP DIMM: its configuration, and the counters of its unit and its sub-channels.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/core_records.h"
#include "api/dram_records.h"
#include "core/record.h"
#include "core/refusal.h"
#include "system/dimm/ndp_dimm.h"
#include "unit/ndp/ndp_rules.h"

namespace neardata::unit {

constexpr auto record_of(const NdpParameters*) {
  using core::field;
  return core::record("NdpParameters", field("streams", &NdpParameters::streams),
                      field("multipliersPerStream", &NdpParameters::mult_per_stream),
                      field("lanes", &NdpParameters::lanes),
                      field("bitsPerCycle", &NdpParameters::bits_per_cycle),
                      field("bufferBytes", &NdpParameters::buffer_bytes),
                      field("queueBursts", &NdpParameters::queue_bursts),
                      field("activationLanes", &NdpParameters::act_lanes),
                      field("maxTokens", &NdpParameters::max_tokens),
                      core::optional(field("lowBitWeights", &NdpParameters::low_bit_weights)),
                      core::optional(field("alignedBits", &NdpParameters::aligned_bits)),
                      core::optional(field("descriptors", &NdpParameters::descriptors)));
}
[[nodiscard]] inline core::Answer<void> finish_record(const NdpParameters& parameters) {
  if (auto why = refuses(parameters)) return core::bad_input(*std::move(why));
  return {};
}

constexpr auto names_of(const NdpEvent*) {
  return std::array{"slot",          "weightSlot",      "stallWeights",   "stallOperand",
                    "stallOutput",   "activationBatch", "activationBusy", "descriptorAccepted",
                    "descriptorEnd", "inputBurst",      "outputBurst",    "idle",
                    "pass",          "phaseDown",       "phaseLoad",      "phaseGateUp"};
}

constexpr auto record_of(const NdpEvents::PhaseSpan*) {
  using Span = NdpEvents::PhaseSpan;
  return core::row("NdpPhase", core::field("phase", &Span::phase),
                   core::in("cycles", core::field("begin", &Span::begin)),
                   core::in("cycles", core::field("end", &Span::end)));
}

}  // namespace neardata::unit

namespace neardata::system {

constexpr auto record_of(const ActivationLimits*) {
  using core::field;
  return core::record("ActivationLimits", field("initial", &ActivationLimits::initial),
                      field("maximum", &ActivationLimits::maximum),
                      field("perRefresh", &ActivationLimits::per_refresh));
}

/// The limits of a memory that guards check, independently of its model.
constexpr auto record_of(const BusLimits*) {
  using core::field;
  return core::record(
      "BusLimits",
      field(
          "pins", [](auto& of) -> auto& { return of.rate.pins; }, limits::kPins),
      field(
          "transfersPerSecond", [](auto& of) -> auto& { return of.rate.transfers_per_second; },
          limits::kTransfers),
      field("readLatency", &BusLimits::read_latency, limits::kShortestRead),
      field(
          "refreshInterval", [](auto& of) -> auto& { return of.refresh.interval; },
          limits::kRefreshInterval),
      field(
          "refreshesPostponed", [](auto& of) -> auto& { return of.refresh.postponed; },
          limits::kLatency),
      field(
          "refreshElapsed", [](auto& of) -> auto& { return of.refresh.elapsed; },
          limits::kRefreshInterval),
      core::optional(core::assigned<ActivationLimits>(
          "activations",
          [](BusLimits& of, const ActivationLimits& given) { of.activations = given; })));
}

/// Reads after `answers` are never answered.
constexpr auto record_of(const IdealConfig*) {
  using core::field;
  return core::record("IdealMemory", core::Literal{"kind", "ideal"},
                      field("latency", &IdealConfig::latency, limits::kLatency),
                      field("burstCycles", &IdealConfig::burst_cycles, limits::kLatency),
                      core::optional(field("answers", &IdealConfig::answers, limits::kExact)));
}

/// In femtoseconds.
constexpr auto record_of(const HostPath*) {
  return core::record("HostPath", core::field("command", &HostPath::command, limits::kExact),
                      core::field("poll", &HostPath::poll, limits::kExact));
}
constexpr auto record_of(const HostSpans*) {
  using core::field;
  return core::row("HostSpans", field("inputs", &HostSpans::inputs),
                   field("commanded", &HostSpans::commanded), field("ended", &HostSpans::ended),
                   field("seen", &HostSpans::seen), field("outputs", &HostSpans::outputs));
}

/// `plugin`: the path of the Verilated unit.
constexpr auto record_of(const NdpDimmConfig*) {
  using core::field;
  return core::record("NdpConfig", field("model", &NdpDimmConfig::model),
                      core::optional(field("plugin", &NdpDimmConfig::plugin)),
                      field("parameters", &NdpDimmConfig::parameters),
                      field("unitClock", &NdpDimmConfig::unit_clock, limits::kClock),
                      field("memoryClock", &NdpDimmConfig::memory_clock, limits::kClock),
                      field("limits", &NdpDimmConfig::limits),
                      field("memory", &NdpDimmConfig::memory), field("host", &NdpDimmConfig::host));
}

[[nodiscard]] inline core::Answer<void> finish_record(const NdpDimmConfig& config) {
  if (config.model != UnitModel::kRtl || !config.plugin.empty()) return {};
  return core::misuse("plugin is not a string");
}

constexpr auto record_of(const PortCounters*) {
  using core::field;
  return core::row(
      "PortCounters", field("readBursts", &PortCounters::read_bursts),
      field("writeBursts", &PortCounters::write_bursts), field("rowHits", &PortCounters::row_hits),
      field("rowMisses", &PortCounters::row_misses),
      field("rowConflicts", &PortCounters::row_conflicts),
      field("activates", &PortCounters::activates), field("precharges", &PortCounters::precharges),
      field("refreshes", &PortCounters::refreshes),
      core::in("cycles", field("refreshCycles", &PortCounters::refresh_cycles)),
      core::in("cycles", field("busCycles", &PortCounters::bus_cycles)),
      field("rankRefreshes", &PortCounters::rank_refreshes),
      field("refreshesDue", &PortCounters::refreshes_due),
      field("rankManagements", &PortCounters::rank_managements),
      field("openBankCycles", &PortCounters::open_bank_cycles));
}

}  // namespace neardata::system

namespace neardata::api {

/// Every strobe of the unit, then the bytes that it has read.
struct NdpCounts {
  std::array<std::uint64_t, unit::kNdpCounters> counts{};
};
struct NdpTotals : NdpCounts {};
template <std::size_t... Event>
constexpr auto strobe_fields(std::index_sequence<Event...>) {
  return core::fields(
      core::field(
          core::kNames<unit::NdpEvent>[Event],
          [](auto& of) -> auto& { return of.counts[Event]; })...,
      core::field(
          "bytesRead", [](auto& of) -> auto& { return of.counts[unit::kBytesRead]; }));
}
constexpr auto ndp_count_fields() {
  return strobe_fields(std::make_index_sequence<unit::kNdpEvents>());
}
constexpr auto record_of(const NdpCounts*) { return core::row("NdpCounts", ndp_count_fields()); }
constexpr auto record_of(const NdpTotals*) { return core::record("NdpTotals", ndp_count_fields()); }

/// Cycles of the unit in which a descriptor was accepted and done.
struct JobCycles {
  core::Cycle taken;
  core::Cycle done;
};
constexpr auto record_of(const JobCycles*) {
  return core::row("JobCycles", core::field("taken", &JobCycles::taken),
                   core::field("done", &JobCycles::done));
}

/// Counts by bins of so many cycles.
struct NdpSeries {
  std::int64_t width = 0;
  std::vector<NdpCounts> bins;
};
constexpr auto record_of(const NdpSeries*) {
  return core::record("NdpSeries", core::field("width", &NdpSeries::width),
                      core::field("bins", &NdpSeries::bins));
}

/// A DRAM command of a stream's sub-channel.
struct NdpCommand {
  std::uint32_t stream = 0;
  CommandPlace place;
};
constexpr auto record_of(const NdpCommand*) {
  using core::field;
  return core::row("NdpCommand", field("stream", &NdpCommand::stream),
                   field("cycle", [](auto& of) { return of.place.cycle; }),
                   field("command", [](auto& of) { return of.place.command.number; }),
                   field("logicalRank", [](auto& of) { return of.place.logical_rank; }),
                   field("bankGroup", [](auto& of) { return of.place.bank_group; }),
                   field("bank", [](auto& of) { return of.place.bank; }),
                   field("row", [](auto& of) { return of.place.row; }),
                   field("column", [](auto& of) { return of.place.column; }));
}

/// Descriptors in the format of the unit, 23 words each; zero cycles disable the limit.
struct NdpRunRequest : system::NdpRunOptions {
  core::Rows<unit::Descriptor> descriptors;
};
constexpr auto record_of(const NdpRunRequest*) {
  using core::field;
  return core::record("NdpRun", field("descriptors", &NdpRunRequest::descriptors),
                      field("keepCommands", &NdpRunRequest::recorded_commands, limits::kRecorded),
                      unit_run_fields<NdpRunRequest>());
}

/// A run, the clock of its unit, and its wall-clock time on this machine.
struct NdpReport {
  system::NdpRunResult run;
  core::Clock clock;
  double seconds = 0;
};
/// One row; none without a host that enqueues the jobs.
[[nodiscard]] inline std::vector<system::HostSpans> host_rows(
    const std::optional<system::HostSpans>& spans) {
  if (!spans) return {};
  return {*spans};
}
[[nodiscard]] NdpTotals ndp_totals(const NdpReport& report);
[[nodiscard]] NdpSeries ndp_series(const NdpReport& report);
[[nodiscard]] std::vector<JobCycles> ndp_jobs(const NdpReport& report);
[[nodiscard]] std::vector<NdpCommand> ndp_commands(const NdpReport& report);
[[nodiscard]] RunTimes ndp_times(const NdpReport& report);

/// `end` is the last instant in femtoseconds.
constexpr auto record_of(const NdpReport*) {
  using core::field;
  constexpr auto run = [](auto member) {
    return [member](auto& of) -> auto& { return of.run.*member; };
  };
  using Result = system::NdpRunResult;
  return core::record(
      "NdpResult",
      ending_fields(
          [](const NdpReport& of) -> auto& { return of.run.error; },
          [](const NdpReport& of) -> auto& { return of.clock; }),
      field("cycles", run(&Result::cycles)),
      core::in("cycles", field("skipped", run(&Result::skipped))), field("end", run(&Result::end)),
      field("jobs", ndp_jobs), field("events", ndp_totals), field("series", ndp_series),
      field(
          "phases", [](const NdpReport& of) -> auto& { return of.run.events.phases(); }),
      field("ports", run(&Result::ports)), field("commands", ndp_commands),
      field("host", [](const NdpReport& of) { return host_rows(of.run.host); }),
      field("machine", run(&Result::machine)), field("times", ndp_times));
}

}  // namespace neardata::api
