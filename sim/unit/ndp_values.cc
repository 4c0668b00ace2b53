// SPDX-License-Identifier: Apache-2.0
#include "unit/ndp_values.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "unit/act_values.h"
#include "unit/dot_values.h"
#include "unit/formats.h"
#include "unit/ndp_task.h"

namespace neardata::unit {

namespace {

constexpr std::size_t kBurstValues = kBurstBytes / sizeof(std::uint16_t);

/// A descriptor with what only its values depend on.
struct Task : NdpTask {
  explicit Task(const Descriptor& d)
      : NdpTask(d),
        func(static_cast<ActFunc>(d[0] >> 4U & 3U)),
        format((d[0] >> 8U & 1U) != 0 ? Format::Bf16 : Format::Fp16) {}

  ActFunc func;
  Format format;
};

/// Row n of a matrix lies in stream n mod Streams from burst base + n / Streams * stride on.
struct Matrix {
  std::uint32_t base;
  std::uint32_t stride;
  std::uint32_t rows;
  std::uint32_t blocks;  ///< of a row
};

using Values = std::vector<std::uint16_t>;

class Computation {
 public:
  Computation(const NdpParameters& parameters, const Task& task, NdpMemory& memory)
      : streams_(parameters.streams),
        block_(std::size_t{parameters.mult_per_stream} * parameters.lanes),
        task_(task),
        memory_(memory) {}

  void run() {
    std::vector<Operands> x = inputs();
    const Matrix down{task_.down_base, task_.down_stride, task_.out_rows, task_.down_blocks()};
    const std::vector<Values> y = multiply(down, task_.op == NdpOp::kLinear ? x : hidden(x));
    for (std::uint32_t t = 0; t < task_.tokens; ++t) store(t, y[t]);
  }

 private:
  void load_burst(std::uint32_t stream, std::uint32_t burst, std::uint16_t* to) const {
    std::memcpy(to, memory_.burst(stream, burst), kBurstBytes);
  }

  [[nodiscard]] Operands operands(const Values& values) const {
    Operands decoded(task_.format);
    decoded.decode(values);
    return decoded;
  }

  /// The padded input rows of all tokens.
  [[nodiscard]] std::vector<Operands> inputs() const {
    std::vector<Operands> tokens;
    Values row(task_.in_blocks * block_);
    for (std::uint32_t t = 0; t < task_.tokens; ++t) {
      for (std::uint32_t q = 0; q * kBurstValues < row.size(); ++q) {
        const std::uint32_t burst = task_.x_base + t * task_.x_stride + q / streams_;
        load_burst(q % streams_, burst, row.data() + q * kBurstValues);
      }
      tokens.push_back(operands(row));
    }
    return tokens;
  }

  /// The rows between the matrices: act(gate x) * (up x), or act(up x); padded with zeros.
  [[nodiscard]] std::vector<Operands> hidden(const std::vector<Operands>& x) const {
    const std::vector<Values> up =
        multiply({task_.up_base, task_.gu_stride, task_.mid_rows, task_.in_blocks}, x);
    std::vector<Values> gate;
    if (task_.op == NdpOp::kGated) {
      gate = multiply({task_.gate_base, task_.gu_stride, task_.mid_rows, task_.in_blocks}, x);
    }
    std::vector<Operands> tokens;
    Values row(task_.mid_blocks * block_);
    for (std::size_t t = 0; t < up.size(); ++t) {
      for (std::size_t n = 0; n < up[t].size(); ++n) {
        row[n] = task_.op == NdpOp::kGated
                     ? mul(act(gate[t][n], task_.func, task_.format), up[t][n], task_.format)
                     : act(up[t][n], task_.func, task_.format);
      }
      tokens.push_back(operands(row));
    }
    return tokens;
  }

  /// Every row times every vector: [vectors][rows].
  [[nodiscard]] std::vector<Values> multiply(const Matrix& matrix,
                                             const std::vector<Operands>& vectors) const {
    std::vector<Values> results(vectors.size(), Values(matrix.rows));
    Values row(matrix.blocks * block_);
    Operands weights(task_.format);
    for (std::uint32_t n = 0; n < matrix.rows; ++n) {
      const std::uint32_t first = matrix.base + n / streams_ * matrix.stride;
      for (std::uint32_t q = 0; q * kBurstValues < row.size(); ++q) {
        load_burst(n % streams_, first + q, row.data() + q * kBurstValues);
      }
      weights.decode(row);
      for (std::size_t t = 0; t < vectors.size(); ++t) {
        results[t][n] = round_to(task_.format, dot(weights, vectors[t]));
      }
    }
    return results;
  }

  [[nodiscard]] float dot(const Operands& weights, const Operands& x) const {
    float sum = block_sum(weights, 0, x, 0, block_);
    for (std::size_t k = block_; k < weights.size(); k += block_) {
      sum += block_sum(weights, k, x, k, block_);
    }
    return sum;
  }

  /// A token's output row; its last burst is padded with zeros.
  void store(std::uint32_t token, const Values& row) {
    for (std::uint32_t q = 0; q * kBurstValues < row.size(); ++q) {
      std::array<std::uint16_t, kBurstValues> burst{};
      const std::size_t first = q * kBurstValues;
      std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(first),
                  std::min(kBurstValues, row.size() - first), burst.begin());
      memory_.write_burst(q % streams_, task_.y_base + token * task_.y_stride + q / streams_,
                          std::span<const std::byte, kBurstBytes>(std::as_bytes(std::span(burst))));
    }
  }

  std::uint32_t streams_;
  std::size_t block_;  ///< values that a stream multiplies in a slot
  Task task_;
  NdpMemory& memory_;
};

}  // namespace

void compute_values(const NdpParameters& parameters, const Descriptor& descriptor,
                    NdpMemory& memory) {
  Computation(parameters, Task(descriptor), memory).run();
}

}  // namespace neardata::unit
