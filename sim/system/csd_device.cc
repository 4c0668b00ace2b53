// SPDX-License-Identifier: Apache-2.0
#include "system/csd_device.h"

#include <bit>
#include <map>
#include <utility>

#include "system/prompt_machine.h"

namespace neardata::system {

using unit::SparfOperation;

namespace {

std::unexpected<core::SimError> refuse(std::string place, std::string message) {
  return std::unexpected(
      core::SimError{core::Fault::kBadConfig, std::move(place), std::move(message), core::Fs{}});
}

}  // namespace

core::Expected<void> CsdDevice::check(const CsdConfig& config, const rtl::SparfPlugin* plugin) {
  const unit::SparfParameters& unit = config.parameters;
  if (config.clock < core::Hertz{1} || config.clock > core::Hertz{1'000'000'000'000'000}) {
    return refuse("clock", "a clock has 1 Hz to 10^15 Hz");
  }
  if (unit.channels == 0 || unit.kernels == 0 || unit.slots == 0 || unit.tags == 0 ||
      unit::SparfEvents(unit.channels, unit.kernels).count() > unit::SparfEvents::kMost) {
    return refuse("engine", "its events (8 + 3 a channel + 9 a kernel) do not fit 64 bits");
  }
  if (unit.channels != config.flash.shape.channels) {
    return refuse("engine", "it has " + std::to_string(unit.channels) + " channels and the flash " +
                                std::to_string(config.flash.shape.channels));
  }
  const std::uint32_t page = config.cache.page_bytes;
  if (!std::has_single_bit(unit.width) || !std::has_single_bit(page) || page < 2 * unit.width ||
      page / (2 * unit.width) > unit.max_page_rows) {
    return refuse("engine", "a page of " + std::to_string(page) + " bytes holds no 1 to " +
                                std::to_string(unit.max_page_rows) + " rows of " +
                                std::to_string(unit.width) + " values");
  }
  if (2 * std::uint64_t{unit.kernels} * unit.tags > 0x10000 ||
      unit.max_group * unit::row_lines(unit.width) > KvCache::kJobLines / 2) {
    return refuse("engine",
                  "it has more tags than 16 bits or rows that a job's buffer cannot hold");
  }
  if (config.flash.ticks_per_ns < 1 || config.link.bytes_per_second < 1 ||
      config.cache.blocks.blocks < 2 || config.cache.blocks.pages < 1) {
    return refuse("device",
                  "ticks, link rate and blocks are positive, two blocks a plane at least");
  }
  if (plugin == nullptr) return {};
  const NeardataSparfPlugin& api = plugin->api();
  if (api.channels != unit.channels || api.kernels != unit.kernels || api.slots != unit.slots ||
      api.width != unit.width || api.max_keys != unit.max_keys) {
    return refuse(config.plugin, "the plug-in was built for other parameters");
  }
  return {};
}

bool CsdDevice::restore(const KvCache& kept) {
  if (!(kept.config() == config_.cache)) return false;
  cache_ = kept;
  return true;
}

std::optional<std::string> CsdDevice::refuses(const std::vector<CsdJob>& jobs) const {
  std::map<KvHeadId, std::uint32_t> tokens;
  for (const CsdJob& job : jobs) {
    const auto [of, fresh] = tokens.try_emplace(job.head);
    if (fresh) of->second = cache_.describe(job.head).tokens;
    if (auto why = refuses(job, of->second)) return why;
    if (job.operation == SparfOperation::kAppend) ++of->second;
  }
  return std::nullopt;
}

std::optional<std::string> CsdDevice::refuses(const CsdJob& job, std::uint32_t tokens) const {
  const unit::SparfParameters& unit = config_.parameters;
  const bool append = job.operation == SparfOperation::kAppend;
  if (job.group < 1 || job.group > unit.max_group) {
    return "the engine takes groups of 1 to " + std::to_string(unit.max_group) + " queries";
  }
  const std::size_t rows = append ? 2 : job.group;
  if (job.rows.size() != rows * unit.width) {
    return "a row has " + std::to_string(unit.width) + " values";
  }
  if (append) {
    if (tokens < unit.max_keys) return std::nullopt;
    return "the engine takes " + std::to_string(unit.max_keys) + " tokens of a head";
  }
  if (tokens == 0) return "a head without tokens was asked for";
  if (std::uint64_t{job.group} * tokens > unit.max_keys) {
    return "tokens times queries of a group are more than the engine's " +
           std::to_string(unit.max_keys);
  }
  if (job.operation == SparfOperation::kSparse && (job.k < 1 || job.r < 1 || job.r > unit.width)) {
    return "a sparse job chooses tokens, and 1 to " + std::to_string(unit.width) + " dimensions";
  }
  return std::nullopt;
}

CsdRunResult CsdDevice::run(const std::vector<CsdJob>& jobs, const CsdRunOptions& options,
                            CsdWatcher& watcher) {
  return CsdMachine(config_, plugin_, cache_, jobs, options).run(watcher);
}

CsdRunResult CsdDevice::write(const std::vector<Prompt>& prompts, const CsdRunOptions& options,
                              CsdWatcher& watcher) {
  return PromptMachine(config_, cache_, prompts, options).run(watcher);
}

}  // namespace neardata::system
