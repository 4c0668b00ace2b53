// SPDX-License-Identifier: Apache-2.0
#include "dram/trace/trace_writer.h"

namespace neardata::dram {

void TraceWriter::command(std::uint32_t channel, const IssuedCommand& issued,
                          std::optional<std::uint64_t> id) {
  const Reach reach = issued.effect.reach;
  field(issued.cycle.value, ',');
  field(channel, ',');
  text_ += names_[index(issued.command)];
  text_ += ',';
  field(issued.where.rank, ',');
  if (pseudo_channels_) {
    field_if(reach != Reach::kRank || logical_ranks_ == 1, issued.where.logical_rank, ',');
  }
  field_if(reach == Reach::kBank, issued.where.bank_group, ',');
  field_if(reach != Reach::kRank, issued.where.bank, ',');
  field_if(issued.effect.has_row(), issued.where.row, ',');
  field_if(issued.effect.has_column(), issued.where.column, ',');
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
