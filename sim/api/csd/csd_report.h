// SPDX-License-Identifier: Apache-2.0
//
// Layouts of the results of a run of computational storage devices.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "api/core_records.h"
#include "api/flash/flash_records.h"
#include "core/record.h"
#include "system/csd/csd_machine.h"

namespace neardata::system {

constexpr auto record_of(const ReadCounters*) {
  using core::field;
  return core::record(
      "CsdReads", field("clean", &ReadCounters::clean), field("retried", &ReadCounters::retried),
      field("uncorrectable", &ReadCounters::uncorrectable),
      field("channelDead", &ReadCounters::channel_dead), field("checksum", &ReadCounters::checksum),
      field("correctedBits", &ReadCounters::corrected_bits), field("hot", &ReadCounters::hot),
      field("movesRetried", &ReadCounters::moves_retried),
      field("movesLost", &ReadCounters::moves_lost));
}
constexpr auto record_of(const Traffic*) {
  return core::record("Traffic", core::in("bytes", core::field("in", &Traffic::in)),
                      core::in("bytes", core::field("out", &Traffic::out)));
}
/// `busy`: femtoseconds in which the link carried any.
constexpr auto record_of(const SharedLinkCounters*) {
  using core::field;
  return core::record("SharedLinkCounters", field("traffic", &SharedLinkCounters::traffic),
                      field("busyIn", &SharedLinkCounters::busy_in),
                      field("busyOut", &SharedLinkCounters::busy_out));
}

}  // namespace neardata::system

namespace neardata::unit {

constexpr auto names_of(const SparfField*) {
  return std::array{"none",
                    "operation",
                    "group",
                    "dims-per-page",
                    "mode",
                    "tokens",
                    "k",
                    "window",
                    "r",
                    "dims-on-flash",
                    "tokens-on-flash",
                    "query-line",
                    "sum-line",
                    "key-line",
                    "value-line",
                    "output-line",
                    "scale",
                    "reciprocal",
                    "page-bytes"};
}

}  // namespace neardata::unit

namespace neardata::api {

enum class JobStatus : std::uint8_t { kNotDone, kDone, kUnreadable, kRefused };
constexpr auto names_of(const JobStatus*) {
  return std::array{"not-done", "done", "unreadable", "refused"};
}

/// The result of a job, and the ends of its parts in the lists of all jobs.
struct CsdJobReport {
  const system::CsdJobResult* job = nullptr;
  JobStatus status = JobStatus::kNotDone;
  std::size_t outputs = 0;
  std::size_t dims = 0;
  std::size_t tokens = 0;
  std::size_t alpha = 0;
};
/// Tokens on flash at the start of the job, in both orders; pages that it requested; times in
/// femtoseconds.
constexpr auto record_of(const CsdJobReport*) {
  using core::field;
  constexpr auto job = [](auto member) {
    return [member](const CsdJobReport& of) { return of.job->*member; };
  };
  using Job = system::CsdJobResult;
  return core::row(
      "CsdJob", field("status", &CsdJobReport::status), field("dimsOnFlash", job(&Job::dim_flash)),
      field("tokensOnFlash", job(&Job::token_flash)),
      field("keyPages", [](const CsdJobReport& of) { return of.job->pages[0]; }),
      field("valuePages", [](const CsdJobReport& of) { return of.job->pages[1]; }),
      field("dimPages", [](const CsdJobReport& of) { return of.job->pages[2]; }),
      field("sent", job(&Job::sent)), field("taken", job(&Job::taken)),
      field("done", job(&Job::done)), field("received", job(&Job::received)),
      field("refusedField", job(&Job::field)), field("nonFinite", job(&Job::non_finite)),
      field("outputsEnd", &CsdJobReport::outputs), field("dimsEnd", &CsdJobReport::dims),
      field("tokensEnd", &CsdJobReport::tokens), field("alphaEnd", &CsdJobReport::alpha));
}

/// A page that the engine requested, and the job of the call.
struct CsdPageReport {
  std::size_t job = 0;
  const system::PageRecord* page = nullptr;
};
constexpr auto record_of(const CsdPageReport*) {
  using core::field;
  constexpr auto page = [](auto member) {
    return [member](const CsdPageReport& of) { return of.page->*member; };
  };
  using Page = system::PageRecord;
  return core::row("CsdPage", field("job", &CsdPageReport::job), field("copy", page(&Page::kind)),
                   field("index", page(&Page::index)), field("channel", page(&Page::channel)),
                   field("asked", page(&Page::asked)), field("arrived", page(&Page::arrived)));
}

/// Femtoseconds in which the bus of a channel carried commands and data; beats that arrived, beats
/// that its filter passed, and engine cycles in which a beat waited.
struct CsdChannel {
  core::Fs command;
  core::Fs data;
  std::uint64_t beats = 0;
  std::uint64_t kept = 0;
  std::uint64_t stalled = 0;
};
constexpr auto record_of(const CsdChannel*) {
  using core::field;
  return core::row("CsdChannel", field("command", &CsdChannel::command),
                   field("data", &CsdChannel::data), field("beats", &CsdChannel::beats),
                   field("beatsKept", &CsdChannel::kept),
                   core::in("cycles", field("stalled", &CsdChannel::stalled)));
}

/// Strobes of the engine by number, and of a kernel.
struct CsdEngineCounts {
  std::array<std::uint64_t, unit::SparfEvents::kEngine> counts{};
};
struct CsdKernelCounts {
  std::array<std::uint64_t, unit::SparfEvents::kKernel> counts{};
};
template <std::size_t Event>
constexpr auto count_field(const char* name) {
  return core::field(
      name, [](auto& of) -> auto& { return of.counts[Event]; });
}
template <std::size_t Event>
constexpr auto cycle_field(const char* name) {
  return core::in("cycles", count_field<Event>(name));
}
constexpr auto record_of(const CsdEngineCounts*) {
  return core::record("CsdEngine", count_field<0>("pagesRead"), count_field<1>("pagesProgrammed"),
                      count_field<2>("dramReads"), count_field<3>("dramWrites"),
                      count_field<4>("headsBegun"), count_field<5>("headsDone"),
                      count_field<6>("appends"), cycle_field<7>("busy"));
}
constexpr auto record_of(const CsdKernelCounts*) {
  return core::row("CsdKernel", cycle_field<0>("rankLogits"), cycle_field<1>("logits"),
                   cycle_field<2>("rank"), cycle_field<3>("softmax"), cycle_field<4>("attend"),
                   cycle_field<5>("fold"), cycle_field<6>("waitKeys"), cycle_field<7>("waitValues"),
                   cycle_field<8>("blocked"));
}

/// Flash operations of a device since its creation, and in this run alone. The garbage collection
/// of the filling of heads, before a run, does not count for the run.
struct CsdWrites {
  flash::KvCounters flash;
  flash::KvCounters before;  ///< when the run began
  std::uint64_t failed_programs = 0;
};
constexpr auto record_of(const CsdWrites*) {
  using core::field;
  constexpr auto count = [](auto member) {
    return [member](const CsdWrites& of) { return of.flash.*member; };
  };
  constexpr auto in_run = [](auto member) {
    return [member](const CsdWrites& of) { return of.flash.*member - of.before.*member; };
  };
  using Counters = flash::KvCounters;
  return core::record(
      "CsdWrites", field("pagesWritten", count(&Counters::host_writes)),
      field("pagesMoved", count(&Counters::moves)), field("erases", count(&Counters::erases)),
      field("mostErases", count(&Counters::most_erases)),
      field("leastErases", count(&Counters::least_erases)),
      field("runMoves", in_run(&Counters::moves)), field("runErases", in_run(&Counters::erases)),
      field("failedPrograms", &CsdWrites::failed_programs));
}

struct CsdDeviceReport {
  const system::CsdRunResult* run = nullptr;
  core::Clock clock;
  CsdEngineCounts engine;
  std::vector<CsdChannel> channels;
  std::vector<CsdKernelCounts> kernels;
  CsdWrites writes;
  RunTimes times;
};
constexpr auto record_of(const CsdDeviceReport*) {
  using core::field;
  constexpr auto run = [](auto member) {
    return [member](const CsdDeviceReport& of) -> auto& { return of.run->*member; };
  };
  using Result = system::CsdRunResult;
  return core::record(
      "CsdDevice",
      ending_fields(
          [](const CsdDeviceReport& of) -> auto& { return of.run->error; },
          [](const CsdDeviceReport& of) -> auto& { return of.clock; }),
      field("cycles", run(&Result::cycles)),
      core::in("cycles", field("skipped", run(&Result::skipped))), field("end", run(&Result::end)),
      field("engine", &CsdDeviceReport::engine), field("channels", &CsdDeviceReport::channels),
      field("kernels", &CsdDeviceReport::kernels), field("reads", run(&Result::reads)),
      field("writes", &CsdDeviceReport::writes), field("dram", run(&Result::dram)),
      field("link", run(&Result::link)), field("linkWires", run(&Result::link_wires)),
      field("times", &CsdDeviceReport::times));
}

/// The device that executes a job of the call.
struct CsdJobPlace {
  std::uint32_t device = 0;
  std::size_t job = 0;  ///< of the device
};
/// The results of a run; seconds of this machine.
struct CsdReport {
  std::vector<CsdJobPlace> places;
  system::CsdMachineResult result;
  std::vector<flash::KvCounters> writes_before;  ///< by device, when the run began
  std::vector<flash::KvCounters> writes;         ///< by device
  core::Clock clock;
  double seconds = 0;
};
/// Lists of all jobs, one behind another.
template <typename T>
[[nodiscard]] std::vector<T> joined(const CsdReport& of, auto list) {
  std::vector<T> all;
  for (const CsdJobPlace& place : of.places) {
    const auto& part = of.result.devices[place.device].jobs[place.job].*list;
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}
[[nodiscard]] std::vector<CsdJobReport> csd_jobs(const CsdReport& report);
[[nodiscard]] std::vector<CsdPageReport> csd_pages(const CsdReport& report);
[[nodiscard]] std::vector<CsdDeviceReport> csd_devices(const CsdReport& report);

constexpr auto record_of(const CsdReport*) {
  using core::field;
  using Job = system::CsdJobResult;
  return core::record(
      "CsdResult", field("jobs", csd_jobs),
      field("outputs", [](const CsdReport& of) { return joined<unit::Half>(of, &Job::outputs); }),
      field("dims", [](const CsdReport& of) { return joined<std::uint32_t>(of, &Job::dims); }),
      field("tokens", [](const CsdReport& of) { return joined<std::uint32_t>(of, &Job::tokens); }),
      field("alpha", [](const CsdReport& of) { return joined<double>(of, &Job::alpha); }),
      field("pages", csd_pages), field("devices", csd_devices),
      field(
          "machine", [](const CsdReport& of) -> auto& { return of.result.machine; }),
      field(
          "sharedLink", [](const CsdReport& of) -> auto& { return of.result.shared_link; }));
}

}  // namespace neardata::api
