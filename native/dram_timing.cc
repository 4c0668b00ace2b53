// SPDX-License-Identifier: Apache-2.0
#include "dram_timing.h"

#include <array>

namespace neardata::native {

namespace {

struct TimingField {
  const char* name;
  dram::Cycle dram::Timing::*field;
};

using dram::Timing;
constexpr std::array kTimingFields = {
    TimingField{"nBL", &Timing::nBL},
    TimingField{"nCL", &Timing::nCL},
    TimingField{"nRCD", &Timing::nRCD},
    TimingField{"nRP", &Timing::nRP},
    TimingField{"nRAS", &Timing::nRAS},
    TimingField{"nRC", &Timing::nRC},
    TimingField{"nWR", &Timing::nWR},
    TimingField{"nRTP", &Timing::nRTP},
    TimingField{"nCWL", &Timing::nCWL},
    TimingField{"nPPD", &Timing::nPPD},
    TimingField{"nCCDS", &Timing::nCCDS},
    TimingField{"nCCDS_WR", &Timing::nCCDS_WR},
    TimingField{"nCCDS_WTR", &Timing::nCCDS_WTR},
    TimingField{"nCCDL", &Timing::nCCDL},
    TimingField{"nCCDL_WR", &Timing::nCCDL_WR},
    TimingField{"nCCDL_WTR", &Timing::nCCDL_WTR},
    TimingField{"nRRDS", &Timing::nRRDS},
    TimingField{"nRRDL", &Timing::nRRDL},
    TimingField{"nFAW", &Timing::nFAW},
    TimingField{"nRFC1", &Timing::nRFC1},
    TimingField{"nRFCsb", &Timing::nRFCsb},
    TimingField{"nREFSBRD", &Timing::nREFSBRD},
    TimingField{"nREFI", &Timing::nREFI},
    TimingField{"nCS", &Timing::nCS},
};
static_assert(sizeof(Timing) == kTimingFields.size() * sizeof(dram::Cycle));

}  // namespace

Timing read_dram_timing(const Reader& from) {
  Timing timing;
  for (const TimingField& field : kTimingFields) {
    timing.*field.field = dram::Cycle{from.whole(field.name, limits::kExact)};
  }
  return timing;
}

}  // namespace neardata::native
