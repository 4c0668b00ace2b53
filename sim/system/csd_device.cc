// SPDX-License-Identifier: Apache-2.0
#include "system/csd_device.h"

#include <map>
#include <utility>

namespace neardata::system {

using unit::SparfOperation;

bool CsdDevice::restore(const KvCache& kept) {
  if (!(kept.config() == config_.cache)) return false;
  KvCache restored = kept;
  restored.avoid_ids_of(cache_);
  cache_ = std::move(restored);
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

core::MachineRecord CsdDevice::describe() { return describe_csd(config_, plugin_, cache_); }

CsdRunResult CsdDevice::run(const std::vector<CsdJob>& jobs, const CsdRunOptions& options,
                            RunWatcher& watcher) {
  return run_csd(config_, plugin_, cache_, jobs, options, watcher);
}

CsdRunResult CsdDevice::write(const std::vector<Prompt>& prompts, const CsdRunOptions& options,
                              RunWatcher& watcher) {
  return run_prompts(config_, cache_, prompts, options, watcher);
}

}  // namespace neardata::system
