// SPDX-License-Identifier: Apache-2.0
//
// Layouts that machines of every kind share: the end of a run, options of a run, wires, the
// description of a machine.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <thread>

#include "api/limits.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/guard.h"
#include "core/machine_record.h"
#include "core/record.h"
#include "rtl/rtl_options.h"
#include "system/memory/pauses.h"
#include "system/unit_model.h"

namespace neardata::core {

constexpr auto names_of(const Direction*) { return std::array{"in", "out"}; }

constexpr auto record_of(const ClockRecord*) {
  return record("MachineClock", field("name", &ClockRecord::name),
                field("hertz", &ClockRecord::frequency));
}
constexpr auto record_of(const PortRecord*) {
  return record("MachinePort", field("name", &PortRecord::name),
                field("direction", &PortRecord::direction), field("message", &PortRecord::message),
                field("option", &PortRecord::option), field("joined", &PortRecord::joined));
}
constexpr auto record_of(const PartRecord*) {
  return record("MachinePart", field("name", &PartRecord::name), field("kind", &PartRecord::kind),
                field("subsystem", &PartRecord::subsystem), field("clock", &PartRecord::clock),
                field("ports", &PartRecord::ports));
}
constexpr auto record_of(const PortName*) {
  return record("PortOf", field("part", &PortName::part), field("port", &PortName::port));
}
/// `latency` is in edges of the receiver's clock.
constexpr auto record_of(const EdgeRecord*) {
  return record("MachineEdge", field("from", &EdgeRecord::from), field("to", &EdgeRecord::to),
                field("message", &EdgeRecord::message), field("dataBytes", &EdgeRecord::data_bytes),
                field("fromClock", &EdgeRecord::from_clock),
                field("toClock", &EdgeRecord::to_clock), field("capacity", &EdgeRecord::capacity),
                field("latency", &EdgeRecord::latency), field("messages", &EdgeRecord::messages));
}
constexpr auto record_of(const MachineRecord*) {
  return record("MachineGraph", field("clocks", &MachineRecord::clocks),
                field("parts", &MachineRecord::parts), field("edges", &MachineRecord::edges));
}

constexpr auto record_of(const BusRate*) {
  return record("Wires", field("pins", &BusRate::pins, limits::kPins),
                field("transfersPerSecond", &BusRate::transfers_per_second, limits::kTransfers));
}

}  // namespace neardata::core

namespace neardata::rtl {

/// In cycles of the unit.
constexpr auto record_of(const TraceWindow*) {
  using core::field;
  return core::record("Waveform", field("path", &TraceWindow::path),
                      field("from", &TraceWindow::from, limits::kExact),
                      field("to", &TraceWindow::to, limits::kExact));
}

}  // namespace neardata::rtl

namespace neardata::system {

constexpr auto names_of(const UnitModel*) { return std::array{"rtl", "cycle"}; }

constexpr auto record_of(const PauseConfig*) {
  using core::field;
  return core::record("Stalls", field("seed", &PauseConfig::seed, limits::kExact),
                      field("probability", &PauseConfig::probability, limits::kPauses));
}

}  // namespace neardata::system

namespace neardata::api {

/// How a run ended: "none" when it completed.
struct Ending {
  std::optional<core::Fault> fault;
};
constexpr auto names_of(const Ending*) {
  return std::array{"none",         "bad-config", "assertion-failed", "deadlock",
                    "guard-failed", "protocol",   "cancelled",        "cycle-limit"};
}
constexpr std::size_t number_of(Ending ending) {
  return ending.fault ? 1 + static_cast<std::size_t>(*ending.fault) : 0;
}

/// The end of a run; `error` returns the error of a result, if any, and `clock` the clock that
/// counts `faultCycle`.
constexpr auto ending_fields(auto error, auto clock) {
  using core::field;
  return core::fields(
      field("fault",
            [error](const auto& of) { return error(of) ? Ending{error(of)->fault} : Ending{}; }),
      field("place", [error](const auto& of) { return error(of) ? error(of)->place : ""; }),
      field("message", [error](const auto& of) { return error(of) ? error(of)->message : ""; }),
      field("faultCycle", [error, clock](const auto& of) {
        return error(of) ? clock(of).at_or_after(error(of)->time) : core::Cycle{};
      }));
}

/// Options common to the runs of every unit.
template <typename Options>
constexpr auto unit_run_fields() {
  using core::field;
  return core::fields(field("maxCycles", &Options::max_cycles, limits::kExact),
                      core::optional(field("stalls", &Options::pauses)),
                      core::optional(field(
                          "waveform", [](auto& of) -> auto& { return of.rtl.trace; })),
                      core::optional(field(
                          "checked", [](auto& of) -> auto& { return of.rtl.checked; })));
}

/// The most threads of a run; by default, the hardware threads of this machine.
[[nodiscard]] inline std::uint32_t threads_of(std::optional<std::uint32_t> given) {
  return given.value_or(std::max(1U, std::thread::hardware_concurrency()));
}

/// Wall-clock seconds of a run, by component.
struct RunTimes {
  double unit = 0;
  double memory = 0;
  double engine = 0;
  double total = 0;
};
constexpr auto record_of(const RunTimes*) {
  using core::field;
  const auto seconds = [](const char* name, auto member) {
    return core::in("s", field(name, member));
  };
  return core::record("RunTimes", seconds("unit", &RunTimes::unit),
                      seconds("memory", &RunTimes::memory), seconds("engine", &RunTimes::engine),
                      seconds("total", &RunTimes::total));
}

}  // namespace neardata::api
