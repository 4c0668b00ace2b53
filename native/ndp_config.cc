// SPDX-License-Identifier: Apache-2.0
#include "ndp_config.h"

#include <algorithm>
#include <optional>
#include <string>

#include "dram_config.h"
#include "reader.h"

namespace neardata::native {

namespace {

unit::NdpParameters read_parameters(const Reader& from) {
  return {.streams = from.whole32("streams"),
          .mult_per_stream = from.whole32("multipliersPerStream"),
          .lanes = from.whole32("lanes"),
          .bits_per_cycle = from.whole32("bitsPerCycle"),
          .buffer_bytes = from.whole32("bufferBytes"),
          .queue_bursts = from.whole32("queueBursts"),
          .act_lanes = from.whole32("activationLanes"),
          .max_tokens = from.whole32("maxTokens")};
}

system::BusLimits read_limits(const Reader& from) {
  return {.rate = {.pins = from.whole("pins", 1),
                   .transfers_per_second = from.whole("transfersPerSecond", 1)},
          .read_latency = core::Cycle{from.whole("readLatency")}};
}

system::IdealConfig read_ideal(const Reader& from) {
  system::IdealConfig config{.latency = core::Cycle{from.whole("latency")},
                             .burst_cycles = core::Cycle{from.whole("burstCycles")}};
  if (from.has("answers")) config.answers = static_cast<std::uint64_t>(from.whole("answers"));
  return config;
}

std::vector<unit::Descriptor> read_jobs(const Napi::Value& value, const Reader& from) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_uint32_array ||
      value.As<Napi::TypedArray>().ElementLength() % unit::kDescriptorWords != 0) {
    from.complain("descriptors is no Uint32Array of 20 words a descriptor");
    return {};
  }
  const auto words = value.As<Napi::Uint32Array>();
  std::vector<unit::Descriptor> jobs(words.ElementLength() / unit::kDescriptorWords);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    std::copy_n(words.Data() + j * unit::kDescriptorWords, unit::kDescriptorWords, jobs[j].begin());
  }
  return jobs;
}

}  // namespace

std::expected<system::NdpDimmConfig, Refusal> read_ndp_config(Napi::Value value) {
  std::optional<std::string> problem;
  const Reader from(value, "config", problem);
  if (problem) return misuse(*problem);
  system::NdpDimmConfig config;
  const std::string model = from.text("model");
  if (model != "rtl" && model != "cycle") from.complain("model is rtl or cycle");
  config.model = model == "rtl" ? system::UnitModel::kRtl : system::UnitModel::kCycle;
  if (model == "rtl") config.plugin = from.text("plugin");
  config.parameters = read_parameters(from.object("parameters"));
  config.unit_clock = core::Hertz{from.whole("unitClock", 1)};
  config.memory_clock = core::Hertz{from.whole("memoryClock", 1)};
  config.limits = read_limits(from.object("limits"));
  const Reader memory = from.object("memory");
  if (memory.text("kind") == "ideal") {
    config.memory = read_ideal(memory);
  } else {
    config.memory = read_dram_config(memory);
  }
  if (problem) return misuse(*problem);
  return config;
}

std::expected<NdpRunRequest, Refusal> read_ndp_run(Napi::Value value) {
  std::optional<std::string> problem;
  const Reader from(value, "run", problem);
  if (problem) return misuse(*problem);
  NdpRunRequest request;
  request.jobs = read_jobs(value.As<Napi::Object>().Get("descriptors"), from);
  system::NdpRunOptions& options = request.options;
  options.max_cycles = core::Cycle{from.whole("maxCycles")};
  options.kept_commands = static_cast<std::size_t>(from.whole("keepCommands"));
  if (from.has("stalls")) {
    const Reader stalls = from.object("stalls");
    options.pauses = {.seed = static_cast<std::uint64_t>(stalls.whole("seed")),
                      .probability = stalls.real("probability")};
    if (options.pauses.probability < 0 || options.pauses.probability > 0.99) {
      stalls.complain("probability is not in 0 to 0.99");
    }
  }
  if (from.has("waveform")) {
    const Reader waveform = from.object("waveform");
    options.trace = {.path = waveform.text("path"),
                     .from = core::Cycle{waveform.whole("from")},
                     .to = core::Cycle{waveform.whole("to")}};
  }
  if (problem) return misuse(*problem);
  return request;
}

}  // namespace neardata::native
