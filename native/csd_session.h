// SPDX-License-Identifier: Apache-2.0
//
// Sessions of computational storage devices for JavaScript. A session is an opaque handle; sessions
// know nothing of each other and belong to the environment that opened them.
//
//   csdOpen(config) -> handle                                      loads the plug-in, if any
//   csdSequence(handle, device, heads, dimsPerPage, padded) -> id
//   csdPages(handle, device, sequence, head, keys, values) -> pages    Uint16Arrays of rows
//   csdPrefill(handle, device, sequence, head, pages)
//   csdKeep(handle) -> filled                                      what the devices hold
//   csdRestore(handle, filled)                                     they hold it again
//   csdCloseSequence(handle, device, sequence)
//   csdPlant(handle, device, sequence, head, kind, index, bit)     turns a bit of a page over
//   csdDescribe(handle) -> parts and edges                 machine_record.h
//   csdRun(handle, run, progress) -> Promise                       off the JS thread; csd_result.h
//   csdWrite(handle, prompts, progress) -> Promise                 likewise; csd_prompts.cc
//   csdCancel(handle)                                              ends the present run
//   csdClose(handle)                                               frees the devices
//
// `progress(jobsDone, jobs)` is called on the JS thread now and then. A handle that runs refuses
// everything but cancel; a closed one refuses everything but close. Nothing is read from or written
// to JavaScript's memory while a run is under way.
#pragma once

#include <napi.h>

namespace neardata::native {

/// Adds the functions above to the module's exports.
void register_csd_session(Napi::Env env, Napi::Object exports);

}  // namespace neardata::native
