// SPDX-License-Identifier: Apache-2.0
//
// The search for combinational paths of a unit (rtl/unit_probe.h), as a separate run. RTL may block
// its thread for any time, and the opening of a session blocks the JS thread. RTL that has passed
// this run does not block the opening.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "api/limits.h"
#include "core/record.h"
#include "core/refusal.h"
#include "rtl/plugin.h"
#include "rtl/unit_probe.h"

namespace neardata::api {

class ProbeSession {
 public:
  static constexpr const char* kName = "probe session";
  struct Config {
    std::string plugin;
  };
  struct Probe {
    std::uint64_t cycles = rtl::kProbeCycles;
  };
  struct Found {
    bool found = false;
  };

  [[nodiscard]] static core::Answer<std::unique_ptr<ProbeSession>> open(const Config& config) {
    auto plugin = rtl::UnitPlugin::load_any(config.plugin);
    if (!plugin) return core::bad_input(plugin.error());
    return std::unique_ptr<ProbeSession>(new ProbeSession(*std::move(plugin)));
  }
  [[nodiscard]] core::Answer<Probe> prepare(Probe&& given) { return given; }
  [[nodiscard]] Found run(Probe& probe, core::Progress& /*progress*/) {
    return {rtl::combinational_path(plugin_.api(), probe.cycles).has_value()};
  }

 private:
  explicit ProbeSession(rtl::UnitPlugin plugin) : plugin_(std::move(plugin)) {}
  rtl::UnitPlugin plugin_;
};

constexpr auto record_of(const ProbeSession::Config*) {
  return core::record("ProbeConfig", core::field("plugin", &ProbeSession::Config::plugin));
}
constexpr auto record_of(const ProbeSession::Probe*) {
  return core::record("ProbeRun",
                      core::field("cycles", &ProbeSession::Probe::cycles, limits::kExact));
}
constexpr auto record_of(const ProbeSession::Found*) {
  return core::record("ProbeResult", core::field("found", &ProbeSession::Found::found));
}
constexpr auto calls_of(const ProbeSession*) {
  return std::tuple(core::RunCall{"probeRun", "run", &ProbeSession::prepare, &ProbeSession::run});
}

}  // namespace neardata::api
