// SPDX-License-Identifier: Apache-2.0
#include "api/csd/csd_records.h"

#include <cmath>
#include <string>

namespace neardata::api {

core::Answer<void> finish_record(const CsdFlash& flash) {
  if (auto good = finish_record(static_cast<const FlashDevice&>(flash)); !good) return good;
  if (auto good = check_package(flash.features.package); !good) return good;
  return check_blocks(flash, flash.blocks);
}

core::Answer<void> set_page_types(CsdFlash& flash, const std::vector<double>& ticks) {
  if (ticks.size() > flash::kMostPageTypes) return core::bad_input("has more than four");
  for (const double time : ticks) {
    if (!(time >= 0 && time <= limits::kLongestOperation && time == std::floor(time))) {
      return core::bad_input("has a time that is no whole number of ticks");
    }
    flash.timing.sense_of_type[flash.timing.page_types++] = {static_cast<std::int64_t>(time)};
  }
  return {};
}

core::Answer<void> set_error_factors(CsdReadPolicy& of, const std::vector<double>& factors) {
  for (const double factor : factors) {
    if (factor >= 0 && factor <= limits::kRetryGain.most) continue;
    return core::bad_input("has a factor that is not from 0 to " +
                           std::to_string(limits::kRetryGain.most));
  }
  of.policy.errors.by_page_type = factors;
  return {};
}

core::Answer<void> finish_record(CsdSpec& spec) {
  system::CsdConfig& config = spec.config;
  const CsdFlash& flash = spec.flash;
  if (config.model == system::UnitModel::kRtl && config.plugin.empty()) {
    return core::misuse("plugin is not a string");
  }
  const auto ticks = [&](double time) {
    return flash::Tick{static_cast<std::int64_t>(time * static_cast<double>(flash.ticks_per_ns))};
  };
  config.flash = {.timing = flash.timing,
                  .shape = flash.shape,
                  .arbitration = flash.arbitration,
                  .reads = spec.reads.policy,
                  .ecc = {.on = spec.ecc.on,
                          .codeword_bytes = spec.reads.policy.errors.codeword_bytes,
                          .parity_bytes = spec.ecc.parity_bytes,
                          .latency = ticks(spec.ecc.latency_ns),
                          .failed = ticks(spec.ecc.failed_ns),
                          .interval = ticks(spec.ecc.interval_ns)},
                  .ticks_per_ns = flash.ticks_per_ns,
                  .wires = flash.wires,
                  .floors = flash.floors,
                  .transposition = flash.transposition,
                  .translation = flash.translation};
  const CsdFeatures& features = flash.features;
  config.flash.timing.features = {.cache_read = features.cache_read,
                                  .cache_transfer = ticks(features.cache_transfer_ns),
                                  .independent_planes = features.independent_planes,
                                  .suspends = features.suspends,
                                  .suspend_command = ticks(features.suspend_command_ns),
                                  .suspend = ticks(features.suspend_ns),
                                  .run_least = ticks(features.run_least_ns),
                                  .most_suspends = features.most_suspends,
                                  .package = features.package};
  config.flash.reads.errors.parity_bytes = spec.ecc.on ? spec.ecc.parity_bytes : 0;
  config.flash.reads.retry_setup = ticks(spec.reads.retry_setup_ns);
  config.flash.reads.dead_timeout = ticks(spec.reads.dead_timeout_ns);
  config.flash.reads.dead_channels = flash.dead_channels;
  config.cache = {.device = flash.shape,
                  .blocks = flash.blocks,
                  .page_bytes = flash.page_bytes,
                  .width = config.parameters.width,
                  .max_tokens = config.parameters.max_tokens(),
                  .hot_pages = spec.hot_pages};
  return {};
}

}  // namespace neardata::api
