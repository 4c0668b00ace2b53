// SPDX-License-Identifier: Apache-2.0
//
// The flash back end by itself: pages that are replayed, read in chains or under errors, and the
// translation of keys and values. Each call is a run of its own.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "api/flash/flash_records.h"
#include "core/record.h"
#include "core/refusal.h"
#include "flash/chains.h"
#include "flash/replay.h"

namespace neardata::api {

/// Ticks in which the bus of each channel carried commands and data.
constexpr auto bus_fields() {
  constexpr auto use = [](auto member) {
    return [member](const auto& of) {
      std::vector<flash::Tick> ticks;
      for (const flash::BusUse& bus : of.bus_use) ticks.push_back(bus.*member);
      return ticks;
    };
  };
  return core::fields(core::field("busCommand", use(&flash::BusUse::commands)),
                      core::field("busData", use(&flash::BusUse::data)));
}
/// A field of every item of a list.
template <typename T>
constexpr auto column(auto list, auto member) {
  return [list, member](const auto& of) {
    std::vector<T> values;
    for (const auto& item : of.*list) values.push_back(static_cast<T>(item.*member));
    return values;
  };
}
/// Ticks by page; `dataOut` is never for a page without a data transfer.
template <typename Result>
constexpr auto page_fields() {
  using core::field;
  using flash::Completion;
  using flash::Tick;
  return core::fields(field("command", column<Tick>(&Result::pages, &Completion::command)),
                      field("dataOut", column<Tick>(&Result::pages, &Completion::data_out)),
                      field("done", column<Tick>(&Result::pages, &Completion::done)),
                      field("planes", column<std::uint8_t>(&Result::pages, &Completion::planes)));
}

}  // namespace neardata::api

namespace neardata::flash {

constexpr auto record_of(const ReplayResult*) {
  return core::record("PageTimes", api::page_fields<ReplayResult>(), api::bus_fields());
}
constexpr auto record_of(const ChainResult*) {
  return core::record("ChainTimes", api::page_fields<ChainResult>(), api::bus_fields(),
                      core::field("started", &ChainResult::started),
                      core::field("finished", &ChainResult::finished));
}
/// `status` by number.
constexpr auto record_of(const ReadRun*) {
  using core::field;
  constexpr auto of_page = [](auto member) {
    return api::column<std::uint32_t>(&ReadRun::answers, member);
  };
  return core::record("ReadAnswers", field("status", of_page(&ReadAnswer::status)),
                      field("attempts", of_page(&ReadAnswer::attempts)),
                      field("correctedBits", of_page(&ReadAnswer::corrected_bits)),
                      field("done", api::column<Tick>(&ReadRun::answers, &ReadAnswer::done)),
                      api::bus_fields());
}

}  // namespace neardata::flash

namespace neardata::api {

/// Time, batch and location of each page request.
struct FlashReplayRequest : FlashDevice {
  core::Rows<FlashPage> where;
  std::span<const double> submit;
  std::span<const std::uint32_t> batch;
  std::span<const std::uint8_t> operation;
};
constexpr auto record_of(const FlashReplayRequest*) {
  using core::field;
  using Request = FlashReplayRequest;
  return core::record("FlashReplay", device_fields(), field("where", &Request::where),
                      field("submit", &Request::submit), field("batch", &Request::batch),
                      field("operation", &Request::operation),
                      core::optional(field(
                          "features", [](auto& of) -> auto& { return of.timing.features; })));
}
[[nodiscard]] core::Answer<flash::ReplayResult> flash_replay(const FlashReplayRequest& given);

/// Chain c is the steps firstStep[c] .. firstStep[c+1], step s the pages firstPage[s] ..
struct FlashChainsRequest : FlashDevice {
  core::Rows<FlashPage> where;
  std::span<const std::uint32_t> first_step;
  std::span<const std::uint32_t> first_page;
  std::uint32_t in_flight = 1;
};
constexpr auto record_of(const FlashChainsRequest*) {
  using core::field;
  using Request = FlashChainsRequest;
  return core::record("FlashChains", device_fields(), field("where", &Request::where),
                      field("firstStep", &Request::first_step),
                      field("firstPage", &Request::first_page),
                      field("inFlight", &Request::in_flight, limits::kInFlight));
}
[[nodiscard]] core::Answer<flash::ChainResult> flash_chains(const FlashChainsRequest& given);

struct FlashReadsRequest : FlashDevice {
  core::Rows<FlashPage> where;
  flash::ReadPolicy policy;
};
constexpr auto record_of(const FlashReadsRequest*) {
  using core::field;
  return core::record(
      "FlashReads", device_fields(), field("where", &FlashReadsRequest::where),
      bit_error_fields("rawRate"),
      core::optional(field(
          "parityBytes", [](auto& of) -> auto& { return of.policy.errors.parity_bytes; },
          core::Range{0, limits::kCodewordBytes.most})),
      field(
          "retrySetup", [](auto& of) -> auto& { return of.policy.retry_setup; },
          limits::kOperation),
      field(
          "deadTimeout", [](auto& of) -> auto& { return of.policy.dead_timeout; }, limits::kExact),
      field(
          "deadChannels", [](auto& of) -> auto& { return of.policy.dead_channels; }));
}
[[nodiscard]] core::Answer<flash::ReadRun> flash_reads(const FlashReadsRequest& given);

/// A line of a script: open sequence heads m 0, append sequence tokens 0 0, close sequence 0 0 0,
/// locate sequence head kind index.
struct KvLine {
  std::uint32_t kind;
  std::uint32_t sequence;
  std::array<std::uint32_t, 3> more;
};
struct FlashKvRequest : FlashDevice {
  flash::BlockShape blocks;
  flash::KvShape kv;
  core::Rows<KvLine> script;
};
constexpr auto record_of(const FlashKvRequest*) {
  using core::field;
  constexpr core::Range kWidth{1, 4096};
  return core::record(
      "FlashKv", shape_fields(), block_fields(),
      field(
          "width", [](auto& of) -> auto& { return of.kv.width; }, kWidth),
      field(
          "pageBytes", [](auto& of) -> auto& { return of.kv.page_bytes; }, limits::kPageBytes),
      field("script", &FlashKvRequest::script));
}
[[nodiscard]] core::Answer<void> finish_record(const FlashKvRequest& request);

/// `work`: six numbers per operation (operation, channel, die, plane, block, page); `workAfter`:
/// the number of operations after each line; `located`: five numbers per locate line (all ones if
/// in DRAM); `full` is the line that did not fit, or -1.
struct FlashKvResult {
  std::vector<std::uint32_t> work;
  std::vector<std::uint32_t> work_after;
  std::vector<std::uint32_t> located;
  std::int64_t full = -1;
  flash::KvCounters counters;
};
constexpr auto record_of(const FlashKvResult*) {
  using core::field;
  constexpr auto count = [](auto member) {
    return [member](const FlashKvResult& of) { return of.counters.*member; };
  };
  using Counters = flash::KvCounters;
  return core::record(
      "FlashKvResult", field("work", &FlashKvResult::work),
      field("workAfter", &FlashKvResult::work_after), field("located", &FlashKvResult::located),
      field("full", &FlashKvResult::full), field("hostWrites", count(&Counters::host_writes)),
      field("moves", count(&Counters::moves)), field("erases", count(&Counters::erases)),
      field("mostErases", count(&Counters::most_erases)),
      field("leastErases", count(&Counters::least_erases)));
}
[[nodiscard]] core::Answer<FlashKvResult> flash_kv(const FlashKvRequest& given);

}  // namespace neardata::api
