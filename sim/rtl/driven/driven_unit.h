// SPDX-License-Identifier: Apache-2.0
//
// A Verilated unit whose ports a caller drives in batches: messages wait in queues of its input
// streams; messages of its output streams are recorded with the cycles of their acceptance; other
// ports are words to write and read. The caller passes the positions of the fields in the words of
// the plug-in, from the same tables (src/rtl). Stalls of streams are generated from a seed, or set
// for single messages.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "rtl/driven/driven_lanes.h"
#include "rtl/driven/driven_run.h"
#include "rtl/plugin.h"
#include "rtl/shim/driven_plugin.h"

namespace neardata::rtl {

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
  /// kBadConfig if the plug-in does not exist, or a lane names words that it lacks.
  [[nodiscard]] static core::Expected<std::unique_ptr<DrivenUnit>> make(DrivenConfig config);
  DrivenUnit(const DrivenUnit&) = delete;
  DrivenUnit& operator=(const DrivenUnit&) = delete;
  ~DrivenUnit();

  /// Resets the unit, with contents generated from the seed; no message waits and no stream pauses.
  void reset(std::uint64_t seed);
  /// The problem of a run, if any.
  [[nodiscard]] std::optional<std::string> refuses(const DrivenRun& run) const;
  /// Copies the messages of a run that it does not refuse, whose memory may be somebody else's.
  void keep(DrivenRun& run);
  /// Removes the messages from a recorded run.
  [[nodiscard]] DrivenResult run(DrivenRun& run, RunProgress& progress);

 private:
  /// Stores a line that the model printed.
  static void print(void* unit, const char* text, std::uint64_t length);
  /// Creates the model and resets it, if `reset` was called since the last run. The RTL may block
  /// its thread for any time, so it is evaluated only in runs.
  void start();
  struct Destroy {
    const NeardataDrivenPlugin* api;
    void operator()(NeardataDriven* unit) const { api->destroy(unit); }
  };

  DrivenUnit(UnitPlugin plugin, const NeardataDrivenPlugin* api, DrivenConfig config);
  [[nodiscard]] DrivenSource* source_of(std::uint32_t lane);
  [[nodiscard]] DrivenSink* sink_of(std::uint32_t lane);
  [[nodiscard]] std::uint64_t moved(const DrivenCount& count) const;
  /// Lanes side by side, from this one on; the first one behind them.
  [[nodiscard]] std::uint32_t add_group(std::uint32_t first);
  void begin(DrivenRun& run);
  [[nodiscard]] DrivenResult end(DrivenResult result);
  void offer();
  void offer(std::size_t place);
  void exchange();
  void exchange(std::uint32_t group, std::uint32_t moving);
  void taken(const DrivenGroup& group, std::size_t place);
  void note(const DrivenGroup& group, unsigned bit);
  /// Whether all messages have moved that a run waits for.
  [[nodiscard]] bool counted(const DrivenRun& run) const;
  [[nodiscard]] core::Expected<void> trace(const std::optional<TraceWindow>& window);
  [[nodiscard]] core::SimError failure() const;

  UnitPlugin plugin_;
  const NeardataDrivenPlugin* api_;
  DrivenConfig config_;
  std::unique_ptr<NeardataDriven, Destroy> unit_;
  // State that every cycle accesses is adjacent.
  std::vector<std::uint32_t> inputs_;
  std::vector<std::uint32_t> outputs_;  ///< and one word behind them that is always set
  DrivenSchedule schedule_;             ///< of the sources
  std::vector<DrivenGate> gates_;       ///< of the groups
  std::vector<DrivenGroup> groups_;
  std::vector<DrivenFront> fronts_;  ///< of the sources
  std::vector<DrivenSink> sinks_;
  std::vector<DrivenSink*> resting_sinks_;  ///< that rest now and then in this run
  std::uint64_t cycle_ = 0;
  std::uint64_t resting_ = 0;                ///< cycles since the last handshake
  std::optional<std::uint64_t> unanswered_;  ///< a number beyond the messages of its answers
  BitCounts strobes_;
  DrivenMoves moves_;
  std::vector<DrivenSource> sources_;
  std::vector<std::uint32_t> places_;  ///< of lanes, among the sources or the sinks
  std::vector<DrivenSeen> seen_;       ///< that have not occurred in this run
  bool tracing_ = false;
  std::uint64_t start_seed_ = 0;
  std::vector<DrivenMessage> messages_;  ///< of this run
  std::size_t message_bytes_ = 0;
  std::uint64_t lost_messages_ = 0;
};

}  // namespace neardata::rtl
