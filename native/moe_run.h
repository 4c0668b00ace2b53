// SPDX-License-Identifier: Apache-2.0
//
// Runs of a MoE machine for JavaScript:
//
//   moeRun(spec, progress) -> {done, cancel}
//
// `done` is a promise of one plain object, `cancel()` ends the run as cancelled; `progress(fs, 0)`
// is called on the JS thread now and then. The run has a thread of its own. Times of the
// result are femtoseconds, -1 for what did not happen:
//   fault, place, message   "none" or what ended the run
//   end        the last instant
//   jobs       by DIMM and descriptor: taken, done
//   ports      by DIMM: the numbers of each stream, see ndp_result.cc; empty where it took no part
//   moves      by move: begin, end
//   flows      by flow: move, source, target, bursts, begin, end
//   links      by link: from, to, packets, payload bytes, wire bytes, corrupt packets, packets out
//              of order, busy time, times without credit
//   devices    by device, first its tasks and then those that it fetches meanwhile, and expert that
//              ended: begin, end
//   transferring  by device: time in which PCIe carried data
//   host       by sub-channel: bursts, ranks taken from NDP, and by rank the memory cycles held
//   commands   the first keepCommands of the memories, in order of time, as nine numbers: DIMM,
//              stream, 1 for the host or 0, cycle, command, bank group, bank, row, column
//   outputs    by wanted output and stream: bytes
//   wall       seconds that the run took on this machine
#pragma once

#include <napi.h>

namespace neardata::native {

/// Adds the function above to the module's exports.
void register_moe(Napi::Env env, Napi::Object exports);

}  // namespace neardata::native
