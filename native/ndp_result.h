// SPDX-License-Identifier: Apache-2.0
//
// What a run came to, as one plain object; typed arrays are copies that JavaScript owns.
//   fault      "none" or what ended the run, with place, message and cycle
//   cycles, skipped   unit cycles passed, and those among them that nobody simulated
//   end        the last instant, femtoseconds
//   jobs       by descriptor: cycle taken, cycle done
//   events     totals of the 16 strobes
//   bytesRead  by the unit
//   series     {width, bins}: cycles a bin; by bin 16 strobes and the bytes read
//   phases     triples: strobe, first cycle, cycle after the last
//   ports      by stream the fields of PortCounters in their order
//   commands   by command stream, cycle, kind, bank group, bank, row, column; -1 where it has none
//   host       the moments of HostSpans in their order, femtoseconds, -1 where one did not come; empty
//              where no host brings the jobs
//   times      wall-clock seconds: of the unit, the sub-channels, everything else in the engine
#pragma once

#include <napi.h>

#include <optional>
#include <vector>

#include "system/ndp_dimm.h"

namespace neardata::native {

/// Ten numbers a port.
Napi::Value ports_to_js(Napi::Env env, const std::vector<system::PortCounters>& ports);

Napi::Value host_spans_to_js(Napi::Env env, const std::optional<system::HostSpans>& spans);

Napi::Object ndp_result_to_js(Napi::Env env, const system::NdpRunResult& result,
                              const core::Clock& unit_clock, double wall_seconds);

}  // namespace neardata::native
