// SPDX-License-Identifier: Apache-2.0
//
// A run of a session of devices on threads of its own, beside a thread of the pool.
#pragma once

#include <napi.h>

#include "csd_config.h"
#include "csd_session_state.h"

namespace neardata::native {

/// Starts the run and returns its promise, which is always resolved with a result object. The
/// handle is kept alive, and the session marked as running, until then. The run is cancelled at its
/// next progress when the environment ends first or `progress` throws.
Napi::Value start_csd_run(Napi::Env env, Napi::Value handle, CsdSessionState& session,
                          CsdRunRequest request, Napi::Function progress);

}  // namespace neardata::native
