// SPDX-License-Identifier: Apache-2.0
#include "fault.h"

#include <string_view>

namespace neardata::native {

namespace {

std::string_view fault_name(core::Fault fault) {
  switch (fault) {
    case core::Fault::kBadConfig:
      return "bad-config";
    case core::Fault::kAssertion:
      return "assertion-failed";
    case core::Fault::kDeadlock:
      return "deadlock";
    case core::Fault::kPhysics:
      return "guard-failed";
    case core::Fault::kProtocol:
      return "protocol";
    case core::Fault::kCancelled:
      return "cancelled";
    case core::Fault::kTimeLimit:
      return "cycle-limit";
  }
  return "protocol";
}

}  // namespace

void set_fault(Napi::Object out, const std::optional<core::SimError>& error,
               const core::Clock& clock) {
  const core::SimError none{};
  const core::SimError& e = error ? *error : none;
  const auto text = [&](std::string_view s) {
    return Napi::String::New(out.Env(), s.data(), s.size());
  };
  out.Set("fault", text(error ? fault_name(e.fault) : "none"));
  out.Set("place", text(e.place));
  out.Set("message", text(e.message));
  out.Set("faultCycle", static_cast<double>(clock.at_or_after(e.time).value));
}

}  // namespace neardata::native
