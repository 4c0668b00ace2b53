// SPDX-License-Identifier: Apache-2.0
#include "dram/trace/trace_writer.h"

namespace neardata::dram {

void TraceWriter::command(std::uint32_t channel, const IssuedCommand& issued,
                          std::optional<std::uint64_t> id) {
  const Command c = issued.command;
  const bool whole_rank = c == Command::kPrechargeAll || c == Command::kRefreshAll;
  const bool same_bank = c == Command::kPrechargeSame || c == Command::kRefreshSame;
  const bool access = c == Command::kRead || c == Command::kWrite;
  field(issued.cycle.value, ',');
  field(channel, ',');
  text_ += name(c);
  text_ += ',';
  field(issued.where.rank, ',');
  field_if(!whole_rank && !same_bank, issued.where.bank_group, ',');
  field_if(!whole_rank, issued.where.bank, ',');
  field_if(access || c == Command::kActivate, issued.where.row, ',');
  field_if(access, issued.where.column, ',');
  field_if(id.has_value(), id.value_or(0), '\n');
}

void TraceWriter::completion(const TraceCompletion& done, bool is_long) {
  field(done.id, ',');
  if (!is_long) {
    field(done.accept.value, ',');
    field_if(done.issue.has_value(), done.issue.value_or(Cycle{}).value, ',');
  }
  field(done.complete.value, '\n');
}

}  // namespace neardata::dram
