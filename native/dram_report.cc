// SPDX-License-Identifier: Apache-2.0
#include "dram_report.h"

#include <string>

#include "typed_array.h"

namespace neardata::native {

namespace {

Napi::Number count(Napi::Env env, std::uint64_t value) {
  return Napi::Number::New(env, static_cast<double>(value));
}

Napi::Object latency(Napi::Env env, const dram::LatencyHistogram& histogram) {
  const auto cycles = [env](dram::Cycle cycle) {
    return Napi::Number::New(env, static_cast<double>(cycle.value));
  };
  Napi::Object out = Napi::Object::New(env);
  out.Set("count", count(env, histogram.count()));
  out.Set("mean", Napi::Number::New(env, histogram.mean()));
  out.Set("p50", cycles(histogram.quantile(0.5)));
  out.Set("p99", cycles(histogram.quantile(0.99)));
  out.Set("largest", cycles(histogram.largest()));
  return out;
}

}  // namespace

Napi::Object dram_report(Napi::Env env, const dram::Statistics& statistics) {
  Napi::Object commands = Napi::Object::New(env);
  for (std::size_t c = 0; c < dram::kCommands; ++c) {
    const std::string name(dram::name(static_cast<dram::Command>(c)));
    commands.Set(name, count(env, statistics.commands[c]));
  }
  const NewArray<double> banks(env, 5 * statistics.banks.size());
  for (std::size_t b = 0; b < statistics.banks.size(); ++b) {
    const dram::BankStatistics& bank = statistics.banks[b];
    std::size_t at = 5 * b;
    for (const std::uint64_t value :
         {bank.hits, bank.misses, bank.conflicts, bank.reads, bank.writes}) {
      banks.data[at++] = static_cast<double>(value);
    }
  }
  Napi::Object out = Napi::Object::New(env);
  out.Set("commands", commands);
  out.Set("reads", count(env, statistics.reads));
  out.Set("writes", count(env, statistics.writes));
  out.Set("forwardedReads", count(env, statistics.forwarded_reads));
  out.Set("readQueueCycles", count(env, statistics.read_queue_cycles));
  out.Set("writeQueueCycles", count(env, statistics.write_queue_cycles));
  out.Set("activeQueueCycles", count(env, statistics.active_queue_cycles));
  out.Set("readLatency", latency(env, statistics.read_latency));
  out.Set("writeLatency", latency(env, statistics.write_latency));
  out.Set("banks", banks.value);
  return out;
}

}  // namespace neardata::native
