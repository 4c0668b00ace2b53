// SPDX-License-Identifier: Apache-2.0
//
// The one guard of the interface: a function of the addon returns a value or names the faults of
// its arguments, and at most one JavaScript error is pending afterwards. Its `code` is one of the
// codes of src/base/errors.ts. Exceptions of our code or a library (no memory, no threads, a
// library's own errors) become such an error too; nothing is thrown across the interface.
#pragma once

#include <napi.h>

#include <expected>
#include <functional>
#include <string>

#include "core/refusal.h"

namespace neardata::native {

using core::bad_input;
using core::misuse;
using core::Refusal;

using Result = std::expected<Napi::Value, Refusal>;

/// The refusal for the exception in flight; `who` is the call or run that it ended.
[[nodiscard]] Refusal refusal_of_exception(const std::string& who);

/// The error object of a refusal.
[[nodiscard]] Napi::Value error_of(Napi::Env env, const Refusal& refusal);

/// Runs `call`; the value, or nothing with one JavaScript error pending.
[[nodiscard]] Napi::Value guard(Napi::Env env, const std::string& who,
                                const std::function<Result()>& call);

/// The function behind an exported call.
using ExportedFunction = std::function<Result(const Napi::CallbackInfo&)>;
void export_call(Napi::Env env, Napi::Object exports, const std::string& name,
                 ExportedFunction entry);

}  // namespace neardata::native
