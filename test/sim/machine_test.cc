// SPDX-License-Identifier: Apache-2.0
//
// Checks of sim/core/machine: what it refuses, in which words, and that what it joins runs as if
// joined by hand.
#include "core/machine/machine.h"

#include <algorithm>
#include <string>
#include <vector>

#include "checks.h"
#include "machine_parts.h"

namespace {

using namespace neardata;
using checks::Check;
using checks::kFine;
using checks::Patient;
using checks::Verdict;
using core::Clock;
using core::Cycle;
using core::Expected;
using core::Fs;
using core::Hertz;
using core::Machine;
using core::PortName;

constexpr std::uint32_t kNumbers = 500;

/// A source and a sink, not joined yet.
struct Pipe {
  Machine machine;
  Source* source;
  Sink* sink;
  explicit Pipe(Fs patience = {}, std::size_t least = 1) {
    machine.add_clock("fast", kFast);
    machine.add_clock("slow", kSlow);
    source = &machine.subsystem().add<Source>("source", "fast", kNumbers, least);
    sink = &machine.subsystem("far").add<Sink>("sink", "slow", patience);
  }
  void join(const core::EdgeRules& rules = {}) {
    machine.join(source->port("numbers"), sink->port("numbers"), rules);
  }
};

/// The problems are these and no others.
Verdict problems_are(Machine& machine, std::vector<std::string> expected) {
  std::vector<std::string> found = machine.close();
  std::ranges::sort(found);
  std::ranges::sort(expected);
  if (found == expected) return kFine;
  std::string text = "found";
  for (const std::string& problem : found) text += " <" + problem + ">";
  return text;
}

Verdict runs_as_joined_by_hand() {
  std::vector<std::int64_t> by_hand;
  {
    core::Channel<Number> channel(3, kFast, kSlow, Cycle{2});
    core::In<Number> in;
    in.join(channel);
    core::Out<Number> out;
    out.join(channel);
    std::uint32_t sent = 0;
    Fs last_push{-1};
    // Time advances to the next edge of either clock.
    for (std::int64_t fast = 0, slow = 0; by_hand.size() < kNumbers;) {
      const Fs now = std::min(kFast.edge({fast}), kSlow.edge({slow}));
      if (now == kFast.edge({fast})) {
        if (sent < kNumbers && out->try_push(now, {sent})) ++sent;
        last_push = now;
        ++fast;
      }
      if (now == kSlow.edge({slow})) {
        if (const Number* number = in->front(now)) {
          by_hand.push_back(now.value * 1000 + number->value);
          in->pop(now);
        }
        ++slow;
      }
    }
    if (last_push < Fs{0}) return "nothing was sent";
  }
  Pipe pipe;
  pipe.join({.capacity = 3, .latency = Cycle{2}});
  Patient patient;
  if (const auto end = pipe.machine.run(patient); !end) return end.error().message;
  return pipe.sink->log == by_hand ? Verdict{} : Verdict{"other times than by hand"};
}

Verdict a_whole_machine_has_no_problems() {
  Pipe pipe;
  pipe.join();
  return problems_are(pipe.machine, {});
}

Verdict open_ports_are_named() {
  Pipe pipe;
  return problems_are(pipe.machine, {"numbers of source is open: nothing takes its \"number\"",
                                     "numbers of far sink is open: nothing sends it \"number\""});
}

Verdict a_port_is_joined_once() {
  Pipe pipe;
  auto& other = pipe.machine.subsystem().add<Sink>("other", "slow");
  pipe.join();
  pipe.machine.join(pipe.source->port("numbers"), other.port("numbers"));
  return problems_are(pipe.machine, {"numbers of source is joined twice, to numbers of far sink "
                                     "and to numbers of other"});
}

Verdict types_fit() {
  Pipe pipe;
  auto& listener = pipe.machine.subsystem().add<Listener>("listener", "slow");
  pipe.join();
  auto& other = pipe.machine.subsystem().add<Source>("other", "fast", 1U);
  pipe.machine.join(other.port("numbers"), listener.port("words"));
  return problems_are(pipe.machine, {"numbers of other cannot be joined to words of listener: the "
                                     "one sends \"number\", the other takes \"word\""});
}

Verdict an_edge_goes_from_an_output_to_an_input() {
  Pipe pipe;
  auto& source = pipe.machine.subsystem().add<Source>("other source", "fast", 1U);
  auto& sink = pipe.machine.subsystem().add<Sink>("other sink", "slow");
  pipe.machine.join(pipe.source->port("numbers"), source.port("numbers"));
  pipe.machine.join(pipe.sink->port("numbers"), sink.port("numbers"));
  if (auto wrong = problems_are(
          pipe.machine,
          {"numbers of source cannot be joined to numbers of other source: both are outputs",
           "numbers of far sink cannot be joined to numbers of other sink: both are inputs"})) {
    return wrong;
  }
  Pipe turned;
  turned.machine.join(turned.sink->port("numbers"), turned.source->port("numbers"));
  return problems_are(turned.machine,
                      {"numbers of far sink cannot be joined to numbers of source: an edge goes "
                       "from an output to an input, and these are the other way round"});
}

Verdict names_are_looked_up() {
  Pipe pipe;
  pipe.machine.join(pipe.source->port("numbers"), PortName{"sink", "numbers"});
  pipe.machine.join(PortName{"source", "nubmers"}, pipe.sink->port("numbers"));
  return problems_are(pipe.machine,
                      {"numbers of source cannot be joined to numbers of sink: there is no part "
                       "\"sink\"",
                       "nubmers of source cannot be joined to numbers of far sink: the ports of "
                       "source are numbers, words and answers"});
}

Verdict names_are_unique() {
  Machine machine;
  machine.add_clock("slow", kSlow);
  machine.add_clock("slow", kFast);
  machine.subsystem().add<Twin>("twin", "slow");
  machine.subsystem().add<Source>("twin", "slow", 0U);
  return problems_are(machine,
                      {"two clocks have the name \"slow\"", "two parts have the name \"twin\"",
                       "twin has two ports of the name \"words\"",
                       "numbers of twin is open: nothing takes its \"number\""});
}

Verdict clocks_are_known() {
  Pipe pipe;
  pipe.join();
  auto& source = pipe.machine.subsystem().add<Source>("other source", "fats", 1U);
  auto& sink = pipe.machine.subsystem().add<Sink>("other sink", "slow");
  pipe.machine.join(source.port("numbers"), sink.port("numbers"));
  return problems_are(pipe.machine,
                      {"other source is on the clock \"fats\", and the clocks are fast and slow"});
}

Verdict an_edge_has_the_room_that_its_ports_need() {
  Pipe pipe({}, 8);
  pipe.join({.capacity = 7, .latency = Cycle{0}});
  return problems_are(pipe.machine,
                      {"numbers of source cannot be joined to numbers of far sink: the edge holds "
                       "7, and they need room for 8",
                       "numbers of source cannot be joined to numbers of far sink: an edge has a "
                       "latency of one cycle at least"});
}

Verdict an_edge_is_as_small_as_its_ports_allow() {
  Pipe pipe({}, 8);
  pipe.join();
  if (!pipe.machine.close().empty()) return pipe.machine.close().front();
  const std::size_t capacity = pipe.machine.describe().edges.at(0).capacity;
  return capacity == 8 ? Verdict{} : Verdict{"room for " + std::to_string(capacity)};
}

Verdict options_are_whole() {
  Pipe pipe;
  pipe.join();
  auto& listener = pipe.machine.subsystem().add<Listener>("listener", "slow");
  pipe.machine.join(pipe.source->port("answers"), listener.port("words"));
  return problems_are(pipe.machine, {"words of source is open, and answers of source is joined to "
                                     "words of listener: they go together"});
}

Verdict open_options_are_seen_by_their_part() {
  Pipe pipe;
  pipe.join();
  Patient patient;
  if (const auto end = pipe.machine.run(patient); !end) return end.error().message;
  return pipe.source->heard == 0 ? Verdict{} : Verdict{"heard words"};
}

Verdict a_broken_machine_does_not_run() {
  Pipe pipe;
  pipe.machine.subsystem().add<Listener>("listener", "slow");
  Patient patient;
  const auto end = pipe.machine.run(patient);
  if (end || end.error().fault != core::Fault::kBadConfig) return "it ran";
  if (end.error().place != "machine") return "place " + end.error().place;
  for (const char* name : {"numbers of source", "numbers of far sink", "words of listener"}) {
    if (end.error().message.find(name) == std::string::npos)
      return "nothing of " + std::string(name);
  }
  return pipe.sink->first == core::kNever ? Verdict{} : Verdict{"a part was called"};
}

Verdict patient_receivers_are_woken_late() {
  const Fs patience = kSlow.edge({50});
  Pipe prompt;
  prompt.join();
  Pipe patient(patience);
  patient.join();
  Patient observer;
  if (!prompt.machine.run(observer) || !patient.machine.run(observer)) return "did not end";
  return patient.sink->first == prompt.sink->first + patience ? Verdict{} : Verdict{"at once"};
}

Verdict a_machine_describes_itself() {
  Pipe pipe;
  pipe.join({.capacity = 4, .latency = Cycle{3}});
  Patient patient;
  if (const auto end = pipe.machine.run(patient); !end) return end.error().message;
  const core::MachineRecord record = pipe.machine.describe();
  if (record.clocks.size() != 2 || record.clocks[1].name != "slow" ||
      record.clocks[1].frequency != kSlow.frequency()) {
    return "clocks";
  }
  if (record.parts.size() != 2) return "parts";
  const core::PartRecord& sink = record.parts[1];
  if (sink.name != "far sink" || sink.kind != "sink" || sink.subsystem != "far" ||
      sink.clock != "slow") {
    return "a part";
  }
  const core::PartRecord& source = record.parts[0];
  if (source.ports.size() != 3) return "ports";
  const core::PortRecord& numbers = source.ports[0];
  if (numbers.name != "numbers" || numbers.direction != core::Direction::kOut ||
      numbers.message != "number" || !numbers.option.empty() || !numbers.joined) {
    return "a port";
  }
  const core::PortRecord& words = source.ports[1];
  if (words.direction != core::Direction::kIn || words.option != "talk" || words.joined) {
    return "an open port";
  }
  if (record.edges.size() != 1) return "edges";
  const core::EdgeRecord& edge = record.edges[0];
  if (edge.from != PortName{"source", "numbers"} || edge.to != PortName{"far sink", "numbers"}) {
    return "ends";
  }
  if (edge.message != "number" || edge.data_bytes != 4 || edge.from_clock != "fast" ||
      edge.to_clock != "slow" || edge.capacity != 4 || edge.latency != Cycle{3}) {
    return "an edge";
  }
  return edge.messages == kNumbers ? Verdict{} : Verdict{"messages"};
}

constexpr Check kChecks[] = {
    {"a machine runs as if joined by hand", runs_as_joined_by_hand},
    {"a whole machine has no problems", a_whole_machine_has_no_problems},
    {"open ports are named", open_ports_are_named},
    {"a port is joined once", a_port_is_joined_once},
    {"types of the ends fit", types_fit},
    {"an edge goes from an output to an input", an_edge_goes_from_an_output_to_an_input},
    {"parts and ports are looked up", names_are_looked_up},
    {"names are unique", names_are_unique},
    {"clocks are known", clocks_are_known},
    {"an edge has the room that its ports need", an_edge_has_the_room_that_its_ports_need},
    {"an edge is as small as its ports allow", an_edge_is_as_small_as_its_ports_allow},
    {"options are whole", options_are_whole},
    {"open options are seen by their part", open_options_are_seen_by_their_part},
    {"a broken machine does not run", a_broken_machine_does_not_run},
    {"patient receivers are woken late", patient_receivers_are_woken_late},
    {"a machine describes itself", a_machine_describes_itself},
};

}  // namespace

int main() { neardata::checks::run_checks(kChecks); }
