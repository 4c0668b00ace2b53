// SPDX-License-Identifier: Apache-2.0
//
// Checks of sim/system: faults planted behind the guards that a whole machine cannot be made to
// trip.
#include <optional>
#include <string>
#include <vector>

#include "checks.h"
#include "core/channel.h"
#include "core/clock.h"
#include "system/memory_port.h"
#include "system/output_router.h"

namespace {

using namespace neardata;
using checks::Check;
using checks::Verdict;
using core::Clock;
using core::Cycle;
using core::Fs;
using core::Hertz;

const Clock kNdp(Hertz{1'000'000'000});
const Clock kDdr(Hertz{2'400'000'000});
constexpr core::BusRate kDdrBus{32, 4'800'000'000};

/// A memory that finishes a write every `cycles` cycles, whatever its bus allows.
class WritePort final : public system::MemoryPort {
 public:
  WritePort(const system::PortLinks& links, Cycle cycles)
      : MemoryPort("port", kDdr, links, {kDdrBus, Cycle{40}}, system::Pauses({}, 0), Cycle{40}),
        cycles_(cycles) {}
  [[nodiscard]] system::PortCounters counters() const override { return {}; }

 protected:
  Cycle advance(Cycle to, bool) override {
    for (; waiting_ > 0 && next_ <= to; --waiting_, next_ = next_ + cycles_) written(next_);
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

/// The place of the fault, empty when four writes came through.
std::string four_writes(Cycle cycles) {
  core::Channel<unit::ReadRequest> requests(4, kNdp, kDdr);
  core::Channel<unit::ReadResponse> responses(4, kDdr, kNdp);
  core::Channel<system::WriteRequest> writes(4, kNdp, kDdr);
  system::ByteStore store;
  WritePort port({&requests, &responses, &writes, &store}, cycles);
  for (int i = 0; i < 4; ++i) {
    if (!writes.try_push(Fs{0}, {})) return "no room";
  }
  for (std::int64_t cycle = 1; cycle < 200; ++cycle) {
    if (const auto next = port.step(kDdr.edge({cycle})); !next) return next.error().place;
  }
  return "";
}

Verdict write_bus_guard_fires() {
  if (const std::string place = four_writes(Cycle{8}); !place.empty())
    return "at the rate " + place;
  const std::string place = four_writes(Cycle{7});
  return place == "port write bus" ? Verdict{} : Verdict{"faster: '" + place + "'"};
}

/// The place of the fault when two bursts follow each other in successive cycles.
std::string two_bursts(core::BusRate port) {
  core::Channel<unit::WriteBurst> input(4, kNdp, kNdp);
  core::Channel<system::WriteRequest> output(4, kNdp, kDdr);
  std::vector<system::ByteStore> stores(1);
  system::OutputRouter router(kNdp, port, input, {&output}, stores, 1, system::Pauses({}, 0));
  for (int i = 0; i < 2; ++i) {
    if (!input.try_push(Fs{0}, {})) return "no room";
  }
  for (std::int64_t cycle = 1; cycle < 5; ++cycle) {
    if (const auto next = router.step(kNdp.edge({cycle})); !next) return next.error().place;
  }
  return input.empty() ? "" : "stuck";
}

Verdict output_port_guard_fires() {
  if (const std::string place = two_bursts({512, 1'000'000'000}); !place.empty()) {
    return "at the rate " + place;
  }
  const std::string place = two_bursts({256, 1'000'000'000});
  return place == "output port" ? Verdict{} : Verdict{"half the wires: '" + place + "'"};
}

constexpr Check kChecks[] = {
    {"the write bus guard fires on a memory that is too fast", write_bus_guard_fires},
    {"the output port guard fires on a port with too few wires", output_port_guard_fires},
};

}  // namespace

int main() { neardata::checks::run_checks(kChecks); }
