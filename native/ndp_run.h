// SPDX-License-Identifier: Apache-2.0
//
// A run of an NDP session.
#pragma once

#include <napi.h>

#include "ndp_config.h"
#include "ndp_session_state.h"

namespace neardata::native {

/// Starts the run and returns its promise, which is resolved with a result object whatever becomes
/// of the machine. The handle is kept alive, and the session marked as running, until then.
Result start_ndp_run(Napi::Env env, Napi::Value handle, NdpSessionState& session,
                     NdpRunRequest request, Napi::Function progress);

}  // namespace neardata::native
