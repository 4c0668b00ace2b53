// SPDX-License-Identifier: Apache-2.0
#include "system/ndp_machine.h"

#include <algorithm>
#include <utility>

namespace neardata::system {

namespace {

/// Tells a watcher in cycles and bytes what the engine tells in time.
class CycleObserver final : public core::Observer {
 public:
  CycleObserver(const core::Clock& clock, const unit::NdpEvents& events, RunWatcher& watcher)
      : clock_(clock), events_(events), watcher_(watcher) {}
  bool keep_going(core::Fs now) override {
    return watcher_.keep_going(clock_.at_or_after(now), events_.bytes_read());
  }

 private:
  core::Clock clock_;
  const unit::NdpEvents& events_;
  RunWatcher& watcher_;
};

core::EngineLimits engine_limits(const core::Clock& clock, const NdpRunOptions& options) {
  core::EngineLimits limits;
  const core::Cycle longest = clock.at_or_after(limits.until);
  if (options.max_cycles.value > 0 && options.max_cycles < longest) {
    limits.until = clock.edge(options.max_cycles);
  }
  return limits;
}

}  // namespace

NdpMachine::NdpMachine(const NdpDimmConfig& config, const rtl::NdpPlugin* plugin,
                       std::vector<ByteStore>& stores, const std::vector<unit::Descriptor>& jobs,
                       const NdpRunOptions& options)
    : unit_clock_(config.unit_clock),
      kept_commands_(options.kept_commands),
      node_(config, plugin, stores, jobs, options, "", {}),
      engine_(engine_limits(unit_clock_, options)) {
  node_.add_to(engine_);
}

NdpRunResult NdpMachine::run(RunWatcher& watcher) {
  CycleObserver observer(unit_clock_, node_.events(), watcher);
  auto outcome = engine_.run(observer);
  const core::Fs end = engine_.now();
  std::optional<core::SimError> error;
  if (!outcome) error = std::move(outcome).error();
  const core::Cycle cycles = node_.finish(end);
  return {.error = std::move(error),
          .end = end,
          .jobs = node_.spans(),
          .cycles = cycles,
          .skipped = node_.skipped(),
          .events = node_.events(),
          .ports = node_.port_counters(),
          .commands = commands(kept_commands_),
          .times = engine_.times()};
}

/// The first commands of all sub-channels in order of time.
std::vector<StreamCommand> NdpMachine::commands(std::size_t kept) const {
  std::vector<StreamCommand> all;
  for (std::uint32_t s = 0; s < node_.streams().size(); ++s) {
    const auto* port = dynamic_cast<const DramPort*>(node_.streams()[s].port.get());
    if (port == nullptr) continue;
    for (const dram::IssuedCommand& command : port->commands()) all.push_back({s, command});
  }
  std::ranges::stable_sort(all, {}, [](const StreamCommand& c) { return c.command.cycle; });
  if (all.size() > kept) all.resize(kept);
  return all;
}

}  // namespace neardata::system
