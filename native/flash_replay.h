// SPDX-License-Identifier: Apache-2.0
//
// The flash back end seen from JavaScript: two synchronous batch calls. Times are integer ticks in
// Float64Arrays; a read's data-out start is NaN for operations without one.
//
//   flashReplay(device & {submit, batch, operation, where}) -> pages
//   flashChains(device & {firstStep, firstPage, where, inFlight}) -> pages & {started, finished}
//
// device = {channels, dies, planes, commandFirst, times}; times = [bus per two bytes, sense,
// program, erase, then read, program and erase commands for 1 .. planes planes]. `where` has six
// numbers a page: channel, die, plane, block, page, bytes. pages = {command, dataOut, done, planes,
// busCommand, busData}, the last two by channel.
#pragma once

#include <napi.h>

namespace neardata::native {

/// Adds `flashReplay` and `flashChains` to the module's exports.
void register_flash(Napi::Env env, Napi::Object exports);

}  // namespace neardata::native
