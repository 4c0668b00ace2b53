// SPDX-License-Identifier: Apache-2.0
//
// A Verilated unit whose ports a caller drives in batches: messages wait in queues of its input
// streams; messages of its output streams are recorded with the cycles of their acceptance; other
// ports are words to write and read. The plug-in has the loop over the cycles of a run, with the
// lanes of the unit (rtl/shim/driven_loop.h); this class checks runs and owns the memory of
// messages. Stalls of streams are generated from a seed, or set for single messages.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "rtl/driven/driven_batch.h"
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
};

class DrivenUnit {
 public:
  /// kBadConfig if the plug-in does not exist, or is of another kind.
  [[nodiscard]] static core::Expected<std::unique_ptr<DrivenUnit>> make(const DrivenConfig& config);
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
  static void print(void* unit, std::uint64_t cycle, const char* text, std::uint64_t length);
  struct Destroy {
    const NeardataDrivenPlugin* api;
    void operator()(NeardataDriven* unit) const { api->destroy(unit); }
  };
  /// The messages of a lane into the unit, and its answers.
  struct Sent {
    DrivenBatches batches;
    std::vector<std::uint32_t> table{};
    bool answers = false;
  };

  DrivenUnit(UnitPlugin plugin, const NeardataDrivenPlugin* api, const DrivenConfig& config);
  [[nodiscard]] const NeardataDrivenLane& lane(std::uint32_t number) const {
    return api_->lanes.values[number];
  }
  [[nodiscard]] DrivenResult end(const NeardataDrivenResult& ended);
  [[nodiscard]] std::optional<core::SimError> fault(const NeardataDrivenResult& ended,
                                                    const DrivenRun& run) const;

  UnitPlugin plugin_;
  const NeardataDrivenPlugin* api_;
  std::string name_;
  std::vector<Sent> sent_;               ///< of each lane
  std::vector<DrivenMessage> messages_;  ///< of this run
  std::size_t message_bytes_ = 0;
  std::uint64_t lost_messages_ = 0;
  std::unique_ptr<NeardataDriven, Destroy> unit_;  ///< last: its model prints when it ends
};

}  // namespace neardata::rtl
