// SPDX-License-Identifier: Apache-2.0
//
// Inputs and results of a run of a driven unit (driven_unit.h), with records of its plug-in
// (rtl/shim/driven_plugin.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/error.h"
#include "rtl/driven/driven_batch.h"
#include "rtl/rtl_options.h"
#include "rtl/shim/driven_plugin.h"

namespace neardata::rtl {

/// Results are numbers of cycles, so the frequency is arbitrary.
inline constexpr core::Clock kAnyClock{core::Hertz{1'000'000'000}};

struct DrivenMessages {
  std::uint32_t lane = 0;
  std::span<const std::uint32_t> words;  ///< whole messages
  /// Cycles that the source waits before each of them, 0 for those beyond the list. For messages
  /// without words, the list has one entry per message.
  std::span<const std::uint32_t> pauses;
  DrivenBatch batch{};  ///< both, once the unit has copied them
};

/// A lane out of the unit requests, and one into it answers: the message of `words` whose number is
/// the first word of the request, `latency` cycles later. Nothing else is sent on that lane.
struct DrivenAnswers {
  std::uint32_t asked = 0;
  std::uint32_t lane = 0;
  std::uint32_t latency = 1;
  std::span<const std::uint32_t> words;
  std::vector<std::uint32_t> table{};  ///< once the unit has copied them
};

/// A message of a lane out of the unit, which ends a run.
struct DrivenSeen {
  std::uint32_t lane = 0;
  std::vector<NeardataDrivenWord> words;  ///< of outputs
};

struct DrivenRun {
  std::uint64_t cycles = 0;  ///< at most
  std::vector<DrivenMessages> sends;
  std::vector<NeardataDrivenPauses> pauses;
  std::vector<DrivenAnswers> answers;    ///< from here on
  std::vector<NeardataDrivenWord> sets;  ///< inputs from here on
  /// A run ends when all of these conditions are true at once; without any it has all its cycles.
  /// Counts are of this run.
  std::vector<NeardataDrivenCount> counts;
  std::vector<NeardataDrivenWord> words;  ///< of outputs, whole words
  std::vector<DrivenSeen> seen;           ///< each has occurred in this run
  std::optional<std::uint64_t> rest;      ///< cycles without any handshake
  std::optional<TraceWindow> trace;
};

/// The messages of a lane in a run. Its lists belong to the unit and are valid until its next run
/// or reset.
struct DrivenTaken {
  std::uint32_t lane = 0;
  std::uint64_t moved = 0;
  std::span<const std::uint32_t> words;   ///< empty for a lane into the unit
  std::span<const std::uint32_t> cycles;  ///< as CycleRuns has them (rtl/shim/driven_words.h)
  std::uint64_t waiting = 0;              ///< messages that are still pending
};

/// A line that the model printed.
struct DrivenMessage {
  std::uint64_t cycle = 0;
  std::string text;
};

struct DrivenResult {
  std::optional<core::SimError> error;
  bool reached = false;  ///< the condition for the end of the run was true
  core::Cycle cycle;     ///< the first one not executed
  std::vector<DrivenTaken> lanes;
  std::vector<std::uint32_t> outputs;  ///< in the last cycle that was executed
  std::vector<double> strobes;         ///< cycles in which each bit of events_o was set
  std::vector<DrivenMessage> messages;
  std::uint64_t lost_messages = 0;  ///< beyond the limit of a run
};

}  // namespace neardata::rtl
