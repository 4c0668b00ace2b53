// SPDX-License-Identifier: Apache-2.0
//
// A Verilated unit whose ports a caller drives in batches: messages wait in front of its input
// streams, what its output streams give is collected with the cycles in which it was taken, and
// other ports are words that are set and looked at. What lies where in the words of the plug-in is
// told by the caller, who has it from the same tables (src/rtl).
//
// A source offers the next message as soon as its pause is over and holds it until it is taken; a
// sink is ready but for its pauses. Pauses are drawn from a seed, or given for single messages.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/error.h"
#include "rtl/driven_plugin.h"
#include "rtl/plugin.h"
#include "rtl/rtl_options.h"

namespace neardata::rtl {

/// Cycles are what is counted; their length means nothing to a unit by itself.
inline constexpr core::Clock kAnyClock{core::Hertz{1'000'000'000}};

/// One lane of a stream. Words are places in the inputs or outputs of the plug-in.
struct DrivenLane {
  bool into = false;                   ///< the unit takes its messages
  std::uint32_t bit = 0;               ///< of valid and of ready
  std::uint32_t valid = 0;             ///< among the inputs if `into`
  std::optional<std::uint32_t> ready;  ///< on the other side; without it all is taken at once
  std::vector<std::uint32_t> words;    ///< of a message, beside its valid
};

struct DrivenMessages {
  std::uint32_t lane = 0;
  std::vector<std::uint32_t> words;  ///< whole messages
  /// Cycles that the source waits before each of them, 0 for those beyond the list. Of messages
  /// without words as many as there are.
  std::vector<std::uint32_t> pauses;
};

/// Cycles in which the other side of a lane rests.
struct DrivenPauses {
  std::uint32_t lane = 0;
  std::uint64_t seed = 0;
  double probability = 0;  ///< in each cycle
};

/// A count of messages that ends a run, of so many lanes together.
struct DrivenCount {
  std::uint32_t lane = 0;
  std::uint32_t lanes = 1;
  std::uint64_t count = 0;
};

/// A word of the unit's ports.
struct DrivenWord {
  std::uint32_t word = 0;
  std::uint32_t value = 0;
};

struct DrivenRun {
  std::uint64_t cycles = 0;  ///< at most
  std::vector<DrivenMessages> sends;
  std::vector<DrivenPauses> pauses;  ///< from here on
  std::vector<DrivenWord> sets;      ///< inputs from here on
  /// All of these end a run when they hold at once; without any it has all its cycles. Counts are
  /// of this run.
  std::vector<DrivenCount> counts;
  std::vector<DrivenWord> words;      ///< of outputs, whole words
  std::optional<std::uint64_t> rest;  ///< cycles without any handshake
  std::optional<TraceWindow> trace;
};

/// What a lane moved in a run.
struct DrivenTaken {
  std::uint32_t lane = 0;
  std::vector<std::uint32_t> words;  ///< nothing of a lane into the unit
  std::vector<double> cycles;
  std::uint64_t waiting = 0;  ///< messages that are still in front of it
};

struct DrivenResult {
  std::optional<core::SimError> error;
  bool reached = false;  ///< what ends the run held
  core::Cycle cycle;     ///< the first one not executed
  std::vector<DrivenTaken> lanes;
  std::vector<std::uint32_t> outputs;  ///< in the last cycle that was executed
  std::vector<double> strobes;         ///< cycles in which each bit of the strobes was set
};

class RunProgress {
 public:
  virtual ~RunProgress() = default;
  [[nodiscard]] virtual bool keep_going(core::Cycle now) = 0;
};

struct DrivenConfig {
  std::string path;        ///< of the plug-in
  std::string name;        ///< for messages
  std::uint64_t seed = 0;  ///< of the contents of registers before the reset; 0 for zeros
  std::vector<DrivenLane> lanes;
  std::vector<std::uint32_t> strobes;  ///< words of outputs whose bits are counted
};

class DrivenUnit {
 public:
  /// kBadConfig when there is no such plug-in, or a lane names words that it has not.
  [[nodiscard]] static core::Expected<std::unique_ptr<DrivenUnit>> make(DrivenConfig config);
  DrivenUnit(const DrivenUnit&) = delete;
  DrivenUnit& operator=(const DrivenUnit&) = delete;
  ~DrivenUnit();

  /// After its reset again, with contents drawn from the seed; nothing waits and nobody pauses.
  void reset(std::uint64_t seed);
  /// What is wrong with a run, if anything.
  [[nodiscard]] std::optional<std::string> refuses(const DrivenRun& run) const;
  /// Takes the messages out of the run.
  [[nodiscard]] DrivenResult run(DrivenRun& run, RunProgress& progress);

 private:
  struct Source;
  struct Sink;
  struct Destroy {
    const NeardataDrivenPlugin* api;
    void operator()(NeardataDriven* unit) const { api->destroy(unit); }
  };

  DrivenUnit(UnitPlugin plugin, const NeardataDrivenPlugin* api, DrivenConfig config);
  [[nodiscard]] Source* source_of(std::uint32_t lane);
  [[nodiscard]] Sink* sink_of(std::uint32_t lane);
  [[nodiscard]] std::uint64_t moved(const DrivenCount& count) const;
  void begin(DrivenRun& run);
  void offer();
  void exchange();
  [[nodiscard]] bool reached(const DrivenRun& run) const;
  [[nodiscard]] core::Expected<void> trace(const std::optional<TraceWindow>& window);
  [[nodiscard]] core::SimError failure() const;

  UnitPlugin plugin_;
  const NeardataDrivenPlugin* api_;
  DrivenConfig config_;
  std::unique_ptr<NeardataDriven, Destroy> unit_;
  std::vector<std::uint32_t> inputs_;
  std::vector<std::uint32_t> outputs_;
  std::vector<Source> sources_;
  std::vector<Sink> sinks_;
  std::vector<std::uint32_t> places_;  ///< of lanes, among the sources or the sinks
  std::vector<double> strobes_;
  std::uint64_t cycle_ = 0;
  std::uint64_t resting_ = 0;  ///< cycles since the last handshake
  bool tracing_ = false;
};

}  // namespace neardata::rtl
