// SPDX-License-Identifier: Apache-2.0
#include "unit/ndp/values/act_values.h"

#include <algorithm>
#include <bit>
#include <span>

#include "unit/ndp/values/act_tables.h"

namespace neardata::unit {
namespace {

// log2(e) in units of 2^-17.
constexpr std::int64_t kLog2e = 189097;

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

// -log2 of sigmoid(-|x|) in units of 2^-15, |x| < 128.
std::int64_t silu_power(const Finite& x) {
  const std::int64_t t = shift_down(x.significand * kLog2e, 12 - x.exponent);
  const std::int64_t z = shift_down(exp2(t & 32767), 2 + static_cast<int>(t >> 15));
  return t - evaluate(kSiluTable, z >> 12, z & 4095) + (1 << 15);
}

// -log2 of Phi(-|x|) in units of 2^-15, |x| < 16.
std::int64_t gelu_power(const Finite& x) {
  const std::int64_t half = shift_rounded(x.significand * kLog2e, 11);
  const std::int64_t t = shift_down(x.significand * half, 12 - 2 * x.exponent);
  const std::int64_t index =
      x.exponent < 0 ? shift_down(x.significand << 4, -x.exponent) : (x.significand - 1024) << 4;
  const std::int64_t octave = std::max(x.exponent + 1, 0);
  return t - evaluate(kGeluTable, 4 * octave + (index >> 12), index & 4095) + (6 << 15);
}

// SiLU or GELU, x Q or x (1 - Q) with Q = 2^-power.
std::uint16_t curve(std::uint16_t bits, ActFunc func, const Layout& layout) {
  const Finite x = finite(bits, layout);
  const int limit = func == ActFunc::Silu ? 7 : 4;
  if (x.exponent >= limit) return x.negative ? 0x8000 : bits;
  const std::int64_t power = func == ActFunc::Silu ? silu_power(x) : gelu_power(x);
  const std::int64_t q = exp2(power & 32767);
  const int n = static_cast<int>(power >> 15);
  if (x.negative) {
    return static_cast<std::uint16_t>(0x8000 | pack(x.significand * q, x.exponent - n, layout));
  }
  return pack(x.significand * ((1 << 17) - shift_rounded(q, n)), x.exponent, layout);
}

}  // namespace

std::uint16_t act(std::uint16_t bits, ActFunc func, Format format) {
  const Layout layout = layout_of(format);
  const int magnitude = bits & 0x7FFF;
  const bool negative = (bits & 0x8000) != 0;
  if (magnitude > layout.infinity()) return layout.nan();
  if (func == ActFunc::Identity) return bits;
  if (func == ActFunc::Relu) return negative ? 0 : bits;
  if (magnitude == 0) return bits;
  if (magnitude == layout.infinity()) return negative ? 0x8000 : bits;
  return curve(bits, func, layout);
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
