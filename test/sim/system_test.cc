// SPDX-License-Identifier: Apache-2.0
//
// Checks of sim/system: faults injected behind guards that a whole machine cannot trigger.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checks.h"
#include "core/machine/machine.h"
#include "system/memory/memory_port.h"
#include "system/ndp/cycle_ndp_unit.h"
#include "system/ndp/output_router.h"

namespace {

using namespace neardata;
using checks::Check;
using checks::Patient;
using checks::Verdict;
using core::Cycle;
using core::Fs;
using core::Hertz;

constexpr core::BusRate kDdrBus{32, 4'800'000'000};

/// Sends this many messages at time 0 and receives all answers.
template <typename Sent, typename Taken>
class Feeder final : public core::Part {
 public:
  Feeder(core::Placement place, int count) : Part(std::move(place)), count_(count) {}
  [[nodiscard]] std::string_view kind() const override { return "feeder"; }
  void declare(core::PortList& ports) override {
    ports.out("sent", sent_, {.option = "sent"});
    ports.in("taken", taken_, {.option = "taken"});
  }
  [[nodiscard]] Fs begins() const override { return Fs{0}; }
  [[nodiscard]] core::Expected<Fs> step(Fs now) override {
    while (sent_ && count_ > 0 && sent_->try_push(now, {})) --count_;
    while (taken_ && taken_->front(now) != nullptr) taken_->pop(now);
    return core::kNever;
  }
  [[nodiscard]] std::optional<std::string> waits_for() const override {
    return count_ > 0 ? std::optional<std::string>("room") : std::nullopt;
  }
  [[nodiscard]] std::uint64_t progress() const override { return 0; }

 private:
  core::Out<Sent> sent_;
  core::In<Taken> taken_;
  int count_;
};

/// A memory that finishes a write every `cycles` cycles, beyond the limit of its bus.
class WritePort final : public system::MemoryPort {
 public:
  WritePort(core::Placement place, system::ByteStore& store, Cycle cycles)
      : MemoryPort(std::move(place), {{store}, {kDdrBus, Cycle{40}}, system::Pauses({}, 0)},
                   Cycle{40}),
        cycles_(cycles) {}
  [[nodiscard]] std::string_view kind() const override { return "memory"; }
  [[nodiscard]] system::PortCounters counters() const override { return {}; }

 protected:
  Cycle advance(Cycle to, bool) override {
    for (; waiting_ > 0 && next_ <= to; --waiting_, next_ = next_ + cycles_)
      written(next_, core::kBurstBytes);
    return to;
  }
  [[nodiscard]] bool offer_read(const unit::ReadRequest&, Cycle) override { return true; }
  [[nodiscard]] bool offer_write(const system::WriteRequest&, Cycle) override {
    ++waiting_;
    return true;
  }
  [[nodiscard]] std::optional<Cycle> next_event() override {
    return waiting_ > 0 ? std::optional(next_) : std::nullopt;
  }

 private:
  Cycle cycles_;
  Cycle next_{20};
  int waiting_ = 0;
};

/// The place of the fault of a run; empty if it completed.
std::string place_of_fault(core::Machine& machine) {
  Patient patient;
  const auto end = machine.run(patient);
  return end ? "" : end.error().place;
}

std::string four_writes(Cycle cycles) {
  core::Machine machine;
  machine.add_clock("unit", core::Clock(Hertz{1'000'000'000}));
  machine.add_clock("memory", core::Clock(Hertz{2'400'000'000}));
  const core::Machine::Subsystem subsystem = machine.subsystem();
  system::ByteStore store;
  const auto& writer =
      subsystem.add<Feeder<system::WriteRequest, unit::ReadResponse>>("writer", "unit", 4);
  const auto& reader =
      subsystem.add<Feeder<unit::ReadRequest, unit::ReadResponse>>("reader", "unit", 0);
  const auto& port = subsystem.add<WritePort>("port", "memory", store, cycles);
  machine.join(writer.port("sent"), port.port("writes"), {.capacity = 4});
  machine.join(reader.port("sent"), port.port("requests"));
  machine.join(port.port("responses"), reader.port("taken"));
  return place_of_fault(machine);
}

Verdict write_bus_guard_fires() {
  if (const std::string place = four_writes(Cycle{8}); !place.empty())
    return "at the rate " + place;
  const std::string place = four_writes(Cycle{7});
  return place == "port write bus" ? Verdict{} : Verdict{"faster: '" + place + "'"};
}

/// Two bursts follow each other in successive cycles.
std::string two_bursts(core::BusRate rate) {
  core::Machine machine;
  machine.add_clock("unit", core::Clock(Hertz{1'000'000'000}));
  const core::Machine::Subsystem subsystem = machine.subsystem();
  const auto& unit =
      subsystem.add<Feeder<unit::WriteBurst, system::WriteRequest>>("unit", "unit", 2);
  const auto& memory =
      subsystem.add<Feeder<unit::WriteBurst, system::WriteRequest>>("memory", "unit", 0);
  const auto& router = subsystem.add<system::OutputRouter>("router", "unit", rate, std::size_t{1},
                                                           std::uint64_t{1}, system::Pauses({}, 0));
  machine.join(unit.port("sent"), router.port("input"), {.capacity = 2});
  machine.join(router.port("writes[0]"), memory.port("taken"), {.capacity = 4});
  return place_of_fault(machine);
}

Verdict output_port_guard_fires() {
  if (const std::string place = two_bursts({512, 1'000'000'000}); !place.empty()) {
    return "at the rate " + place;
  }
  const std::string place = two_bursts({256, 1'000'000'000});
  return place == "output port" ? Verdict{} : Verdict{"half the wires: '" + place + "'"};
}

/// A descriptor of zeros has no tokens, so the unit rejects it, as the RTL does.
Verdict refused_descriptor_is_no_completion() {
  core::Machine machine;
  machine.add_clock("unit", core::Clock(Hertz{1'000'000'000}));
  const core::Machine::Subsystem subsystem = machine.subsystem();
  unit::NdpParameters parameters;
  parameters.streams = 1;
  const auto& host =
      subsystem.add<Feeder<unit::Descriptor, unit::DescriptorDone>>("host", "unit", 1);
  const auto& reads =
      subsystem.add<Feeder<unit::ReadResponse, unit::ReadRequest>>("reads", "unit", 0);
  const auto& writes =
      subsystem.add<Feeder<unit::ReadResponse, unit::WriteBurst>>("writes", "unit", 0);
  const auto& ndp =
      subsystem.add<system::CycleNdpUnit>("NDP unit", "unit", parameters, std::size_t{1});
  const std::size_t outstanding = parameters.queue_bursts + 1;
  machine.join(host.port("sent"), ndp.port("descriptors"));
  machine.join(ndp.port("done"), host.port("taken"));
  machine.join(ndp.port("requests[0]"), reads.port("taken"), {.capacity = outstanding});
  machine.join(reads.port("sent"), ndp.port("responses[0]"), {.capacity = outstanding});
  machine.join(ndp.port("output"), writes.port("taken"));
  Patient patient;
  const auto end = machine.run(patient);
  if (end) return "it counts as done";
  const bool named =
      end.error().place == "NDP unit" &&
      end.error().message.find("refuses the descriptor for field 3") != std::string::npos;
  return named ? Verdict{} : Verdict{end.error().message};
}

constexpr Check kChecks[] = {
    {"the write bus guard fires on a memory that is too fast", write_bus_guard_fires},
    {"the output port guard fires on a port with too few wires", output_port_guard_fires},
    {"a descriptor that the unit refuses ends the run of the cycle model",
     refused_descriptor_is_no_completion},
};

}  // namespace

int main() { neardata::checks::run_checks(kChecks); }
