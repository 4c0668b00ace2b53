// SPDX-License-Identifier: Apache-2.0
#include "api/csd/csd_report.h"

#include <algorithm>
#include <map>
#include <utility>

namespace neardata::api {

namespace {

/// The total and its rest, which no device accounts for, are those of all devices.
RunTimes device_times(const CsdReport& report, const system::CsdRunResult& run) {
  double rest = report.seconds;
  for (const system::CsdRunResult& device : report.result.devices) {
    rest -= device.engine_seconds + device.storage_seconds;
  }
  return {.unit = run.engine_seconds,
          .memory = run.storage_seconds,
          .engine = std::max(0.0, rest),
          .total = report.seconds};
}

JobStatus status_of(const system::CsdJobResult& job) {
  if (!job.finished) return JobStatus::kNotDone;
  if (job.refused) return JobStatus::kRefused;
  return job.unreadable ? JobStatus::kUnreadable : JobStatus::kDone;
}

}  // namespace

std::vector<CsdJobReport> csd_jobs(const CsdReport& report) {
  std::vector<CsdJobReport> all;
  CsdJobReport last;
  for (const CsdJobPlace& place : report.places) {
    const system::CsdJobResult& job = report.result.devices[place.device].jobs[place.job];
    last = {.job = &job,
            .status = status_of(job),
            .outputs = last.outputs + job.outputs.size(),
            .dims = last.dims + job.dims.size(),
            .tokens = last.tokens + job.tokens.size(),
            .alpha = last.alpha + job.alpha.size()};
    all.push_back(last);
  }
  return all;
}

std::vector<CsdPageReport> csd_pages(const CsdReport& report) {
  std::map<std::pair<std::uint32_t, std::size_t>, std::size_t> job_of_call;
  for (const CsdJobPlace& place : report.places) {
    job_of_call.emplace(std::pair(place.device, place.job), job_of_call.size());
  }
  std::vector<CsdPageReport> pages;
  for (std::uint32_t d = 0; d < report.result.devices.size(); ++d) {
    for (const system::PageRecord& page : report.result.devices[d].pages) {
      pages.push_back({.job = job_of_call[{d, page.job}], .page = &page});
    }
  }
  return pages;
}

std::vector<CsdDeviceReport> csd_devices(const CsdReport& report) {
  constexpr std::uint32_t kEngine = unit::SparfEvents::kEngine;
  constexpr std::uint32_t kKernel = unit::SparfEvents::kKernel;
  std::vector<CsdDeviceReport> all;
  for (std::size_t d = 0; d < report.result.devices.size(); ++d) {
    const system::CsdRunResult& run = report.result.devices[d];
    CsdDeviceReport device{.run = &run,
                           .clock = report.clock,
                           .engine = {},
                           .channels = {},
                           .kernels = {},
                           .writes = {.flash = report.writes[d],
                                      .before = report.writes_before[d],
                                      .failed_programs = run.failed_programs},
                           .times = device_times(report, run)};
    const auto& totals = run.events.totals();
    std::copy_n(totals.begin(), kEngine, device.engine.counts.begin());
    const auto channels = static_cast<std::uint32_t>(run.bus_data.size());
    for (std::uint32_t c = 0; c < channels; ++c) {
      device.channels.push_back({.command = run.bus_command[c],
                                 .data = run.bus_data[c],
                                 .beats = totals[kEngine + c],
                                 .kept = totals[kEngine + channels + c],
                                 .stalled = totals[kEngine + 2 * channels + c]});
    }
    for (std::uint32_t at = kEngine + 3 * channels; at < run.events.count(); at += kKernel) {
      std::copy_n(totals.begin() + at, kKernel, device.kernels.emplace_back().counts.begin());
    }
    all.push_back(std::move(device));
  }
  return all;
}

}  // namespace neardata::api
