// SPDX-License-Identifier: Apache-2.0
//
// Fields of a unit's ports by their names, looked up once when a plug-in is loaded; after that a
// field is an index into an array of words. One error lists all missing names and all wrong widths.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"
#include "rtl/shim/unit_plugin.h"

namespace neardata::rtl {

/// Bits of a word of the arrays that contain the fields.
inline constexpr std::uint32_t kWordBits = 32;

constexpr std::uint32_t words_of_bits(std::uint32_t bits) {
  return (bits + kWordBits - 1) / kWordBits;
}

[[nodiscard]] inline std::span<const NeardataUnitField> fields_of(const NeardataUnitTable& table) {
  return {table.fields, table.count};
}

/// The first field that two arrays of words differ in; null when they are equal.
[[nodiscard]] const NeardataUnitField* first_difference(const NeardataUnitTable& table,
                                                        std::span<const std::uint32_t> one,
                                                        std::span<const std::uint32_t> other);

/// The position of a field.
struct UnitField {
  std::uint32_t offset = 0;
  std::uint32_t words = 1;  ///< of an element
  std::uint32_t bits = 0;   ///< of an element
  std::uint32_t count = 1;

  [[nodiscard]] const std::uint32_t* at(const std::uint32_t* array, std::size_t element = 0) const {
    return array + offset + element * words;
  }
  [[nodiscard]] std::uint32_t* at(std::uint32_t* array, std::size_t element = 0) const {
    return array + offset + element * words;
  }
  /// The low word.
  [[nodiscard]] std::uint32_t get(const std::uint32_t* array, std::size_t element = 0) const {
    return *at(array, element);
  }
  /// The low two words.
  [[nodiscard]] std::uint64_t get_long(const std::uint32_t* array, std::size_t element = 0) const {
    const std::uint32_t* low = at(array, element);
    return words < 2 ? *low : *low | std::uint64_t{low[1]} << 32U;
  }
  void set(std::uint32_t* array, std::uint32_t value, std::size_t element = 0) const {
    *at(array, element) = value;
  }
};

/// How many bits an element may have.
struct BitRange {
  std::uint32_t least;
  std::uint32_t most;
  // NOLINTNEXTLINE(google-explicit-constructor): one number is a range, too
  constexpr BitRange(std::uint32_t bits) : least(bits), most(bits) {}
  constexpr BitRange(std::uint32_t from, std::uint32_t to) : least(from), most(to) {}
};

class FieldFinder {
 public:
  explicit FieldFinder(const NeardataUnitPlugin& api) : api_(api) {}

  UnitField input(std::string_view name, BitRange bits, std::uint32_t count = 1) {
    return field(api_.inputs, "input", name, bits, count);
  }
  UnitField output(std::string_view name, BitRange bits, std::uint32_t count = 1) {
    return field(api_.outputs, "output", name, bits, count);
  }
  /// Empty if the unit has no such output; a width that does not fit is nevertheless an error.
  std::optional<UnitField> option(std::string_view name, BitRange bits);

  /// kBadConfig with all that was looked up and is not there or does not fit.
  [[nodiscard]] core::Expected<void> result() const;

 private:
  UnitField field(const NeardataUnitTable& table, const char* direction, std::string_view name,
                  BitRange bits, std::uint32_t count);
  void problem(const std::string& sentence);

  const NeardataUnitPlugin& api_;
  std::string problems_;
};

}  // namespace neardata::rtl
