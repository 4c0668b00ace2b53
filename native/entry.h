// SPDX-License-Identifier: Apache-2.0
//
// The one guard at the door: a function of the addon returns a value or says what was wrong with
// its arguments, and at most one JavaScript error is pending afterwards. Its `code` is one of the
// codes of src/errors.ts.
#pragma once

#include <napi.h>

#include <expected>
#include <string>
#include <utility>

namespace neardata::native {

/// Why a call was refused.
struct Refusal {
  const char* code;  ///< `misuse`, `bad-input`, ...
  std::string message;
};

using Result = std::expected<Napi::Value, Refusal>;
using Entry = Result (*)(const Napi::CallbackInfo&);

template <Entry function>
Napi::Value guarded(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Result result = function(info);
  if (env.IsExceptionPending()) return {};
  if (result) return *result;
  Napi::Error error = Napi::Error::New(env, result.error().message);
  error.Set("code", Napi::String::New(env, result.error().code));
  error.ThrowAsJavaScriptException();
  return {};
}

template <Entry function>
void export_function(Napi::Env env, Napi::Object exports, const char* name) {
  exports.Set(name, Napi::Function::New(env, guarded<function>, name));
}

inline std::unexpected<Refusal> misuse(std::string message) {
  return std::unexpected(Refusal{"misuse", std::move(message)});
}

}  // namespace neardata::native
