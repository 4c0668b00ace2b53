// SPDX-License-Identifier: Apache-2.0
//
// The flash back end seen from JavaScript: synchronous batch calls (src/flash/binding.ts has the
// types). `device` and `where` are those of flash_marshal.h.
//
//   flashReplay(device & {submit, batch, operation, where}) -> pages
//   flashChains(device & {firstStep, firstPage, where, inFlight}) -> pages & {started, finished}
//   flashReads(device & policy & {where}) -> {status, attempts, correctedBits, done} & bus
//   flashKv(shape & {script}) -> {work, workAfter, located, full, counters}
#pragma once

#include <napi.h>

namespace neardata::native {

/// Adds the flash calls to the module's exports.
void register_flash(Napi::Env env, Napi::Object exports);

/// Parts of the above, each in a file of its own.
void register_flash_reads(Napi::Env env, Napi::Object exports);
void register_flash_kv(Napi::Env env, Napi::Object exports);

}  // namespace neardata::native
