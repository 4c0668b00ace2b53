// SPDX-License-Identifier: Apache-2.0
#include "moe_result.h"

#include <algorithm>
#include <span>
#include <vector>

#include "fault.h"
#include "machine_record.h"
#include "ndp_result.h"
#include "number.h"
#include "typed_array.h"

namespace neardata::native {

namespace {

double moment(core::Fs time) { return time == core::kNever ? -1 : number(time.value); }

Numbers spans(const auto& list, auto begin, auto end) {
  Numbers out;
  for (const auto& span : list) {
    out.push_back(moment(span.*begin));
    out.push_back(moment(span.*end));
  }
  return out;
}

Numbers flows_of(const system::MoeResult& result) {
  Numbers out;
  for (std::size_t f = 0; f < result.flow_spans.size(); ++f) {
    const system::Flow& flow = result.flows[f];
    for (const double value :
         {number(flow.move), number(flow.source), number(flow.target), number(flow.bursts),
          moment(result.flow_spans[f].begin), moment(result.flow_spans[f].end)}) {
      out.push_back(value);
    }
  }
  return out;
}

Numbers links_of(const system::MoeResult& result, const core::Clock& clock) {
  Numbers out;
  for (const link::LinkReport& report : result.links) {
    const link::LinkCounters& c = report.counters;
    for (const double value :
         {number(report.from), number(report.to), number(c.packets), number(c.payload_bytes),
          number(c.wire_bytes), number(c.corrupt), number(c.out_of_order),
          moment(clock.edge({c.busy_cycles})), number(c.waits)}) {
      out.push_back(value);
    }
  }
  return out;
}

Numbers commands_of(const system::MoeResult& result) {
  Numbers out;
  out.reserve(result.commands.size() * 9);
  for (const system::RankCommand& command : result.commands) {
    const dram::Location& where = command.issued.where;
    for (const double value :
         {number(command.rank.dimm), number(command.rank.stream), command.host ? 1.0 : 0.0,
          number(command.issued.cycle.value), number(dram::index(command.issued.command)),
          number(where.bank_group), number(where.bank), number(where.row), number(where.column)}) {
      out.push_back(value);
    }
  }
  return out;
}

template <typename Item>
Napi::Array by_dimm(Napi::Env env, const std::vector<Item>& items, auto convert) {
  Napi::Array array = Napi::Array::New(env, items.size());
  for (std::uint32_t i = 0; i < items.size(); ++i) array.Set(i, convert(items[i]));
  return array;
}

}  // namespace

Napi::Object moe_result_to_js(Napi::Env env, const system::MoeResult& result,
                              const MoeBytes& outputs, const core::Clock& link_clock,
                              double wall_seconds) {
  Napi::Object out = Napi::Object::New(env);
  set_fault(out, result.error, link_clock);
  out.Set("end", moment(result.end));
  out.Set("jobs", by_dimm(env, result.jobs, [&](const std::vector<system::JobSpan>& jobs) {
            return to_js(env, spans(jobs, &system::JobSpan::taken, &system::JobSpan::done));
          }));
  out.Set("ports",
          by_dimm(env, result.ports, [&](const auto& ports) { return ports_to_js(env, ports); }));
  out.Set("moves",
          to_js(env, spans(result.moves, &system::TimeSpan::begin, &system::TimeSpan::end)));
  out.Set("flows", to_js(env, flows_of(result)));
  out.Set("links", to_js(env, links_of(result, link_clock)));
  out.Set("devices", by_dimm(env, result.devices, [&](const auto& tasks) {
            return to_js(env, spans(tasks, &system::TimeSpan::begin, &system::TimeSpan::end));
          }));
  Numbers transferring;
  for (const core::Fs time : result.transferring) transferring.push_back(moment(time));
  out.Set("transferring", to_js(env, transferring));
  out.Set("hostJobs", by_dimm(env, result.host_jobs, [&](const auto& spans_of_dimm) {
            return host_spans_to_js(env, spans_of_dimm);
          }));
  out.Set("host", by_dimm(env, result.host, [&](const system::HostCounters& host) {
            Numbers numbers{number(host.bursts), number(host.hand_overs)};
            for (const std::int64_t held : host.held) numbers.push_back(number(held));
            return to_js(env, numbers);
          }));
  out.Set("commands", to_js(env, commands_of(result)));
  out.Set("outputs", by_dimm(env, outputs, [&](const std::vector<std::byte>& bytes) {
            const NewArray<std::uint8_t> array(env, bytes.size());
            std::ranges::copy(bytes, std::as_writable_bytes(array.data).begin());
            return array.value;
          }));
  out.Set("machine", machine_to_js(env, result.machine));
  out.Set("wall", wall_seconds);
  return out;
}

}  // namespace neardata::native
