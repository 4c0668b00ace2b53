// SPDX-License-Identifier: Apache-2.0
//
// Compiled without contraction: every product and sum is rounded as defined.
#include "unit/sparf/values/attention_heads.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace neardata::unit {

namespace {

/// The parameters of the reference heads, names as in the definition.
constexpr double kSegmentMean = 24;
constexpr double kGainCap = 6;
constexpr double kGainDivisor = 2.5;
constexpr double kSalienceCap = 6;
constexpr double kSalienceScale = 0.25;
constexpr double kKeyNoise = 0.6;
constexpr std::uint32_t kSinks = 2;
constexpr double kSinkKey = 0.8;
constexpr double kSinkQuery = 0.9;
constexpr std::uint32_t kRelevant = 3;
constexpr double kOwnWeight = 0.35;
constexpr double kOtherWeight = 0.55;
constexpr double kQueryNoise = 0.45;
constexpr double kCommonValue = 0.5;
constexpr double kSegmentValue = 0.6;
constexpr double kValueNoise = 0.6;
constexpr double kSinkValue = 0.05;

/// A random stream by number: Mulberry32, whose states are an arithmetic series.
class Stream {
 public:
  Stream(std::uint32_t seed, std::uint32_t id) : begin_(seed + 0x9E3779B9U * id) {}

  [[nodiscard]] std::uint32_t draw(std::uint32_t index) const { return mixed(state(index)); }

  /// In [0, 1).
  [[nodiscard]] double uniform(std::uint32_t index) const { return draw(index) * 0x1p-32; }

  /// Pareto of exponent 2, at least 1.
  [[nodiscard]] double tail(std::uint32_t index) const { return 1 / std::sqrt(1 - uniform(index)); }

  /// The normal numbers from number `first` on, each of twelve samples: their sum is exact in any
  /// order.
  void normals(std::uint32_t first, std::span<double> out) const {
    constexpr std::uint32_t kDraws = 12;
    constexpr std::size_t kBatch = 128;
    std::array<std::uint64_t, kBatch> sums;
    for (std::size_t at = 0; at < out.size(); at += kBatch) {
      const std::size_t count = std::min(kBatch, out.size() - at);
      const std::uint32_t from = state((first + static_cast<std::uint32_t>(at)) * kDraws);
      sums.fill(0);
      for (std::uint32_t d = 0; d < kDraws; ++d) {
        for (std::uint32_t i = 0; i < kBatch; ++i) {
          sums[i] += mixed(from + d * kStep + i * (kDraws * kStep));
        }
      }
      for (std::size_t i = 0; i < count; ++i) {
        out[at + i] = static_cast<double>(static_cast<std::int64_t>(sums[i])) * 0x1p-32 - 6;
      }
    }
  }

 private:
  static constexpr std::uint32_t kStep = 0x6D2B79F5;  ///< from state to state

  [[nodiscard]] std::uint32_t state(std::uint32_t index) const {
    return begin_ + (index + 1) * kStep;
  }

  static std::uint32_t mixed(std::uint32_t state) {
    std::uint32_t t = (state ^ state >> 15U) * (state | 1U);
    t ^= t + (t ^ t >> 7U) * (t | 61U);
    return t ^ t >> 14U;
  }

  std::uint32_t begin_;
};

/// The nearest binary16, ties to even. A sum with a number that leaves just its places rounds.
std::uint16_t half_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint32_t>(bits >> 48U) & 0x8000U;
  const double magnitude = std::abs(value);
  const std::uint64_t biased = std::max<std::uint64_t>(bits >> 52U & 0x7FFU, 1009);
  const auto large = std::bit_cast<double>((biased + 42) << 52U | std::uint64_t{1} << 51U);
  const auto places = std::bit_cast<double>((2056 - biased) << 52U);
  const double units = (magnitude + large - large) * places;
  // 2048 units carry into the exponent by themselves; 15 above the greatest is infinity.
  const auto rounded = (static_cast<std::uint32_t>(biased - 1009) << 10U) +
                       static_cast<std::uint32_t>(static_cast<std::int32_t>(units));
  return static_cast<std::uint16_t>(sign | (magnitude >= 65520 ? 0x7C00U : rounded));
}

using Shape = HeadShape;

/// The segment of every token.
std::vector<std::uint32_t> segments_of(const Shape& shape) {
  const Stream stream(shape.seed, 1);
  std::vector<std::uint32_t> segments(shape.length);
  for (std::uint32_t t = 0, segment = 0; t < shape.length; ++segment) {
    const double more = std::floor(stream.uniform(segment) * (2 * kSegmentMean - 1));
    const std::uint32_t end = std::min(shape.length, t + 1 + static_cast<std::uint32_t>(more));
    std::fill(segments.begin() + t, segments.begin() + end, segment);
    t = end;
  }
  return segments;
}

/// Rows of normals, one a segment.
std::vector<double> topics_of(const Shape& shape, std::uint32_t id, std::uint32_t segments) {
  std::vector<double> topics(std::size_t{segments} * shape.width);
  Stream(shape.seed, id).normals(0, topics);
  return topics;
}

/// Calls `fill(token, row)` for each wanted token, the row filled with its normals of stream `id`.
template <typename Fill>
void for_rows(const Shape& shape, std::uint32_t id, std::uint16_t* out, Fill fill) {
  const Stream stream(shape.seed, id);
  std::vector<double> row(shape.width);
  for (std::uint32_t t = shape.from; t < shape.to; ++t, out += shape.width) {
    stream.normals(t * shape.width, row);
    fill(t, row.data());
    for (std::uint32_t c = 0; c < shape.width; ++c) out[c] = half_of(row[c]);
  }
}

std::vector<double> signs_of(const Shape& shape) {
  const Stream stream(shape.seed, 6);
  std::vector<double> signs(shape.width);
  for (std::uint32_t c = 0; c < shape.width; ++c) signs[c] = stream.draw(c) >> 31U ? -1 : 1;
  return signs;
}

void fill_keys(const Shape& shape, std::uint16_t* out) {
  const std::vector<std::uint32_t> segment = segments_of(shape);
  const std::vector<double> topics = topics_of(shape, 3, segment.back() + 1);
  const std::vector<double> sign = signs_of(shape);
  const Stream salience_draw(shape.seed, 4);
  for_rows(shape, 5, out, [&](std::uint32_t t, double* row) {
    const double* topic = topics.data() + std::size_t{segment[t]} * shape.width;
    const double salience = std::min(kSalienceCap, salience_draw.tail(t)) * kSalienceScale;
    for (std::uint32_t c = 0; c < shape.width; ++c) {
      row[c] = salience * topic[c] + kKeyNoise * row[c];
      if (t < kSinks) row[c] += kSinkKey * sign[c];
    }
  });
}

void fill_queries(const Shape& shape, std::uint16_t* out) {
  const std::vector<std::uint32_t> segment = segments_of(shape);
  const std::vector<double> topics = topics_of(shape, 3, segment.back() + 1);
  const std::vector<double> sign = signs_of(shape);
  const Stream gain_draw(shape.seed, 2);
  const Stream relevant_draw(shape.seed, 7);
  std::vector<double> gain(shape.width);
  for (std::uint32_t c = 0; c < shape.width; ++c) {
    gain[c] = std::min(kGainCap, gain_draw.tail(c)) / kGainDivisor;
  }
  for_rows(shape, 8, out, [&](std::uint32_t t, double* row) {
    const auto topic = [&](std::uint32_t s) {
      return topics.data() + std::size_t{s} * shape.width;
    };
    std::array<const double*, kRelevant> others;
    for (std::uint32_t i = 0; i < kRelevant; ++i) {
      const double drawn = relevant_draw.uniform(t * kRelevant + i) * (segment[t] + 1.0);
      others[i] = topic(static_cast<std::uint32_t>(drawn));
    }
    const double* own = topic(segment[t]);
    for (std::uint32_t c = 0; c < shape.width; ++c) {
      double sum = kOwnWeight * own[c];
      for (const double* other : others) sum += kOtherWeight * other[c];
      sum += kQueryNoise * row[c];
      sum += kSinkQuery * sign[c];
      row[c] = gain[c] * sum;
    }
  });
}

void fill_values(const Shape& shape, std::uint16_t* out) {
  const std::vector<std::uint32_t> segment = segments_of(shape);
  std::vector<double> common(shape.width);
  Stream(shape.seed, 9).normals(0, common);
  const std::vector<double> topics = topics_of(shape, 10, segment.back() + 1);
  for_rows(shape, 11, out, [&](std::uint32_t t, double* row) {
    const double* topic = topics.data() + std::size_t{segment[t]} * shape.width;
    for (std::uint32_t c = 0; c < shape.width; ++c) {
      row[c] = kCommonValue * common[c] + kSegmentValue * topic[c] + kValueNoise * row[c];
      if (t < kSinks) row[c] *= kSinkValue;
    }
  });
}

}  // namespace

std::vector<std::uint16_t> head_rows(HeadPart part, const HeadShape& shape) {
  std::vector<std::uint16_t> rows(std::size_t{shape.to - shape.from} * shape.width);
  switch (part) {
    case HeadPart::kQueries:
      fill_queries(shape, rows.data());
      break;
    case HeadPart::kKeys:
      fill_keys(shape, rows.data());
      break;
    case HeadPart::kValues:
      fill_values(shape, rows.data());
      break;
  }
  return rows;
}

}  // namespace neardata::unit
