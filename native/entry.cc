// SPDX-License-Identifier: Apache-2.0
#include "entry.h"

#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace neardata::native {

Refusal refusal_of_exception(const std::string& who) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {"exhausted", who + ": there is not enough memory for what was asked"};
  } catch (const std::length_error&) {
    return {"exhausted", who + ": what was asked is larger than any memory"};
  } catch (const std::system_error& error) {
    return {"exhausted", who + ": the system has no thread for it (" + error.what() + ")"};
  } catch (const core::LibraryError& error) {
    return {"check-failed", who + ": " + error.library() + ": " + error.what()};
  } catch (const std::exception& error) {
    return {"misuse", who + ": " + error.what()};
  } catch (...) {
    return {"misuse", who + ": something was thrown that is no exception"};
  }
}

Napi::Value error_of(Napi::Env env, const Refusal& refusal) {
  const Napi::Error error = Napi::Error::New(env, refusal.message);
  if (env.IsExceptionPending()) return {};
  const Napi::Value value = error.Value();
  value.As<Napi::Object>().Set("code", Napi::String::New(env, refusal.code));
  return value;
}

Napi::Value guard(Napi::Env env, const std::string& who, const std::function<Result()>& call) {
  Result result = misuse(who + " did not end");
  try {
    result = call();
  } catch (...) {
    result = std::unexpected(refusal_of_exception(who));
  }
  if (env.IsExceptionPending()) return {};
  if (result) return *result;
  const Napi::Value error = error_of(env, result.error());
  if (!env.IsExceptionPending()) napi_throw(env, error);
  return {};
}

void export_call(Napi::Env env, Napi::Object exports, const std::string& name,
                 ExportedFunction entry) {
  const auto guarded = [name, entry = std::move(entry)](const Napi::CallbackInfo& info) {
    return guard(info.Env(), name, [&] { return entry(info); });
  };
  exports.Set(name, Napi::Function::New(env, guarded, name));
}

}  // namespace neardata::native
