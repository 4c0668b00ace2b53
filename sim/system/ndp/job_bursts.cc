// SPDX-License-Identifier: Apache-2.0
#include "system/ndp/job_bursts.h"

#include "unit/ndp/ndp_task.h"

namespace neardata::system {

namespace {

/// `count` rows of so many bursts, each `stride` behind the one before.
BurstRange rows_of(std::uint32_t base, std::uint32_t count, std::uint32_t stride,
                   std::uint32_t bursts) {
  if (count == 0) return {};
  return {base, std::uint64_t{base} + std::uint64_t{count - 1} * stride + bursts};
}

std::uint32_t parts(std::uint32_t whole, std::uint32_t of) { return (whole + of - 1) / of; }

}  // namespace

std::vector<BurstRange> read_by(const unit::Descriptor& job,
                                const unit::NdpParameters& parameters) {
  const unit::NdpTask task(job);
  const std::uint32_t block = unit::bursts_per_block(parameters);
  const std::uint32_t inputs = task.in_blocks * block;
  const std::uint32_t middle = parts(task.mid_rows, parameters.streams);
  std::vector<BurstRange> ranges{
      rows_of(task.x_base, task.tokens, task.x_stride, parts(inputs, parameters.streams)),
      rows_of(task.down_base, parts(task.out_rows, parameters.streams), task.down_stride,
              task.down_blocks() * block)};
  if (task.op != unit::NdpOp::kLinear) {
    ranges.push_back(rows_of(task.up_base, middle, task.gu_stride, inputs));
  }
  if (task.op == unit::NdpOp::kGated) {
    ranges.push_back(rows_of(task.gate_base, middle, task.gu_stride, inputs));
  }
  return ranges;
}

std::vector<BurstRange> written_by(const unit::Descriptor& job,
                                   const unit::NdpParameters& parameters) {
  const unit::NdpTask task(job);
  const std::uint32_t values = core::kBurstBytes / sizeof(std::uint16_t);
  const std::uint32_t bursts = parts(parts(task.out_rows, values), parameters.streams);
  // A descriptor of a custom unit may have any values.
  constexpr std::uint32_t kMostRanges = 4096;
  if (task.y_stride <= bursts || task.tokens > kMostRanges) {
    return {rows_of(task.y_base, task.tokens, task.y_stride, bursts)};
  }
  std::vector<BurstRange> ranges;
  for (std::uint64_t t = 0; t < task.tokens; ++t) {
    const std::uint64_t first = task.y_base + t * task.y_stride;
    ranges.push_back({first, first + bursts});
  }
  return ranges;
}

}  // namespace neardata::system
