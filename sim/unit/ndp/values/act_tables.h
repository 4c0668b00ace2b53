// SPDX-License-Identifier: Apache-2.0
// The tables of the activation unit: parabolas c0 - r (c1 - r c2) on equal segments, r in 4096ths.
// They follow from the formulas in src/golden/activation-tables.ts; a test holds every number here
// against them.
#ifndef NEARDATA_SIM_UNIT_NDP_ACT_TABLES_H_
#define NEARDATA_SIM_UNIT_NDP_ACT_TABLES_H_

#include <array>
#include <cstdint>

namespace neardata::unit {

struct Parabola {
  std::int32_t c0;
  std::int32_t c1;
  std::int32_t c2;
};

// 2^-u, eighths of [0, 1), units of 2^-17.
inline constexpr std::array<Parabola, 8> kExp2Table{{
    {131070, 11349, 471},
    {120192, 10407, 432},
    {110216, 9543, 396},
    {101069, 8751, 363},
    {92681, 8025, 333},
    {84989, 7359, 306},
    {77935, 6748, 280},
    {71467, 6188, 257},
}};

// 1 - log2(1 + z), eighths of [0, 1), units of 2^-15.
inline constexpr std::array<Parabola, 8> kSiluTable{{
    {32766, 5894, 328},
    {27199, 5242, 262},
    {22218, 4719, 215},
    {17712, 4292, 179},
    {13599, 3935, 151},
    {9815, 3633, 130},
    {6312, 3374, 112},
    {3050, 3149, 98},
}};

// 6 + log2(Phi(-x) e^(x^2/2)), Phi the normal distribution; quarters of [0, 1), [1, 2), [2, 4),
// [4, 8), [8, 16); units of 2^-15.
inline constexpr std::array<Parabola, 20> kGeluTable{{
    {163838, 9415, 498},  {154919, 8421, 428}, {146925, 7566, 368}, {139726, 6831, 317},
    {133212, 6199, 274},  {127286, 5652, 237}, {121870, 5179, 206}, {116896, 4767, 180},
    {112308, 8792, 595},  {104108, 7608, 468}, {96966, 6676, 374},  {90663, 5930, 304},
    {85032, 10600, 920},  {75347, 8776, 660},  {67228, 7465, 494},  {60254, 6484, 382},
    {54145, 11382, 1093}, {43849, 9222, 747},  {35369, 7741, 542},  {28167, 6665, 410},
}};

}  // namespace neardata::unit

#endif  // NEARDATA_SIM_UNIT_NDP_ACT_TABLES_H_
