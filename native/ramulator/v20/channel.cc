// SPDX-License-Identifier: Apache-2.0
#include "ramulator/channel.h"

#include <exception>
#include <new>
#include <stdexcept>
#include <vector>

#include "core/error.h"
#include "dram/dram.h"
#include "dram_controller/controller.h"
#include "frontend/frontend.h"
#include "memory_system/memory_system.h"
#include "ramulator/requests.h"
#include "ramulator/v20/config.h"
#include "ramulator/v20/parts.h"

namespace neardata::native::ramulator {

namespace {

using dram::Command;
using dram::Cycle;
using dram::StopAt;

/// Ramulator's levels below the channel, in the order of its address vectors.
enum Level : std::size_t { kRank = 1, kBankGroup, kBank, kRow, kColumn };

class Channel final : public dram::ChannelModel, private CommandListener {
 public:
  Channel(const dram::ControllerConfig& config, const dram::ChannelPlace& place)
      : requests_(config, config.queues.active) {
    ask([&] { build(configuration(config, place), config.commands); });
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  [[nodiscard]] bool offer(const dram::Request& request, Cycle now) override;
  [[nodiscard]] Cycle next_event() override {
    return outstanding() == 0 || failed_ ? dram::kNever : clock_ + Cycle{1};
  }
  using ChannelModel::advance;
  Cycle advance(Cycle to, dram::Sink& sink, StopAt stop) override;

  [[nodiscard]] Cycle clock() const override { return clock_; }
  [[nodiscard]] std::size_t outstanding() const override { return requests_.inside(); }
  [[nodiscard]] const dram::Statistics& statistics() const override {
    return requests_.statistics();
  }

 private:
  /// Calls Ramulator, whose exceptions end the run with their messages; after an exception it is
  /// not called again.
  void ask(const auto& call) {
    if (failed_) return;
    failed_ = true;
    try {
      call();
    } catch (const core::LibraryError&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      throw core::LibraryError("Ramulator 2.0", error.what());
    }
    failed_ = false;
  }

  void build(const std::string& yaml, const std::vector<dram::CommandKind>& kinds);
  void tick();
  void issued(const Ramulator::Request& request) override;
  void completed(Flight& flight);
  [[nodiscard]] Command command_of(int id) const { return commands_.at(static_cast<unsigned>(id)); }

  // Neither frees the parts that it consists of; that is how they are.
  std::unique_ptr<Ramulator::IFrontEnd> frontend_;
  std::unique_ptr<Ramulator::IMemorySystem> memory_;
  std::vector<Command> commands_;  ///< by Ramulator's number
  Requests requests_;
  Cycle clock_;
  dram::Sink* sink_ = nullptr;  ///< while the clock advances
  bool failed_ = false;
};

/// The command of this name, if the controller issues it; otherwise an arbitrary one.
Command command_named(const std::vector<dram::CommandKind>& kinds, std::string_view name) {
  const auto found = std::ranges::find(kinds, name, &dram::CommandKind::name);
  const auto place = found == kinds.end() ? 0 : found - kinds.begin();
  return {static_cast<std::uint8_t>(place)};
}

void Channel::build(const std::string& yaml, const std::vector<dram::CommandKind>& kinds) {
  const YAML::Node config = YAML::Load(yaml);
  frontend_.reset(Ramulator::Factory::create_frontend(config));
  memory_.reset(Ramulator::Factory::create_memory_system(config));
  frontend_->connect_memory_system(memory_.get());
  memory_->connect_frontend(frontend_.get());
  auto* device = memory_->get_ifce<Ramulator::IDRAM>();
  for (std::size_t c = 0; c < device->m_commands.size(); ++c) {
    commands_.push_back(command_named(kinds, device->m_commands(static_cast<int>(c))));
  }
  for (auto* plugin : memory_->get_ifce<Ramulator::IDRAMController>()->m_plugins) {
    if (auto* tap = dynamic_cast<CommandTap*>(plugin)) tap->listen(*this);
  }
}

bool Channel::offer(const dram::Request& request, Cycle now) {
  const dram::Location& at = request.where;
  const bool read = request.operation == dram::Operation::kRead;
  using Ramulator::Request;
  Flight& flight = requests_.take(request, now);
  Request sent(static_cast<Ramulator::Addr_t>(request.address),
               read ? Request::Type::Read : Request::Type::Write, -1,
               [this](Request& done) { completed(*static_cast<Flight*>(done.m_payload)); });
  sent.m_payload = &flight;
  sent.addr_vec = {0,
                   static_cast<int>(at.rank),
                   static_cast<int>(at.bank_group),
                   static_cast<int>(at.bank),
                   static_cast<int>(at.row),
                   static_cast<int>(at.column)};
  bool taken = false;
  ask([&] { taken = memory_->send(std::move(sent)); });
  if (!taken) return false;
  requests_.entered(flight);
  return true;
}

Cycle Channel::advance(Cycle to, dram::Sink& sink, StopAt stop) {
  sink_ = &sink;
  while (clock_ < to) {
    const std::size_t reads = requests_.waiting_reads();
    const std::size_t writes = requests_.waiting_writes();
    tick();
    if (stop.read_leaves && requests_.waiting_reads() < reads) break;
    if (stop.write_leaves && requests_.waiting_writes() < writes) break;
  }
  sink_ = nullptr;
  return clock_;
}

void Channel::tick() {
  clock_ = clock_ + Cycle{1};
  requests_.count_cycle();
  ask([&] { memory_->tick(); });
}

void Channel::issued(const Ramulator::Request& request) {
  const Command command = command_of(request.command);
  const dram::Effect effect = requests_.kinds.effect(command);
  // "All" is -1 in an address vector, and a request of all has no further levels.
  const auto level = [&](Level l) {
    const int index = request.addr_vec.at(l);
    return index < 0 ? 0U : static_cast<std::uint32_t>(index);
  };
  const dram::Location where{level(kRank), level(kBankGroup), level(kBank), level(kRow),
                             level(kColumn)};
  requests_.count(command);
  auto* flight = static_cast<Flight*>(request.m_payload);
  if (flight == nullptr) {
    sink_->command({clock_, command, effect, where, std::nullopt});
    return;
  }
  requests_.issued(*flight, command);
  sink_->command({clock_, command, effect, where, flight->request.id});
  // Ramulator has no callback for writes.
  if (effect.action == dram::Action::kWrite) completed(*flight);
}

void Channel::completed(Flight& flight) {
  if (flight.issued == flight.forwarded) throw std::logic_error("forwarded otherwise");
  const dram::RequestId id = flight.request.id;
  requests_.completed(flight, clock_);
  sink_->completion(id, clock_);
}

}  // namespace

std::unique_ptr<dram::ChannelModel> make_channel(const dram::ControllerConfig& config,
                                                 const dram::ChannelPlace& place) {
  return std::make_unique<Channel>(config, place);
}

}  // namespace neardata::native::ramulator
