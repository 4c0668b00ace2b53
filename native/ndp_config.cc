// SPDX-License-Identifier: Apache-2.0
#include "ndp_config.h"

#include <algorithm>
#include <string>

#include "dram_config.h"
#include "reader.h"
#include "run_options.h"
#include "unit/ndp_rules.h"

namespace neardata::native {

namespace {

unit::NdpParameters read_parameters(const Reader& from) {
  const unit::NdpParameters parameters{.streams = from.whole32("streams"),
                                       .mult_per_stream = from.whole32("multipliersPerStream"),
                                       .lanes = from.whole32("lanes"),
                                       .bits_per_cycle = from.whole32("bitsPerCycle"),
                                       .buffer_bytes = from.whole32("bufferBytes"),
                                       .queue_bursts = from.whole32("queueBursts"),
                                       .act_lanes = from.whole32("activationLanes"),
                                       .max_tokens = from.whole32("maxTokens")};
  if (const auto why = unit::refuses(parameters)) from.refuse(*why);
  return parameters;
}

system::BusLimits read_limits(const Reader& from) {
  return {.rate = {.pins = from.whole("pins", limits::kPins),
                   .transfers_per_second = from.whole("transfersPerSecond", limits::kTransfers)},
          .read_latency = core::Cycle{from.whole("readLatency", limits::kShortestRead)},
          .refresh = {core::Cycle{from.whole("refreshInterval", limits::kRefreshInterval)},
                      from.whole("refreshesPostponed", limits::kLatency),
                      core::Cycle{from.whole("refreshElapsed", limits::kRefreshInterval)}}};
}

system::IdealConfig read_ideal(const Reader& from) {
  system::IdealConfig config{
      .latency = core::Cycle{from.whole("latency", limits::kLatency)},
      .burst_cycles = core::Cycle{from.whole("burstCycles", limits::kLatency)}};
  if (from.has("answers")) {
    config.answers = static_cast<std::uint64_t>(from.whole("answers", limits::kExact));
  }
  return config;
}

/// In femtoseconds.
system::HostPath read_host(const Reader& from) {
  return {.command = core::Fs{from.whole("command", limits::kExact)},
          .poll = core::Fs{from.whole("poll", limits::kExact)}};
}

}  // namespace

std::uint64_t bursts_of(const system::NdpDimmConfig& config) {
  const auto* memory = std::get_if<system::DramConfig>(&config.memory);
  if (memory == nullptr) return limits::kIdealBursts;
  return memory->controller.organization.channel_bytes() / unit::kBurstBytes;
}

std::vector<unit::Descriptor> descriptors_of(std::span<const std::uint32_t> words) {
  std::vector<unit::Descriptor> jobs(words.size() / unit::kDescriptorWords);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(j * unit::kDescriptorWords),
                unit::kDescriptorWords, jobs[j].begin());
  }
  return jobs;
}

std::optional<std::string> refuses(const unit::NdpParameters& parameters,
                                   const std::vector<unit::Descriptor>& jobs) {
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (const auto why = unit::refuses(parameters, jobs[j])) {
      return "descriptor " + std::to_string(j) + ": " + *why;
    }
  }
  return std::nullopt;
}

std::expected<system::NdpDimmConfig, Refusal> read_ndp_config(Napi::Value value, const char* name) {
  Problem problem;
  const Reader from(value, name, problem);
  if (problem) return std::unexpected(*problem);
  system::NdpDimmConfig config;
  const std::string model = from.text("model");
  if (model != "rtl" && model != "cycle") from.complain("model is rtl or cycle");
  config.model = model == "rtl" ? system::UnitModel::kRtl : system::UnitModel::kCycle;
  if (model == "rtl") config.plugin = from.text("plugin");
  config.parameters = read_parameters(from.object("parameters"));
  config.unit_clock = core::Hertz{from.whole("unitClock", limits::kClock)};
  config.memory_clock = core::Hertz{from.whole("memoryClock", limits::kClock)};
  config.limits = read_limits(from.object("limits"));
  if (from.has("host")) config.host = read_host(from.object("host"));
  const Reader memory = from.object("memory");
  if (memory.text("kind") == "ideal") {
    config.memory = read_ideal(memory);
  } else {
    config.memory = read_dram_config(memory);
  }
  if (problem) return std::unexpected(*problem);
  return config;
}

std::expected<NdpRunRequest, Refusal> read_ndp_run(Napi::Value value) {
  Problem problem;
  const Reader from(value, "run", problem);
  if (problem) return std::unexpected(*problem);
  NdpRunRequest request;
  const auto words = from.array<std::uint32_t>("descriptors");
  system::NdpRunOptions& options = request.options;
  options.max_cycles = core::Cycle{from.whole("maxCycles", limits::kExact)};
  options.kept_commands = static_cast<std::size_t>(from.whole("keepCommands", limits::kKept));
  if (from.has("stalls")) options.pauses = read_stalls(from.object("stalls"));
  options.rtl = read_rtl_options(from);
  if (words.data().size() % unit::kDescriptorWords != 0) {
    from.complain("descriptors is no Uint32Array of 20 words a descriptor");
  }
  if (problem) return std::unexpected(*problem);
  request.jobs = descriptors_of(words.data());
  return request;
}

}  // namespace neardata::native
