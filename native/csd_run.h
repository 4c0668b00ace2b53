// SPDX-License-Identifier: Apache-2.0
//
// A run of the devices of a session.
#pragma once

#include <napi.h>

#include "csd_config.h"
#include "csd_session_state.h"

namespace neardata::native {

/// Starts the run and returns its promise, which is resolved with a result object whatever becomes
/// of the devices. The handle is kept alive, and the session marked as running, until then.
Result start_csd_run(Napi::Env env, Napi::Value handle, CsdSessionState& session,
                     CsdRunRequest request, Napi::Function progress);

}  // namespace neardata::native
