// SPDX-License-Identifier: Apache-2.0
//
// The interface of the model of one channel: neardata's controller or another simulator. At clock c
// the ticks 1 to c are done. Requests are offered between ticks. The earliest command of a request
// that is offered at clock c is issued in tick c + 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "dram/address_mapper.h"
#include "dram/config.h"
#include "dram/sink.h"
#include "dram/statistics.h"
#include "dram/types.h"

namespace neardata::dram {

/// Conditions under which `advance` returns early.
struct StopAt {
  bool read_leaves = false;   ///< after a tick in which the read queue shrank
  bool write_leaves = false;  ///< after a tick in which the write queue shrank
};

class ChannelModel {
 public:
  virtual ~ChannelModel() = default;

  /// Accepts the request, or rejects it if the queue is full. `now` is the clock.
  /// A read of an address that waits in the write queue needs no room and no command.
  [[nodiscard]] virtual bool offer(const Request& request, Cycle now) = 0;

  /// No command issues and no completion is due before this tick if nothing more is offered;
  /// kNever if nothing is pending and no refresh is due.
  [[nodiscard]] virtual Cycle next_event() = 0;

  /// Simulates all ticks up to and including `to`, or fewer (see `stop`). Returns the clock.
  virtual Cycle advance(Cycle to, Sink& sink, StopAt stop) = 0;
  Cycle advance(Cycle to, Sink& sink) { return advance(to, sink, StopAt{}); }

  [[nodiscard]] virtual Cycle clock() const = 0;
  /// Requests that are accepted and not completed.
  [[nodiscard]] virtual std::size_t outstanding() const = 0;
  [[nodiscard]] virtual const Statistics& statistics() const = 0;
};

/// Which channel of which memory.
struct ChannelPlace {
  Mapping mapping = Mapping::kRoBaRaCoCh;  ///< by which the requests found their locations
  std::uint32_t channel = 0;
};

/// Creates a channel from a config that has passed `validate`.
using ChannelMaker =
    std::function<std::unique_ptr<ChannelModel>(const ControllerConfig&, const ChannelPlace&)>;

}  // namespace neardata::dram
