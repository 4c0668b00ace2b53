// SPDX-License-Identifier: Apache-2.0
//
// Commands and completions of a replay as text: `cycle,ch,cmd,rank,bg,bank,row,col,req` with -1
// for a missing field of a command, with the column `pc` before `rank` where a rank is a
// pseudo-channel and the logical rank is the rank, and `id,accept,issue,complete` in the order of
// the trace, or `id,complete` for a long trace.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dram/commands.h"
#include "dram/organization.h"
#include "dram/sink.h"

namespace neardata::dram {

/// The times of one request of a trace; `issue` is missing for a forwarded read.
struct TraceCompletion {
  std::uint64_t id = 0;
  Cycle accept;
  std::optional<Cycle> issue;
  Cycle complete;
};

class TraceWriter {
 public:
  TraceWriter() = default;
  /// Writes the commands of a memory with these kinds of commands.
  TraceWriter(const std::vector<CommandKind>& commands, const Organization& organization)
      : pseudo_channels_(organization.ranks_are_pseudo_channels),
        logical_ranks_(organization.logical_ranks) {
    for (const CommandKind& command : commands) names_.push_back(command.name);
  }

  void command_header() {
    text_ += pseudo_channels_ ? "cycle,ch,cmd,pc,rank,bg,bank,row,col,req\n"
                              : "cycle,ch,cmd,rank,bg,bank,row,col,req\n";
  }
  /// `id` is the request's name in the trace.
  void command(std::uint32_t channel, const IssuedCommand& issued, std::optional<std::uint64_t> id);

  void completion_header(bool is_long) {
    text_ += is_long ? "id,complete\n" : "id,accept,issue,complete\n";
  }
  void completion(const TraceCompletion& done, bool is_long);

  /// Everything written since the last call.
  std::string take() { return std::exchange(text_, {}); }

 private:
  template <typename Number>
  void field(Number number, char end) {
    char digits[24];
    const auto stop = std::to_chars(digits, digits + sizeof digits, number).ptr;
    text_.append(digits, stop);
    text_ += end;
  }
  template <typename Number>
  void field_if(bool present, Number number, char end) {
    if (present) {
      field(number, end);
    } else {
      text_ += "-1";
      text_ += end;
    }
  }

  std::vector<std::string> names_;  ///< by command
  bool pseudo_channels_ = false;
  std::uint32_t logical_ranks_ = 1;
  std::string text_;
};

}  // namespace neardata::dram
