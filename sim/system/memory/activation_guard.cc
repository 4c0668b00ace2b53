// SPDX-License-Identifier: Apache-2.0
#include "system/memory/activation_guard.h"

#include <algorithm>
#include <utility>

#include "dram/addressed_banks.h"

namespace neardata::system {

ActivationGuard::ActivationGuard(std::string place, const dram::Organization& organization,
                                 const std::optional<ActivationLimits>& limits)
    : place_(std::move(place)), organization_(organization), limits_(limits) {
  if (limits_) account_.activations.assign(organization.banks_per_rank(), 0);
}

std::optional<core::SimError> ActivationGuard::command(const dram::IssuedCommand& issued,
                                                       core::Fs time) {
  const std::uint32_t banks = organization_.banks_per_rank();
  const bool managed = issued.effect.action == dram::Action::kManage;
  if (issued.effect.refreshes()) {
    if (managed) ++account_.managements;
    const std::uint32_t covered = managed ? limits_->initial : limits_->per_refresh;
    dram::each_addressed(organization_, issued, [&](std::uint32_t bank) {
      std::uint32_t& count = account_.activations[bank % banks];
      count -= std::min(count, covered);
    });
    return std::nullopt;
  }
  if (issued.effect.action != dram::Action::kOpen) return std::nullopt;
  const std::uint32_t bank = organization_.bank_of(issued.where) % banks;
  if (account_.activations[bank] >= limits_->maximum) return fault(bank, time);
  ++account_.activations[bank];
  return std::nullopt;
}

core::SimError ActivationGuard::fault(std::uint32_t bank, core::Fs time) const {
  return {core::Fault::kPhysics, place_,
          "bank " + std::to_string(bank) + " is activated after " +
              std::to_string(account_.activations[bank]) +
              " activations that no refresh and no RFM covers, and the limit (RAAMMT) is " +
              std::to_string(limits_->maximum),
          time};
}

}  // namespace neardata::system
