// SPDX-License-Identifier: Apache-2.0
#include "csd_result.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fault.h"
#include "machine_record.h"
#include "number.h"
#include "typed_array.h"

namespace neardata::native {

namespace {

double femtoseconds(core::Fs time) { return static_cast<double>(time.value); }

Numbers times_of(const std::vector<core::Fs>& times) {
  Numbers out;
  for (const core::Fs time : times) out.push_back(femtoseconds(time));
  return out;
}

void set_jobs(Napi::Object out, const CsdRuns& runs) {
  const Napi::Env env = out.Env();
  Numbers jobs;
  Numbers ends;
  std::vector<unit::Half> outputs;
  std::vector<std::uint32_t> dims;
  std::vector<std::uint32_t> tokens;
  std::vector<float> alpha;
  const auto append = [](auto& all, const auto& part) {
    all.insert(all.end(), part.begin(), part.end());
  };
  for (const CsdRunRequest::Place& place : runs.places) {
    const system::CsdJobResult& job = runs.result.devices[place.device].jobs[place.job];
    const double status = !job.finished ? 0 : job.refused ? 3 : job.unreadable ? 2 : 1;
    append(jobs,
           Numbers{status, number(job.dim_flash), number(job.token_flash), number(job.pages[0]),
                   number(job.pages[1]), number(job.pages[2]), femtoseconds(job.sent),
                   femtoseconds(job.taken), femtoseconds(job.done), femtoseconds(job.received)});
    append(outputs, job.outputs);
    append(dims, job.dims);
    append(tokens, job.tokens);
    append(alpha, job.alpha);
    append(ends, Numbers{number(outputs.size()), number(dims.size()), number(tokens.size()),
                         number(alpha.size())});
  }
  out.Set("jobs", to_js(env, jobs));
  out.Set("ends", to_js(env, ends));
  out.Set("outputs", to_js(env, outputs));
  out.Set("dims", to_js(env, dims));
  out.Set("tokens", to_js(env, tokens));
  out.Set("alpha", to_js(env, Numbers(alpha.begin(), alpha.end())));
}

Numbers pages_of(const CsdRuns& runs) {
  std::map<std::pair<std::uint32_t, std::size_t>, double> job_of_call;
  for (const CsdRunRequest::Place& place : runs.places) {
    job_of_call.emplace(std::pair(place.device, place.job), number(job_of_call.size()));
  }
  Numbers pages;
  for (std::uint32_t d = 0; d < runs.result.devices.size(); ++d) {
    for (const system::PageRecord& page : runs.result.devices[d].pages) {
      for (const double value :
           {job_of_call[{d, page.job}], number(static_cast<unsigned>(page.kind)),
            number(page.index), number(page.channel), femtoseconds(page.asked),
            femtoseconds(page.arrived)}) {
        pages.push_back(value);
      }
    }
  }
  return pages;
}

/// The time is that of all devices; so is what none of them took.
Napi::Object times_of(Napi::Env env, const system::CsdRunResult& run, const CsdRuns& runs) {
  double rest = runs.wall_seconds;
  for (const system::CsdRunResult& device : runs.result.devices) {
    rest -= device.engine_seconds + device.storage_seconds;
  }
  Napi::Object out = Napi::Object::New(env);
  out.Set("unit", run.engine_seconds);
  out.Set("memory", run.storage_seconds);
  out.Set("engine", std::max(0.0, rest));
  out.Set("total", runs.wall_seconds);
  return out;
}

Napi::Object device_of(Napi::Env env, const CsdRuns& runs, std::size_t d,
                       const core::Clock& clock) {
  const system::CsdRunResult& run = runs.result.devices[d];
  const flash::KvCounters& writes = runs.writes[d];
  Napi::Object out = Napi::Object::New(env);
  set_fault(out, run.error, clock);
  out.Set("cycles", number(run.cycles.value));
  out.Set("skipped", number(run.skipped));
  out.Set("end", femtoseconds(run.end));
  Numbers events;
  for (std::uint32_t e = 0; e < run.events.count(); ++e) {
    events.push_back(number(run.events.totals()[e]));
  }
  out.Set("events", to_js(env, events));
  out.Set("busCommand", to_js(env, times_of(run.bus_command)));
  out.Set("busData", to_js(env, times_of(run.bus_data)));
  const system::ReadCounters& reads = run.reads;
  out.Set("reads", to_js(env, Numbers{number(reads.clean), number(reads.retried),
                                      number(reads.uncorrectable), number(reads.channel_dead),
                                      number(reads.checksum), number(reads.corrected_bits),
                                      number(reads.hot), number(reads.moves_retried),
                                      number(reads.moves_lost)}));
  out.Set("writes", to_js(env, Numbers{number(writes.host_writes), number(writes.moves),
                                       number(writes.erases), number(writes.most_erases),
                                       number(writes.least_erases), number(run.failed_programs)}));
  out.Set("dram", to_js(env, Numbers{number(run.dram.in), number(run.dram.out)}));
  out.Set("link", to_js(env, Numbers{number(run.link.in), number(run.link.out)}));
  out.Set("times", times_of(env, run, runs));
  return out;
}

}  // namespace

Napi::Object csd_result_to_js(Napi::Env env, const CsdRuns& runs, const core::Clock& clock) {
  Napi::Object out = Napi::Object::New(env);
  set_jobs(out, runs);
  out.Set("pages", to_js(env, pages_of(runs)));
  Napi::Array devices = Napi::Array::New(env, runs.result.devices.size());
  for (std::size_t d = 0; d < runs.result.devices.size(); ++d) {
    devices.Set(static_cast<std::uint32_t>(d), device_of(env, runs, d, clock));
  }
  out.Set("devices", devices);
  out.Set("machine", machine_to_js(env, runs.result.machine));
  if (const auto& shared = runs.result.shared_link) {
    out.Set("sharedLink",
            to_js(env, Numbers{number(shared->traffic.in), number(shared->traffic.out),
                               femtoseconds(shared->busy_in), femtoseconds(shared->busy_out)}));
  }
  return out;
}

}  // namespace neardata::native
