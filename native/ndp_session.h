// SPDX-License-Identifier: Apache-2.0
//
// Sessions of an NDP DIMM for JavaScript. A session is an opaque handle; sessions know nothing of
// each other and belong to the environment that opened them.
//
//   ndpOpen(config) -> handle                     builds the machine, loads its plug-in
//   ndpClear(handle)                              forgets all memory contents
//   ndpLoad(handle, stream, burst, bytes)         writes whole bursts of a sub-channel
//   ndpKeep(handle, stream) -> contents           what a sub-channel holds
//   ndpRestore(handle, stream, contents)          it, or one of another session, holds that again
//   ndpRead(handle, stream, burst, bursts)        -> Uint8Array
//   ndpDescribe(handle) -> parts and edges        machine_record.h
//   ndpRun(handle, options, progress) -> Promise  off the JS thread; see ndp_result.h
//   ndpCancel(handle)                             ends the present run as cancelled
//   ndpClose(handle)                              frees the machine
//
// `progress(cycles, bytesRead)` is called on the JS thread now and then. A handle that runs refuses
// everything but cancel; a closed one refuses everything but close. Nothing is read from or written
// to JavaScript's memory while a run is under way.
#pragma once

#include <napi.h>

namespace neardata::native {

/// Adds the functions above to the module's exports.
void register_ndp_session(Napi::Env env, Napi::Object exports);

}  // namespace neardata::native
