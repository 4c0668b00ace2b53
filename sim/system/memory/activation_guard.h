// SPDX-License-Identifier: Apache-2.0
//
// Bound: a bank is not activated more often than its device allows (RAAMMT) without a refresh or an
// RFM of the bank in between, whichever controller owns the rank. Independent of the counts by
// which the controllers issue RFMs. Counts the RFMs of the rank.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/time.h"
#include "dram/organization.h"
#include "dram/sink.h"

namespace neardata::system {

/// In activations of a bank.
struct ActivationLimits {
  std::uint32_t initial = 1;      ///< covered by an RFM of the bank (RAAIMT)
  std::uint32_t maximum = 1;      ///< of a bank that may not be activated (RAAMMT)
  std::uint32_t per_refresh = 0;  ///< covered by a refresh of the bank
};

/// Activations and RFMs of a rank, which a guard counts; transferred with the rank.
struct ActivationAccount {
  std::vector<std::uint32_t> activations;  ///< by bank, not covered; empty without limits
  std::int64_t managements = 0;            ///< RFMs of the rank
};

class ActivationGuard {
 public:
  /// Of one rank.
  ActivationGuard(std::string place, const dram::Organization& organization,
                  const std::optional<ActivationLimits>& limits);

  /// Whether it has limits.
  [[nodiscard]] bool checks() const { return limits_.has_value(); }
  /// The rank has received a command, in a cycle that ends at `time`; needs limits.
  [[nodiscard]] std::optional<core::SimError> command(const dram::IssuedCommand& issued,
                                                      core::Fs time);
  [[nodiscard]] const ActivationAccount& account() const { return account_; }
  /// Continues with the account of another guard of the rank.
  void take(const ActivationAccount& account) { account_ = account; }

 private:
  [[nodiscard]] core::SimError fault(std::uint32_t bank, core::Fs time) const;

  std::string place_;
  dram::Organization organization_;
  std::optional<ActivationLimits> limits_;
  ActivationAccount account_;
};

}  // namespace neardata::system
