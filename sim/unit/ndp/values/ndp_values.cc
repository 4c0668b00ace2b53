// SPDX-License-Identifier: Apache-2.0
#include "unit/ndp/values/ndp_values.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "unit/ndp/formats.h"
#include "unit/ndp/ndp_task.h"
#include "unit/ndp/values/act_values.h"
#include "unit/ndp/values/dot_values.h"
#include "unit/ndp/values/low_bit_values.h"

namespace neardata::unit {

namespace {

/// A descriptor with the fields that only its values depend on.
struct Task : NdpTask {
  explicit Task(const Descriptor& d)
      : NdpTask(d), format((d[0] >> 8U & 1U) != 0 ? Format::Bf16 : Format::Fp16) {}

  Format format;
};

/// Row n of a matrix is in stream n mod Streams, from burst base + n / Streams * stride on.
struct Matrix {
  std::uint32_t base;
  std::uint32_t stride;
  std::uint32_t rows;
  std::uint32_t blocks;   ///< of the input
  std::uint32_t repeats;  ///< blocks of the row for each of them
  std::uint32_t bursts;   ///< of a row
  float factor;           ///< of NVFP4
};

using Values = std::vector<std::uint16_t>;

/// A row of weights, packed as in memory and decoded.
class Row {
 public:
  Row(const Task& task, const Matrix& matrix, std::uint32_t aligned, std::size_t lanes,
      std::size_t block)
      : aligned_(aligned),
        block_(block),
        repeats_(matrix.repeats),
        values_(std::size_t{matrix.bursts} * kBurstValues),
        wide_(task.format) {
    if (!task.low_bit()) return;
    low_.emplace(task.weights, aligned, lanes, block / lanes,
                 std::size_t{matrix.blocks} * matrix.repeats);
  }

  [[nodiscard]] std::uint16_t* burst(std::uint32_t q) { return &values_[q * kBurstValues]; }

  /// `factor`: of the matrix.
  void decode(float factor) {
    if (low_) {
      low_->decode(std::as_bytes(std::span(values_)), factor);
    } else {
      wide_.decode(values_);
    }
  }

  [[nodiscard]] float dot(const Operands& x) const {
    if (low_) return low_->dot(x, repeats_);
    float sum = block_sum(wide_, x, 0, block_, aligned_);
    for (std::size_t k = block_; k < wide_.size(); k += block_) {
      sum += block_sum(wide_, x, k, block_, aligned_);
    }
    return sum;
  }

 private:
  std::uint32_t aligned_;
  std::size_t block_, repeats_;
  Values values_;
  Operands wide_;
  std::optional<LowBitRow> low_;
};

using Product = std::vector<Values>;  ///< by vector and row

class Computation {
 public:
  Computation(const NdpParameters& parameters, const Task& task, NdpMemory& memory,
              const KeepGoing& keep_going)
      : streams_(parameters.streams),
        lanes_(parameters.lanes),
        aligned_(parameters.aligned_bits),
        block_(std::size_t{parameters.mult_per_stream} * parameters.lanes),
        task_(task),
        memory_(memory),
        keep_going_(keep_going) {}

  /// Computes the tokens of one pass at a time, as the unit does: the next pass may read the
  /// outputs of this one. False if it was stopped.
  [[nodiscard]] bool run() {
    for (std::uint32_t first = 0; first < task_.tokens; first += task_.pass_tokens) {
      pass(first, std::min(task_.pass_tokens, task_.tokens - first));
      if (stopped_) return false;
    }
    return true;
  }

 private:
  void pass(std::uint32_t first, std::uint32_t tokens) {
    const std::vector<Operands> x = inputs(first, tokens);
    const Matrix down{task_.down_base,    task_.down_stride, task_.out_rows,   task_.down_blocks(),
                      task_.down_repeats, row_bursts(true),  task_.down_factor};
    const Product y = multiply({down}, task_.op == NdpOp::kLinear ? x : hidden(x)).front();
    if (stopped_) return;
    for (std::uint32_t t = 0; t < tokens; ++t) store(first + t, y[t]);
  }

  void load_burst(std::uint32_t stream, std::uint32_t burst, std::uint16_t* to) const {
    std::memcpy(to, memory_.read_burst(stream, burst), kBurstBytes);
  }

  [[nodiscard]] Operands operands(const Values& values) const {
    Operands decoded(task_.format);
    decoded.decode(values);
    return decoded;
  }

  /// The padded input rows of so many tokens from `begin` on.
  [[nodiscard]] std::vector<Operands> inputs(std::uint32_t begin, std::uint32_t count) const {
    std::vector<Operands> tokens;
    Values row(task_.in_blocks * block_);
    for (std::uint32_t t = begin; t < begin + count; ++t) {
      for (std::uint32_t q = 0; q * kBurstValues < row.size(); ++q) {
        const std::uint32_t burst = task_.x_base + t * task_.x_stride + q / streams_;
        load_burst(q % streams_, burst, row.data() + q * kBurstValues);
      }
      tokens.push_back(operands(row));
    }
    return tokens;
  }

  /// The rows between the matrices: act(gate x) * (up x), or act(up x); padded with zeros.
  [[nodiscard]] std::vector<Operands> hidden(const std::vector<Operands>& x) {
    const auto matrix = [this](std::uint32_t base, float factor) {
      return Matrix{base,
                    task_.gu_stride,
                    task_.mid_rows,
                    task_.in_blocks,
                    task_.gu_repeats,
                    row_bursts(false),
                    factor};
    };
    const Matrix up = matrix(task_.up_base, task_.up_factor);
    const Matrix gate = matrix(task_.gate_base, task_.gate_factor);
    const bool gated = task_.op == NdpOp::kGated;
    const std::vector<Product> products = gated ? multiply({gate, up}, x) : multiply({up}, x);
    std::vector<Operands> tokens;
    Values row(task_.mid_blocks * block_);
    for (std::size_t t = 0; t < x.size(); ++t) {
      for (std::size_t n = 0; n < task_.mid_rows; ++n) {
        const std::uint16_t gate_operand =
            operand(products.front()[t][n], false, task_.act, task_.format);
        row[n] = act(gate_operand, task_.act.func, task_.format);
        if (!gated) continue;
        const std::uint16_t up_operand =
            operand(products.back()[t][n], true, task_.act, task_.format);
        row[n] = mul(row[n], up_operand, task_.format);
      }
      tokens.push_back(operands(row));
    }
    return tokens;
  }

  /// Every row of matrices of one shape times every vector. Reads as the unit does: the matrices
  /// alternate, and all streams have the same number of rows, including padding rows. The products
  /// of a stopped computation are invalid.
  [[nodiscard]] std::vector<Product> multiply(const std::vector<Matrix>& matrices,
                                              const std::vector<Operands>& vectors) {
    const std::uint32_t stride = matrices.front().stride;
    const std::uint32_t rows = matrices.front().rows;
    std::vector<Product> products(matrices.size(), Product(vectors.size(), Values(rows)));
    Row row(task_, matrices.front(), aligned_, lanes_, block_);
    for (std::uint32_t n = 0; n < (rows + streams_ - 1) / streams_ * streams_; ++n) {
      stopped_ = stopped_ || !keep_going_();
      if (stopped_) break;
      for (std::size_t m = 0; m < matrices.size(); ++m) {
        const std::uint32_t first = matrices[m].base + n / streams_ * stride;
        for (std::uint32_t q = 0; q < matrices[m].bursts; ++q) {
          load_burst(n % streams_, first + q, row.burst(q));
        }
        if (n >= rows) continue;
        row.decode(matrices[m].factor);
        for (std::size_t t = 0; t < vectors.size(); ++t) {
          products[m][t][n] = round_to(task_.format, row.dot(vectors[t]));
        }
      }
    }
    return products;
  }

  [[nodiscard]] std::uint32_t row_bursts(bool down) const {
    return task_.row_bursts(down, static_cast<std::uint32_t>(block_ / kBurstValues));
  }

  /// A token's output row; its last burst is padded with zeros.
  void store(std::uint32_t token, const Values& row) {
    for (std::uint32_t q = 0; q * kBurstValues < row.size(); ++q) {
      std::array<std::uint16_t, kBurstValues> burst{};
      const std::size_t first = std::size_t{q} * kBurstValues;
      std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(first),
                  std::min(std::size_t{kBurstValues}, row.size() - first), burst.begin());
      memory_.write_burst(q % streams_, task_.y_base + token * task_.y_stride + q / streams_,
                          std::span<const std::byte, kBurstBytes>(std::as_bytes(std::span(burst))));
    }
  }

  std::uint32_t streams_;
  std::size_t lanes_;
  std::uint32_t aligned_;
  std::size_t block_;  ///< values that a stream multiplies in a slot
  Task task_;
  NdpMemory& memory_;
  const KeepGoing& keep_going_;
  bool stopped_ = false;
};

}  // namespace

bool compute_values(const NdpParameters& parameters, const Descriptor& descriptor,
                    NdpMemory& memory, const KeepGoing& keep_going) {
  return Computation(parameters, Task(descriptor), memory, keep_going).run();
}

}  // namespace neardata::unit
