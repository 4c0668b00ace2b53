// SPDX-License-Identifier: Apache-2.0
//
// The timing parameters of a device in cycles, under the names of JESD79-5. Constraints between
// commands are rows of their own (constraints.h); the values come from a preset with its sources or
// from a user. There are no defaults: a missing value is an error of the caller that fills this in.
#pragma once

#include "dram/types.h"

namespace neardata::dram {

struct Timing {
  Cycle nBL;        ///< data bus time of one access
  Cycle nCL;        ///< RD to first data
  Cycle nRCD;       ///< ACT to RD or WR
  Cycle nRP;        ///< PRE to ACT
  Cycle nRAS;       ///< ACT to PRE
  Cycle nRC;        ///< ACT to ACT, same bank
  Cycle nWR;        ///< last write data to PRE
  Cycle nRTP;       ///< RD to PRE
  Cycle nCWL;       ///< WR to first data
  Cycle nPPD;       ///< PRE to PRE, same rank
  Cycle nCCDS;      ///< RD to RD, other bank group
  Cycle nCCDS_WR;   ///< WR to WR, other bank group
  Cycle nCCDS_WTR;  ///< WR to RD, other bank group: nCWL + nBL + tWTR_S
  Cycle nCCDL;      ///< RD to RD, same bank group
  Cycle nCCDL_WR;   ///< WR to WR, same bank group
  Cycle nCCDL_WTR;  ///< WR to RD, same bank group: nCWL + nBL + tWTR_L
  Cycle nRRDS;      ///< ACT to ACT, other bank group
  Cycle nRRDL;      ///< ACT to ACT, same bank group
  Cycle nFAW;       ///< first to fifth ACT of a rank
  Cycle nRFC1;      ///< REFab to ACT
  Cycle nRFCsb;     ///< REFsb to ACT, same bank
  Cycle nREFSBRD;   ///< REFsb to ACT, other bank
  Cycle nREFI;      ///< average time between REFab of a rank
  Cycle nCS;        ///< gap on the data bus when the rank changes

  [[nodiscard]] constexpr Cycle read_latency() const { return nCL + nBL; }
};

}  // namespace neardata::dram
