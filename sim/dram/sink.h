// SPDX-License-Identifier: Apache-2.0
//
// Receives the commands and completions of a controller, in the order of cycles; in one cycle,
// completions of reads precede the command.
#pragma once

#include <optional>

#include "dram/types.h"

namespace neardata::dram {

/// One command on the bus. `row` means something for a command that opens a row, transfers a burst
/// or starts the data clock for one, `column` for the last two, `bank_group` for commands to one
/// bank, `bank` for all that do not address a rank.
struct IssuedCommand {
  Cycle cycle;
  Command command;
  Effect effect;
  Location where;
  std::optional<RequestId> request;  ///< none for refreshes and closes of the row policy
};

class Sink {
 public:
  virtual void command(const IssuedCommand& issued) = 0;
  /// A read has its last data in `cycle`; a write was sent (its WR issued) in `cycle`.
  virtual void completion(RequestId id, Cycle cycle) = 0;

 protected:
  ~Sink() = default;
};

}  // namespace neardata::dram
