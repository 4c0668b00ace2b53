// SPDX-License-Identifier: Apache-2.0
//
// Layouts of computational storage devices: their configuration, jobs and prompts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/core_records.h"
#include "api/flash/flash_records.h"
#include "api/link_records.h"
#include "core/record.h"
#include "core/refusal.h"
#include "system/csd/csd_machine.h"

namespace neardata::unit {

constexpr auto names_of(const SparfOperation*) { return std::array{"sparse", "dense", "append"}; }

constexpr auto record_of(const SparfParameters*) {
  using core::field;
  return core::record(
      "SparfParameters", field("channels", &SparfParameters::channels),
      field("kernels", &SparfParameters::kernels), field("lanes", &SparfParameters::lanes),
      field("width", &SparfParameters::width), field("maxKeys", &SparfParameters::max_keys),
      field("maxGroup", &SparfParameters::max_group), field("slots", &SparfParameters::slots),
      field("ringLines", &SparfParameters::ring_lines),
      field("maxPageRows", &SparfParameters::max_page_rows), field("tags", &SparfParameters::tags),
      field("querySets", &SparfParameters::query_sets));
}

}  // namespace neardata::unit

namespace neardata::system {

constexpr core::Fs from_nanoseconds(double time) {
  return {static_cast<std::int64_t>(time * static_cast<double>(core::kFsPerNs))};
}

/// A time in nanoseconds.
template <typename Config>
constexpr auto nanoseconds_field(const char* name, core::Fs Config::*member) {
  return core::assigned<double>(
      name, [member](Config& of, double time) { of.*member = from_nanoseconds(time); },
      limits::kNanoseconds);
}

/// The shortest times of any part, by its data sheet.
constexpr auto record_of(const FlashFloors*) {
  using Floors = FlashFloors;
  return core::record("FlashFloors", nanoseconds_field("readNs", &Floors::read),
                      nanoseconds_field("programNs", &Floors::program),
                      nanoseconds_field("eraseNs", &Floors::erase));
}

/// The bus transfers a line of 64 bytes in `lineFs`.
constexpr auto record_of(const ControllerDramConfig*) {
  using Config = ControllerDramConfig;
  return core::record("CsdDram", nanoseconds_field("latencyNs", &Config::latency),
                      core::field("lineFs", &Config::line_time, limits::kLineTime),
                      core::field("wires", &Config::wires));
}
/// A lookup takes `latencyNs`; lookups start at least `intervalFs` apart.
constexpr auto record_of(const TranslationConfig*) {
  using Config = TranslationConfig;
  return core::record("CsdTranslation", nanoseconds_field("latencyNs", &Config::latency),
                      core::field("intervalFs", &Config::interval, limits::kLookupInterval),
                      core::field("inDram", &Config::in_dram));
}
/// Bytes of a read's response beside the payload; outstanding reads; commands submitted ahead.
constexpr auto record_of(const CommandConfig*) {
  using core::field;
  return core::record("CsdCommands",
                      field("replyHeader", &CommandConfig::reply_header, limits::kHeaderBytes),
                      field("reads", &CommandConfig::reads, limits::kQueued),
                      field("depth", &CommandConfig::depth, limits::kQueued));
}
constexpr auto record_of(const DeviceLinkConfig*) {
  using core::field;
  return core::record("CsdLink", field("link", &DeviceLinkConfig::link),
                      field("piece", &DeviceLinkConfig::piece, limits::kPayload),
                      field("commands", &DeviceLinkConfig::commands));
}
/// Cycles of the device links' clock in which the switch passes a packet on.
constexpr auto record_of(const SharedLinkConfig*) {
  using core::field;
  return core::record("CsdSharedLink", field("link", &SharedLinkConfig::link),
                      field("switchLatency", &SharedLinkConfig::switch_latency,
                            core::Range{1, limits::kLatency.most}));
}

}  // namespace neardata::system

namespace neardata::api {

/// Features of newer flash, each with a switch.
struct CsdFeatures {
  bool cache_read = false;
  double cache_transfer_ns = 0;
  flash::PlaneIndependence independent_planes = flash::PlaneIndependence::kNone;
  bool suspends = false;
  double suspend_command_ns = 0;
  double suspend_ns = 0;
  double run_least_ns = 0;
  std::optional<std::uint32_t> most_suspends;
  std::optional<flash::PackageBudget> package;
};
constexpr auto record_of(const CsdFeatures*) {
  using core::field;
  using Features = CsdFeatures;
  return core::record(
      "CsdFeatures", field("cacheRead", &Features::cache_read),
      field("cacheTransferNs", &Features::cache_transfer_ns, limits::kNanoseconds),
      field("independentPlanes", &Features::independent_planes),
      field("suspends", &Features::suspends),
      field("suspendCommandNs", &Features::suspend_command_ns, limits::kNanoseconds),
      field("suspendNs", &Features::suspend_ns, limits::kNanoseconds),
      field("runLeastNs", &Features::run_least_ns, limits::kNanoseconds),
      field("mostSuspends", &Features::most_suspends, limits::kSuspends),
      field("package", &Features::package));
}

/// The flash of a device, blocks and bytes of its pages.
struct CsdFlash : FlashDevice {
  std::int64_t ticks_per_ns = 1;
  std::uint32_t page_bytes = 0;
  flash::BlockShape blocks;
  std::vector<std::uint32_t> dead_channels;
  core::BusRate wires;
  system::TranspositionConfig transposition;
  system::TranslationConfig translation;
  system::FlashFloors floors;
  CsdFeatures features;
};
/// Ticks by type of page; empty if all types have the same.
[[nodiscard]] core::Answer<void> set_page_types(CsdFlash& flash, const std::vector<double>& ticks);
constexpr auto record_of(const CsdFlash*) {
  using core::field;
  return core::record(
      "CsdFlash", device_fields(), field("ticksPerNs", &CsdFlash::ticks_per_ns, limits::kTicks),
      field("pageBytes", &CsdFlash::page_bytes, limits::kPageBytes), block_fields(),
      field("deadChannels", &CsdFlash::dead_channels), field("wires", &CsdFlash::wires),
      field(
          "transpositionBytes", [](auto& of) -> auto& { return of.transposition.buffer_bytes; },
          limits::kTransposition),
      field("translation", &CsdFlash::translation), field("floors", &CsdFlash::floors),
      core::assigned<std::vector<double>>("senseByPageType", set_page_types),
      field("features", &CsdFlash::features));
}
[[nodiscard]] core::Answer<void> finish_record(const CsdFlash& flash);

/// Bit errors, and how long the controller waits; factors of the rate by type of page.
struct CsdReadPolicy {
  flash::ReadPolicy policy;
  double retry_setup_ns = 0;
  double dead_timeout_ns = 0;
};
[[nodiscard]] core::Answer<void> set_error_factors(CsdReadPolicy& of,
                                                   const std::vector<double>& factors);
constexpr auto record_of(const CsdReadPolicy*) {
  using core::field;
  return core::record("CsdReadPolicy", bit_error_fields("rawBitErrorRate"),
                      field("retrySetupNs", &CsdReadPolicy::retry_setup_ns, limits::kNanoseconds),
                      field("deadTimeoutNs", &CsdReadPolicy::dead_timeout_ns, limits::kNanoseconds),
                      core::assigned<std::vector<double>>("errorsByPageType", set_error_factors));
}

/// Decoding of codewords; the decoder accepts one every `intervalNs`.
struct CsdEcc {
  bool on = false;
  std::uint32_t parity_bytes = 0;
  double latency_ns = 0;
  double failed_ns = 0;
  double interval_ns = 0;
};
constexpr auto record_of(const CsdEcc*) {
  using core::field;
  return core::record("CsdEcc", field("on", &CsdEcc::on),
                      field("parityBytes", &CsdEcc::parity_bytes),
                      field("latencyNs", &CsdEcc::latency_ns, limits::kNanoseconds),
                      field("failedNs", &CsdEcc::failed_ns, limits::kNanoseconds),
                      field("intervalNs", &CsdEcc::interval_ns, limits::kNanoseconds));
}

/// The description of the devices; `finish_record` derives the configuration from it.
struct CsdSpec {
  system::CsdConfig config;
  CsdFlash flash;
  CsdReadPolicy reads;
  CsdEcc ecc;
  std::uint32_t hot_pages = 0;
};
constexpr auto record_of(const CsdSpec*) {
  using core::field;
  constexpr auto config = [](auto member) {
    return [member](auto& of) -> auto& { return of.config.*member; };
  };
  using Config = system::CsdConfig;
  return core::record(
      "CsdConfig", field("model", config(&Config::model)),
      core::optional(field("plugin", config(&Config::plugin))),
      field("devices", config(&Config::devices), limits::kDevices),
      field("parameters", config(&Config::parameters)),
      field("clock", config(&Config::clock), limits::kClock), field("flash", &CsdSpec::flash),
      field("reads", &CsdSpec::reads), field("ecc", &CsdSpec::ecc),
      field("dram", config(&Config::dram)), field("link", config(&Config::link)),
      field("sharedLink", config(&Config::shared_link)), field("hotPages", &CsdSpec::hot_pages));
}
[[nodiscard]] core::Answer<void> finish_record(CsdSpec& spec);

/// A job. The values of all jobs are concatenated; the row states how many of them belong to the
/// job.
struct CsdJobRow {
  std::uint32_t device;
  std::uint32_t sequence;
  std::uint32_t head;
  std::uint32_t operation;
  std::uint32_t group;
  std::uint32_t r;
  std::uint32_t k;
  std::uint32_t window;
  std::uint32_t mean;
  std::uint32_t values;
};
constexpr auto record_of(const CsdJobRow*) {
  using core::field;
  return core::row("CsdJobRow", field("device", &CsdJobRow::device),
                   field("sequence", &CsdJobRow::sequence), field("head", &CsdJobRow::head),
                   field("operation", &CsdJobRow::operation), field("group", &CsdJobRow::group),
                   field("r", &CsdJobRow::r), field("k", &CsdJobRow::k),
                   field("window", &CsdJobRow::window), field("mean", &CsdJobRow::mean),
                   field("values", &CsdJobRow::values));
}
/// 0 jobs in flight: as many as fit. 0 cycles: no limit.
struct CsdRunRequest : system::CsdRunOptions {
  core::Rows<CsdJobRow> jobs;
  std::span<const std::uint16_t> rows;
  std::optional<std::uint32_t> most_threads;
};
constexpr auto record_of(const CsdRunRequest*) {
  using core::field;
  return core::record("CsdRun", field("jobs", &CsdRunRequest::jobs),
                      field("rows", &CsdRunRequest::rows),
                      field("inFlight", &CsdRunRequest::in_flight),
                      field("keepPages", &CsdRunRequest::recorded_pages, limits::kRecorded),
                      field("threads", &CsdRunRequest::most_threads, limits::kThreads),
                      unit_run_fields<CsdRunRequest>());
}

struct PromptRow {
  std::uint32_t device;
  std::uint32_t sequence;
  std::uint32_t head;
  std::uint32_t tokens;
};
constexpr auto record_of(const PromptRow*) {
  using core::field;
  return core::row("PromptRow", field("device", &PromptRow::device),
                   field("sequence", &PromptRow::sequence), field("head", &PromptRow::head),
                   field("tokens", &PromptRow::tokens));
}
/// `ready` in femtoseconds; `rows`: the keys and then the values of one prompt after another.
struct CsdPromptsRequest {
  core::Rows<PromptRow> heads;
  std::span<const double> ready;
  std::span<const std::uint16_t> rows;
  core::Cycle max_cycles;
  std::optional<std::uint32_t> most_threads;
};
constexpr auto record_of(const CsdPromptsRequest*) {
  using core::field;
  using Request = CsdPromptsRequest;
  return core::record("CsdPrompts", field("heads", &Request::heads),
                      field("ready", &Request::ready), field("rows", &Request::rows),
                      field("maxCycles", &Request::max_cycles, limits::kExact),
                      field("threads", &Request::most_threads, limits::kThreads));
}

}  // namespace neardata::api
