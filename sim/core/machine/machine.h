// SPDX-License-Identifier: Apache-2.0
//
// A machine: parts in clock domains, joined port to port, advanced by one engine, subsystems side
// by side on its threads. It owns parts and channels, and it alone connects them. Parts and joins
// are declared first, in any order; closing it finds everything that does not fit, all at once, and
// makes the channels.
//
//   machine.add_clock("unit", Clock(...));
//   auto& queue = machine.subsystem().add<DescriptorQueue>("descriptor queue", "unit", jobs);
//   auto& unit = machine.subsystem("DIMM 3").add<NdpUnit>("NDP unit", "unit", parameters);
//   machine.join(queue.port("descriptors"), unit.port("descriptors"), {.capacity = 4});
//   machine.run(observer);
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/engine/engine.h"
#include "core/machine_record.h"
#include "core/part.h"

namespace neardata::core {

/// The rules of an edge; its direction is that of its messages.
struct EdgeRules {
  /// Messages in the edge at most. Default: the smallest capacity that its ports allow.
  std::optional<std::size_t> capacity = std::nullopt;
  /// Edges of the receiver's clock between a push and its visibility to the receiver.
  Cycle latency{1};
  FlowControl flow_control = FlowControl::kBackPressure;
};

class Machine {
 public:
  /// A group of parts. The name of each part begins with the name of the subsystem.
  class Subsystem {
   public:
    /// Makes a part: T(placement, arguments...). Its name is unique in the subsystem.
    template <std::derived_from<Part> T, typename... Arguments>
    T& add(std::string_view name, std::string_view clock, Arguments&&... arguments) const {
      auto part = std::make_unique<T>(machine_->placement(name_, name, clock),
                                      std::forward<Arguments>(arguments)...);
      T& made = *part;
      machine_->take(std::move(part), name_, partition_, clock);
      return made;
    }
    void join(PortName from, PortName to, const EdgeRules& rules = {}) const {
      machine_->join(std::move(from), std::move(to), rules);
    }

   private:
    friend class Machine;
    Subsystem(Machine& machine, std::string name, std::string partition)
        : machine_(&machine), name_(std::move(name)), partition_(std::move(partition)) {}
    Machine* machine_;
    std::string name_;
    std::string partition_;
  };

  explicit Machine(const EngineLimits& limits = {}) : engine_(limits) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() = default;

  void add_clock(std::string name, const Clock& clock);
  /// The machine itself is the subsystem without a name. A subsystem is a partition of the engine,
  /// unless `partition` names another partition for its parts.
  [[nodiscard]] Subsystem subsystem(std::string name = {}) { return {*this, name, name}; }
  [[nodiscard]] Subsystem subsystem(std::string name, std::string partition) {
    return {*this, std::move(name), std::move(partition)};
  }
  /// An edge from an output to an input.
  void join(PortName from, PortName to, const EdgeRules& rules = {});

  /// Checks the machine. Returns one sentence per problem. Without a problem, the machine is closed
  /// and accepts no further part or edge.
  [[nodiscard]] const std::vector<std::string>& close();

  /// Closes the machine and runs it: engine.h. Problems of the machine result in a kBadConfig that
  /// lists all of them. The place of an error of a part names the subsystem of the part, if it has
  /// one.
  [[nodiscard]] Expected<Fs> run(Observer& observer);
  [[nodiscard]] Fs now() const { return engine_.now(); }
  /// Whether every part of a subsystem sleeps and has no outstanding work.
  [[nodiscard]] bool at_rest(std::string_view subsystem) const;
  /// By part, in the order in which they were added.
  [[nodiscard]] std::vector<ComponentTime> times() const { return engine_.times(); }

  /// The declared parts and edges, with the messages that crossed each edge so far.
  [[nodiscard]] MachineRecord describe() const;

 private:
  struct NamedClock {
    std::string name;
    Clock clock;
  };
  struct Member {
    std::unique_ptr<Part> part;
    std::string subsystem;
    std::string partition;
    std::string clock;
    PortList ports;
    std::vector<const PortName*> peers;  ///< by port: the other end of its edge, null while open
  };
  struct PlannedEdge {
    PortName from;
    PortName to;
    EdgeRules rules;
    std::unique_ptr<Edge> edge;
  };
  /// A port of a member.
  struct End {
    const Member* member;
    std::size_t port;
    [[nodiscard]] PortDeclaration& declaration() const { return *member->ports.ports()[port]; }
  };

  [[nodiscard]] Placement placement(const std::string& subsystem, std::string_view name,
                                    std::string_view clock) const;
  void take(std::unique_ptr<Part> part, std::string subsystem, std::string partition,
            std::string_view clock);
  [[nodiscard]] const Clock* clock_named(std::string_view name) const;

  void add_members();
  void check_names();
  void check(const PlannedEdge& line);
  void check_fit(const PlannedEdge& line, const PortDeclaration& from, const PortDeclaration& to);
  void check_open(const Member& member);
  [[nodiscard]] std::optional<End> find(const PortName& name) const;
  [[nodiscard]] std::optional<End> find_or_complain(const PortName& name, const PlannedEdge& line);
  void use(const End& end, const PortName& name, const PortName& peer);
  void connect(PlannedEdge& line);
  void complain(std::string problem) { problems_.push_back(std::move(problem)); }

  std::vector<NamedClock> clocks_;
  std::vector<Member> members_;
  std::unordered_map<std::string, std::size_t> numbers_;  ///< of members, by name
  std::vector<PlannedEdge> lines_;
  Engine engine_;
  bool closed_ = false;
  std::vector<std::string> problems_;
};

}  // namespace neardata::core
