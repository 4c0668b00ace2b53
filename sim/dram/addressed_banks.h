// SPDX-License-Identifier: Apache-2.0
//
// The banks that an issued command addresses.
#pragma once

#include <cstdint>

#include "dram/organization.h"
#include "dram/sink.h"

namespace neardata::dram {

/// Calls `visit` with each bank, counted through the channel.
template <typename Visit>
void each_addressed(const Organization& organization, const IssuedCommand& issued, Visit visit) {
  const Location& at = issued.where;
  const std::uint32_t banks = organization.banks_per_rank();
  switch (issued.effect.reach) {
    case Reach::kBank:
      visit(organization.bank_of(at));
      break;
    case Reach::kSameBank:
      for (std::uint32_t b = at.bank; b < banks; b += organization.banks_per_group) {
        visit(at.rank * banks + b);
      }
      break;
    case Reach::kRank:
      for (std::uint32_t b = 0; b < banks; ++b) visit(at.rank * banks + b);
      break;
  }
}

}  // namespace neardata::dram
