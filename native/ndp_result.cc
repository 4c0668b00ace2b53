// SPDX-License-Identifier: Apache-2.0
#include "ndp_result.h"

#include <algorithm>
#include <vector>

#include "fault.h"
#include "machine_record.h"
#include "number.h"
#include "typed_array.h"

namespace neardata::native {

namespace {

Numbers jobs_of(const system::NdpRunResult& result, const core::Clock& clock) {
  Numbers out;
  for (const system::JobSpan& job : result.jobs) {
    out.push_back(number(clock.at_or_after(job.taken).value));
    out.push_back(number(clock.at_or_after(job.done).value));
  }
  return out;
}

Napi::Object series_of(Napi::Env env, const unit::NdpEvents& events) {
  const auto& series = events.series();
  Numbers bins;
  for (std::size_t i = 0; i < series.used(); ++i) {
    for (const std::uint64_t count : series.bins()[i]) bins.push_back(number(count));
  }
  Napi::Object out = Napi::Object::New(env);
  out.Set("width", number(series.width()));
  out.Set("bins", to_js(env, bins));
  return out;
}

Numbers phases_of(const unit::NdpEvents& events) {
  Numbers out;
  for (const auto& span : events.phases()) {
    out.push_back(number(static_cast<unsigned>(span.phase)));
    out.push_back(number(span.begin));
    out.push_back(number(span.end));
  }
  return out;
}

/// Which fields of a location a command has.
struct CommandFields {
  bool bank;
  bool row;
  bool column;
};

CommandFields fields_of(dram::Command command) {
  switch (command) {
    case dram::Command::kActivate:
      return {true, true, false};
    case dram::Command::kRead:
    case dram::Command::kWrite:
      return {true, true, true};
    case dram::Command::kPrecharge:
      return {true, false, false};
    case dram::Command::kPrechargeAll:
    case dram::Command::kRefreshAll:
    case dram::Command::kPrechargeSame:
    case dram::Command::kRefreshSame:
      return {false, false, false};
  }
  return {false, false, false};
}

Numbers commands_of(const std::vector<system::StreamCommand>& commands) {
  Numbers out;
  out.reserve(commands.size() * 7);
  for (const auto& [stream, issued] : commands) {
    const CommandFields has = fields_of(issued.command);
    out.push_back(number(stream));
    out.push_back(number(issued.cycle.value));
    out.push_back(number(dram::index(issued.command)));
    out.push_back(has.bank ? number(issued.where.bank_group) : -1);
    out.push_back(has.bank ? number(issued.where.bank) : -1);
    out.push_back(has.row ? number(issued.where.row) : -1);
    out.push_back(has.column ? number(issued.where.column) : -1);
  }
  return out;
}

Napi::Object times_of(Napi::Env env, const std::vector<core::ComponentTime>& times,
                      double wall_seconds) {
  double unit = 0;
  double memory = 0;
  for (const core::ComponentTime& time : times) {
    if (time.name.starts_with("sub-channel")) memory += time.seconds;
    if (time.name == "NDP unit") unit += time.seconds;
  }
  Napi::Object out = Napi::Object::New(env);
  out.Set("unit", unit);
  out.Set("memory", memory);
  out.Set("engine", std::max(0.0, wall_seconds - unit - memory));
  out.Set("total", wall_seconds);
  return out;
}

}  // namespace

Napi::Value ports_to_js(Napi::Env env, const std::vector<system::PortCounters>& ports) {
  Numbers out;
  for (const system::PortCounters& p : ports) {
    for (const double value :
         {number(p.read_bursts), number(p.write_bursts), number(p.row_hits), number(p.row_misses),
          number(p.row_conflicts), number(p.activates), number(p.precharges), number(p.refreshes),
          number(p.refresh_cycles), number(p.bus_cycles), number(p.rank_refreshes),
          number(p.refreshes_due)}) {
      out.push_back(value);
    }
  }
  return to_js(env, out);
}

Napi::Value host_spans_to_js(Napi::Env env, const std::optional<system::HostSpans>& spans) {
  Numbers out;
  if (spans) {
    for (const core::Fs time :
         {spans->inputs, spans->commanded, spans->ended, spans->seen, spans->outputs}) {
      out.push_back(time == core::kNever ? -1 : number(time.value));
    }
  }
  return to_js(env, out);
}

Napi::Object ndp_result_to_js(Napi::Env env, const system::NdpRunResult& result,
                              const core::Clock& unit_clock, double wall_seconds) {
  const unit::NdpEvents& events = result.events;
  Napi::Object out = Napi::Object::New(env);
  set_fault(out, result.error, unit_clock);
  out.Set("cycles", number(result.cycles.value));
  out.Set("skipped", number(result.skipped));
  out.Set("end", number(result.end.value));
  out.Set("jobs", to_js(env, jobs_of(result, unit_clock)));
  out.Set("events", to_js(env, Numbers(events.totals().begin(), events.totals().end())));
  out.Set("bytesRead", number(events.bytes_read()));
  out.Set("series", series_of(env, events));
  out.Set("phases", to_js(env, phases_of(events)));
  out.Set("ports", ports_to_js(env, result.ports));
  out.Set("commands", to_js(env, commands_of(result.commands)));
  out.Set("host", host_spans_to_js(env, result.host));
  out.Set("machine", machine_to_js(env, result.machine));
  out.Set("times", times_of(env, result.times, wall_seconds));
  return out;
}

}  // namespace neardata::native
