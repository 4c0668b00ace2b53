// SPDX-License-Identifier: Apache-2.0
#include "system/csd/csd_machine.h"

#include <algorithm>
#include <map>
#include <utility>

namespace neardata::system {

using unit::SparfOperation;

namespace {

/// Largest count in a descriptor.
constexpr std::uint32_t kMostCounted = 0xFFFF;
/// Tokens in a row of logits.
constexpr std::uint32_t kLogitTokens = 8;

/// The reason why a head with this number of tokens refuses the job, if any.
std::optional<std::string> refused(const unit::SparfParameters& unit, const CsdJob& job,
                                   std::uint32_t tokens) {
  const bool append = job.operation == SparfOperation::kAppend;
  if (job.group < 1 || job.group > unit.max_group) {
    return "the engine takes groups of 1 to " + std::to_string(unit.max_group) + " queries";
  }
  const std::size_t rows = append ? 2 : job.group;
  if (job.rows.size() != rows * unit.width) {
    return "a row has " + std::to_string(unit.width) + " values";
  }
  if (append) {
    const std::uint32_t most = std::min(unit.max_tokens(), kMostCounted);
    if (tokens < most) return std::nullopt;
    return "the engine takes " + std::to_string(most) + " tokens of a head";
  }
  if (tokens == 0) return "a head without tokens was asked for";
  if (tokens > kMostCounted) {
    return "the engine takes " + std::to_string(kMostCounted) + " tokens of a head";
  }
  const std::uint64_t rows_of_tokens = (std::uint64_t{tokens} + kLogitTokens - 1) / kLogitTokens;
  if (unit.keys(rows_of_tokens * kLogitTokens, job.group) > unit.max_keys) {
    return "tokens, in whole eights, times queries of a group" +
           std::string(unit.query_sets > 1 ? ", in sets of " + std::to_string(unit.query_sets) + ","
                                           : "") +
           " are more than the engine's " + std::to_string(unit.max_keys);
  }
  if (job.operation != SparfOperation::kSparse) return std::nullopt;
  if (job.k < 1 || job.k > kMostCounted || job.window > kMostCounted || job.r < 1 ||
      job.r > unit.width) {
    return "a sparse job chooses 1 to " + std::to_string(kMostCounted) +
           " tokens, of these a window of at most as many, and 1 to " + std::to_string(unit.width) +
           " dimensions";
  }
  return std::nullopt;
}

}  // namespace

bool CsdMachine::restore(const std::vector<KvCache>& kept) {
  const auto alike = [](const KvCache& a, const KvCache& b) { return a.config() == b.config(); };
  if (!std::ranges::equal(kept, caches_, alike)) return false;
  for (std::size_t d = 0; d < kept.size(); ++d) {
    KvCache restored = kept[d];
    restored.avoid_ids_of(caches_[d]);
    caches_[d] = std::move(restored);
  }
  return true;
}

std::optional<std::string> CsdMachine::refuses(std::size_t device,
                                               const std::vector<CsdJob>& jobs) const {
  std::map<KvHeadId, std::uint32_t> tokens;
  for (const CsdJob& job : jobs) {
    const auto [of, fresh] = tokens.try_emplace(job.head);
    if (fresh) of->second = caches_[device].describe(job.head).tokens;
    if (auto why = refused(config_.parameters, job, of->second)) return why;
    if (job.operation == SparfOperation::kAppend) ++of->second;
  }
  return std::nullopt;
}

}  // namespace neardata::system
