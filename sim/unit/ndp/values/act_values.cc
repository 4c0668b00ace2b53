// SPDX-License-Identifier: Apache-2.0
#include "unit/ndp/values/act_values.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

#include "unit/ndp/values/act_tables.h"

namespace neardata::unit {
namespace {

// log2(e) in units of 2^-17; 1.702 log2(e) in units of 2^-16; 2 sqrt(2 / pi) log2(e) in units of
// 2^-14, and 0.044715 of it in units of 2^-20.
constexpr std::int64_t kLog2e = 189097;
constexpr std::int64_t kQuickLog2e = 160921;
constexpr std::int64_t kTanhLog2e = 37719;
constexpr std::int64_t kTanhCube = 107944;

struct Layout {
  int fraction_bits;
  int bias;
  int max_field;

  [[nodiscard]] std::uint16_t infinity() const {
    return static_cast<std::uint16_t>(max_field << fraction_bits);
  }
  [[nodiscard]] std::uint16_t nan() const {
    return static_cast<std::uint16_t>(infinity() | 1 << (fraction_bits - 1));
  }
};

constexpr Layout layout_of(Format format) {
  return format == Format::Bf16 ? Layout{7, 127, 255} : Layout{10, 15, 31};
}

// A finite number other than zero: significand * 2^(exponent - 10), 2^10 <= significand < 2^11.
struct Finite {
  bool negative;
  std::int64_t significand;
  int exponent;
};

Finite finite(std::uint16_t bits, const Layout& layout) {
  const int field = bits >> layout.fraction_bits & layout.max_field;
  const int fraction = bits & ((1 << layout.fraction_bits) - 1);
  const unsigned raw =
      static_cast<unsigned>(field == 0 ? fraction : fraction | 1 << layout.fraction_bits);
  const int lost = 11 - static_cast<int>(std::bit_width(raw));
  return {.negative = (bits & 0x8000) != 0,
          .significand = std::int64_t{raw} << lost,
          .exponent = std::max(field, 1) - layout.bias - lost + 10 - layout.fraction_bits};
}

// value / 2^shift to nearest even, and cut off. Shifts above 62 leave nothing of these values.
std::int64_t shift_rounded(std::int64_t value, int shift) {
  if (shift == 0) return value;
  shift = std::min(shift, 62);
  const std::int64_t half = std::int64_t{1} << (shift - 1);
  return (value + half - 1 + (value >> shift & 1)) >> shift;
}

std::int64_t shift_down(std::int64_t value, int shift) { return value >> std::min(shift, 62); }

// The magnitude of product * 2^(exponent - 27) in the format, 2^26 <= product < 2^28.
std::uint16_t pack(std::int64_t product, int exponent, const Layout& layout) {
  const int top = product >> 27 != 0 ? 1 : 0;
  const int field = exponent - 1 + top + layout.bias;
  if (field >= layout.max_field) return layout.infinity();
  // The leading one of a normal result adds the last unit of the exponent field.
  const int above = std::max(field - 1, 0) << layout.fraction_bits;
  const int extra = field >= 1 ? top : 2 - exponent - layout.bias;
  return static_cast<std::uint16_t>(above +
                                    shift_rounded(product, 26 - layout.fraction_bits + extra));
}

std::int64_t evaluate(std::span<const Parabola> table, std::int64_t segment, std::int64_t r) {
  const Parabola& p = table[static_cast<std::size_t>(segment)];
  return p.c0 - shift_rounded(r * (p.c1 - shift_rounded(r * p.c2, 12)), 12);
}

// 2^-(fraction / 2^15) in units of 2^-17.
std::int64_t exp2(std::int64_t fraction) {
  return evaluate(kExp2Table, fraction >> 12, fraction & 4095);
}

// -log2 of sigmoid(-a) from t = a log2(e), both in units of 2^-15.
std::int64_t sigmoid_power(std::int64_t t) {
  const std::int64_t z = shift_down(exp2(t & 32767), 2 + static_cast<int>(t >> 15));
  return t - evaluate(kSiluTable, z >> 12, z & 4095) + (1 << 15);
}

// Each of these returns -log2 of Q in units of 2^-15, and nothing if Q is negligible.
std::optional<std::int64_t> silu_power(const Finite& x) {
  if (x.exponent >= 7) return std::nullopt;
  return sigmoid_power(shift_down(x.significand * kLog2e, 12 - x.exponent));
}

std::optional<std::int64_t> quick_gelu_power(const Finite& x) {
  if (x.exponent >= 6) return std::nullopt;
  return sigmoid_power(shift_down(x.significand * kQuickLog2e, 11 - x.exponent));
}

std::optional<std::int64_t> tanh_gelu_power(const Finite& x) {
  if (x.exponent >= 4) return std::nullopt;
  const std::int64_t linear = shift_rounded(x.significand * kTanhCube, 11);
  const std::int64_t slope =
      kTanhLog2e + shift_rounded(x.significand * linear, 15 - 2 * x.exponent);
  if (slope >> 18 != 0) return std::nullopt;
  return sigmoid_power(shift_down(x.significand * slope, 9 - x.exponent));
}

std::optional<std::int64_t> gelu_power(const Finite& x) {
  if (x.exponent >= 4) return std::nullopt;
  const std::int64_t half = shift_rounded(x.significand * kLog2e, 11);
  const std::int64_t t = shift_down(x.significand * half, 12 - 2 * x.exponent);
  const std::int64_t index =
      x.exponent < 0 ? shift_down(x.significand << 4, -x.exponent) : (x.significand - 1024) << 4;
  const std::int64_t octave = std::max(x.exponent + 1, 0);
  return t - evaluate(kGeluTable, 4 * octave + (index >> 12), index & 4095) + (6 << 15);
}

std::optional<std::int64_t> power_of(const Finite& x, ActFunc func) {
  switch (func) {
    case ActFunc::Gelu:
      return gelu_power(x);
    case ActFunc::TanhGelu:
      return tanh_gelu_power(x);
    case ActFunc::QuickGelu:
      return quick_gelu_power(x);
    default:
      return silu_power(x);
  }
}

// SiLU or a form of GELU, x Q or x (1 - Q) with Q = 2^-power.
std::uint16_t curve(std::uint16_t bits, ActFunc func, const Layout& layout) {
  const Finite x = finite(bits, layout);
  const std::optional<std::int64_t> power = power_of(x, func);
  if (!power) return x.negative ? 0x8000 : bits;
  const std::int64_t q = exp2(*power & 32767);
  const int n = static_cast<int>(*power >> 15);
  if (x.negative) {
    return static_cast<std::uint16_t>(0x8000 | pack(x.significand * q, x.exponent - n, layout));
  }
  return pack(x.significand * ((1 << 17) - shift_rounded(q, n)), x.exponent, layout);
}

// Operand + 1, rounded to nearest even, in units of 2^-30.
std::uint16_t plus_one(std::uint16_t bits, const Layout& layout) {
  constexpr int kUnit = 30;
  const int magnitude = bits & 0x7FFF;
  if (magnitude > layout.infinity()) return layout.nan();
  const auto one = static_cast<std::uint16_t>(layout.bias << layout.fraction_bits);
  if (magnitude == 0) return one;
  const Finite x = finite(bits, layout);
  // 1 is less than a quarter of the last place of the larger values, and the smaller values of 1's.
  if (magnitude == layout.infinity() || x.exponent >= 13) return bits;
  if (x.exponent < 10 - kUnit) return one;
  const std::int64_t value = x.significand << (x.exponent + kUnit - 10);
  const std::int64_t total = (std::int64_t{1} << kUnit) + (x.negative ? -value : value);
  if (total == 0) return 0;
  const auto size = static_cast<std::uint64_t>(total < 0 ? -total : total);
  const int top = static_cast<int>(std::bit_width(size)) - 1;
  const std::int64_t significand =
      shift_rounded(static_cast<std::int64_t>(size), top - layout.fraction_bits);
  // The leading one of the significand adds the last unit of the exponent field.
  const int above = (top - kUnit + layout.bias - 1) << layout.fraction_bits;
  return static_cast<std::uint16_t>((total < 0 ? 0x8000 : 0) + above + significand);
}

}  // namespace

std::uint16_t act(std::uint16_t bits, ActFunc func, Format format) {
  const Layout layout = layout_of(format);
  const int magnitude = bits & 0x7FFF;
  const bool negative = (bits & 0x8000) != 0;
  if (magnitude > layout.infinity()) return layout.nan();
  if (func == ActFunc::Identity) return bits;
  if (func == ActFunc::Relu) return negative ? 0 : bits;
  if (func == ActFunc::ReluSquared) return negative ? 0 : mul(bits, bits, format);
  if (magnitude == 0) return bits;
  if (magnitude == layout.infinity()) return negative ? 0x8000 : bits;
  return curve(bits, func, layout);
}

std::uint16_t operand(std::uint16_t bits, bool up, const ActMode& mode, Format format) {
  const Layout layout = layout_of(format);
  const int magnitude = bits & 0x7FFF;
  const bool negative = (bits & 0x8000) != 0;
  const bool beyond = magnitude > mode.limit && magnitude <= layout.infinity();
  if (mode.limit != 0 && beyond && (up || !negative)) {
    bits = static_cast<std::uint16_t>((bits & 0x8000) | mode.limit);
  }
  return up && mode.up_plus_one ? plus_one(bits, layout) : bits;
}

std::uint16_t mul(std::uint16_t a, std::uint16_t b, Format format) {
  const Layout layout = layout_of(format);
  const int x = a & 0x7FFF;
  const int y = b & 0x7FFF;
  const int infinity = layout.infinity();
  const bool zero = x == 0 || y == 0;
  if (x > infinity || y > infinity) return layout.nan();
  if (zero && (x == infinity || y == infinity)) return layout.nan();
  const int sign = (a ^ b) & 0x8000;
  if (zero) return static_cast<std::uint16_t>(sign);
  if (x == infinity || y == infinity) return static_cast<std::uint16_t>(sign | infinity);
  const Finite p = finite(a, layout);
  const Finite q = finite(b, layout);
  const std::int64_t product = p.significand * q.significand << 6;
  return static_cast<std::uint16_t>(sign | pack(product, p.exponent + q.exponent + 1, layout));
}

}  // namespace neardata::unit
