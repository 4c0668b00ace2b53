// SPDX-License-Identifier: Apache-2.0
#include "ramulator/channel.h"

#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/error.h"
#include "ramulator/memory_system/i_memory_system.h"
#include "ramulator/requests.h"
#include "ramulator/v21/config.h"
#include "ramulator/v21/parts.h"

namespace neardata::native::ramulator {

namespace {

using dram::Command;
using dram::Cycle;
using dram::StopAt;

/// Ramulator's levels below the channel, in the order of its address vectors.
enum Level : std::size_t { kRank = 1, kBankGroup, kBank, kRow, kColumn };

/// The address within the channel of a request from neardata is the pointer to its flight; requests
/// of Ramulator itself have this address.
constexpr Ramulator::Addr_t kOurs = -1;

class Channel final : public dram::ChannelModel, private CommandListener {
 public:
  explicit Channel(const dram::ControllerConfig& config)
      : requests_(config, std::size_t{config.organization.ranks} * config.organization.bank_groups *
                              config.organization.banks_per_group) {
    ask([&] { build(config); });
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
      throw core::LibraryError("Ramulator 2.1", error.what());
    }
    failed_ = false;
  }

  void build(const dram::ControllerConfig& config);
  void tick();
  void issued(const std::string& command, const Ramulator::Request& request) override;
  void completed(Flight& flight);

  std::unique_ptr<Ramulator::IFrontEnd> frontend_;
  std::unique_ptr<Ramulator::IMemorySystem> memory_;
  Requests requests_;
  int bytes_ = 0;
  Cycle clock_;
  dram::Sink* sink_ = nullptr;     ///< while the clock advances
  std::vector<Flight*> absorbed_;  ///< complete at their submission, reported with the next tick
  bool failed_ = false;
};

/// The command of Ramulator's name.
Command command_named(const dram::Commands& kinds, const std::string& name) {
  if (name == "ACT") return kinds.open;
  if (name == "PREpb") return kinds.close(dram::Reach::kBank);
  if (name == "PREab") return kinds.close(dram::Reach::kRank);
  if (name == "RD") return kinds.read;
  if (name == "WR") return kinds.write;
  if (name == "REFab") return kinds.refresh(dram::Reach::kRank);
  throw std::logic_error("a command that we do not have: " + name);
}

void Channel::build(const dram::ControllerConfig& config) {
  const Ramulator::ConfigNode all = configuration(config);
  frontend_.reset(Ramulator::Factory::create_frontend(all));
  memory_.reset(Ramulator::Factory::create_memory_system(all));
  dynamic_cast<ExternalFrontEnd&>(*frontend_).listener = this;
  frontend_->connect_memory_system(memory_.get());
  memory_->connect_frontend(frontend_.get());
  bytes_ = memory_->get_tx_bytes();
}

bool Channel::offer(const dram::Request& request, Cycle now) {
  const dram::Location& at = request.where;
  const bool read = request.operation == dram::Operation::kRead;
  using Ramulator::Request;
  Flight& flight = requests_.take(request, now);
  Request sent(static_cast<Ramulator::Addr_t>(request.address),
               read ? Request::Type::Read : Request::Type::Write, -1,
               [this, &flight](Request&) { completed(flight); });
  sent.size_bytes = bytes_;
  sent.intra_channel_addr = reinterpret_cast<std::intptr_t>(&flight);
  sent.addr_vec = {0,
                   static_cast<int>(at.rank),
                   static_cast<int>(at.bank_group),
                   static_cast<int>(at.bank),
                   static_cast<int>(at.row),
                   static_cast<int>(at.column)};
  bool taken = false;
  const std::size_t absorbed = absorbed_.size();
  ask([&] { taken = memory_->send(sent); });
  if (!taken) return false;
  if (absorbed_.size() > absorbed) {
    requests_.absorbed();
  } else {
    requests_.entered(flight);
  }
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
  for (Flight* flight : std::exchange(absorbed_, {})) completed(*flight);
  ask([&] { memory_->tick(); });
}

void Channel::issued(const std::string& command, const Ramulator::Request& request) {
  const Command sent = command_named(requests_.kinds, command);
  const dram::Effect effect = requests_.kinds.effect(sent);
  // "All" is -1 in an address vector.
  const auto level = [&](Level l) {
    const int index = request.addr_vec.at(l);
    return index < 0 ? 0U : static_cast<std::uint32_t>(index);
  };
  const dram::Location where{level(kRank), level(kBankGroup), level(kBank), level(kRow),
                             level(kColumn)};
  requests_.count(sent);
  if (request.intra_channel_addr == kOurs) {
    sink_->command({clock_, sent, effect, where, std::nullopt});
    return;
  }
  auto& flight = *reinterpret_cast<Flight*>(static_cast<std::intptr_t>(request.intra_channel_addr));
  requests_.issued(flight, sent);
  sink_->command({clock_, sent, effect, where, flight.request.id});
}

/// A write whose address another one waits for is answered while it is offered, when no clock runs.
void Channel::completed(Flight& flight) {
  if (sink_ == nullptr) {
    absorbed_.push_back(&flight);
    return;
  }
  const dram::RequestId id = flight.request.id;
  requests_.completed(flight, clock_);
  sink_->completion(id, clock_);
}

}  // namespace

std::unique_ptr<dram::ChannelModel> make_channel(const dram::ControllerConfig& config,
                                                 const dram::ChannelPlace& /*place*/) {
  return std::make_unique<Channel>(config);
}

}  // namespace neardata::native::ramulator
