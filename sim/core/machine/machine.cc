// SPDX-License-Identifier: Apache-2.0
#include "core/machine/machine.h"

#include <algorithm>
#include <map>

namespace neardata::core {

namespace {

/// A part without a clock is made for one, and never runs.
const Clock kNoClock(Hertz{1});

std::string quoted(std::string_view name) {
  std::string text(1, '"');
  text += name;
  return text += '"';
}

/// "responses[0] of NDP unit"
std::string words(const PortName& name) { return name.port + " of " + name.part; }

std::string both(const PortName& from, const PortName& to) {
  return words(from) + " cannot be joined to " + words(to) + ": ";
}

/// "a, b and c"
template <typename Items, typename Name>
std::string list_of(const Items& items, Name name) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += name(items[i]);
  }
  return text.empty() ? "none" : text;
}

}  // namespace

void Machine::add_clock(std::string name, const Clock& clock) {
  clocks_.push_back({std::move(name), clock});
}

void Machine::join(PortName from, PortName to, const EdgeRules& rules) {
  lines_.push_back({std::move(from), std::move(to), rules, nullptr});
}

Placement Machine::placement(const std::string& subsystem, std::string_view name,
                             std::string_view clock) const {
  const Clock* found = clock_named(clock);
  return {subsystem.empty() ? std::string(name) : subsystem + " " + std::string(name),
          found == nullptr ? kNoClock : *found};
}

void Machine::take(std::unique_ptr<Part> part, std::string subsystem, std::string partition,
                   std::string_view clock) {
  Member member{
      std::move(part), std::move(subsystem), std::move(partition), std::string(clock), {}, {}};
  member.part->declare(member.ports);
  member.peers.resize(member.ports.ports().size());
  numbers_.try_emplace(std::string(member.part->name()), members_.size());
  members_.push_back(std::move(member));
}

const Clock* Machine::clock_named(std::string_view name) const {
  const auto found = std::ranges::find(clocks_, name, &NamedClock::name);
  return found == clocks_.end() ? nullptr : &found->clock;
}

const std::vector<std::string>& Machine::close() {
  if (closed_) return problems_;
  closed_ = true;
  check_names();
  for (const PlannedEdge& line : lines_) check(line);
  for (const Member& member : members_) check_open(member);
  if (!problems_.empty()) return problems_;
  add_members();
  for (PlannedEdge& line : lines_) connect(line);
  return problems_;
}

void Machine::add_members() {
  std::map<std::string_view, std::uint32_t> partitions;
  for (const Member& member : members_) {
    const auto number = static_cast<std::uint32_t>(partitions.size());
    const std::uint32_t partition = partitions.try_emplace(member.partition, number).first->second;
    engine_.add(*member.part, member.part->begins(), partition);
  }
}

void Machine::check_names() {
  for (auto at = clocks_.begin(); at != clocks_.end(); ++at) {
    if (std::ranges::find(clocks_.begin(), at, at->name, &NamedClock::name) == at) continue;
    complain("two clocks have the name " + quoted(at->name));
  }
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const Member& member = members_[m];
    const std::string name(member.part->name());
    if (numbers_.at(name) != m) complain("two parts have the name " + quoted(name));
    if (clock_named(member.clock) == nullptr) {
      complain(name + " is on the clock " + quoted(member.clock) + ", and the clocks are " +
               list_of(clocks_, [](const NamedClock& clock) { return clock.name; }));
    }
    const auto& ports = member.ports.ports();
    for (auto at = ports.begin(); at != ports.end(); ++at) {
      const auto same = [&](const auto& port) { return port->name() == (*at)->name(); };
      if (std::any_of(ports.begin(), at, same)) {
        complain(name + " has two ports of the name " + quoted((*at)->name()));
      }
    }
  }
}

std::optional<Machine::End> Machine::find(const PortName& name) const {
  const auto number = numbers_.find(name.part);
  if (number == numbers_.end()) return std::nullopt;
  const Member& member = members_[number->second];
  const auto& ports = member.ports.ports();
  const auto found = std::ranges::find_if(
      ports, [&](const auto& declared) { return declared->name() == name.port; });
  if (found == ports.end()) return std::nullopt;
  return End{&member, static_cast<std::size_t>(found - ports.begin())};
}

void Machine::check(const PlannedEdge& line) {
  const auto from = find_or_complain(line.from, line);
  const auto to = find_or_complain(line.to, line);
  if (from) use(*from, line.from, line.to);
  if (to) use(*to, line.to, line.from);
  if (from && to) check_fit(line, from->declaration(), to->declaration());
}

std::optional<Machine::End> Machine::find_or_complain(const PortName& name,
                                                      const PlannedEdge& line) {
  if (const auto end = find(name)) return end;
  const auto number = numbers_.find(name.part);
  complain(both(line.from, line.to) +
           (number == numbers_.end()
                ? "there is no part " + quoted(name.part)
                : "the ports of " + name.part + " are " +
                      list_of(members_[number->second].ports.ports(),
                              [](const auto& declared) { return declared->name(); })));
  return std::nullopt;
}

/// Records the peer of a port.
void Machine::use(const End& end, const PortName& name, const PortName& peer) {
  const PortName*& taken = members_[numbers_.at(name.part)].peers[end.port];
  if (taken != nullptr) {
    complain(words(name) + " is joined twice, to " + words(*taken) + " and to " + words(peer));
  }
  taken = &peer;
}

void Machine::check_fit(const PlannedEdge& line, const PortDeclaration& from,
                        const PortDeclaration& to) {
  const auto refuse = [&](const std::string& why) { complain(both(line.from, line.to) + why); };
  if (from.direction() == to.direction()) {
    return refuse(from.direction() == Direction::kOut ? "both are outputs" : "both are inputs");
  }
  if (from.direction() == Direction::kIn) {
    return refuse("an edge goes from an output to an input, and these are the other way round");
  }
  if (!from.fits(to)) {
    return refuse("the one sends " + quoted(from.message().name) + ", the other takes " +
                  quoted(to.message().name));
  }
  const std::size_t least = std::max(from.rules().least_capacity, to.rules().least_capacity);
  if (line.rules.capacity.value_or(least) < least) {
    refuse("the edge holds " + std::to_string(*line.rules.capacity) + ", and they need room for " +
           std::to_string(least));
  }
  if (line.rules.latency < Cycle{1}) refuse("an edge has a latency of one cycle at least");
}

/// Ports that must be joined are, and options are whole.
void Machine::check_open(const Member& member) {
  const auto& ports = member.ports.ports();
  const std::string part(member.part->name());
  for (std::size_t p = 0; p < ports.size(); ++p) {
    if (member.peers[p] != nullptr) continue;
    const PortDeclaration& open = *ports[p];
    const std::string name = words({part, open.name()});
    if (open.rules().option.empty()) {
      const bool in = open.direction() == Direction::kIn;
      complain(name + " is open: " + (in ? "nothing sends it " : "nothing takes its ") +
               quoted(open.message().name));
      continue;
    }
    for (std::size_t other = 0; other < ports.size(); ++other) {
      if (member.peers[other] == nullptr) continue;
      if (ports[other]->rules().option != open.rules().option) continue;
      complain(name + " is open, and " + words({part, ports[other]->name()}) + " is joined to " +
               words(*member.peers[other]) + ": they go together");
      break;
    }
  }
}

void Machine::connect(PlannedEdge& line) {
  const auto from = find(line.from);
  const auto to = find(line.to);
  if (!from || !to) return;
  PortDeclaration& output = from->declaration();
  PortDeclaration& input = to->declaration();
  if (!line.rules.capacity) {
    line.rules.capacity = std::max(output.rules().least_capacity, input.rules().least_capacity);
  }
  line.edge = output.join(input, {.capacity = *line.rules.capacity,
                                  .latency = line.rules.latency,
                                  .flow_control = line.rules.flow_control,
                                  .sender_clock = from->member->part->clock(),
                                  .receiver_clock = to->member->part->clock(),
                                  .sender = from->member->part->alarm(),
                                  .receiver = to->member->part->alarm()});
  if (from->member->partition != to->member->partition) {
    engine_.split(line.edge->channel(), *from->member->part, *to->member->part);
  }
}

Expected<Fs> Machine::run(Observer& observer) {
  if (const auto& problems = close(); !problems.empty()) {
    std::string all;
    for (const std::string& problem : problems) all += (all.empty() ? "" : "; ") + problem;
    return std::unexpected(SimError{Fault::kBadConfig, "machine", std::move(all), Fs{}});
  }
  auto end = engine_.run(observer);
  if (end || engine_.failed() == nullptr) return end;
  const auto failed = std::ranges::find_if(
      members_, [&](const Member& member) { return member.part.get() == engine_.failed(); });
  std::string& place = end.error().place;
  if (!failed->subsystem.empty() && !place.starts_with(failed->subsystem + " ")) {
    place = failed->subsystem + ": " + place;
  }
  return end;
}

bool Machine::at_rest(std::string_view subsystem) const {
  return std::ranges::all_of(members_, [&](const Member& member) {
    return member.subsystem != subsystem ||
           (member.part->alarm().due() == kNever && !member.part->waits_for());
  });
}

MachineRecord Machine::describe() const {
  MachineRecord record;
  for (const NamedClock& clock : clocks_) {
    record.clocks.push_back({clock.name, clock.clock.frequency()});
  }
  for (const Member& member : members_) {
    PartRecord& part = record.parts.emplace_back(PartRecord{std::string(member.part->name()),
                                                            std::string(member.part->kind()),
                                                            member.subsystem,
                                                            member.clock,
                                                            {}});
    const auto& ports = member.ports.ports();
    for (std::size_t p = 0; p < ports.size(); ++p) {
      part.ports.push_back({ports[p]->name(), ports[p]->direction(),
                            std::string(ports[p]->message().name),
                            std::string(ports[p]->rules().option), member.peers[p] != nullptr});
    }
  }
  for (const PlannedEdge& line : lines_) {
    const auto from = find(line.from);
    const auto to = find(line.to);
    const MessageType message = from ? from->declaration().message() : MessageType{};
    record.edges.push_back({.from = line.from,
                            .to = line.to,
                            .message = std::string(message.name),
                            .data_bytes = message.data_bytes,
                            .from_clock = from ? from->member->clock : "",
                            .to_clock = to ? to->member->clock : "",
                            .capacity = line.rules.capacity.value_or(0),
                            .latency = line.rules.latency,
                            .messages = line.edge ? line.edge->messages() : 0});
  }
  return record;
}

}  // namespace neardata::core
