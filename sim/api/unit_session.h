// SPDX-License-Identifier: Apache-2.0
//
// A session of one Verilated unit whose ports the caller drives in batches
// (rtl/driven/driven_unit.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/core_records.h"
#include "core/record.h"
#include "core/refusal.h"
#include "rtl/driven/driven_unit.h"

/// Records of the plug-in's interface, which are in no namespace.
constexpr auto record_of(const NeardataDrivenPauses*) {
  using neardata::core::field;
  return neardata::core::record(
      "UnitPauses", field("lane", &NeardataDrivenPauses::lane),
      field("seed", &NeardataDrivenPauses::seed, neardata::limits::kExact),
      field("probability", &NeardataDrivenPauses::probability, neardata::limits::kPauses));
}
constexpr auto record_of(const NeardataDrivenCount*) {
  using neardata::core::field;
  return neardata::core::record(
      "UnitCount", field("lane", &NeardataDrivenCount::lane),
      field("lanes", &NeardataDrivenCount::lanes),
      field("count", &NeardataDrivenCount::count, neardata::limits::kExact));
}
constexpr auto record_of(const NeardataDrivenWord*) {
  using neardata::core::field;
  return neardata::core::record("UnitWord", field("word", &NeardataDrivenWord::word),
                                field("value", &NeardataDrivenWord::value));
}

namespace neardata::rtl {

/// `name`: of the unit, for messages.
constexpr auto record_of(const DrivenConfig*) {
  using core::field;
  return core::record("UnitConfig", field("plugin", &DrivenConfig::path),
                      field("name", &DrivenConfig::name),
                      field("seed", &DrivenConfig::seed, limits::kExact));
}
constexpr auto record_of(const DrivenMessages*) {
  using core::field;
  return core::record("UnitMessages", field("lane", &DrivenMessages::lane),
                      field("words", &DrivenMessages::words),
                      field("pauses", &DrivenMessages::pauses));
}
constexpr auto record_of(const DrivenAnswers*) {
  using core::field;
  return core::record(
      "UnitAnswers", field("asked", &DrivenAnswers::asked), field("lane", &DrivenAnswers::lane),
      field("latency", &DrivenAnswers::latency), field("words", &DrivenAnswers::words));
}
constexpr auto record_of(const DrivenSeen*) {
  using core::field;
  return core::record("UnitSeen", field("lane", &DrivenSeen::lane),
                      field("words", &DrivenSeen::words));
}
constexpr auto record_of(const DrivenRun*) {
  using core::field;
  return core::record("UnitRun", field("cycles", &DrivenRun::cycles, limits::kExact),
                      field("sends", &DrivenRun::sends), field("pauses", &DrivenRun::pauses),
                      field("answers", &DrivenRun::answers), field("sets", &DrivenRun::sets),
                      field("counts", &DrivenRun::counts), field("words", &DrivenRun::words),
                      field("seen", &DrivenRun::seen),
                      field("rest", &DrivenRun::rest, limits::kExact),
                      field("waveform", &DrivenRun::trace));
}
constexpr auto record_of(const DrivenTaken*) {
  using core::field;
  return core::record("UnitTaken", field("lane", &DrivenTaken::lane),
                      field("moved", &DrivenTaken::moved), field("words", &DrivenTaken::words),
                      field("cycles", &DrivenTaken::cycles),
                      field("waiting", &DrivenTaken::waiting));
}
constexpr auto record_of(const DrivenMessage*) {
  using core::field;
  return core::record("UnitLine", field("cycle", &DrivenMessage::cycle),
                      field("text", &DrivenMessage::text));
}
constexpr auto record_of(const DrivenResult*) {
  using core::field;
  return core::record(
      "UnitResult",
      api::ending_fields(
          [](const DrivenResult& of) -> auto& { return of.error; },
          [](const DrivenResult& /*of*/) { return kAnyClock; }),
      field("reached", &DrivenResult::reached), field("cycle", &DrivenResult::cycle),
      field("lanes", &DrivenResult::lanes), field("outputs", &DrivenResult::outputs),
      field("strobes", &DrivenResult::strobes), field("messages", &DrivenResult::messages),
      field("lostMessages", &DrivenResult::lost_messages));
}

}  // namespace neardata::rtl

namespace neardata::api {

class UnitSession {
 public:
  static constexpr const char* kName = "unit session";
  using Config = rtl::DrivenConfig;

  [[nodiscard]] static core::Answer<std::unique_ptr<UnitSession>> open(const Config& config);

  struct Reset {
    std::uint64_t seed = 0;
  };
  [[nodiscard]] core::Answer<void> reset(const Reset& given);
  [[nodiscard]] core::Answer<rtl::DrivenRun> prepare(rtl::DrivenRun&& given);
  /// Progress is the cycle, and the cycles of the run at most.
  [[nodiscard]] rtl::DrivenResult run(rtl::DrivenRun& work, core::Progress& progress);

 private:
  explicit UnitSession(std::unique_ptr<rtl::DrivenUnit> unit) : unit_(std::move(unit)) {}
  std::unique_ptr<rtl::DrivenUnit> unit_;
};

constexpr auto record_of(const UnitSession::Reset*) {
  return core::record("Reset", core::field("seed", &UnitSession::Reset::seed, limits::kExact));
}
constexpr auto calls_of(const UnitSession*) {
  return std::tuple(core::Call{"unitReset", &UnitSession::reset},
                    core::RunCall{"unitRun", "run", &UnitSession::prepare, &UnitSession::run});
}

}  // namespace neardata::api
