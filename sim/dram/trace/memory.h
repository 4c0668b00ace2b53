// SPDX-License-Identifier: Apache-2.0
//
// Several channels behind one address space, and the order in which a trace is offered to them. At
// clock c the first request that is not accepted yet is offered if its arrival is not after c. A
// refused request is offered again at the next clock, and later requests wait. This FIFO is common
// to all channels (kGlobalFifo) or separate per channel (kPerChannelFifo).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dram/address_mapper.h"
#include "dram/channel_model.h"
#include "dram/controller/controller.h"

namespace neardata::dram {

enum class Injection : std::uint8_t { kGlobalFifo, kPerChannelFifo };

struct MemoryConfig {
  ControllerConfig controller;  ///< of every channel
  Mapping mapping = Mapping::kRoBaRaCoCh;
  Injection injection = Injection::kGlobalFifo;
  std::optional<std::uint32_t> accepts_per_cycle;  ///< no limit without
  ChannelMaker make_channel = make_controller;
};

class Memory {
 public:
  /// Reports the commands and completions of `channel`; cycles ascend per channel, not between
  /// channels.
  class Listener {
   public:
    virtual void command(std::uint32_t channel, const IssuedCommand& issued) = 0;
    virtual void completion(RequestId id, Cycle cycle) = 0;

   protected:
    ~Listener() = default;
  };

  Memory(const MemoryConfig& config, Listener& listener);

  /// Advances time until the request is accepted and returns the clock. Arrivals never descend.
  /// Returns kNever if the channel never has room: its refreshes leave no time for requests.
  [[nodiscard]] Cycle inject(RequestId id, Operation operation, std::uint64_t address,
                             Cycle arrival);

  /// Advances time to clock `to`, before which no request arrives.
  void pass(Cycle to);

  /// Advances time until every request is complete, ends all channels in that cycle and returns it.
  /// Returns nothing if some requests never complete.
  std::optional<Cycle> drain();

  /// Advances every channel as far as the accepted requests allow. All channels have then reported
  /// everything up to and including the returned cycle.
  Cycle advance_all();
  [[nodiscard]] const std::vector<std::unique_ptr<ChannelModel>>& channels() const {
    return channels_;
  }

 private:
  /// One queue of requests in front of one channel or of all.
  struct Entrance {
    Cycle clock;
    std::uint32_t accepts = 0;  ///< at this clock
  };

  class ChannelSink final : public Sink {
   public:
    ChannelSink(std::uint32_t channel, Memory& memory) : channel_(channel), memory_(&memory) {}
    void command(const IssuedCommand& issued) override {
      memory_->listener_->command(channel_, issued);
    }
    void completion(RequestId id, Cycle cycle) override;

   private:
    std::uint32_t channel_;
    Memory* memory_;
  };

  void advance(Entrance& entrance, std::uint32_t channel, Cycle to);

  MemoryConfig config_;
  AddressMapper mapper_;
  Listener* listener_;
  Cycle patience_;  ///< a channel without progress for so many cycles is starved
  std::vector<std::unique_ptr<ChannelModel>> channels_;
  std::vector<ChannelSink> sinks_;
  std::vector<Entrance> entrances_;
  Cycle last_arrival_;
  Cycle last_completion_;
};

}  // namespace neardata::dram
